/// A step that makes a fresh link useful; the order of the cases is the order of the steps.
public enum ReconnectionStep: String, Hashable, Sendable, CaseIterable {
    /// Ask what services the peer offers.
    case services
    /// Ask what characteristics those services have.
    case characteristics
    /// Subscribe again: the subscription of an earlier run may be gone, and renewing one costs nothing.
    case subscription
    /// Authenticate the peer.
    case authentication
    /// Ask for the peer's status: it may have continued, slept, or filled its memory.
    case status
    /// Set the peer up again, if its status asks for it.
    case initialisation
    /// Tell the peer the number up to which nothing is missing, so that it repeats the rest.
    case resumption
}

/// The steps and bounds of reconnecting one kind of link (`Specs/lifecycle.md`).
public struct ReconnectionPolicy: Hashable, Sendable {
    /// The services for which a search looks: all sets joined, each service once. A peer may show another set while it
    /// waits for pairing.
    public let services: [String]
    /// The steps on a fresh link, in order; only the peer's status adds `initialisation`.
    public let steps: [ReconnectionStep]
    /// The time that the steps may take on a fresh link.
    public var deadline: Duration = .seconds(10)
    /// The most routes of one peer that are called at the same time.
    public var routeLimit = 4
    /// The most peers that are wanted; further ones are ignored.
    public var peerLimit = 1024

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - services: the sets of services that a peer may show.
    ///   - steps: the steps that the link needs; `initialisation` among them is ignored.
    public init(
        services: [[String]], steps: Set<ReconnectionStep> = Set(ReconnectionStep.allCases)
    ) {
        var joined: [String] = []
        for service in services.joined() where !joined.contains(service) { joined.append(service) }
        self.services = joined
        self.steps = ReconnectionStep.allCases.filter { $0 != .initialisation && steps.contains($0) }
    }
}
