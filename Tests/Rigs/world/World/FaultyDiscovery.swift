internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire
internal import Synchronization

/// Multicast DNS with a planted fault.
final class FaultyDiscovery: ServiceDiscovery {
    private let discovery: any ServiceDiscovery
    private let fault: PlantedFault
    private let first = Mutex<OpaqueHostName?>(nil)

    init(_ discovery: any ServiceDiscovery, fault: PlantedFault) {
        self.discovery = discovery
        self.fault = fault
    }

    func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession {
        switch fault {
        case .keepsName:
            var shown = publication
            if let announced = publication.announced {
                let host = first.withLock { first in
                    first = first ?? announced.host
                    return first ?? announced.host
                }
                shown.announced = ServiceInstance(name: announced.name, host: host, port: announced.port)
            }
            return try await discovery.open(shown, recognising: names)
        case .isDeaf: return DeafSession(session: try await discovery.open(publication, recognising: KnownNames()))
        default: return try await discovery.open(publication, recognising: names)
        }
    }

    func heardNames() async -> [OpaqueServiceName] { await discovery.heardNames() }
}

/// A session that never knows a name.
private struct DeafSession: DiscoverySession {
    let session: any DiscoverySession

    var events: AsyncStream<DiscoveryEvent> { session.events }
    func recognise(_ names: KnownNames) async {}
    func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async { await session.search(name, at: host) }
    func answer(_ instances: [ServiceInstance]) async { await session.answer(instances) }
    func close(goodbye: Bool) async { await session.close(goodbye: goodbye) }
}
