import CFigures
import CFuzzing
import FuzzTargets
import Glibc
import InklingWire

// Usage: Costs FILE…, with the name of a fuzz target in INKLING_FUZZ_TARGET. Prints for each file its size, the least
// processor time of five runs in nanoseconds, without and with the checks of signatures and public keys, and the largest
// number of bytes allocated at once, without the copies of the input that the target made for its parser. Without a name it
// prints the names of all targets.

func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}

/// A stream in the pieces in which the TCP transport reads it.
func takeStream(_ input: Span<UInt8>) -> UInt? {
    var decoder = FrameDecoder()
    for start in stride(from: 0, to: input.count, by: 4_096) {
        decoder.append(input.extracting(start..<min(input.count, start + 4_096)))
        do { while try decoder.next() != nil {} } catch { return nil }
    }
    return nil
}

/// Fragments, each after a byte with its length. Returns the time of the slowest packet, from its first fragment to the one
/// that completes it or is refused: the packet is what is parsed, and 64 KiB hold very many.
func takeFragments(_ input: Span<UInt8>) -> UInt? {
    var reassembler = FragmentReassembler()
    var offset = 0
    var slowest: UInt = 0
    var begun = processor_nanoseconds()
    while offset < input.count {
        let end = max(offset + 1, min(input.count, offset + 1 + Int(input[offset])))
        if reassembler.deadline == nil { begun = processor_nanoseconds() }
        _ = try? reassembler.append(input.extracting(offset + 1..<end), at: UInt64(offset))
        if reassembler.deadline == nil || end == input.count { slowest = max(slowest, processor_nanoseconds() - begun) }
        offset = end
    }
    return slowest
}

/// The targets of these names do more with an input than to parse it once. A parser returns its time where that is not the
/// time of the whole input.
let parsers: [String: (Span<UInt8>) -> UInt?] = ["tcp-frames": takeStream, "gatt-fragments": takeFragments]

_ = initializeFuzzer(nil, nil)
watch_agreements()
watch_signatures(watch_check)
let parser = getenv("INKLING_FUZZ_TARGET").flatMap { parsers[String(cString: $0)] }
for path in CommandLine.arguments.dropFirst() {
    guard let bytes = contents(path) else {
        print("cannot read \(path)")
        exit(66)
    }
    var least = UInt.max
    var leastWithChecks = UInt.max
    var most = 0
    bytes.withUnsafeBufferPointer { buffer in
        for round in 0..<6 {
            forget_copies()
            forget_checks()
            begin_counting()
            let begun = processor_nanoseconds()
            var slowest: UInt?
            if let parser {
                slowest = parser(Span(_unsafeElements: buffer))
            } else {
                _ = testOneInput(buffer.baseAddress, buffer.count)
            }
            let taken = slowest ?? (processor_nanoseconds() - begun)
            // The first run fills caches and makes what is made once.
            if round > 0 {
                least = min(least, taken - min(taken, checked_nanoseconds()))
                leastWithChecks = min(leastWithChecks, taken)
                most = max(most, largest_count() - Int(noted_copies()))
            }
        }
    }
    print("\(bytes.count) \(least) \(most) \(leastWithChecks) \(path)")
}
