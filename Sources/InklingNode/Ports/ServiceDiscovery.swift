public import InklingEngine
public import InklingKeys
public import InklingSession

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
    /// Our records are answered from now on, and the announcement, if there is one, leaves within 0.2 s.
    case established
    /// A known name was heard.
    case appeared(OpaqueServiceName)
    /// A name has not been heard for 240 s, or its interface is gone.
    case vanished(OpaqueServiceName)
    /// Where a name that `search` asked for can be called, in the order of calling; at least one endpoint.
    case found(OpaqueServiceName, [Endpoint])
    /// A name that `search` asked for was not heard.
    case notFound(OpaqueServiceName)
    /// Another device shows our name with other data. Reported once for each session.
    case imitated
    /// The session has failed; open another.
    case failed(DiscoveryError)
}

/// Why discovery is not possible.
public enum DiscoveryError: Error, Hashable, Sendable {
    /// Multicast DNS could not start, or stopped: the system's error number.
    case server(code: Int32)
    /// There is no usable network interface.
    case noNetwork
}

/// Multicast DNS service discovery, as a node needs it. `InklingLinux` and `InklingSimulation` each provide one.
public protocol ServiceDiscovery: Sendable {
    /// Starts to show these records, with nothing remembered from before. Only known names are reported.
    ///
    /// - Throws: `DiscoveryError` when it cannot start.
    func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession
}

/// Multicast DNS from one silent gap to the next.
public protocol DiscoverySession: Sendable {
    /// What happens, in order, to a single consumer; ends after `close`. Bounded: the oldest event is dropped.
    var events: AsyncStream<DiscoveryEvent> { get }
    /// Replaces the names that are reported; what others show now is heard within seconds.
    func recognise(_ names: KnownNames) async
    /// Where can a name be called? The answer is an event: `found` or `notFound`. With a host, a name that was not heard
    /// is asked for on the network, for up to 3 s.
    func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async
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
