internal import InklingEngine
public import InklingPlatforms

/// What happened to a simulated phone.
public struct PhoneReport: Sendable {
    /// A reconnection.
    public struct Reconnection: Hashable, Sendable {
        /// The time since the beginning.
        public let at: Duration
        /// The time of waiting for the link, and the duration of the steps.
        public let waited: Duration, took: Duration
    }

    /// For each arrival of the peripheral, the time until the app knew of it; nil when it never did.
    public internal(set) var detections: [Duration?] = []
    /// The reconnections, in order.
    public internal(set) var reconnections: [Reconnection] = []
    /// The causes of the launches, in order.
    public internal(set) var launches: [LaunchCause] = []
    /// The number of relaunches that each rule refused.
    public internal(set) var refusals: [String: Int] = [:]
    /// Records that the peripheral made, that the app holds in the end, and that it wrote more than once.
    public internal(set) var produced: UInt64 = 0, stored: UInt64 = 0, doubled: UInt64 = 0
    /// The first record that the app received, and the last that it holds.
    public internal(set) var first: UInt64?, last: UInt64?
    /// Records between those two that it does not hold.
    public internal(set) var missing: [UInt64] = []
    /// The number of launches that found a journal without a marker.
    public internal(set) var incompleteSessions = 0
    /// The number of gaps that the peripheral could no longer fill.
    public internal(set) var gapsGivenUp = 0
    /// The number of late steps, and of events that a machine ignored.
    public internal(set) var overdue = 0, ignored = 0
    /// The mode of the app at the end.
    public internal(set) var isRunning = false, isLinked = false
    /// The log of transitions, at most 1,024.
    public internal(set) var log = TransitionLog(limit: 1024)

    /// Returns the value below which this share of the values lies; nil without values.
    public static func quantile(_ share: Double, of values: [Duration]) -> Duration? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
