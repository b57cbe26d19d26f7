public import InklingEngine
public import InklingKeys
public import InklingNode
public import InklingWire

/// Multicast DNS on this machine, with its own sockets beside those of other responders (`Specs/mdns.md`).
///
/// The sockets stay open from the first session until the last reference is gone, through all quiet periods: leaving
/// and joining the group would be visible on the network.
public final class MulticastDiscovery: ServiceDiscovery {
    private let responder: MulticastResponder

    /// Creates discovery for a service type; the first session opens the sockets.
    public init(service: ServiceType = .inkling) { responder = MulticastResponder(service: service) }

    deinit { responder.shutDown() }

    /// Starts publishing, asking and listening, with no memory of earlier sessions.
    ///
    /// - Throws: `DiscoveryError.noNetwork` without a usable interface, and `.server` with the system's error number if
    ///   no socket can be opened.
    public func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession {
        try responder.open(publication, recognising: names)
    }

    /// Returns at most 1,000 names heard in the last one to two minutes, known or not.
    public func heardNames() async -> [OpaqueServiceName] { responder.heardNames() }
}

/// One session of a responder. Requests after its end have no effect.
final class MulticastSession: DiscoverySession {
    let events: AsyncStream<DiscoveryEvent>
    private let number: Int
    private let responder: MulticastResponder

    init(number: Int, of responder: MulticastResponder, events: AsyncStream<DiscoveryEvent>) {
        self.number = number
        self.responder = responder
        self.events = events
    }

    func recognise(_ names: KnownNames) async { responder.recognise(names, in: number) }

    func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async {
        responder.handle(.search(name, host), in: number)
    }

    func answer(_ instances: [ServiceInstance]) async { responder.handle(.answeredChanged(instances), in: number) }

    func close(goodbye: Bool) async { responder.close(number, goodbye: goodbye) }
}
