import CFigures
import FuzzTargets
import Glibc

// Usage: Costs FILE…, with the name of a fuzz target in INKLING_FUZZ_TARGET. Prints for each file its size, the least
// processor time of five runs in nanoseconds, and the largest number of bytes allocated at once. Without a name it prints the
// names of all targets.

func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}

_ = initializeFuzzer(nil, nil)
for path in CommandLine.arguments.dropFirst() {
    guard let bytes = contents(path) else {
        print("cannot read \(path)")
        exit(66)
    }
    var least = UInt.max
    var most = 0
    bytes.withUnsafeBufferPointer { buffer in
        for round in 0..<6 {
            begin_counting()
            let begun = processor_nanoseconds()
            _ = testOneInput(buffer.baseAddress, buffer.count)
            let taken = processor_nanoseconds() - begun
            // The first run fills caches and makes what is made once.
            if round > 0 {
                least = min(least, taken)
                most = max(most, largest_count())
            }
        }
    }
    print("\(bytes.count) \(least) \(most) \(path)")
}
