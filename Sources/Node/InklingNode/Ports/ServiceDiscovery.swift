public import InklingEngine
public import InklingKeys
public import InklingWire

/// The records that a node shows in multicast DNS from one quiet period to the next.
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
    /// Our records are now answered, and the announcement, if any, leaves within 0.2 s.
    case established
    /// A known name was heard.
    case appeared(OpaqueServiceName)
    /// A name was not heard for 240 s, or its interface is gone.
    case vanished(OpaqueServiceName)
    /// The endpoints of a name that `search` asked for, in calling order; at least one.
    case found(OpaqueServiceName, [Endpoint])
    /// A name that `search` asked for was not heard.
    case notFound(OpaqueServiceName)
    /// A query asked for the service record of an instance that is answered without announcement. Reported once per
    /// instance.
    case asked(OpaqueServiceName)
    /// Another device shows our name with other data. Reported once per session.
    case imitated
    /// The session has failed; open another.
    case failed(DiscoveryError)
}

/// The reason why discovery is not possible.
public enum DiscoveryError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Multicast DNS could not start, or has stopped; `code` is the error number of the system.
    case server(code: Int32)
    /// There is no usable network interface.
    case noNetwork

    /// The reason in words.
    public var description: String {
        switch self {
        case .server(let code): "multicast DNS cannot be used (error \(code))"
        case .noNetwork: "there is no usable network interface"
        }
    }
}

/// Multicast DNS service discovery. `InklingLinux` and `InklingSimulation` each provide one.
public protocol ServiceDiscovery: Sendable {
    /// Starts to show these records, remembering nothing from before. Only known names are reported.
    ///
    /// - Throws: `DiscoveryError` if it cannot start.
    func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession
    /// Returns some of the names heard in the last minutes, known or not, to explain missing contacts; none without a
    /// session.
    func heardNames() async -> [OpaqueServiceName]
}

/// A multicast DNS session, from one quiet period to the next.
public protocol DiscoverySession: Sendable {
    /// Events in order, for a single consumer; ends after `close`. The buffer is bounded and drops the oldest event.
    var events: AsyncStream<DiscoveryEvent> { get }
    /// Replaces the names that are reported; names that others show now are heard within seconds.
    func recognise(_ names: KnownNames) async
    /// Searches for the endpoints of a name; the answer is an event, `found` or `notFound`. With a host, a name that
    /// was not heard is asked for on the network, for up to 3 s.
    func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async
    /// Replaces the instances that are answered without announcement.
    func answer(_ instances: [ServiceInstance]) async
    /// Stops the server, and returns once nothing more will be sent. With `goodbye`, announced records are withdrawn
    /// first.
    func close(goodbye: Bool) async
}

/// A monitor of this machine's addresses and network interfaces.
public protocol NetworkMonitor: Sendable {
    /// Returns a stream with one element for each burst of changes.
    func changes() -> AsyncStream<Void>
    /// Returns this machine's addresses that others on its links can connect to, those to be tried first in front.
    func ownAddresses() -> [Endpoint.Address]
    /// Returns the endpoints for an address that a contact has offered: one for each interface on whose link the
    /// address is (`Specs/hand-over.md`); none if it must not be called.
    func callable(_ address: TransportOffer.Address) -> [Endpoint]
    /// Returns whether an address is on a link of this machine.
    func isOnLink(_ address: Endpoint.Address) -> Bool
}
