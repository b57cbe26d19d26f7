/// The evidence that the system clock is right (`Specs/rotation.md`).
public struct ClockEvidence: Hashable, Sendable {
    /// The maximum error of the clock according to the kernel, in microseconds; nil if the kernel reports none.
    public var kernelMaximumError: UInt64?
    /// The time of the battery-backed clock, in Unix seconds; nil without such a clock.
    public var batteryClock: UInt64?

    /// Creates evidence from what the system reports.
    public init(kernelMaximumError: UInt64?, batteryClock: UInt64?) {
        self.kernelMaximumError = kernelMaximumError
        self.batteryClock = batteryClock
    }
}

/// A source of evidence that the system clock is right.
public protocol TimeEvidence: Sendable {
    /// Returns the current evidence.
    func evidence() -> ClockEvidence
}
