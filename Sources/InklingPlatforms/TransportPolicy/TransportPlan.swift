/// The transports to use, ranked, and the reason for each other one (`Specs/transport-policy.md`).
public struct TransportPlan: Hashable, Sendable, Codable {
    /// A transport to use, or a chain of two.
    public struct Step: Hashable, Sendable {
        /// The transport, the first one of a chain.
        public let transport: TransportOption
        /// The side that takes the active role in it.
        public let direction: TransportDirection
        /// The transport that carries the handshake after this one; nil when this one carries it, or none is needed.
        public let next: Next?
        /// The time after the plan at which it begins, whatever the outcome of the others.
        public internal(set) var begins: Duration
        /// The time that it is expected to take, the whole chain included.
        public let completes: Duration
        /// Energy in millijoules.
        public let energy: UInt64
        /// How much others learn, in points from 0 to 4.
        public let exposure: UInt64
        /// The figure by which steps are ranked.
        public let cost: UInt64
        /// The time after which the system stops reporting; nil when no limit is known.
        public let lasts: Duration?
        /// The facts on which it rests, in the order of the table.
        public let facts: [ProfileFact]
    }

    /// The second transport of a chain.
    public struct Next: Hashable, Sendable, Codable {
        /// The transport.
        public let transport: TransportOption
        /// The side that takes the active role in it.
        public let direction: TransportDirection

        /// Creates the second transport of a chain.
        public init(transport: TransportOption, direction: TransportDirection) {
            self.transport = transport
            self.direction = direction
        }
    }

    /// A transport that is not used.
    public struct Refusal: Hashable, Sendable {
        /// The transport.
        public let transport: TransportOption
        /// The first reason that applies.
        public let reason: TransportRefusal
        /// The facts on which the reason rests; empty when no fact promises what is missing, or the reason needs none.
        public let facts: [ProfileFact]
    }

    /// The steps, the least cost first.
    public let steps: [Step]
    /// The refusals, in the order of the transports.
    public let refusals: [Refusal]

    /// The refusal that comes closest to a step; nil when there is a step.
    public var wait: Refusal? {
        guard steps.isEmpty else { return nil }
        return Self.nearest(of: refusals.filter { $0.transport != .multipeer && $0.transport != .relay })
    }

    /// The refusal that is tested last; of several, that of the first transport.
    static func nearest(of refusals: [Refusal]) -> Refusal? {
        refusals.min { ($1.reason.rank, $0.transport) < ($0.reason.rank, $1.transport) }
    }
}

/// The reason why a transport is not used (`Specs/transport-policy.md`, refusals), in the order of the tests.
public enum TransportRefusal: String, Hashable, Sendable, CaseIterable, Codable {
    /// Multipeer Connectivity: deprecated, with a range of 1 to 2 m since iOS 18.
    case retired
    /// A relay: needs the internet and a third party's server.
    case thirdParty = "third-party"
    /// It is not for this purpose.
    case purpose
    /// It is for another relation, and confirming the contact would not help.
    case relation
    /// It is for contacts whom a handshake confirmed in this epoch.
    case unconfirmed
    /// Our program, or the peer's, does not implement it.
    case noBackEnd = "no-back-end"
    /// Our device does not have it.
    case ownPlatform = "own-platform"
    /// Our app cannot use it in its state.
    case ownState = "own-state"
    /// Our user does not permit it, or our app does not declare it.
    case ownPermission = "own-permission"
    /// The peer's device does not have it.
    case peerPlatform = "peer-platform"
    /// The peer's app cannot use it in its state.
    case peerState = "peer-state"
    /// The peer's user does not permit it, or its app does not declare it.
    case peerPermission = "peer-permission"
    /// The two are not on one network, and not linked.
    case noNetwork = "no-network"
    /// The two are not paired for Wi-Fi Aware, and not linked.
    case unpaired
    /// A code or a tap cannot carry the payload.
    case tooLarge = "too-large"
    /// It failed, and its back-off is not over.
    case failedLately = "failed-lately"
    /// It would complete after the deadline.
    case deadline

    /// The number in the specification, 1 to 17.
    public var number: Int {
        // `noBackEnd` was added to the end of the numbers and to the middle of the tests.
        if self == .noBackEnd { return 17 }
        return rank + (rank < Self.noBackEnd.rank ? 1 : 0)
    }

    /// Its place in the order of the tests, from 0.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
