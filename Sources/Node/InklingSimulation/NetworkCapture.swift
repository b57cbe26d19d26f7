public import InklingKeys
internal import InklingNode
public import InklingWire

/// A packet that an observer of the simulated network could have seen.
public struct NetworkSighting: Hashable, Sendable {
    /// The kind of a packet, with its content.
    public enum Kind: Hashable, Sendable {
        /// A query for all instances of the service.
        case browseQuery
        /// A query for one instance.
        case instanceQuery(OpaqueServiceName)
        /// Records of an instance with the pointer that announces it.
        case announcement(ServiceInstance)
        /// Records of an instance in answer to a query, without the PTR record.
        case answer(ServiceInstance)
        /// The withdrawal of an instance.
        case goodbye(OpaqueServiceName)
        /// The request for a connection.
        case connection(to: Endpoint)
        /// The repetition of an unanswered request.
        case repeatedConnection(to: Endpoint)
        /// A packet on a connection.
        case packet(to: Endpoint, [UInt8])
        /// The end of a connection.
        case end(to: Endpoint, isReset: Bool)
    }

    /// Milliseconds since the simulation began.
    public let time: UInt64
    /// The address of the sender.
    public let source: Endpoint.Address
    /// The kind of the packet.
    public let kind: Kind

    /// Whether the packet is multicast DNS, not part of a link.
    public var isDiscovery: Bool {
        switch kind {
        case .browseQuery, .instanceQuery, .announcement, .answer, .goodbye: true
        case .connection, .repeatedConnection, .packet, .end: false
        }
    }
}

/// The conditions of a simulated network.
public struct NetworkConditions: Hashable, Sendable {
    /// The delay from one host to another in milliseconds, uniformly distributed.
    public var delay: ClosedRange<UInt64> = 1...5
    /// The probability that a multicast packet is lost, for each receiver; on links, that a packet is delayed by a
    /// retransmission.
    public var loss = 0.0
    /// The probability that a multicast packet is duplicated, for each receiver.
    public var duplication = 0.0
    /// The probability that one bit of a multicast packet is changed on the way, for each receiver.
    public var corruption = 0.0
    /// The probability that someone in the middle of a link changes one bit of a packet, repeats it, delays it by half
    /// a second, or suppresses it.
    public var meddling = 0.0
    /// Whether multicast packets reach other hosts; many access points do not pass them on to their clients.
    public var carriesMulticast = true

    /// Creates the conditions of a local network without loss.
    public init() {}
}
