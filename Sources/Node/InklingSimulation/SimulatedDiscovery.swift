public import InklingEngine
public import InklingKeys
public import InklingNode
internal import InklingWire
internal import Synchronization

/// The multicast DNS of a simulated host: the machine that runs on a real network, with packets that can be lost.
public final class SimulatedDiscovery: ServiceDiscovery {
    private let host: Int
    private let network: SimulatedNetwork
    private let service: ServiceType

    init(host: Int, network: SimulatedNetwork, service: ServiceType) {
        self.host = host
        self.network = network
        self.service = service
    }

    public func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession {
        if let error = network.state.withLock({ $0.hosts[host].discoveryError }) { throw error }
        return network.openDiscovery(on: host, publication, recognising: names, service: service)
    }

    public func heardNames() async -> [OpaqueServiceName] {
        network.state.withLock { state in
            state.sessions.values.filter { $0.host == host }.flatMap(\.machine.heardNames)
        }
    }

    /// Makes `open` fail with an error from now on; nil makes it succeed again.
    public func fail(with error: DiscoveryError?) {
        network.state.withLock { $0.hosts[host].discoveryError = error }
    }

    /// Ends the open session of this host as if its sockets had failed.
    public func crash(with error: DiscoveryError) { network.crashDiscovery(on: host, error) }
}

/// A session of simulated multicast DNS.
final class SimulatedDiscoverySession: DiscoverySession {
    let events: AsyncStream<DiscoveryEvent>
    private let number: Int
    private let network: SimulatedNetwork

    init(number: Int, network: SimulatedNetwork, events: AsyncStream<DiscoveryEvent>) {
        self.number = number
        self.network = network
        self.events = events
    }

    func recognise(_ names: KnownNames) async {
        network.state.withLock { $0.sessions[number]?.names = names }
        network.handle(.namesChanged, in: number)
    }

    func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async {
        network.handle(.search(name, host), in: number)
    }

    func answer(_ instances: [ServiceInstance]) async { network.handle(.answeredChanged(instances), in: number) }

    func close(goodbye: Bool) async { network.closeDiscovery(number, goodbye: goodbye) }
}

/// One discovery session; a class because its machine is large and is used with every packet.
final class DiscoveryState {
    let host: Int
    let service: ServiceType
    var machine: MDNSMachine
    var names: KnownNames
    let events: AsyncStream<DiscoveryEvent>.Continuation
    /// The number of the current timer; earlier ones do nothing.
    var wake = 0

    init(
        host: Int, _ publication: Publication, recognising names: KnownNames, service: ServiceType,
        events: AsyncStream<DiscoveryEvent>.Continuation
    ) {
        self.host = host
        self.service = service
        machine = MDNSMachine(
            announced: publication.announced, answered: publication.answered, browses: publication.browses,
            service: service)
        self.names = names
        self.events = events
    }
}

extension SimulatedNetwork {
    private static let eventLimit = 1024
    /// Every host has one interface.
    private static let path = MDNSPath(interface: 1, family: .v4)

