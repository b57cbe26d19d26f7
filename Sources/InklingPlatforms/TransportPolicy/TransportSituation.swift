/// All that the choice of a transport depends on (`Specs/transport-policy.md`, the situation).
public struct TransportSituation: Hashable, Sendable {
    /// How often a transport failed in a row, and how many milliseconds ago it last did.
    public struct Failures: Hashable, Sendable {
        /// Failures in a row, 1 or more.
        public let count: UInt8
        /// Milliseconds since the last.
        public let ago: UInt64

        /// `count` is 1 or more.
        public init(count: UInt8, ago: UInt64) {
            self.count = count
            self.ago = ago
        }
    }

    /// What was observed of a transport.
    public struct Observed: Hashable, Sendable {
        /// Milliseconds to set up.
        public var setUp = ObservedAverage()
        /// Bytes per second.
        public var rate = ObservedAverage()

        /// Nothing was observed yet.
        public init() {}
    }

    /// Our app.
    public var own: AppCircumstances
    /// The peer's app, as far as it is known.
    public var peer: AppCircumstances
    /// What the two are to each other.
    public var relation: TransportRelation
    /// What is to be done.
    public var purpose: TransportPurpose
    /// Bytes to be sent.
    public var payload: UInt64 = 0
    /// Milliseconds until it is too late.
    public var deadline: UInt64?
    /// Whether we hear the peer now.
    public var isHeard = false
    /// Whether both are on one network.
    public var isOnSameNetwork = false
    /// Whether they are paired for Wi-Fi Aware.
    public var isPaired = false
    /// Over what they are connected.
    public var linked: Set<Transport> = []
    /// Which transports failed lately; none where a transport is missing.
    public var failures: [Transport: Failures] = [:]
    /// What was observed; the usual figures count where a transport is missing.
    public var observed: [Transport: Observed] = [:]

    /// A situation with nothing to send and nothing observed; a peer of which nothing is known is nil, and the worst
    /// that is usual is taken for it.
    public init(
        own: AppCircumstances, peer: AppCircumstances?, relation: TransportRelation, purpose: TransportPurpose
    ) {
        self.own = own
        self.peer = peer ?? Self.unknownPeer
        self.relation = relation
        self.purpose = purpose
    }

    /// What a peer of whom nothing is known counts as (INK-TPT-010).
    public static let unknownPeer = AppCircumstances(
        Platform(.iOS, PlatformVersion(10)), .background, met: [.bluetooth, .central, .peripheral])
}
