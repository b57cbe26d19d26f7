internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire
internal import Synchronization

/// The number and side of one end of a connection.
struct LinkEnd: Hashable, Sendable {
    let connection: Int
    /// 0 for the host that connected, 1 for the host that accepted.
    let side: Int
    var other: LinkEnd { LinkEnd(connection: connection, side: 1 - side) }
}

extension SimulatedNetwork {
    struct Listener {
        let links: AsyncStream<any Link>.Continuation
        var unauthenticated = UnauthenticatedLinks<Int, Endpoint.Address>()
    }

    struct Connection {
        var ends: [End]
        let port: UInt16
        let accepted: UInt64
        var isStranger = true
    }

    struct End {
        let host: Int
        let endpoint: Endpoint
        /// The packets that have arrived; nil for one of which only the length field was sent.
        var inbox: [(count: Int, packet: [UInt8]?)] = []
        var waiter: Waiter?
        var isClosed = false
        /// Whether the other end has closed the connection.
        var isFinished = false
        var isMuted = false
        var lastArrival: UInt64 = 0
    }

    struct Waiter {
        let number: UInt64
        let limit: Int
        let continuation: CheckedContinuation<Result<[UInt8], LinkError>, Never>
    }

    private static let muteTime: UInt64 = 5000
    private static let refused: Int32 = 111
    /// The times at which Linux repeats a connection request, in milliseconds after the first.
    private static let repetitions: [UInt64] = [1000, 3000, 7000, 15_000, 31_000]

    // MARK: Making links

    func listen(on host: Int) throws(LinkError) -> SimulatedListener {
        if let error = state.withLock({ $0.hosts[host].listenError }) { throw error }
        let (stream, links) = AsyncStream<any Link>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let port = state.withLock { state in
            var port: UInt16
            repeat {
                port = UInt16.random(in: 32_768...60_999, using: &state.generator)
            } while state.hosts[host]
                .listeners[port] != nil
            state.hosts[host].listeners[port] = Listener(
                links: links, unauthenticated: UnauthenticatedLinks(limits: state.hosts[host].limits))
            return port
        }
        return SimulatedListener(port: port, host: host, network: self, links: stream)
    }

    func stopListening(on port: UInt16, of host: Int) {
        guard let listener = state.withLock({ $0.hosts[host].listeners.removeValue(forKey: port) }) else { return }
        listener.links.finish()
        for connection in listener.unauthenticated.all { reset(LinkEnd(connection: connection, side: 1)) }
    }

    func connect(from host: Int, to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        enum Outcome { case lost, refused, accepted(Int) }
        let (there, back) = state.withLock { state in
            state.note(.connection(to: endpoint), from: host, at: timeline.now)
            // A lost first packet is retransmitted after a second.
            let extra: UInt64 = state.generator.happens(state.conditions.loss) ? 1000 : 0
            return (state.delay() + extra, state.delay())
        }
        let limit = timeout.milliseconds
        try await pause(there)
        let outcome: Outcome = state.withLock { state in
            guard there + back <= limit,
                let other = state.hosts.firstIndex(where: { $0.address == endpoint.address }),
                state.reaches(host, other), !state.hosts[other].clock.isSuspended
            else { return .lost }
            guard state.hosts[other].listeners[endpoint.port] != nil else { return .refused }
            let number = state.nextNumber()
            let local = Endpoint(
                address: state.hosts[host].address, port: UInt16.random(in: 32_768...60_999, using: &state.generator))
            state.connections[number] = Connection(
                ends: [End(host: host, endpoint: local), End(host: other, endpoint: endpoint)], port: endpoint.port,
                accepted: timeline.now)
            return .accepted(number)
        }
        switch outcome {
        case .lost:
            var passed = there
            for moment in Self.repetitions where moment > passed && moment < limit {
                try await pause(moment - passed)
                passed = moment
                state.withLock { $0.note(.repeatedConnection(to: endpoint), from: host, at: timeline.now) }
            }
            try await pause(limit > passed ? limit - passed : 0)
            throw .timedOut
        case .refused:
            try await pause(back)
            throw .unreachable(code: Self.refused)
        case .accepted(let number):
            admit(number)
            let end = LinkEnd(connection: number, side: 0)
            do throws(LinkError) { try await pause(back) } catch {
                close(end)
                throw error
            }
            return SimulatedLink(remote: endpoint, end: end, network: self)
        }
    }

