internal import InklingEngine
public import InklingPlatforms

/// What happened to a simulated phone, and what it cost.
public struct PhoneReport: Sendable {
    /// A link that became useful again.
    public struct Reconnection: Hashable, Sendable {
        /// When, in milliseconds since the beginning.
        public let at: UInt64
        /// How long the radio took, and how long the steps after it, in milliseconds.
        public let waited: UInt64, took: UInt64
    }

    /// Milliseconds from each coming of the peripheral until the app knew of it; nil when it never did.
    public internal(set) var detections: [UInt64?] = []
    /// Each link that became useful again, in order.
    public internal(set) var reconnections: [Reconnection] = []
    /// Why the app was launched, in order.
    public internal(set) var launches: [LaunchCause] = []
    /// How often each rule refused a relaunch.
    public internal(set) var refusals: [String: Int] = [:]
    /// Records that the peripheral made, that the app holds in the end, and that it wrote more than once.
    public internal(set) var produced: UInt64 = 0, stored: UInt64 = 0, doubled: UInt64 = 0
    /// The first record that the app ever took, and the last that it holds.
    public internal(set) var first: UInt64?, last: UInt64?
    /// Records between those two that it does not hold.
    public internal(set) var missing: [UInt64] = []
    /// How often a journal without a marker was found at a start.
    public internal(set) var incompleteSessions = 0
    /// Gaps that the peripheral could not fill any more.
    public internal(set) var gapsGivenUp = 0
    /// Steps that were too late, and events that a machine ignored.
    public internal(set) var overdue = 0, ignored = 0
    /// What the app was at the end of its life, or is.
    public internal(set) var isRunning = false, isLinked = false
    /// What the app's machines wrote down, at most 1,024 transitions.
    public internal(set) var log = TransitionLog(limit: 1024)

    /// The value below which this share of the sorted values lies; nil without values.
    public static func quantile(_ share: Double, of values: [UInt64]) -> UInt64? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
