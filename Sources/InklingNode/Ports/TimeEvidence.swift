/// What speaks for the system clock being right (`Specs/rotation.md`).
public struct ClockEvidence: Hashable, Sendable {
    /// The maximum error of the clock that the kernel reports, in microseconds; nil when it does not say.
    public var kernelMaximumError: UInt64?
    /// What a battery-backed clock shows, in Unix seconds; nil without one.
    public var batteryClock: UInt64?

    /// Evidence.
    public init(kernelMaximumError: UInt64?, batteryClock: UInt64?) {
        self.kernelMaximumError = kernelMaximumError
        self.batteryClock = batteryClock
    }
}

/// Where a node learns whether it may believe its clock.
public protocol TimeEvidence: Sendable {
    /// What speaks for the clock at this moment.
    func evidence() -> ClockEvidence
}
