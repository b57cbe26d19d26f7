/// The evidence that the system clock is right (`Specs/rotation.md`).
public struct ClockEvidence: Hashable, Sendable {
    /// The maximum error of the clock that the kernel reports, in microseconds; nil when it does not say.
    public var kernelMaximumError: UInt64?
    /// What a battery-backed clock shows, in Unix seconds; nil without one.
    public var batteryClock: UInt64?

    /// Creates evidence.
    public init(kernelMaximumError: UInt64?, batteryClock: UInt64?) {
        self.kernelMaximumError = kernelMaximumError
        self.batteryClock = batteryClock
    }
}

/// Provides the evidence that a clock is right.
public protocol TimeEvidence: Sendable {
    /// Returns the evidence at this moment.
    func evidence() -> ClockEvidence
}
