public import InklingEngine
public import InklingKeys
public import InklingNode
public import InklingWire

/// Multicast DNS of this machine: sockets of its own beside those of other responders (`Specs/mdns.md`).
///
/// The sockets stay open from the first session until the last reference is gone, through all silent gaps: leaving and
/// joining the group would show on the network that something happens.
public final class MulticastDiscovery: ServiceDiscovery {
    private let responder: MulticastResponder

    /// Creates discovery of the instances of a service type; no socket is opened before the first session.
    public init(service: ServiceType = .inkling) { responder = MulticastResponder(service: service) }

    deinit { responder.shutDown() }

    /// Starts to show, ask and listen with nothing remembered from before.
    ///
    /// - Throws: `DiscoveryError.noNetwork` without an interface that can be used, and `.server` with the system's error
    ///   number when no socket can be opened.
    public func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession {
        try responder.open(publication, recognising: names)
    }

    /// Returns the names that were heard in the last one to two minutes, known or not: at most 1,000.
    public func heardNames() async -> [OpaqueServiceName] { responder.heardNames() }
}

/// One life of the machine in a responder. What is asked of it after its end has no effect.
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
