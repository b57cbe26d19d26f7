internal import InklingEngine
internal import InklingKeys
public import InklingNode
internal import Synchronization

/// Multicast DNS of a simulated host. It probes, announces, queries and expires records as on a local network, on which
/// packets can be lost.
public final class SimulatedDiscovery: ServiceDiscovery {
    private let host: Int
    private let network: SimulatedNetwork

    init(host: Int, network: SimulatedNetwork) {
        self.host = host
        self.network = network
    }

    public func open(_ publication: Publication) async throws(DiscoveryError) -> any DiscoverySession {
        if let error = network.state.withLock({ $0.hosts[host].discoveryError }) { throw error }
        return network.openDiscovery(on: host, publication)
    }

    /// Makes `open` fail with an error from now on; nil ends that.
    public func fail(with error: DiscoveryError?) {
        network.state.withLock { $0.hosts[host].discoveryError = error }
    }

    /// Ends the open session of this host with an error, as if its server had crashed.
    public func crash(with error: DiscoveryError) { network.crashDiscovery(on: host, error) }
}

final class SimulatedDiscoverySession: DiscoverySession {
    let events: AsyncStream<DiscoveryEvent>
    private let number: Int
    private let network: SimulatedNetwork

    init(number: Int, network: SimulatedNetwork, events: AsyncStream<DiscoveryEvent>) {
        self.number = number
        self.network = network
        self.events = events
    }

    func resolve(_ name: OpaqueServiceName) async { network.ask(for: name, in: number) }

    func answer(_ instances: [ServiceInstance]) async {
        network.state.withLock { $0.sessions[number]?.publication.answered = instances }
    }

    func close(goodbye: Bool) async { network.closeDiscovery(number, goodbye: goodbye) }
}

/// The state of one discovery session.
struct DiscoveryState {
    let host: Int
    var publication: Publication
    let events: AsyncStream<DiscoveryEvent>.Continuation
    /// Whether probing is over, so that queries are answered.
    var isEstablished = false
    /// The instances of others, with the time at which each expires.
    var cache: [OpaqueServiceName: UInt64] = [:]
    /// The instances that are being resolved.
    var questions: Set<OpaqueServiceName> = []
    var lastResponse: UInt64?
}

/// A multicast packet.
private enum Message: Sendable {
    case browse
    case question(OpaqueServiceName)
    case probe(OpaqueServiceName)
    case records(ServiceInstance, isAnnounced: Bool, address: Endpoint.Address)
    case goodbye(OpaqueServiceName)
}

// Times are in milliseconds and come from RFC 6762 and `Specs/mdns.md`.
extension SimulatedNetwork {
    private static let timeToLive: UInt64 = 120_000
    private static let questionLimit = 16
    private static let cacheLimit = 256
    private static let eventLimit = 1024

