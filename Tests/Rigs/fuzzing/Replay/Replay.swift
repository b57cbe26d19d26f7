internal import FuzzTargets
internal import Glibc

/// The fuzz targets without a fuzzer, for `make test`: runs the target that `INKLING_FUZZ_TARGET` names on inputs, and on a
/// fixed number of changed inputs.
///
///     InklingFuzzReplay MUTATIONS FILE…
///
/// A broken promise ends the process. The bytes with which that happened are then in the file that `INKLING_FUZZ_INPUT` names.
@main
struct Replay {
    /// The longest input of a search.
    static let limit = 4096

    static func main() {
        // Without a target it lists them, and ends.
        _ = initializeFuzzer(nil, nil)
        let words = CommandLine.arguments.dropFirst()
        guard let count = words.first.flatMap({ Int($0) }) else {
            print("usage: InklingFuzzReplay MUTATIONS FILE…")
            exit(64)
        }
        let inputs = words.dropFirst().map { contents(of: $0) }
        for input in inputs { run(input) }
        var mutation = Mutation(inputs)
        for _ in 0..<count where !inputs.isEmpty { run(mutation.next()) }
        print("\(inputs.count + (inputs.isEmpty ? 0 : count)) inputs")
    }

    private static func run(_ input: [UInt8]) {
        // Kept by the kernel when this process ends.
        if let kept = unsafe getenv("INKLING_FUZZ_INPUT") {
            let file = unsafe open(kept, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = unsafe input.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            close(file)
        }
        _ = unsafe input.withUnsafeBufferPointer { unsafe testOneInput($0.baseAddress, $0.count) }
    }

    private static func contents(of path: String) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else {
            print("cannot read \(path)")
            exit(66)
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        return Array(bytes.prefix(max(0, count)))
    }
}

/// Changed inputs: one to four changes of a byte, a bit or a run of bytes each. The same inputs give the same ones.
private struct Mutation {
    private let inputs: [[UInt8]]
    private var generator = SplitMix(state: 1)
    /// Lengths and flags are most often near these.
    private static let edges: [UInt8] = [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff]

    init(_ inputs: [[UInt8]]) { self.inputs = inputs }

    mutating func next() -> [UInt8] {
        var bytes = inputs[below(inputs.count)]
        for _ in 0...below(4) { change(&bytes) }
        return Array(bytes.prefix(Replay.limit))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let length = min(below(8) + 1, bytes.count - place)
        switch below(7) {
        case 0 where length > 0: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where length > 0: bytes[place] = Self.edges[below(Self.edges.count)]
        case 2 where length > 0: bytes[place] = UInt8(below(256))
        case 3: bytes.removeSubrange(place..<place + length)
        case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: below(bytes.count + 1))
        case 5: bytes.removeSubrange(place...)
        default:
            let other = inputs[below(inputs.count)]
            let start = below(other.count + 1)
            bytes.insert(contentsOf: other[start..<min(other.count, start + 16)], at: place)
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
}

/// A generator that repeats itself.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
