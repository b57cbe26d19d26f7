/// What to use, in which order, and why not the rest (`Specs/transport-policy.md`).
public struct TransportPlan: Hashable, Sendable {
    /// A transport to use.
    public struct Step: Hashable, Sendable {
        public let transport: Transport
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
        public let transport: Transport
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
    case retired
    case thirdParty = "third-party"
    case purpose
    case relation
    case unconfirmed
    case ownPlatform = "own-platform"
    case ownState = "own-state"
    case ownPermission = "own-permission"
    case peerPlatform = "peer-platform"
    case peerState = "peer-state"
    case peerPermission = "peer-permission"
    case noNetwork = "no-network"
    case unpaired
    case tooLarge = "too-large"
    case failedLately = "failed-lately"
    case deadline

    /// 1 to 16, in the order in which they are tested.
    public var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
}