    func openDiscovery(on host: Int, _ publication: Publication) -> SimulatedDiscoverySession {
        let (stream, events) = AsyncStream<DiscoveryEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.eventLimit))
        let number = state.withLock { state in
            let number = state.nextNumber()
            state.sessions[number] = DiscoveryState(host: host, publication: publication, events: events)
            state.sessionOrder.append(number)
            return number
        }
        if let announced = publication.announced {
            for round in 0..<3 {
                after(UInt64(round) * 250, in: number) { [self] in send(.probe(announced.name), from: number) }
            }
            after(750, in: number) { [self] in
                state.withLock { $0.sessions[number]?.isEstablished = true }
                events.yield(.established)
            }
            for delay: UInt64 in [750, 1750, 3750] { after(delay, in: number) { [self] in announce(number) } }
        } else {
            state.withLock { $0.sessions[number]?.isEstablished = true }
            events.yield(.established)
        }
        if publication.browses { browse(in: number, after: 100, thenAfter: 1000) }
        return SimulatedDiscoverySession(number: number, network: self, events: stream)
    }

    func closeDiscovery(_ number: Int, goodbye: Bool) {
        if goodbye,
            let name = state.withLock({ state in
                state.sessions[number].flatMap { $0.isEstablished ? $0.publication.announced?.name : nil }
            })
        {
            send(.goodbye(name), from: number)
        }
        state.withLock { $0.removeSession(number) }?.events.finish()
    }

    func crashDiscovery(on host: Int, _ error: DiscoveryError) {
        let dead = state.withLock { state in
            let numbers = state.sessions.filter { $0.value.host == host }.keys.sorted()
            return numbers.compactMap { state.removeSession($0) }
        }
        for session in dead { session.events.yield(.failed(error)) }
    }

    func ask(for name: OpaqueServiceName, in number: Int) {
        let isOpen = state.withLock { state in
            guard let session = state.sessions[number] else { return false }
            guard session.questions.count < Self.questionLimit else {
                session.events.yield(.unresolved(name))
                return false
            }
            state.sessions[number]?.questions.insert(name)
            return true
        }
        guard isOpen else { return }
        for delay: UInt64 in [0, 1000] {
            after(delay, in: number) { [self] in
                if isAsking(for: name, in: number) { send(.question(name), from: number) }
            }
        }
        after(3000, in: number) { [self] in
            state.withLock { state in
                if state.sessions[number]?.questions.remove(name) != nil {
                    state.sessions[number]?.events.yield(.unresolved(name))
                }
            }
        }
    }

    private func isAsking(for name: OpaqueServiceName, in number: Int) -> Bool {
        state.withLock { $0.sessions[number]?.questions.contains(name) == true }
    }

    /// Runs an action after a delay unless the session is closed by then.
    private func after(_ delay: UInt64, in number: Int, _ action: @escaping @Sendable () -> Void) {
        guard let clock = state.withLock({ state in state.sessions[number].map { state.hosts[$0.host].clock } }) else {
            return
        }
        clock.schedule(at: clock.read().tick.advanced(byMilliseconds: delay)) { [self] in
            if state.withLock({ $0.sessions[number] != nil }) { action() }
        }
    }

    private func browse(in number: Int, after delay: UInt64, thenAfter interval: UInt64) {
        after(delay, in: number) { [self] in
            send(.browse, from: number)
            browse(in: number, after: interval, thenAfter: min(interval * 2, 3_600_000))
        }
    }

    private func announce(_ number: Int) {
        let records: Message? = state.withLock { state in
            guard let session = state.sessions[number], session.isEstablished, let own = session.publication.announced
            else { return nil }
            state.sessions[number]?.lastResponse = timeline.now
            return .records(own, isAnnounced: true, address: state.hosts[session.host].address)
        }
        if let records { send(records, from: number) }
    }

    /// Sends a packet to every session on a reachable host.
    private func send(_ message: Message, from number: Int) {
        let arrivals: [(session: Int, delay: UInt64)] = state.withLock { state in
            guard let host = state.sessions[number]?.host else { return [] }
            state.note(message.sighting, from: host, at: timeline.now)
            var arrivals: [(Int, UInt64)] = []
            for other in state.sessionOrder {
                guard let session = state.sessions[other], session.host != host, message.matters(to: session),
                    state.reaches(host, session.host)
                else { continue }
                let copies = state.generator.happens(state.conditions.duplication) ? 2 : 1
                for _ in 0..<copies where !state.generator.happens(state.conditions.loss) {
                    arrivals.append((other, state.delay()))
                }
            }
            return arrivals
        }
        for arrival in arrivals {
            timeline.schedule(after: arrival.delay) { [self] in receive(message, in: arrival.session) }
        }
    }

    private func receive(_ message: Message, in number: Int) {
        // A sleeping host receives nothing.
        let isAwake = state.withLock { state in
            state.sessions[number].map { !state.hosts[$0.host].clock.isSuspended } ?? false
        }
        guard isAwake else { return }
        switch message {
        case .browse: respond(in: number)
        case .question(let name): respond(to: name, in: number)
        case .probe(let name):
            let isOurs = state.withLock { state in
                state.sessions[number].map { $0.isEstablished && $0.publication.announced?.name == name } ?? false
            }
            if isOurs { announce(number) }
        case .records(let instance, let isAnnounced, let address):
            learn(instance, isAnnounced: isAnnounced, at: address, in: number)
        case .goodbye(let name):
            after(1000, in: number) { [self] in expire(name, in: number, isWithdrawn: true) }
        }
    }

    private func respond(in number: Int) {
        let delay: UInt64? = state.withLock { state in
            guard let session = state.sessions[number], session.isEstablished, session.publication.announced != nil,
                session.lastResponse.map({ timeline.now - $0 >= 1000 }) != false
            else { return nil }
            state.sessions[number]?.lastResponse = timeline.now
            return UInt64.random(in: 20...120, using: &state.generator)
        }
        if let delay { after(delay, in: number) { [self] in announce(number) } }
    }

    private func respond(to name: OpaqueServiceName, in number: Int) {
        let records: Message? = state.withLock { state in
            guard let session = state.sessions[number], session.isEstablished else { return nil }
            let known = [session.publication.announced].compactMap { $0 } + session.publication.answered
            guard let instance = known.first(where: { $0.name == name }) else { return nil }
            return .records(instance, isAnnounced: false, address: state.hosts[session.host].address)
        }
        if let records { send(records, from: number) }
    }

    private func learn(_ instance: ServiceInstance, isAnnounced: Bool, at address: Endpoint.Address, in number: Int) {
        let now = timeline.now
        let name = instance.name
        var isKnown = true
        state.withLock { state in
            guard var session = state.sessions[number] else { return }
            defer { state.sessions[number] = session }
            if session.publication.announced?.name == name { session.events.yield(.conflict) }
            if session.questions.remove(name) != nil {
                session.events.yield(.resolved(name, [Endpoint(address: address, port: instance.port)]))
            }
            guard isAnnounced, session.publication.browses else { return }
            isKnown = session.cache[name] != nil
            guard isKnown || session.cache.count < Self.cacheLimit else { return isKnown = true }
            session.cache[name] = now + Self.timeToLive
            if !isKnown { session.events.yield(.appeared(name)) }
        }
        guard !isKnown else { return }
        refresh(name, in: number)
    }

    /// Queries again shortly before a name expires, and removes it when there is no answer.
    private func refresh(_ name: OpaqueServiceName, in number: Int) {
        guard let end = state.withLock({ $0.sessions[number]?.cache[name] }) else { return }
        let rest = end > timeline.now ? end - timeline.now : 0
        if rest == 0 { return expire(name, in: number, isWithdrawn: false) }
        let step = Self.timeToLive / 20
        after(rest > 4 * step ? rest - 4 * step : min(rest, step), in: number) { [self] in
            guard let end = state.withLock({ $0.sessions[number]?.cache[name] }) else { return }
            if end > timeline.now, end - timeline.now <= 4 * step { send(.browse, from: number) }
            refresh(name, in: number)
        }
    }

    private func expire(_ name: OpaqueServiceName, in number: Int, isWithdrawn: Bool) {
        state.withLock { state in
            guard let end = state.sessions[number]?.cache[name], isWithdrawn || end <= timeline.now else { return }
            state.sessions[number]?.cache[name] = nil
            state.sessions[number]?.events.yield(.vanished(name))
        }
    }
}

