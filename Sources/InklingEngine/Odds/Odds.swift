public import InklingKeys

/// How likely chance alone makes somebody look like a contact, with minors of 16 bits.
///
/// A reader expects `values` minors in an epoch, one for each contact, device and audience that it holds keys for. Near
/// a boundary those of the neighbouring epoch count too, so that on average `entries` values are looked up. A stranger
/// shows a minor of its own, drawn from 65,536.
public struct Odds: Hashable, Sendable {
    /// How many values a minor can have.
    public static let minors = 65_536
    /// The most values that are computed with; more are taken for as many.
    public static let valueLimit = 1 << 24

    /// Minors expected in one epoch.
    public let values: Int
    /// How far the clocks of contacts may differ.
    public let skew: SkewAllowance

    /// The odds of somebody who expects `values` minors in an epoch: contacts times devices times audiences.
    public init(values: Int, skew: SkewAllowance = .standard) {
        self.values = min(max(values, 0), Self.valueLimit)
        self.skew = skew
    }

    /// How many epochs count at a moment, on average: 1 + 2τ/900.
    public var effectiveEpochs: Double { 1 + 2 * Double(skew.seconds) / Double(Epoch.seconds) }

    /// How many predictions count at a moment, on average.
    public var entries: Double { Double(values) * effectiveEpochs }

    /// The probability that one stranger shows, in one epoch, a minor that counts: 1 − (1 − 1/65,536)^entries.
    public var perStranger: Double { 1 - power(1 - 1 / Double(Self.minors), entries) }

    /// How many false friends are expected among this many strangers in this many epochs.
    public func falseFriends(among strangers: Int, epochs: Int = 1) -> Double {
        Double(strangers) * Double(epochs) * perStranger
    }

    /// The probability of at least one false friend among this many strangers in this many epochs.
    public func anyFalseFriend(among strangers: Int, epochs: Int = 1) -> Double {
        1 - power(1 - perStranger, Double(strangers) * Double(epochs))
    }

    /// The probability that two of the values of one epoch are equal.
    public var anyCollision: Double {
        guard values <= Self.minors else { return 1 }
        var allDiffer = 1.0
        for taken in 0..<values { allDiffer *= 1 - Double(taken) / Double(Self.minors) }
        return 1 - allDiffer
    }

    /// How many pairs of the values of one epoch are expected to be equal.
    public var collidingPairs: Double { Double(values) * Double(max(values - 1, 0)) / 2 / Double(Self.minors) }
}

/// `base` to a power that need not be whole, for a base in 0…1 and an exponent of at least 0.
private func power(_ base: Double, _ exponent: Double) -> Double {
    guard exponent < 0x1p62 else { return base < 1 ? 0 : 1 }
    var rest = UInt64(exponent)
    let whole = Double(rest)
    var result = 1.0
    var square = base
    while rest > 0 {
        if rest & 1 == 1 { result *= square }
        square *= square
        rest >>= 1
    }
    // The rest of the exponent by the binomial series of (1 − x)^f. Such exponents come with x = 1/65,536 alone, for
    // which these terms are more than a Double holds.
    let fraction = exponent - whole
    let x = 1 - base
    return result * (1 - fraction * x * (1 + (1 - fraction) * x / 2 * (1 + (2 - fraction) * x / 3)))
}
