public import InklingKeys
public import InklingNode
public import InklingSession

/// Something that an observer of the simulated network could have seen.
public struct NetworkSighting: Hashable, Sendable {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        /// A question for every instance of the service.
        case browseQuery
        /// A question for one instance.
        case instanceQuery(OpaqueServiceName)
        /// Records of an instance with the pointer that announces it.
        case announcement(ServiceInstance)
        /// Records of an instance in answer to a question, without the pointer.
        case answer(ServiceInstance)
        /// The withdrawal of an instance.
        case goodbye(OpaqueServiceName)
        /// A connection that is being made.
        case connection(to: Endpoint)
        /// A packet on a connection.
        case packet(to: Endpoint, [UInt8])
        /// The end of a connection as its sender announces it.
        case end(to: Endpoint, isReset: Bool)
    }

    /// Milliseconds since the simulation began.
    public let time: UInt64
    /// The address of the sender.
    public let source: Endpoint.Address
    /// What it is.
    public let kind: Kind

    /// Whether it is multicast DNS and not part of a link.
    public var isDiscovery: Bool {
        switch kind {
        case .browseQuery, .instanceQuery, .announcement, .answer, .goodbye: true
        case .connection, .packet, .end: false
        }
    }
}

/// The conditions of a simulated network.
public struct NetworkConditions: Hashable, Sendable {
    /// The delay from one host to another in milliseconds, uniformly distributed.
    public var delay: ClosedRange<UInt64> = 1...5
    /// The probability that a multicast packet does not reach one of its receivers; on links, that a
    /// packet is delayed because it is sent again.
    public var loss = 0.0
    /// The probability that a multicast packet reaches one of its receivers twice.
    public var duplication = 0.0

    /// Creates the conditions of a quiet local network.
    public init() {}
}