extension Message {
    /// Returns whether a session would process the packet; others need no event for it.
    fileprivate func matters(to session: DiscoveryState) -> Bool {
        switch self {
        case .browse: session.publication.announced != nil
        case .question(let name): session.publication.announces(name) || session.publication.answers(name)
        case .probe(let name): session.publication.announces(name)
        case .records(let instance, _, _):
            session.publication.browses || session.questions.contains(instance.name)
                || session.publication.announces(instance.name)
        case .goodbye(let name): session.cache[name] != nil
        }
    }

    fileprivate var sighting: NetworkSighting.Kind {
        switch self {
        case .browse: .browseQuery
        case .question(let name): .instanceQuery(name)
        case .probe(let name): .probe(name)
        case .records(let instance, let isAnnounced, _): isAnnounced ? .announcement(instance) : .answer(instance)
        case .goodbye(let name): .goodbye(name)
        }
    }
}

extension Publication {
    fileprivate func announces(_ name: OpaqueServiceName) -> Bool { announced?.name == name }
    fileprivate func answers(_ name: OpaqueServiceName) -> Bool { answered.contains { $0.name == name } }
}

extension SimulatedNetwork.State {
    fileprivate mutating func removeSession(_ number: Int) -> DiscoveryState? {
        sessionOrder.removeAll { $0 == number }
        return sessions.removeValue(forKey: number)
    }
}
