internal import CFuzzing
internal import Glibc
internal import InklingKeys

/// One parser under test.
struct FuzzTarget: Sendable {
    /// The name in `INKLING_FUZZ_TARGET`, of the dictionary, and of the folder of past failures.
    let name: String
    /// Parses the input, and traps if the result breaks an invariant; no input may trap otherwise.
    ///
    /// Returns 16 or 32 bits of an accepted input, or nil for one that was refused. One value of these bits triggers the
    /// planted bug, so only a fuzzer that gets its inputs through the parser finds it.
    let accept: @Sendable (Span<UInt8>) -> UInt32?

    init(_ name: String, accept: @escaping @Sendable (Span<UInt8>) -> UInt32?) {
        self.name = name
        self.accept = accept
    }

    func run(_ input: Span<UInt8>) {
        guard let field = accept(input) else { return }
        if Self.hasPlantedBug { plantedBug(field) }
    }

    /// Whether each target has a planted bug.
    static let hasPlantedBug = getenv("INKLING_FUZZ_PLANTED") != nil

    static let all =
        textTargets + objectTargets + advertisingTargets + linkTargets + handshakeTargets + syncTargets + nodeTargets
        + recognitionTargets + matchingTargets + antennaTargets + proxyTargets

    static let chosen: FuzzTarget = {
        let name = getenv("INKLING_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = all.first(where: { $0.name == name }) else {
            // The runner reads the names from here, and `seeds.py` the seeds that are in no vector file.
            for target in all { print(target.name) }
            for example in examples {
                let digits = example.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                print("example \(example.target) \(digits.joined())")
            }
            fflush(nil)
            _exit(name.isEmpty ? 0 : 64)
        }
        return target
    }()
}

/// libFuzzer calls this once, before the first input.
@c(LLVMFuzzerInitialize)
public func initializeFuzzer(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    _ = FuzzTarget.chosen
    return 0
}

/// libFuzzer calls this for each input.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    FuzzTarget.chosen.run(input)
    return 0
}

/// Compares as bytes and as a number: libFuzzer learns from both, and some fields have another byte order on the wire than
/// in memory.
@inline(never) private func plantedBug(_ field: UInt32) {
    promise(field != 0x5a71, "the planted bug")
    let bytes: [UInt8] = [UInt8(truncatingIfNeeded: field >> 8), UInt8(truncatingIfNeeded: field)]
    promise(are_equal(bytes, [0x5a, 0x71], 2) == 0, "the planted bug")
    promise(field != 0x5a71_3b9d, "the planted bug")
}

/// Ends the process with a message unless `condition` is true; a failed `precondition` has no message in a release build.
func promise(_ condition: Bool, _ message: StaticString) {
    if !condition { brokenPromise(message) }
}

func brokenPromise(_ message: StaticString) -> Never {
    message.withUTF8Buffer { _ = unsafe write(2, $0.baseAddress, $0.count) }
    abort()
}

extension Span<UInt8> {
    /// A copy, for parsers that take an array.
    var array: [UInt8] {
        note_copy(UInt(count))
        return indices.map { self[$0] }
    }

    /// A copy as text, for parsers that take a string; nil for what is no UTF-8.
    var text: String? {
        note_copy(UInt(count))
        return String(validating: array, as: UTF8.self)
    }

    /// The two bytes at `offset` as a number; 0 where there are none.
    func field(at offset: Int = 0) -> UInt32 {
        guard count >= offset + 2 else { return 0 }
        return UInt32(self[offset]) << 8 | UInt32(self[offset + 1])
    }

    /// The first four bytes as a number in the byte order of memory: that is what libFuzzer searches in an input after a
    /// comparison; 0 for a shorter input.
    var tag: UInt32 {
        guard count >= 4 else { return 0 }
        return (0..<4).reduce(0) { $0 | UInt32(self[$1]) << (8 * UInt32($1)) }
    }

    /// A text, and a number from the bytes f8 to ff in it, three bits each: UTF-8 does not use these bytes, so the fuzzer can
    /// insert a token of them anywhere.
    var textAndField: (text: [UInt8], field: UInt32) {
        let all = array
        note_copy(UInt(count))
        // Its size is that of the copy which was noted.
        var text: [UInt8] = []
        text.reserveCapacity(count)
        text.append(contentsOf: all.lazy.filter { $0 < 0xf8 })
        return (text, all.lazy.filter { $0 >= 0xf8 }.reduce(0) { $0 << 3 | UInt32($1 & 7) })
    }

    /// Whether both contain the same bytes.
    func isEqual(to other: Span<UInt8>) -> Bool { array == other.array }
}

extension [UInt8] {
    /// The two bytes at `offset` as a number; 0 where there are none.
    func field(at offset: Int = 0) -> UInt32 { span.field(at: offset) }
}
