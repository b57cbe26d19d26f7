internal import InklingKeys

/// How much work first messages may cause (`Specs/handshake.md`): a burst, and a rate at which it grows back.
///
/// A value on the caller's monotonic milliseconds.
public struct FirstMessageBudget: Hashable, Sendable {
    /// The most attempts at once.
    public let burst: UInt64
    /// The time in which one attempt grows back.
    public var interval: Duration { .milliseconds(intervalMilliseconds) }
    private let intervalMilliseconds: UInt64
    // The moment at which the budget will be, or was, whole again.
    private var wholeAgain: UInt64 = 0

    /// Creates a whole budget; `burst` is at least 1, and `interval` at least a millisecond.
    public init(burst: UInt64, interval: Duration) {
        self.burst = max(burst, 1)
        intervalMilliseconds = max(interval.wholeMilliseconds, 1)
    }

    /// For all messages that pass the gate of a node: 20 a second, 40 at once.
    public static var node: FirstMessageBudget { FirstMessageBudget(burst: 40, interval: .milliseconds(50)) }
    /// For one device of a contact: 6 a minute.
    public static var contactDevice: FirstMessageBudget { FirstMessageBudget(burst: 6, interval: .seconds(10)) }

    /// Takes one attempt, unless there is none.
    public mutating func spend(at now: UInt64) -> Bool {
        let start = max(wholeAgain, now)
        guard start - now <= (burst - 1) * intervalMilliseconds else { return false }
        let (end, overflow) = start.addingReportingOverflow(intervalMilliseconds)
        guard !overflow else { return false }
        wholeAgain = end
        return true
    }

    /// Whether nothing is missing, so that a new budget would be the same.
    public func isWhole(at now: UInt64) -> Bool { wholeAgain <= now }
}
