public import InklingEngine
public import InklingKeys
public import InklingWire

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
    /// Somebody has asked for the service record of an instance that is answered without announcement. Reported once for
    /// each instance.
    case asked(OpaqueServiceName)
    /// Another device shows our name with other data. Reported once for each session.
    case imitated
    /// The session has failed; open another.
    case failed(DiscoveryError)
}

/// Why discovery is not possible.
public enum DiscoveryError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Multicast DNS could not start, or has stopped; `code` is the error number of the system.
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
    /// Starts to show these records, with nothing remembered from before. Only known names are reported.
    ///
    /// - Throws: `DiscoveryError` when it cannot start.
    func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession
    /// Returns some of the names that were heard in the last minutes, known or not, to explain what is missing; none
    /// without a session.
    func heardNames() async -> [OpaqueServiceName]
}

/// Multicast DNS from one silent gap to the next.
public protocol DiscoverySession: Sendable {
    /// Events in order, for a single consumer; ends after `close`. The buffer is bounded and drops the oldest event.
    var events: AsyncStream<DiscoveryEvent> { get }
    /// Replaces the names that are reported; what others show now is heard within seconds.
    func recognise(_ names: KnownNames) async
    /// Where can a name be called? The answer is an event: `found` or `notFound`. With a host, a name that was not heard
    /// is asked for on the network, for up to 3 s.
    func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async
    /// Replaces the instances that are answered without announcement.
    func answer(_ instances: [ServiceInstance]) async
    /// Stops the server, and returns when nothing more will be sent. With `goodbye`, announced records are withdrawn
    /// first.
    func close(goodbye: Bool) async
}

/// Reports changes of this machine's addresses and network interfaces.
public protocol NetworkMonitor: Sendable {
    /// Returns a stream with one element for each burst of changes.
    func changes() -> AsyncStream<Void>
    /// Returns the addresses of this machine that others on its links can connect to, those to be tried first in front.
    func ownAddresses() -> [Endpoint.Address]
    /// Returns what to connect to for an address that a contact has offered: one endpoint for each interface on whose link
    /// the address is (`Specs/hand-over.md`); none when it must not be called.
    func callable(_ address: TransportOffer.Address) -> [Endpoint]
    /// Whether an address is on a link of this machine.
    func isOnLink(_ address: Endpoint.Address) -> Bool
}
