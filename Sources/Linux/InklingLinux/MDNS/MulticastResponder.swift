internal import CLinux
internal import Glibc
internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire
internal import Synchronization

/// The thread and sockets behind multicast DNS; the machine in `InklingWire` decides.
///
/// One thread waits for packets, network changes and the machine's next moment. Callers use the machine under the same
/// lock, so that nothing is sent after `close` has returned.
final class MulticastResponder: Sendable {
    /// The number of packets read from one socket before the others get their turn.
    private static let burst = 64
    /// The largest number of events queued for the node: one per known name that comes or goes, and one per search.
    private static let eventLimit = 1024

    private struct Life {
        let number: Int
        var machine: MDNSMachine
        var names: KnownNames
        let events: AsyncStream<DiscoveryEvent>.Continuation
        var wake: Tick?
    }

    private struct State {
        var life: Life?
        var count = 0
        var picture = NetworkPicture()
        var networks = ShownNetworks()
        var interfaces: [MDNSInterface] = []
        var sockets: [MDNSPath: MulticastSocket] = [:]
        var hasThread = false
        var isShutDown = false
    }

    private let state = Mutex(State())
    /// An eventfd that wakes the thread.
    private let alarm = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))

    private let service: ServiceType

    init(service: ServiceType) { self.service = service }

    deinit { Glibc.close(alarm) }

    // MARK: From sessions

    func open(
        _ publication: Publication, recognising names: KnownNames
    ) throws(DiscoveryError) -> any DiscoverySession {
        let (stream, events) = AsyncStream<DiscoveryEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.eventLimit))
        let number = try state.withLock { state throws(DiscoveryError) in
            try start(&state)
            state.networks.show(publication.announced?.name, on: state.picture)
            update(&state)
            guard state.interfaces.contains(where: { !$0.published.isEmpty }) else { throw .noNetwork }
            state.life?.events.finish()
            state.count += 1
            state.life = Life(
                number: state.count,
                machine: MDNSMachine(
                    announced: publication.announced, answered: publication.answered, browses: publication.browses,
                    service: service),
                names: names, events: events)
            handle(.interfacesChanged(state.interfaces), &state)
            handle(.started, &state)
            events.yield(.established)
            return state.count
        }
        wakeThread()
        return MulticastSession(number: number, of: self, events: stream)
    }

    func recognise(_ names: KnownNames, in number: Int) {
        state.withLock { state in
            guard state.life?.number == number else { return }
            state.life?.names = names
            handle(.namesChanged, &state)
        }
        wakeThread()
    }

    func handle(_ event: MDNSMachine.Event, in number: Int) {
        state.withLock { state in
            guard state.life?.number == number else { return }
            handle(event, &state)
        }
        wakeThread()
    }

    func close(_ number: Int, goodbye: Bool) {
        state.withLock { state in
            guard state.life?.number == number else { return }
            handle(.stopped(goodbye: goodbye), &state)
            state.life?.events.finish()
            state.life = nil
        }
    }

    func heardNames() -> [OpaqueServiceName] { state.withLock { $0.life?.machine.heardNames ?? [] } }

    func shutDown() {
        state.withLock { $0.isShutDown = true }
        wakeThread()
    }

    // MARK: The machine

    private func handle(_ event: MDNSMachine.Event, _ state: inout State) {
        var generator = SystemRandomNumberGenerator()
        let effects = state.life?.machine.handle(event, at: Self.now, using: &generator) ?? []
        carryOut(effects, &state)
    }

    private func take(_ packet: Span<UInt8>, from source: MDNSMachine.Source, _ state: inout State) {
        var generator = SystemRandomNumberGenerator()
        guard let names = state.life?.names else { return }
        // Malformed packets are dropped: anyone can send one.
        let effects = try? state.life?.machine.receive(packet, from: source, at: Self.now, using: &generator) {
            names.host(of: $0)
        }
        if let effects { carryOut(effects, &state) }
    }

    private func carryOut(_ effects: [MDNSMachine.Effect], _ state: inout State) {
        for effect in effects {
            switch effect {
            case .send(let packet, let path, let destination):
                // If the network does not take the packet now, it gets the next one.
                state.sockets[path]?.send(packet, to: destination)
            case .appeared(let name): state.life?.events.yield(.appeared(name))
            case .vanished(let name): state.life?.events.yield(.vanished(name))
            case .found(let name, let endpoints): state.life?.events.yield(.found(name, endpoints))
            case .notFound(let name): state.life?.events.yield(.notFound(name))
            case .asked(let name): state.life?.events.yield(.asked(name))
            case .imitated: state.life?.events.yield(.imitated)
            case .wake(let tick): state.life?.wake = tick
            }
        }
    }

    private static var now: Tick { SystemClock().read().tick }

    // MARK: The thread

    /// Starts the thread with the first session.
    private func start(_ state: inout State) throws(DiscoveryError) {
        guard !state.hasThread else { return }
        guard let route = RouteSocket(listening: true), route.fill(&state.picture) else {
            throw .server(code: EMFILE)
        }
        // The thread ends when the responder is shut down, before its last reference is released.
        let shared = SharedRoute(route)
        state.hasThread = startThread(named: "multicast-dns") { [self] in run(shared.socket) }
        guard state.hasThread else { throw .server(code: EAGAIN) }
    }

    private func wakeThread() {
        var one: UInt64 = 1
        unsafe write(alarm, &one, 8)
    }

    private func run(_ route: borrowing RouteSocket) {
        var buffer = [UInt8](repeating: 0, count: MDNSMessage.byteLimit + 1)
        while true {
            let waiting: (descriptors: [(CInt, MDNSPath?)], timeout: CInt)? = state.withLock { state in
                guard !state.isShutDown else { return nil }
                let sockets = state.sockets.map { ($0.value.descriptor, MDNSPath?.some($0.key)) }
                let rest = state.life?.wake.map { $0.milliseconds(since: Self.now) }
                return (sockets, rest.map { CInt(min($0, 60_000)) } ?? -1)
            }
            guard let waiting else { break }
            var ready = [route.descriptor, alarm].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            ready += waiting.descriptors.map { pollfd(fd: $0.0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&ready, nfds_t(ready.count), waiting.timeout) >= 0 || errno == EINTR else { break }
            state.withLock { state in
                if ready[0].revents != 0 { networkChanged(route, &state) }
                if ready[1].revents != 0 {
                    var count: UInt64 = 0
                    unsafe read(alarm, &count, 8)
                }
                for (item, place) in zip(waiting.descriptors, ready.dropFirst(2)) where place.revents != 0 {
                    if let path = item.1 { drain(path, into: &buffer, &state) }
                }
                if let wake = state.life?.wake, wake <= Self.now {
                    state.life?.wake = nil
                    handle(.timerFired, &state)
                }
            }
        }
        state.withLock { state in
            state.life?.events.finish()
            state.life = nil
            state.sockets = [:]
        }
    }

    private func drain(_ path: MDNSPath, into buffer: inout [UInt8], _ state: inout State) {
        for _ in 0..<Self.burst {
            guard let (count, from) = state.sockets[path]?.receive(into: &buffer) else { return }
            let source = MDNSMachine.Source(path: path, endpoint: from.endpoint, hopLimit: from.hopLimit)
            take(buffer.span.extracting(first: min(count, buffer.count)), from: source, &state)
        }
    }

    private func networkChanged(_ route: borrowing RouteSocket, _ state: inout State) {
        if !route.drain(into: &state.picture) {
            // The socket's buffer has overflowed.
            state.picture = NetworkPicture()
            _ = route.fill(&state.picture)
        }
        state.networks.update(state.picture)
        update(&state)
    }

    /// Opens and closes sockets to match the interfaces, and informs the machine.
    private func update(_ state: inout State) {
        let wanted = state.networks.interfaces(of: state.picture)
        let paths = Set(
            wanted.flatMap { interface in interface.families.map { MDNSPath(interface: interface.index, family: $0) } })
        state.sockets = state.sockets.filter { paths.contains($0.key) }
        for path in paths.sorted() where state.sockets[path] == nil { state.sockets[path] = MulticastSocket(path) }
        let interfaces = wanted.map { interface in
            interface.limited(to: { state.sockets[MDNSPath(interface: interface.index, family: $0)] != nil })
        }
        guard interfaces != state.interfaces else { return }
        state.interfaces = interfaces
        handle(.interfacesChanged(interfaces), &state)
    }
}

/// A route socket that a closure can capture.
private final class SharedRoute: Sendable {
    let socket: RouteSocket

    init(_ socket: consuming RouteSocket) { self.socket = socket }
}
