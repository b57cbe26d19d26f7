public import InklingKeys
public import InklingNode

/// Something that anybody on the simulated network could have seen.
public struct NetworkSighting: Hashable, Sendable {
    /// What it was.
    public enum Kind: Hashable, Sendable {
        /// A question for everybody who offers the service.
        case browseQuery
        /// A question for one instance.
        case instanceQuery(OpaqueServiceName)
        /// A check whether a name is free.
        case probe(OpaqueServiceName)
        /// Records of an instance, with the pointer that makes it appear to everybody.
        case announcement(ServiceInstance)
        /// Records of an instance that somebody asked for, without the pointer.
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
    /// Whose address it came from.
    public let source: Endpoint.Address
    /// What it was.
    public let kind: Kind

    /// Whether it is multicast DNS and no link.
    public var isDiscovery: Bool {
        switch kind {
        case .browseQuery, .instanceQuery, .probe, .announcement, .answer, .goodbye: true
        case .connection, .packet, .end: false
        }
    }
}

/// How well a simulated network works.
public struct NetworkConditions: Hashable, Sendable {
    /// How long anything takes from one host to another, in milliseconds; drawn evenly.
    public var delay: ClosedRange<UInt64> = 1...5
    /// The probability with which a multicast packet does not reach one of its receivers; on links, with which a
    /// packet comes later because it was sent again.
    public var loss = 0.0
    /// The probability with which a multicast packet reaches one of its receivers twice.
    public var duplication = 0.0

    /// A quiet local network.
    public init() {}
}
