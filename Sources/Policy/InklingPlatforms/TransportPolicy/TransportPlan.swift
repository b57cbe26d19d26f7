/// The ranked transports to use, and the reason each of the others is not used (`Specs/transport-policy.md`).
public struct TransportPlan: Hashable, Sendable, Codable {
    /// A transport to use, or a chain of two.
    public struct Step: Hashable, Sendable {
        /// The transport; of a chain, the first one.
        public let transport: TransportOption
        /// The side that takes the active role in it.
        public let direction: TransportDirection
        /// The transport that carries the handshake after this one; nil if this one carries it or none is needed.
        public let next: Next?
        /// The start of the step, counted from the plan, whatever the outcome of the others.
        public internal(set) var begins: Duration
        /// The expected duration of the step with its whole chain.
        public let completes: Duration
        /// The expected energy in millijoules.
        public let energy: UInt64
        /// The knowledge that an observer gains, in points from 0 to 4.
        public let exposure: UInt64
        /// The cost by which steps are ranked, in milliseconds and their equivalents.
        public let cost: UInt64
        /// The time for which the system keeps reporting; nil if no limit is known.
        public let lasts: Duration?
        /// The facts that make the step possible, in the order of the profiles.
        public let facts: [ProfileFact]
    }

    /// The second transport of a chain, and its direction.
    public struct Next: Hashable, Sendable, Codable {
        /// The second transport.
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
        /// The transport that is not used.
        public let transport: TransportOption
        /// The first reason that applies.
        public let reason: TransportRefusal
        /// The facts that give the reason; empty if it needs none, or if no fact promises the missing requirement.
        public let facts: [ProfileFact]
    }

    /// The steps, the least cost first.
    public let steps: [Step]
    /// The refusals, in the order of the transports.
    public let refusals: [Refusal]

    /// The refusal that came closest to being a step; nil if there is a step.
    public var wait: Refusal? {
        guard steps.isEmpty else { return nil }
        return Self.nearest(of: refusals.filter { $0.transport != .multipeer && $0.transport != .relay })
    }

    /// Returns the refusal whose reason is tested last; of several, that of the first transport.
    static func nearest(of refusals: [Refusal]) -> Refusal? {
        refusals.min { ($1.reason.rank, $0.transport) < ($0.reason.rank, $1.transport) }
    }
}

/// The reason a transport is not used (`Specs/transport-policy.md`, refusals), in the order of the tests.
public enum TransportRefusal: String, Hashable, Sendable, CaseIterable, Codable {
    /// Multipeer Connectivity: deprecated, with a range of 1 to 2 m since iOS 18.
    case retired
    /// A relay: needs the internet and a third party's server.
    case thirdParty = "third-party"
    /// It does not serve this purpose.
    case purpose
    /// It does not serve this relation, and confirming the contact would not change that.
    case relation
    /// It requires that a handshake has confirmed the contact in this epoch.
    case unconfirmed
    /// This program or the peer's does not implement it.
    case noBackEnd = "no-back-end"
    /// This device does not have it.
    case ownPlatform = "own-platform"
    /// This app cannot use it in its present state.
    case ownState = "own-state"
    /// This device's user does not permit it, or this app does not declare it.
    case ownPermission = "own-permission"
    /// The peer's device does not have it.
    case peerPlatform = "peer-platform"
    /// The peer's app cannot use it in its present state.
    case peerState = "peer-state"
    /// The peer's user does not permit it, or its app does not declare it.
    case peerPermission = "peer-permission"
    /// The devices are not on the same network, and not linked by it.
    case noNetwork = "no-network"
    /// The devices are not paired for Wi-Fi Aware, and not linked by it.
    case unpaired
    /// A code or a tap cannot carry the payload.
    case tooLarge = "too-large"
    /// It failed recently, and its back-off time is not over.
    case failedLately = "failed-lately"
    /// It would complete after the deadline.
    case deadline

    /// The number in the specification, 1 to 17.
    public var number: Int {
        // Numbers are never reassigned: `noBackEnd` has the last number, although it is tested in the middle.
        if self == .noBackEnd { return 17 }
        return rank + (rank < Self.noBackEnd.rank ? 1 : 0)
    }

    /// The position of the reason in the order of the tests, from 0.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
