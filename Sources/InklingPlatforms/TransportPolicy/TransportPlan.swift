/// What to use, in which order, and why not the rest (`Specs/transport-policy.md`).
public struct TransportPlan: Hashable, Sendable {
    /// A transport to use.
    public struct Step: Hashable, Sendable {
        /// What to use.
        public let transport: Transport
        /// Who takes the active role.
        public let direction: TransportDirection
        /// Milliseconds after the plan at which it begins, whatever became of the others.
        public internal(set) var begins: UInt64
        /// Milliseconds until all is done, as expected.
        public let completes: UInt64
        /// Millijoules.
        public let energy: UInt64
        /// Points: how much others learn.
        public let exposure: UInt64
        /// What the ranking goes by.
        public let cost: UInt64
        /// Milliseconds after which the system stops reporting; nil when no limit is known.
        public let lasts: UInt64?
        /// What it rests on, in the order of the table.
        public let facts: [ProfileFact]
    }

    /// A transport that is not used.
    public struct Refusal: Hashable, Sendable {
        /// What is not used.
        public let transport: Transport
        /// Why: the first reason that applies.
        public let reason: TransportRefusal
        /// What says so; empty when nothing is promised.
        public let facts: [ProfileFact]
    }

    /// The best first.
    public let steps: [Step]
    /// In the order of the transports.
    public let refusals: [Refusal]

    /// When there is no step: what comes closest, and what it waits for.
    public var wait: Refusal? {
        guard steps.isEmpty else { return nil }
        let candidates = refusals.filter { $0.transport != .multipeer && $0.transport != .relay }
        return candidates.min { ($1.reason.number, $0.transport) < ($0.reason.number, $1.transport) }
    }
}

/// Why a transport is not used; the numbers are those of `Specs/transport-policy.md`.
public enum TransportRefusal: String, Hashable, Sendable, CaseIterable {
    /// Multipeer Connectivity: deprecated, and reaches about 2 m since iOS 18.
    case retired
    /// A relay: needs the internet and somebody else's server.
    case thirdParty = "third-party"
    /// It is not for this purpose.
    case purpose
    /// It is for another relation, and confirming the contact would not help.
    case relation
    /// It is for contacts whom a handshake confirmed in this epoch.
    case unconfirmed
    /// Our device cannot.
    case ownPlatform = "own-platform"
    /// Our app cannot in its state.
    case ownState = "own-state"
    /// Our user or our app's declaration does not permit it.
    case ownPermission = "own-permission"
    /// The peer's device cannot.
    case peerPlatform = "peer-platform"
    /// The peer's app cannot in its state.
    case peerState = "peer-state"
    /// The peer's user or its app's declaration does not permit it.
    case peerPermission = "peer-permission"
    /// The two are not on one network, and not linked.
    case noNetwork = "no-network"
    /// The two are not paired for Wi-Fi Aware, and not linked.
    case unpaired
    /// A code or a tap cannot carry the payload.
    case tooLarge = "too-large"
    /// It failed, and its back-off is not over.
    case failedLately = "failed-lately"
    /// It would be done after the deadline.
    case deadline

    /// 1 to 16, in the order in which they are tested.
    public var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
}
