public import InklingKeys

/// A service instance in multicast DNS (`Specs/mdns.md`).
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

/// What a node shows in multicast DNS from one silent gap to the next.
public struct Publication: Hashable, Sendable {
    /// The instance to announce; nil to announce none.
    public var announced: ServiceInstance?
    /// Instances for which queries by exact name are answered, but which are not announced.
    public var answered: [ServiceInstance]
    /// Whether to browse for others, which sends queries.
    public var browses: Bool

    /// Creates a publication.
    public init(announced: ServiceInstance?, answered: [ServiceInstance] = [], browses: Bool = true) {
        self.announced = announced
        self.answered = answered
        self.browses = browses
    }
}

/// An event of multicast DNS.
public enum DiscoveryEvent: Hashable, Sendable {
    /// Queries for our records are answered from now on, and the announcement, if any, is sent within 0.4 s.
    case established
    /// An instance of another device with a well-formed name has appeared.
    case appeared(OpaqueServiceName)
    /// An instance was withdrawn, or was not refreshed within its time to live.
    case vanished(OpaqueServiceName)
    /// The endpoints, at least one, of an instance passed to `resolve`.
    case resolved(OpaqueServiceName, [Endpoint])
    /// An instance passed to `resolve` was not found.
    case unresolved(OpaqueServiceName)
    /// Another device claims our name; the node stays silent until the next epoch.
    case conflict
    /// The session has failed and must be replaced.
    case failed(DiscoveryError)
}

/// Why discovery is not possible.
public enum DiscoveryError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The multicast DNS server could not start, or has stopped; `code` is the error number of the library.
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

/// Multicast DNS service discovery. `InklingLinux` and `InklingSimulation` each provide one.
public protocol ServiceDiscovery: Sendable {
    /// Starts a new server with these records and an empty cache.
    ///
    /// - Throws: `DiscoveryError` when the server cannot start.
    func open(_ publication: Publication) async throws(DiscoveryError) -> any DiscoverySession
}

/// A running discovery server, from one silent gap to the next.
public protocol DiscoverySession: Sendable {
    /// Events in order, for a single consumer; ends after `close`. The buffer is bounded and drops the oldest event.
    var events: AsyncStream<DiscoveryEvent> { get }
    /// Resolves one instance by its exact name. The result is an event: `resolved` or `unresolved`. When too many
    /// searches are open, it is `unresolved` at once.
    func resolve(_ name: OpaqueServiceName) async
    /// Replaces the instances for which queries are answered without announcement.
    func answer(_ instances: [ServiceInstance]) async
    /// Stops the server, and returns when nothing more will be sent. With `goodbye`, announced records are withdrawn
    /// first.
    func close(goodbye: Bool) async
}

/// Reports changes of this machine's addresses and network interfaces.
public protocol NetworkMonitor: Sendable {
    /// Returns a stream with one element for each burst of changes.
    func changes() -> AsyncStream<Void>
}
