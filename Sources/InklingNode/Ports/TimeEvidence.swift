/// What speaks for the system clock being right (`Specs/rotation.md`).
public struct ClockEvidence: Hashable, Sendable {
    /// The kernel says that something keeps its clock synchronised.
    public var isSynchronised: Bool
    /// What a battery-backed clock shows, in Unix seconds; nil without one.
    public var batteryClock: UInt64?

    /// Evidence.
    public init(isSynchronised: Bool, batteryClock: UInt64?) {
        self.isSynchronised = isSynchronised
        self.batteryClock = batteryClock
    }
}

/// Where a node learns whether it may believe its clock.
public protocol TimeEvidence: Sendable {
    /// What speaks for the clock at this moment.
    func evidence() -> ClockEvidence
}
