internal import InklingEngine
public import InklingPlatforms

/// The results of a run of a simulated phone.
public struct PhoneReport: Sendable {
    /// A reconnection.
    public struct Reconnection: Hashable, Sendable {
        /// The time since the simulation began.
        public let at: Duration
        /// The time spent waiting for the link, and the duration of the steps.
        public let waited: Duration, took: Duration
    }

    /// For each arrival of the peripheral, the time until the app detected it; nil if it did not.
    public internal(set) var detections: [Duration?] = []
    /// The reconnections, in order.
    public internal(set) var reconnections: [Reconnection] = []
    /// The causes of the launches, in order.
    public internal(set) var launches: [LaunchCause] = []
    /// The number of relaunches that each rule refused, by the code of the rule.
    public internal(set) var refusals: [String: Int] = [:]
    /// The number of records that the peripheral produced, that the app holds at the end, and that it wrote more than
    /// once.
    public internal(set) var produced: UInt64 = 0, stored: UInt64 = 0, doubled: UInt64 = 0
    /// The first record that the app received, and the last one it holds.
    public internal(set) var first: UInt64?, last: UInt64?
    /// The records between those two that the app does not hold.
    public internal(set) var missing: [UInt64] = []
    /// The number of launches that found a journal without a marker.
    public internal(set) var incompleteSessions = 0
    /// The number of gaps that the peripheral could no longer fill.
    public internal(set) var gapsGivenUp = 0
    /// The number of late steps, and of events that a state machine ignored.
    public internal(set) var overdue = 0, ignored = 0
    /// Whether the app is running, and is linked to the peripheral, at the end.
    public internal(set) var isRunning = false, isLinked = false
    /// The log of transitions, at most 1,024.
    public internal(set) var log = TransitionLog(limit: 1024)

    /// Returns the quantile of the values for a share from 0 to 1; nil without values.
    public static func quantile(_ share: Double, of values: [Duration]) -> Duration? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
