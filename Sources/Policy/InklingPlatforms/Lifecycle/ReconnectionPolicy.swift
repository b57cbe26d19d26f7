/// A step on a new link before it can be used; the order of the cases is the order of the steps.
public enum ReconnectionStep: String, Hashable, Sendable, CaseIterable {
    /// Discover the services of the peer.
    case services
    /// Discover the characteristics of those services.
    case characteristics
    /// Subscribe again, because the subscription of an earlier run may be lost, and renewing one costs nothing.
    case subscription
    /// Authenticate the peer.
    case authentication
    /// Read the status of the peer, which may have continued, slept, or filled its memory.
    case status
    /// Set the peer up again, if its status requires that.
    case initialisation
    /// Tell the peer the number up to which no record is missing, so that it repeats the rest.
    case resumption
}

/// The steps and limits of reconnecting one kind of link (`Specs/lifecycle.md`).
public struct ReconnectionPolicy: Hashable, Sendable {
    /// The services to search for: the union of all sets, without repetitions. A peer that waits for pairing may show
    /// another set than usual.
    public let services: [String]
    /// The steps on a new link, in order. `initialisation` is not among them: the peer's status adds it.
    public let steps: [ReconnectionStep]
    /// The time within which all steps on a new link must be done.
    public var deadline: Duration = .seconds(10)
    /// The most routes of one peer that are called at the same time.
    public var routeLimit = 4
    /// The most peers that are wanted; further ones are ignored.
    public var peerLimit = 1024

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - services: the sets of services that a peer may show.
    ///   - steps: the steps that the link needs; `initialisation` is ignored.
    public init(
        services: [[String]], steps: Set<ReconnectionStep> = Set(ReconnectionStep.allCases)
    ) {
        var joined: [String] = []
        for service in services.joined() where !joined.contains(service) { joined.append(service) }
        self.services = joined
        self.steps = ReconnectionStep.allCases.filter { $0 != .initialisation && steps.contains($0) }
    }
}
