public import InklingKeys

/// The durations of rotation (`Specs/rotation.md`).
public struct RotationPolicy: Hashable, Sendable {
    /// The greatest difference between the clocks of contacts and this device's clock, in protocol time.
    public var skew = SkewAllowance.standard
    /// The longest silent gap, in real time.
    public var gap: Duration = .seconds(10)
    /// The longest time before a boundary at which the device stops sending, in real time.
    public var quietLead: Duration = .seconds(1)
    /// The greatest delay of that moment, drawn for each boundary: at a fixed moment, a goodbye would show the error of
    /// the clock. At most `quietLead`.
    public var quietSpread: Duration = .milliseconds(500)
    /// The time before a boundary at which the next epoch is prepared, in protocol time; at most one epoch.
    public var prepareLead: Duration = .seconds(60) {
        didSet { prepareLead = min(prepareLead, .seconds(Epoch.seconds)) }
    }

    var gapMilliseconds: UInt64 { gap.wholeMilliseconds }
    var quietLeadMilliseconds: UInt64 { quietLead.wholeMilliseconds }
    var quietSpreadMilliseconds: UInt64 { min(quietSpread, quietLead).wholeMilliseconds }
    var prepareLeadSeconds: UInt64 { prepareLead.wholeMilliseconds / 1000 }

    /// Creates the policy of the specification.
    public init() {}

    /// The policy over Bluetooth, where a daemon ends a connection, and with it the packets that maintain it, only
    /// seconds after it was asked to.
    package static var bluetooth: RotationPolicy {
        var policy = RotationPolicy()
        policy.quietLead = .milliseconds(4500)
        return policy
    }
}
