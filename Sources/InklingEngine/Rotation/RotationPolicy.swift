public import InklingKeys

/// The durations of rotation (`Specs/rotation.md`).
public struct RotationPolicy: Hashable, Sendable {
    /// How far the clocks of contacts may differ from ours; protocol time.
    public var skew = SkewAllowance.standard
    /// The longest silent gap, in real milliseconds.
    public var gap: UInt64 = 10_000
    /// How long before a boundary emission stops, in real milliseconds.
    public var quietLead: UInt64 = 1000
    /// How long before a boundary the next epoch is prepared, in seconds of protocol time; at most an epoch.
    public var prepareLead: UInt64 = 60 {
        didSet { prepareLead = min(prepareLead, Epoch.seconds) }
    }

    /// The values of the specification.
    public init() {}
}
