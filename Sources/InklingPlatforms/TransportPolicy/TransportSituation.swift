/// All that the choice of a transport depends on (`Specs/transport-policy.md`, the situation).
public struct TransportSituation: Hashable, Sendable {
    /// The failures of a transport since it last worked.
    public struct Failures: Hashable, Sendable {
        /// Failures in a row, 1 or more.
        public let count: UInt8
        /// The time since the last one.
        public let ago: Duration

        /// Creates failures; `count` is 1 or more.
        public init(count: UInt8, ago: Duration) {
            self.count = count
            self.ago = ago
        }
    }

    /// What was observed of a transport.
    public struct Observed: Hashable, Sendable {
        /// The time to set up, in milliseconds.
        public var setUp = ObservedAverage()
        /// The rate, in bytes per second.
        public var rate = ObservedAverage()

        /// Creates an observation of nothing yet.
        public init() {}
    }

    /// Our app.
    public var own: AppCircumstances
    /// The peer's app, or what stands for it when it is not known.
    public var peer: AppCircumstances
    /// The relation of the two users.
    public var relation: TransportRelation
    /// The purpose.
    public var purpose: TransportPurpose
    /// The number of bytes to send.
    public var payload: UInt64 = 0
    /// The time within which everything must be complete; nil for no deadline.
    public var deadline: Duration?
    /// Whether we hear the peer now.
    public var isHeard = false
    /// Whether both are on one network.
    public var isOnSameNetwork = false
    /// Whether they are paired for Wi-Fi Aware.
    public var isPaired = false
    /// The transports over which they are connected.
    public var linked: Set<TransportOption> = []
    /// The transports that failed lately.
    public var failures: [TransportOption: Failures] = [:]
    /// What was observed of transports; the usual figures hold for the others.
    public var observed: [TransportOption: Observed] = [:]
    /// The transports for which our program has a back end; nil for every transport that our platform allows.
    public var ownTransports: Set<TransportOption>?
    /// The transports for which the peer's program is known to have a back end; nil for every transport that its
    /// platform allows.
    public var peerTransports: Set<TransportOption>?

    /// Creates a situation with nothing to send and nothing observed; without a `peer`, ``unknownPeer`` stands for it.
    public init(
        own: AppCircumstances, peer: AppCircumstances?, relation: TransportRelation, purpose: TransportPurpose
    ) {
        self.own = own
        self.peer = peer ?? Self.unknownPeer
        self.relation = relation
        self.purpose = purpose
    }

    /// The app that stands for a peer of which nothing is known (INK-TPT-010).
    public static let unknownPeer = AppCircumstances(
        DevicePlatform(.iOS, PlatformVersion(10)), .background, met: [.bluetooth, .central, .peripheral])
}
