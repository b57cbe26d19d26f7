internal import InklingKeys

/// The probability that a contact is near, given what the radio heard, in whole 65,536ths (`Specs/recognition.md`).
///
/// Every division rounds down, so that all implementations compute the same integers.
public enum Posterior {
    /// The probability 1.
    public static let one: UInt64 = 65_536
    /// The probability that a device that is near is heard within one radio gap: 0.9.
    public static let detection: UInt64 = 58_982
    /// The greatest probability that passive evidence can reach, 0.95; the rest accounts for copied values.
    public static let cap: UInt64 = 62_259
    /// The prior of a contact of which nothing is known: 0.005.
    public static let defaultPrior: UInt32 = 328
    /// The least prior of a recently confirmed contact: 0.05.
    public static let recentPrior: UInt64 = 3277
    /// The least probabilities at which a contact can become `probable` (0.8) and `candidate` (0.05).
    public static let probable: UInt64 = 52_429, candidate: UInt64 = 3277
    /// The greatest number of strangers that the calculation assumes.
    static let strangerLimit: UInt64 = 1 << 20
    /// The greatest number of radio gaps that lower a probability.
    private static let gapLimit: UInt64 = 8

    /// Returns the posterior of a contact after a minor that matches it, which others may have shown instead.
    ///
    /// - Parameters:
    ///   - prior: the probability before the match.
    ///   - others: the sum of the priors of the other contacts that may show the minor.
    ///   - strangers: the expected number of strangers' devices.
    /// - Returns: the posterior, at most `cap`.
    static func matched(_ prior: UInt64, others: UInt64, strangers: UInt64) -> UInt64 {
        let weight = prior * detection
        let all = weight + others * detection + strangers * one
        return all == 0 ? prior : min(weight * one / all, cap)
    }

    /// Returns the posterior after a number of radio gaps in which the contact was expected and not heard; each divides
    /// the odds by ten.
    static func unheard(_ posterior: UInt64, gaps: UInt64) -> UInt64 {
        var posterior = posterior
        for _ in 0..<min(gaps, gapLimit) { posterior = posterior * one / (posterior + 10 * (one - posterior)) }
        return posterior
    }

    /// Returns the moments at which `unheard` lowers the probability further, for gaps of `gap` milliseconds after
    /// `last`.
    static func changes(after last: Tick, gap: UInt64) -> [Tick] {
        (1...gapLimit).map { last.advanced(byMilliseconds: $0 * gap) }
    }
}
