import CFigures
import CFuzzing
import FuzzTargets
import Glibc
import InklingSession

// Usage: Costs FILE…, with the name of a fuzz target in INKLING_FUZZ_TARGET. Prints for each file its size, the least
// processor time of five runs in nanoseconds, and the largest number of bytes allocated at once, without the copies of the
// input that the target made for its parser. Without a name it prints the names of all targets.

func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}

/// A stream in the pieces in which the TCP transport reads it.
func takeStream(_ input: Span<UInt8>) {
    var decoder = FrameDecoder()
    for start in stride(from: 0, to: input.count, by: 4_096) {
        decoder.append(input.extracting(start..<min(input.count, start + 4_096)))
        do { while try decoder.next() != nil {} } catch { return }
    }
}

/// Fragments, each after a byte with its length.
func takeFragments(_ input: Span<UInt8>) {
    var reassembler = FragmentReassembler()
    var offset = 0
    while offset < input.count {
        let end = max(offset + 1, min(input.count, offset + 1 + Int(input[offset])))
        _ = try? reassembler.append(input.extracting(offset + 1..<end), at: UInt64(offset))
        offset = end
    }
}

/// The targets of these names do more with an input than to parse it once.
let parsers: [String: (Span<UInt8>) -> Void] = ["tcp-frames": takeStream, "gatt-fragments": takeFragments]

_ = initializeFuzzer(nil, nil)
let parser = getenv("INKLING_FUZZ_TARGET").flatMap { parsers[String(cString: $0)] }
for path in CommandLine.arguments.dropFirst() {
    guard let bytes = contents(path) else {
        print("cannot read \(path)")
        exit(66)
    }
    var least = UInt.max
    var most = 0
    bytes.withUnsafeBufferPointer { buffer in
        for round in 0..<6 {
            forget_copies()
            begin_counting()
            let begun = processor_nanoseconds()
            if let parser {
                parser(Span(_unsafeElements: buffer))
            } else {
                _ = testOneInput(buffer.baseAddress, buffer.count)
            }
            let taken = processor_nanoseconds() - begun
            // The first run fills caches and makes what is made once.
            if round > 0 {
                least = min(least, taken)
                most = max(most, largest_count() - Int(noted_copies()))
            }
        }
    }
    print("\(bytes.count) \(least) \(most) \(path)")
}
