internal import InklingJSON

/// A generator that returns the numbers of a list in order, and starts over after the last.
struct ListedDraws: RandomNumberGenerator {
    static let parameter = ShimParameter.list("draws", of: .integer(0...Int128(UInt64.max)), from: 1, limit: 64)

    private let draws: [UInt64]
    private var place = 0

    /// Creates a generator of the numbers in the argument `draws`.
    init(_ arguments: ShimArguments) {
        draws = arguments.integers("draws").map { UInt64(truncatingIfNeeded: $0) }
    }

    mutating func next() -> UInt64 {
        guard !draws.isEmpty else { return 0 }
        defer { place = (place + 1) % draws.count }
        return draws[place]
    }
}