    func openDiscovery(
        on host: Int, _ publication: Publication, recognising names: KnownNames, service: ServiceType
    ) -> SimulatedDiscoverySession {
        let (stream, events) = AsyncStream<DiscoveryEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.eventLimit))
        let number = state.withLock { state in
            let number = state.nextNumber()
            state.sessions[number] = DiscoveryState(
                host: host, publication, recognising: names, service: service, events: events)
            state.sessionOrder.append(number)
            return number
        }
        addressesChanged(in: number)
        handle(.started, in: number)
        events.yield(.established)
        return SimulatedDiscoverySession(number: number, network: self, events: stream)
    }

    func closeDiscovery(_ number: Int, goodbye: Bool) {
        handle(.stopped(goodbye: goodbye), in: number)
        state.withLock { $0.removeSession(number) }?.finish()
    }

    func crashDiscovery(on host: Int, _ error: DiscoveryError) {
        let dead = state.withLock { state in
            let numbers = state.sessions.filter { $0.value.host == host }.keys.sorted()
            return numbers.compactMap { state.removeSession($0) }
        }
        for events in dead {
            events.yield(.failed(error))
            events.finish()
        }
    }

    /// Tells the sessions of a host its address.
    func addressesChanged(on host: Int) {
        let numbers = state.withLock { state in
            state.sessions.filter { $0.value.host == host }.keys.sorted()
        }
        for number in numbers { addressesChanged(in: number) }
    }

    private func addressesChanged(in number: Int) {
        let interface = state.withLock { state in
            state.sessions[number].map { session in
                Self.interface(publishing: [state.hosts[session.host].address])
            }
        }
        if let interface { handle(.interfacesChanged([interface]), in: number) }
    }

    /// Returns the interface of a host that publishes these addresses.
    static func interface(publishing addresses: [Endpoint.Address]) -> MDNSInterface {
        MDNSInterface(
            index: path.interface, families: [path.family], published: addresses,
            prefixes: [MDNSInterface.Prefix(.v4(0x0a00_0000), length: 8)])
    }

    func handle(_ event: MDNSMachine.Event, in number: Int) {
        let effects = state.withLock { state in
            guard let session = state.sessions[number] else { return [MDNSMachine.Effect]() }
            let now = state.hosts[session.host].clock.read().tick
            return session.machine.handle(event, at: now, using: &state.generator)
        }
        carryOut(effects, in: number)
    }

    private func receive(_ packet: [UInt8], from source: Endpoint, in number: Int) {
        let effects = state.withLock { state in
            // A sleeping machine hears nothing.
            guard let session = state.sessions[number], !state.hosts[session.host].clock.isSuspended else {
                return [MDNSMachine.Effect]()
            }
            let now = state.hosts[session.host].clock.read().tick
            let from = MDNSMachine.Source(path: Self.path, endpoint: source, hopLimit: 255)
            return
                (try? session.machine.receive(packet.span, from: from, at: now, using: &state.generator) {
                    session.names.host(of: $0)
                }) ?? []
        }
        carryOut(effects, in: number)
    }

    private func carryOut(_ effects: [MDNSMachine.Effect], in number: Int) {
        // Most packets of others change nothing.
        guard !effects.isEmpty else { return }
        let events = state.withLock { $0.sessions[number]?.events }
        for effect in effects {
            switch effect {
            case .send(let packet, _, let destination): send(packet, to: destination, from: number)
            case .appeared(let name): events?.yield(.appeared(name))
            case .vanished(let name): events?.yield(.vanished(name))
            case .found(let name, let endpoints): events?.yield(.found(name, endpoints))
            case .notFound(let name): events?.yield(.notFound(name))
            case .asked(let name): events?.yield(.asked(name))
            case .imitated: events?.yield(.imitated)
            case .wake(let tick): schedule(at: tick, in: number)
            }
        }
    }

    private func schedule(at tick: Tick, in number: Int) {
        let wish = state.withLock { state in
            state.sessions[number]?.wake += 1
            return state.sessions[number].map { (clock: state.hosts[$0.host].clock, number: $0.wake) }
        }
        guard let wish else { return }
        wish.clock.schedule(at: tick) { [self] in
            if state.withLock({ $0.sessions[number]?.wake == wish.number }) { handle(.timerFired, in: number) }
        }
    }

    /// Sends to every reachable host, and back to the sender, whose other programs listen too.
    private func send(_ packet: [UInt8], to destination: MDNSMachine.Destination, from number: Int) {
        guard let (host, service) = state.withLock({ $0.sessions[number].map { ($0.host, $0.service) } }) else {
            return
        }
        let (source, arrivals) = state.withLock { state in
            state.note(packet, of: service, from: host, at: timeline.now)
            var arrivals: [(session: Int, delay: UInt64, changed: Int?)] = []
            for other in state.sessionOrder {
                guard let session = state.sessions[other] else { continue }
                if case .unicast(let endpoint) = destination, endpoint.address != state.hosts[session.host].address {
                    continue
                }
                if session.host == host {
                    arrivals.append((other, 0, nil))
                    continue
                }
                guard state.reaches(host, session.host), state.conditions.carriesMulticast else { continue }
                let copies = state.generator.happens(state.conditions.duplication) ? 2 : 1
                for _ in 0..<copies where !state.generator.happens(state.conditions.loss) {
                    let changed =
                        state.generator.happens(state.conditions.corruption)
                        ? Int.random(in: 0..<max(packet.count * 8, 1), using: &state.generator) : nil
                    arrivals.append((other, state.delay(), changed))
                }
            }
            return (Endpoint(address: state.hosts[host].address, port: MDNSMachine.port), arrivals)
        }
        for arrival in arrivals {
            var carried = packet
            if let bit = arrival.changed, carried.indices.contains(bit / 8) { carried[bit / 8] ^= 1 << UInt8(bit % 8) }
            timeline.schedule(after: arrival.delay) { [self, carried] in
                receive(carried, from: source, in: arrival.session)
            }
        }
    }
}

extension SimulatedNetwork.State {
    /// Removes a session, and returns its stream of events.
    fileprivate mutating func removeSession(_ number: Int) -> AsyncStream<DiscoveryEvent>.Continuation? {
        sessionOrder.removeAll { $0 == number }
        return sessions.removeValue(forKey: number)?.events
    }

    /// Records what an observer reads in a packet.
    fileprivate mutating func note(_ packet: [UInt8], of service: ServiceType, from host: Int, at time: UInt64) {
        guard let message = try? MDNSMessage(parsing: packet.span, of: service),
            let kind = NetworkSighting.Kind(message)
        else {
            return
        }
        note(kind, from: host, at: time)
    }
}

extension NetworkSighting.Kind {
    /// Creates the kind of a packet of the service; returns nil for one without information.
    fileprivate init?(_ message: MDNSMessage) {
        switch message.questions.first?.name {
        case .serviceType: self = .browseQuery
        case .instance(let name): self = .instanceQuery(name)
        default:
            var isAnnounced = false
            for record in message.records {
                switch record.content {
                case .pointer(let name):
                    isAnnounced = true
                    if record.timeToLive == 0 {
                        self = .goodbye(name)
                        return
                    }
                case .service(let name, .some(let host), let port):
                    let instance = ServiceInstance(name: name, host: host, port: port)
                    self = isAnnounced ? .announcement(instance) : .answer(instance)
                    return
                default: continue
                }
            }
            return nil
        }
    }
}