    private func admit(_ number: Int) {
        let now = timeline.now
        let (leaving, link, links) = state.withLock { state in
            guard let connection = state.connections[number] else {
                return (Int?.none, SimulatedLink?.none, AsyncStream<any Link>.Continuation?.none)
            }
            let host = connection.ends[1].host
            let source = connection.ends[0].endpoint
            let admission = state.hosts[host].listeners[connection.port]?.unauthenticated.arrived(
                number, from: source.address, at: Tick(milliseconds: now))
            guard case .admitted(let replaced) = admission else { return (number, nil, nil) }
            let link = SimulatedLink(
                remote: source, end: LinkEnd(connection: number, side: 1), network: self)
            return (replaced, link, state.hosts[host].listeners[connection.port]?.links)
        }
        if let leaving { reset(LinkEnd(connection: leaving, side: 1)) }
        if let link { links?.yield(link) }
    }

    /// Returns after a delay.
    ///
    /// - Throws: `LinkError.closed` as soon as the task is cancelled.
    private func pause(_ delay: UInt64) async throws(LinkError) {
        let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let end: @Sendable () -> Void = { waiting.withLock { $0.take() }?.resume() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                waiting.withLock { $0 = waiter }
                timeline.schedule(after: delay, end)
                if Task.isCancelled { end() }
            }
        } onCancel: {
            end()
        }
        if Task.isCancelled { throw .closed }
    }

    // MARK: Packets

    func send(_ packet: [UInt8]?, announcing count: Int, from end: LinkEnd) throws(LinkError) {
        typealias Passage = (isOpen: Bool, arrival: UInt64, isLost: Bool, receiver: Int, deed: Meddling?)
        let (isOpen, arrival, isLost, receiver, deed): Passage = state.withLock { state in
            guard let connection = state.connections[end.connection], !connection.ends[end.side].isClosed else {
                return (false, 0, false, 0, nil)
            }
            let (from, to) = (connection.ends[end.side], connection.ends[end.other.side])
            state.note(.packet(to: to.endpoint, packet ?? []), from: from.host, at: timeline.now)
            // A lost packet is retransmitted after 200 ms; packets arrive in order.
            let extra: UInt64 = state.generator.happens(state.conditions.loss) ? 200 : 0
            let arrival = max(timeline.now + state.delay() + extra, to.lastArrival)
            state.connections[end.connection]?.ends[end.other.side].lastArrival = arrival
            let deed = state.generator.happens(state.conditions.meddling) ? state.drawMeddling(packet) : nil
            return (true, arrival, !state.reachesLink(connection), to.host, deed)
        }
        guard isOpen else { throw .closed }
        guard !isLost else {
            timeline.schedule(after: Self.retransmission) { [self] in sever(end.connection) }
            return
        }
        let changed = deed?.changes(packet) ?? packet
        for delay in deed?.delays ?? [0] {
            deliver(to: receiver, after: arrival - timeline.now + delay) { [self] in
                arrive((count, changed), at: end.other)
            }
        }
    }

    /// An attack on a packet by someone in the middle of a link.
    enum Meddling {
        case flip(bit: Int)
        case `repeat`, delay, withhold

        /// The arrivals of the packet, in milliseconds after its regular time.
        var delays: [UInt64] {
            switch self {
            case .flip: [0]
            case .repeat: [0, 0]
            case .delay: [500]
            case .withhold: []
            }
        }

        func changes(_ packet: [UInt8]?) -> [UInt8]? {
            guard case .flip(let bit) = self, var changed = packet, changed.indices.contains(bit / 8) else {
                return packet
            }
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            return changed
        }
    }

    private func arrive(_ packet: (count: Int, packet: [UInt8]?), at end: LinkEnd) {
        state.withLock { state in
            guard let target = state.connections[end.connection]?.ends[end.side], !target.isClosed, !target.isMuted
            else { return }
            state.connections[end.connection]?.ends[end.side].inbox.append(packet)
        }
        serve(end)
    }

    func receive(at end: LinkEnd, upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8] {
        let number = timeline.now &* 1_000_003 &+ UInt64(state.withLock { $0.nextNumber() })
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], LinkError>, Never>) in
                let clock = state.withLock { state -> SimulatedClock? in
                    guard let end = state.connections[end.connection]?.ends[end.side], !end.isClosed, end.waiter == nil
                    else { return nil }
                    return state.hosts[end.host].clock
                }
                guard let clock, !Task.isCancelled else { return continuation.resume(returning: .failure(.closed)) }
                state.withLock { state in
                    state.connections[end.connection]?.ends[end.side].waiter = Waiter(
                        number: number, limit: limit, continuation: continuation)
                }
                let due = clock.read().tick.advanced(byMilliseconds: timeout.milliseconds)
                clock.schedule(at: due) { [self] in giveUp(number, at: end, .timedOut) }
                serve(end)
            }
        } onCancel: {
            giveUp(number, at: end, .closed)
        }
        return try result.get()
    }

    /// Resumes the waiting receiver if a packet has arrived, or the connection has ended.
    private func serve(_ end: LinkEnd) {
        let (waiter, result) = state.withLock { state -> (Waiter?, Result<[UInt8], LinkError>) in
            guard let here = state.connections[end.connection]?.ends[end.side], let waiter = here.waiter else {
                return (nil, .failure(.closed))
            }
            func answer(_ result: Result<[UInt8], LinkError>) -> (Waiter?, Result<[UInt8], LinkError>) {
                state.connections[end.connection]?.ends[end.side].waiter = nil
                return (waiter, result)
            }
            guard let first = here.inbox.first else {
                return here.isFinished || here.isClosed ? answer(.failure(.closed)) : (nil, .failure(.closed))
            }
            guard first.count <= waiter.limit else {
                return answer(.failure(.oversized(announced: first.count, limit: waiter.limit)))
            }
            guard let packet = first.packet else { return (nil, .failure(.closed)) }
            state.connections[end.connection]?.ends[end.side].inbox.removeFirst()
            return answer(.success(packet))
        }
        if waiter != nil { withUnauthenticated(of: end) { $0.completed(end.connection) } }
        waiter?.continuation.resume(returning: result)
    }

    private func giveUp(_ number: UInt64, at end: LinkEnd, _ error: LinkError) {
        let waiter = state.withLock { state -> Waiter? in
            guard let waiter = state.connections[end.connection]?.ends[end.side].waiter, waiter.number == number else {
                return nil
            }
            state.connections[end.connection]?.ends[end.side].waiter = nil
            return waiter
        }
        waiter?.continuation.resume(returning: .failure(error))
    }

    // MARK: Ends

    func passGate(_ end: LinkEnd) {
        let replaced = withUnauthenticated(of: end) { $0.passedGate(end.connection) } ?? nil
        if let replaced { reset(LinkEnd(connection: replaced, side: 1)) }
    }

    /// Changes the table of the listener that accepted a connection; returns nil for the end that made it.
    @discardableResult
    private func withUnauthenticated<Value>(
        of end: LinkEnd, _ body: (inout UnauthenticatedLinks<Int, Endpoint.Address>) -> Value
    ) -> Value? {
        state.withLock { state in
            guard end.side == 1, let connection = state.connections[end.connection],
                var table = state.hosts[connection.ends[1].host].listeners[connection.port]?.unauthenticated
            else { return nil }
            defer { state.hosts[connection.ends[1].host].listeners[connection.port]?.unauthenticated = table }
            return body(&table)
        }
    }

    func authenticate(_ end: LinkEnd) {
        state.withLock { state in
            guard end.side == 1 else { return }
            state.connections[end.connection]?.isStranger = false
            state.forgetStranger(end.connection)
        }
    }

    func mute(_ end: LinkEnd) {
        withUnauthenticated(of: end) { $0.completed(end.connection) }
        let rest: UInt64? = state.withLock { state in
            guard let connection = state.connections[end.connection] else { return nil }
            state.connections[end.connection]?.ends[end.side].isMuted = true
            state.connections[end.connection]?.ends[end.side].inbox = []
            let end = connection.accepted + Self.muteTime
            return end > timeline.now ? end - timeline.now : 0
        }
        if let rest { timeline.schedule(after: rest) { [self] in reset(end) } }
    }

    func close(_ end: LinkEnd) {
        let isReset = state.withLock { end.side == 1 && $0.connections[end.connection]?.isStranger == true }
        finish(end, isReset: isReset)
    }

    private func reset(_ end: LinkEnd) { finish(end, isReset: true) }

    private func finish(_ end: LinkEnd, isReset: Bool) {
        let (wasOpen, isLost, delay, other) = state.withLock { state -> (Bool, Bool, UInt64, Int) in
            guard let connection = state.connections[end.connection], !connection.ends[end.side].isClosed else {
                return (false, false, 0, 0)
            }
            let (here, there) = (connection.ends[end.side], connection.ends[end.other.side])
            state.note(.end(to: there.endpoint, isReset: isReset), from: here.host, at: timeline.now)
            state.connections[end.connection]?.ends[end.side].isClosed = true
            state.connections[end.connection]?.ends[end.side].inbox = []
            let arrival = max(timeline.now + state.delay(), isReset ? 0 : there.lastArrival)
            return (true, !state.reachesLink(connection), arrival - timeline.now, there.host)
        }
        guard wasOpen else { return }
        serve(end)
        guard !isLost else {
            timeline.schedule(after: Self.retransmission) { [self] in sever(end.connection) }
            return
        }
        deliver(to: other, after: delay) { [self] in
            state.withLock { state in
                state.connections[end.connection]?.ends[end.other.side].isFinished = true
                if isReset {
                    state.connections[end.connection]?.ends[end.other.side].isClosed = true
                    state.connections[end.connection]?.ends[end.other.side].inbox = []
                }
            }
            serve(end.other)
            discardIfDone(end.connection)
        }
    }

    /// Breaks a connection at both ends without sending anything.
    func sever(_ connection: Int) {
        state.withLock { state in
            for side in state.connections[connection]?.ends.indices ?? 0..<0 {
                state.connections[connection]?.ends[side].isClosed = true
                state.connections[connection]?.ends[side].inbox = []
            }
        }
        for side in 0...1 { serve(LinkEnd(connection: connection, side: side)) }
        discardIfDone(connection)
    }

    private func discardIfDone(_ number: Int) {
        state.withLock { state in
            guard let connection = state.connections[number], connection.ends.contains(where: \.isClosed) else {
                return
            }
            state.forgetStranger(number)
            if connection.ends.allSatisfy(\.isClosed) { state.connections[number] = nil }
        }
    }
}

extension SimulatedNetwork.State {
    /// Returns whether packets of a connection still arrive: both hosts are connected and have kept their addresses.
    func reachesLink(_ connection: SimulatedNetwork.Connection) -> Bool {
        reaches(connection.ends[0].host, connection.ends[1].host)
            && connection.ends.allSatisfy { hosts[$0.host].address == $0.endpoint.address }
    }

    mutating func drawMeddling(_ packet: [UInt8]?) -> SimulatedNetwork.Meddling {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .flip(bit: Int.random(in: 0..<max((packet?.count ?? 0) * 8, 1), using: &generator))
        case 1: .repeat
        case 2: .delay
        default: .withhold
        }
    }

    mutating func forgetStranger(_ number: Int) {
        guard let connection = connections[number] else { return }
        hosts[connection.ends[1].host].listeners[connection.port]?.unauthenticated.removed(number)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(seconds, 0)) * 1000 + UInt64(max(attoseconds, 0) + 999_999_999_999_999)
            / 1_000_000_000_000_000
    }
}
