internal import InklingKeys

/// The probability that a contact is near, given what the radio heard, in whole 65,536ths (`Specs/recognition.md`).
///
/// Every division rounds down, so that all implementations agree to the last bit.
public enum Posterior {
    /// Certainty.
    public static let one: UInt64 = 65_536
    /// How likely a device is heard in a radio gap in which it is near: 0.9.
    public static let detection: UInt64 = 58_982
    /// What passive evidence reaches at most: the rest is for those who copy values.
    public static let cap: UInt64 = 62_259
    /// The prior of a contact about whom nothing is known: 0.005.
    public static let defaultPrior: UInt32 = 328
    /// The least prior of a contact that was confirmed in the last day: 0.05.
    public static let recentPrior: UInt64 = 3277
    /// From here on a contact may be called probable, and a candidate.
    public static let probable: UInt64 = 52_429, candidate: UInt64 = 3277
    /// More strangers make no difference.
    static let strangerLimit: UInt64 = 1 << 20
    /// More gaps make no difference.
    private static let gapLimit: UInt64 = 8

    /// What a match makes of a prior, when others may have shown the minor too.
    ///
    /// - Parameters:
    ///   - prior: of the contact.
    ///   - others: the sum of the priors of the other contacts that may show the minor.
    ///   - strangers: how many devices of strangers are expected.
    /// - Returns: the posterior, at most `cap`.
    static func matched(_ prior: UInt64, others: UInt64, strangers: UInt64) -> UInt64 {
        let weight = prior * detection
        let all = weight + others * detection + strangers * one
        return all == 0 ? prior : min(weight * one / all, cap)
    }

    /// What is left after so many radio gaps in which the contact was expected and not heard: a tenth of the odds for
    /// each.
    static func unheard(_ posterior: UInt64, gaps: UInt64) -> UInt64 {
        var posterior = posterior
        for _ in 0..<min(gaps, gapLimit) { posterior = posterior * one / (posterior + 10 * (one - posterior)) }
        return posterior
    }

    /// The moments at which `unheard` changes something.
    static func changes(after last: Tick, gap: UInt64) -> [Tick] {
        (1...gapLimit).map { last.advanced(byMilliseconds: $0 * gap) }
    }
}
