internal import InklingKeys

/// A limit on the work that first messages can cause (`Specs/handshake.md`): a number of attempts at once, and the time
/// in which each of them is restored.
///
/// Times are milliseconds on the caller's monotonic clock.
public struct FirstMessageBudget: Hashable, Sendable {
    /// The maximum number of attempts at once.
    public let burst: UInt64
    /// The time in which one attempt is restored.
    public var interval: Duration { .milliseconds(intervalMilliseconds) }
    private let intervalMilliseconds: UInt64
    // The time from which the budget is full.
    private var fullTime: UInt64 = 0

    /// Creates a full budget. A `burst` below 1 counts as 1, and an `interval` below a millisecond as a millisecond.
    public init(burst: UInt64, interval: Duration) {
        self.burst = max(burst, 1)
        intervalMilliseconds = max(interval.wholeMilliseconds, 1)
    }

    /// The budget for all first messages that pass the gates of a node: 20 a second, and 40 at once.
    public static var node: FirstMessageBudget { FirstMessageBudget(burst: 40, interval: .milliseconds(50)) }
    /// The budget for one device of a contact: 6 a minute, and 6 at once.
    public static var contactDevice: FirstMessageBudget { FirstMessageBudget(burst: 6, interval: .seconds(10)) }

    /// Uses one attempt and returns true; returns false if there is none.
    public mutating func spend(at now: UInt64) -> Bool {
        let start = max(fullTime, now)
        guard start - now <= (burst - 1) * intervalMilliseconds else { return false }
        let (end, overflow) = start.addingReportingOverflow(intervalMilliseconds)
        guard !overflow else { return false }
        fullTime = end
        return true
    }

    /// Returns whether the budget is full, so that it equals a new one.
    public func isWhole(at now: UInt64) -> Bool { fullTime <= now }
}
