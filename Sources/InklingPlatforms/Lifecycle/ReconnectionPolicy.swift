/// One step of what makes a fresh link useful again, in the order of the cases.
public enum ReconnectionStep: String, Hashable, Sendable, CaseIterable {
    /// Ask what services the peer offers.
    case services
    /// Ask what characteristics those services have.
    case characteristics
    /// Subscribe anew: a subscription of an earlier run may be gone, and renewing one that stands costs nothing.
    case subscription
    /// Confirm who is there.
    case authentication
    /// Ask in which state the peer is: it may have gone on, slept, or filled its memory.
    case status
    /// Set the peer up again, if its status says so.
    case initialisation
    /// Tell the peer what was received last, so that it repeats what was missed.
    case resumption
}

/// What the reconnection of one kind of link does, and its bounds (`Specs/lifecycle.md`).
public struct ReconnectionPolicy: Hashable, Sendable {
    /// The services for which a search looks, all sets joined, each once: a peer may show another set while it waits
    /// to be paired.
    public let services: [String]
    /// The steps on a fresh link, in order; `initialisation` is put in by the peer's status alone.
    public let steps: [ReconnectionStep]
    /// How long the steps may take from the event that the system delivered, in milliseconds.
    public var deadline: UInt64 = 10_000
    /// Routes of one peer that are called at the same time.
    public var routeLimit = 4
    /// Peers; more are not taken in.
    public var peerLimit = 1024

    /// A policy.
    ///
    /// - Parameters:
    ///   - services: the sets of services that a peer may show.
    ///   - steps: all that the link needs, in any order; `initialisation` is left out.
    public init(
        services: [[String]], steps: Set<ReconnectionStep> = Set(ReconnectionStep.allCases)
    ) {
        var joined: [String] = []
        for service in services.joined() where !joined.contains(service) { joined.append(service) }
        self.services = joined
        self.steps = ReconnectionStep.allCases.filter { $0 != .initialisation && steps.contains($0) }
    }
}
