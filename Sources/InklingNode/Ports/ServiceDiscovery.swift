public import InklingKeys

/// One service instance as it stands in multicast DNS (`Specs/mdns.md`).
public struct ServiceInstance: Hashable, Sendable {
    /// The instance name of the epoch.
    public let name: OpaqueServiceName
    /// The host name of the epoch, to which SRV points.
    public let host: OpaqueHostName
    /// The TCP port of the epoch.
    public let port: UInt16

    /// Creates an instance.
    public init(name: OpaqueServiceName, host: OpaqueHostName, port: UInt16) {
        self.name = name
        self.host = host
        self.port = port
    }
}

/// Everything a node shows on the local network between two silent gaps.
public struct Publication: Hashable, Sendable {
    /// The instance that is announced, or nil when nothing is.
    public var announced: ServiceInstance?
    /// Instances that are answered when asked for by name, and never announced.
    public var answered: [ServiceInstance]
    /// Whether to look for others; a query is an emission too.
    public var browses: Bool

    /// Creates a publication.
    public init(announced: ServiceInstance?, answered: [ServiceInstance] = [], browses: Bool = true) {
        self.announced = announced
        self.answered = answered
        self.browses = browses
    }
}

/// What multicast DNS reports.
public enum DiscoveryEvent: Hashable, Sendable {
    /// Our records are answered from now on, and the announcement, if there is one, leaves within 0.4 s.
    case established
    /// An instance of another device with a well-formed name is there.
    case appeared(OpaqueServiceName)
    /// An instance is gone: withdrawn, or not refreshed for its time to live.
    case vanished(OpaqueServiceName)
    /// Where an instance that `resolve` asked for can be reached; at least one endpoint.
    case resolved(OpaqueServiceName, [Endpoint])
    /// An instance that `resolve` asked for was not found.
    case unresolved(OpaqueServiceName)
    /// Another device claims our name: withdraw until the next epoch.
    case conflict
    /// The session has failed; open another.
    case failed(DiscoveryError)
}

/// Why discovery is not possible.
public enum DiscoveryError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The multicast DNS server could not start, or stopped: the library's error number.
    case server(code: Int32)
    /// There is no usable network interface.
    case noNetwork

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .server(let code): "multicast DNS cannot be used (error \(code))"
        case .noNetwork: "there is no usable network interface"
        }
    }
}

/// Multicast DNS service discovery, as a node needs it. `InklingLinux` and `InklingSimulation` each provide one.
public protocol ServiceDiscovery: Sendable {
    /// Starts a fresh server with these records and nothing remembered from before.
    ///
    /// - Throws: `DiscoveryError` when it cannot start.
    func open(_ publication: Publication) async throws(DiscoveryError) -> any DiscoverySession
}

/// One life of a discovery server, from a silent gap to the next.
public protocol DiscoverySession: Sendable {
    /// What happens, in order, to a single consumer; ends after `close`. Bounded: the oldest event is dropped.
    var events: AsyncStream<DiscoveryEvent> { get }
    /// Asks for one instance by its exact name; the answer is an event. More than the bound of open questions are
    /// answered with `unresolved` at once.
    func resolve(_ name: OpaqueServiceName) async
    /// Replaces the instances that are answered without announcement.
    func answer(_ instances: [ServiceInstance]) async
    /// Stops; returns when nothing more will be sent. With `goodbye`, our announced records are withdrawn first.
    func close(goodbye: Bool) async
}

/// Tells when the addresses or links of this machine change.
public protocol NetworkMonitor: Sendable {
    /// One element for each burst of changes.
    func changes() -> AsyncStream<Void>
}
