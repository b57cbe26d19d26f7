public import InklingKeys

/// The probabilities that a stranger shows a contact's minor by chance, and that minors of contacts collide.
///
/// A reader expects `values` minors in an epoch, one for each combination of contact, device and audience for which it
/// holds keys. Near a boundary, the values of the neighbouring epoch count too; `entries` is the average number of
/// values that count. A stranger's minor is assumed to be uniformly distributed over 65,536 values.
public struct Odds: Hashable, Sendable {
    /// The number of possible minors.
    public static let minors = 65_536
    /// The greatest number of values; `init` clamps to it.
    public static let valueLimit = 1 << 24

    /// The number of minors that the reader expects in one epoch.
    public let values: Int
    /// The greatest difference between the clocks of contacts and the reader's clock.
    public let skew: SkewAllowance

    /// Creates the odds for a reader that expects this many minors in an epoch, clamped to 0 to `valueLimit`.
    public init(values: Int, skew: SkewAllowance = .standard) {
        self.values = min(max(values, 0), Self.valueLimit)
        self.skew = skew
    }

    /// The average number of epochs whose windows are open at a moment: 1 + 2τ/900.
    public var effectiveEpochs: Double { 1 + 2 * Double(skew.seconds) / Double(Epoch.seconds) }

    /// The average number of predictions whose windows are open at a moment.
    public var entries: Double { Double(values) * effectiveEpochs }

    /// The probability that one stranger shows, in one epoch, a minor that counts: 1 − (1 − 1/65,536)^entries.
    public var perStranger: Double { 1 - power(1 - 1 / Double(Self.minors), entries) }

    /// Returns the expected number of false friends (strangers with a minor that counts) among this many strangers in
    /// this many epochs.
    public func falseFriends(among strangers: Int, epochs: Int = 1) -> Double {
        Double(strangers) * Double(epochs) * perStranger
    }

    /// Returns the probability of at least one false friend among this many strangers in this many epochs.
    public func anyFalseFriend(among strangers: Int, epochs: Int = 1) -> Double {
        1 - power(1 - perStranger, Double(strangers) * Double(epochs))
    }

    /// The probability that at least two of the values of one epoch are equal.
    public var anyCollision: Double {
        guard values <= Self.minors else { return 1 }
        var allDiffer = 1.0
        for taken in 0..<values { allDiffer *= 1 - Double(taken) / Double(Self.minors) }
        return 1 - allDiffer
    }

    /// The expected number of equal pairs among the values of one epoch.
    public var collidingPairs: Double { Double(values) * Double(max(values - 1, 0)) / 2 / Double(Self.minors) }
}

/// Returns `base` raised to a real exponent, for a base from 0 to 1 and an exponent of at least 0. It uses no
/// mathematics library, so the result is the same on every platform.
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
    // The fraction of the exponent, by the binomial series of (1 − x)^f. Fractions occur only with x = 1/65,536, for
    // which the terms left out are below the precision of a Double.
    let fraction = exponent - whole
    let x = 1 - base
    return result * (1 - fraction * x * (1 + (1 - fraction) * x / 2 * (1 + (2 - fraction) * x / 3)))
}
