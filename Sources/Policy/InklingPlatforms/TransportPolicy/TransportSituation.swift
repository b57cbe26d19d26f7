/// The facts on which the choice of a transport depends (`Specs/transport-policy.md`, the situation).
public struct TransportSituation: Hashable, Sendable {
    /// The failures of a transport since it last worked.
    public struct Failures: Hashable, Sendable {
        /// The number of failures in a row, 1 or more.
        public let count: UInt8
        /// The time since the last failure.
        public let ago: Duration

        /// Creates a record of failures; `count` is 1 or more.
        public init(count: UInt8, ago: Duration) {
            self.count = count
            self.ago = ago
        }
    }

    /// Measurements of a transport.
    public struct Observed: Hashable, Sendable {
        /// The set-up time, in milliseconds.
        public var setUp = ObservedAverage()
        /// The data rate, in bytes per second.
        public var rate = ObservedAverage()

        /// Creates averages without measurements.
        public init() {}
    }

    /// The app on this device.
    public var own: AppCircumstances
    /// The peer's app; ``unknownPeer`` if nothing is known of it.
    public var peer: AppCircumstances
    /// The relation of the two users.
    public var relation: TransportRelation
    /// The purpose of the plan.
    public var purpose: TransportPurpose
    /// The number of bytes to send.
    public var payload: UInt64 = 0
    /// The time within which everything must be complete; nil for no deadline.
    public var deadline: Duration?
    /// Whether this device hears the peer now.
    public var isHeard = false
    /// Whether the devices are on the same network.
    public var isOnSameNetwork = false
    /// Whether the devices are paired for Wi-Fi Aware.
    public var isPaired = false
    /// The transports over which the devices are connected.
    public var linked: Set<TransportOption> = []
    /// The transports that failed since they last worked.
    public var failures: [TransportOption: Failures] = [:]
    /// The measurements of transports; for the others, ``TransportOption/costs`` apply.
    public var observed: [TransportOption: Observed] = [:]
    /// The transports for which this program has a back end; nil for every transport that this platform allows.
    public var ownTransports: Set<TransportOption>?
    /// The transports for which the peer's program is known to have a back end; nil for every transport that its
    /// platform allows.
    public var peerTransports: Set<TransportOption>?

    /// Creates a situation with nothing to send and nothing observed; if `peer` is nil, ``unknownPeer`` is used.
    public init(
        own: AppCircumstances, peer: AppCircumstances?, relation: TransportRelation, purpose: TransportPurpose
    ) {
        self.own = own
        self.peer = peer ?? Self.unknownPeer
        self.relation = relation
        self.purpose = purpose
    }

    /// The app to assume if nothing is known of the peer (INK-TPT-010).
    public static let unknownPeer = AppCircumstances(
        DevicePlatform(.iOS, PlatformVersion(10)), .background, met: [.bluetooth, .central, .peripheral])
}
