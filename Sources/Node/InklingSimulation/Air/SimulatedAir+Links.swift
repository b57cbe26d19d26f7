internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire
internal import Synchronization

extension SimulatedAir {
    struct Connection {
        /// The session that accepted the link: its tag can be read until this session ends.
        let session: Int
        var ends: [End]
        let mtu: Int
        var log: AirLink
        var isAuthenticated = false
    }

    struct End {
        let station: Int
        let address: DeviceAddress
        var reassembler: FragmentReassembler
        var inbox: [[UInt8]] = []
        var waiter: SimulatedNetwork.Waiter?
        var tagWaiter: TagWaiter?
        var isClosed = false
        /// Whether the other end has closed the link.
        var isFinished = false
        /// Whether all input is discarded: the link is mute, or a fragment was refused.
        var isMuted = false
        var lastArrival: UInt64 = 0
    }

    /// Milliseconds after which a link without a confirmed session ends.
    private static let strangerTime: UInt64 = 10_000
    /// Milliseconds after which a link ends if its sides are out of range.
    private static let supervisionTime: UInt64 = 5000

    // MARK: Making links

    /// Connects to an address. A stranger needs no session.
    func connect(
        from station: Int, to target: DeviceAddress, within timeout: Duration, isStranger: Bool = false
    ) async throws(LinkError) -> SimulatedAirLink {
        let begin = state.withLock { state -> (session: Int?, fault: RadioFaults.Connecting?, delay: UInt64)? in
            let own = state.stations[station]
            state.note(AirCall(time: timeline.now, target: target, station: station))
            guard isStranger || own.session.map({ state.sessions[$0]?.carriesLinks == true }) == true else {
                return nil
            }
            let delay = UInt64.random(in: state.conditions.connectDelay, using: &state.generator)
            return (isStranger ? nil : own.session, own.faults.connecting, delay)
        }
        guard let begin else { throw .closed }
        let limit = timeout.milliseconds
        try await pause(min(begin.delay, limit), during: begin.session)
        if let session = begin.session, state.withLock({ $0.sessions[session] == nil }) { throw .closed }
        if case .fails(let code) = begin.fault { throw .unreachable(code: code) }
        guard begin.fault == nil, begin.delay < limit,
            let number = state.withLock({ $0.link(from: station, to: target, at: timeline.now) })
        else {
            try await pause(limit - min(begin.delay, limit), during: begin.session)
            if let session = begin.session, state.withLock({ $0.sessions[session] == nil }) { throw .closed }
            throw .timedOut
        }
        admit(number)
        applyFaults(to: number)
        return SimulatedAirLink(remote: target, end: LinkEnd(connection: number, side: 0), air: self)
    }

    private func admit(_ number: Int) {
        let accepted = LinkEnd(connection: number, side: 1)
        let (leaving, ends, links) = state.withLock { state -> (Int?, [End], AsyncStream<any Link>.Continuation?) in
            guard let connection = state.connections[number] else { return (nil, [], nil) }
            let accepted = state.connections.values.count { $0.session == connection.session && $0.log.last == nil }
            guard accepted <= Self.linkLimit else { return (number, [], nil) }
            let admission = state.sessions[connection.session]?.unauthenticated.arrived(
                number, from: connection.ends[0].address, at: Tick(milliseconds: timeline.now))
            guard case .admitted(let replaced) = admission else { return (number, [], nil) }
            return (replaced, connection.ends, state.sessions[connection.session]?.links)
        }
        if let leaving { close(LinkEnd(connection: leaving, side: 1)) }
        guard let links, ends.count == 2 else { return }
        deliver(to: ends[1].station, after: Self.strangerTime) { [self] in
            if state.withLock({ $0.connections[number]?.isAuthenticated == false }) { close(accepted) }
        }
        links.yield(SimulatedAirLink(remote: ends[0].address, end: accepted, air: self))
    }

    private func applyFaults(to number: Int) {
        let delay = state.withLock { state in
            (state.connections[number]?.ends ?? []).compactMap { end -> UInt64? in
                if case .reset(let time) = state.stations[end.station].faults.links { time.milliseconds } else { nil }
            }
            .min()
        }
        if let delay { timeline.schedule(after: delay) { [self] in sever(number) } }
    }

    // MARK: Values

    func send(_ value: [UInt8], from end: LinkEnd) throws(LinkError) {
        let (isOpen, way) = state.withLock { state -> (Bool, (station: Int, delay: UInt64)?) in
            guard let connection = state.connections[end.connection], connection.ends[end.side].isUsable,
                !connection.ends[end.side].isMuted
            else { return (state.connections[end.connection]?.ends[end.side].isMuted == true, nil) }
            state.connections[end.connection]?.log.exchanges.append(
                AirExchange(time: timeline.now, kind: end.side == 0 ? .write(value) : .notify(value)))
            guard !state.isLost(connection), value.count <= connection.mtu - 3 else { return (true, nil) }
            let there = connection.ends[end.other.side]
            // Values arrive in order.
            let arrival = max(timeline.now + state.linkDelay(), there.lastArrival)
            state.connections[end.connection]?.ends[end.other.side].lastArrival = arrival
            return (true, (there.station, arrival - timeline.now))
        }
        guard isOpen else { throw .closed }
        guard let way else { return }
        deliver(to: way.station, after: way.delay) { [self] in arrive(value, at: end.other) }
    }

    private func arrive(_ value: [UInt8], at end: LinkEnd) {
        let isComplete = state.withLock { state -> Bool in
            guard let here = state.connections[end.connection]?.ends[end.side], !here.isClosed, !here.isMuted else {
                return false
            }
            var reassembler = here.reassembler
            defer { state.connections[end.connection]?.ends[end.side].reassembler = reassembler }
            do {
                guard let packet = try reassembler.append(value.span, at: timeline.now) else { return false }
                var bytes: [UInt8] = []
                packet.append(to: &bytes)
                state.connections[end.connection]?.ends[end.side].inbox.append(bytes)
                return true
            } catch {
                // The peer sees the same silence as after a message that does not pass the gate.
                state.connections[end.connection]?.ends[end.side].isMuted = true
                return true
            }
        }
        guard isComplete else { return }
        withUnauthenticated(of: end) { $0.completed(end.connection) }
        serve(end)
    }

    func receive(at end: LinkEnd, upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8] {
        let number = UInt64(state.withLock { $0.nextNumber() })
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], LinkError>, Never>) in
                let clock = state.withLock { state -> SimulatedClock? in
                    guard let here = state.connections[end.connection]?.ends[end.side], !here.isClosed,
                        here.waiter == nil
                    else { return nil }
                    state.connections[end.connection]?.ends[end.side].waiter = SimulatedNetwork.Waiter(
                        number: number, limit: limit, continuation: continuation)
                    return state.stations[here.station].clock
                }
                guard let clock else { return continuation.resume(returning: .failure(.closed)) }
                if Task.isCancelled { return giveUp(number, at: end, .closed) }
                let due = clock.read().tick.advanced(byMilliseconds: timeout.milliseconds)
                clock.schedule(at: due) { [self] in giveUp(number, at: end, .timedOut) }
                serve(end)
            }
        } onCancel: {
            giveUp(number, at: end, .closed)
        }
        return try result.get()
    }

    /// Resumes the waiting receiver if a packet has arrived, or the link has ended.
    private func serve(_ end: LinkEnd) {
        let (waiter, result) = state.withLock {
            state -> (SimulatedNetwork.Waiter?, Result<[UInt8], LinkError>) in
            guard let here = state.connections[end.connection]?.ends[end.side], let waiter = here.waiter else {
                return (nil, .failure(.closed))
            }
            func answer(
                _ result: Result<[UInt8], LinkError>
            ) -> (SimulatedNetwork.Waiter?, Result<[UInt8], LinkError>) {
                state.connections[end.connection]?.ends[end.side].waiter = nil
                return (waiter, result)
            }
            guard let packet = here.inbox.first else {
                return here.isClosed || here.isFinished || here.isMuted
                    ? answer(.failure(.closed)) : (nil, .failure(.closed))
            }
            guard packet.count <= waiter.limit else {
                return answer(.failure(.oversized(announced: packet.count, limit: waiter.limit)))
            }
            state.connections[end.connection]?.ends[end.side].inbox.removeFirst()
            return answer(.success(packet))
        }
        waiter?.continuation.resume(returning: result)
    }

    private func giveUp(_ number: UInt64, at end: LinkEnd, _ error: LinkError) {
        let waiter = state.withLock { state -> SimulatedNetwork.Waiter? in
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
        state.withLock { $0.connections[end.connection]?.ends[end.side].reassembler.types = Set(PacketType.allCases) }
        let replaced = withUnauthenticated(of: end) { $0.passedGate(end.connection) } ?? nil
        if let replaced { close(LinkEnd(connection: replaced, side: 1)) }
    }

    func authenticate(_ end: LinkEnd) {
        state.withLock { state in
            state.connections[end.connection]?.ends[end.side].reassembler.types = Set(PacketType.allCases)
            if end.side == 1 { state.connections[end.connection]?.isAuthenticated = true }
        }
        withUnauthenticated(of: end) { $0.removed(end.connection) }
    }

    func mute(_ end: LinkEnd) {
        withUnauthenticated(of: end) { $0.completed(end.connection) }
        state.withLock { state in
            state.connections[end.connection]?.ends[end.side].isMuted = true
            state.connections[end.connection]?.ends[end.side].inbox = []
            // It ends like a stranger's link, even after it was authenticated.
            if end.side == 1 { state.connections[end.connection]?.isAuthenticated = false }
        }
        guard let begin = state.withLock({ $0.connections[end.connection]?.log.first }) else { return }
        let due = begin + Self.strangerTime
        timeline.schedule(at: due) { [self] in close(end) }
    }

    func isClosed(_ end: LinkEnd) -> Bool {
        state.withLock { $0.connections[end.connection]?.ends[end.side].isUsable != true }
    }

    func close(_ end: LinkEnd) {
        let way = state.withLock { state -> (station: Int, delay: UInt64, isLost: Bool)? in
            guard let connection = state.connections[end.connection], !connection.ends[end.side].isClosed else {
                return nil
            }
            state.connections[end.connection]?.ends[end.side].close()
            if connection.log.last == nil { state.connections[end.connection]?.log.last = timeline.now }
            let there = connection.ends[end.other.side]
            let arrival = max(timeline.now + state.linkDelay(), there.lastArrival)
            return (
                there.station, arrival - timeline.now, !state.reaches(there.station, connection.ends[end.side].station)
            )
        }
        guard let way else { return }
        finish(end)
        guard !way.isLost else {
            timeline.schedule(after: Self.supervisionTime) { [self] in sever(end.connection) }
            return
        }
        deliver(to: way.station, after: way.delay) { [self] in
            state.withLock { $0.connections[end.connection]?.ends[end.other.side].isFinished = true }
            finish(end.other)
        }
    }

    /// Closes the end of a link that a station holds.
    func end(_ number: Int, of station: Int) {
        for side in 0...1 where state.withLock({ $0.connections[number]?.ends[side].station == station }) {
            close(LinkEnd(connection: number, side: side))
        }
    }

    func resetLinks(of station: Int) {
        for number in state.withLock({ $0.links(of: station) }) { sever(number) }
    }

    /// Breaks a link if its sides are still out of range after the supervision time.
    func breakIfApart(_ number: Int) {
        timeline.schedule(after: Self.supervisionTime) { [self] in
            let isApart = state.withLock { state in
                state.connections[number].map { !state.reaches($0.ends[0].station, $0.ends[1].station) } ?? false
            }
            if isApart { sever(number) }
        }
    }

    /// Ends a link at both sides, and drops it.
    private func sever(_ number: Int) {
        state.withLock { state in
            for side in state.connections[number]?.ends.indices ?? 0..<0 {
                state.connections[number]?.ends[side].close()
            }
            if state.connections[number]?.log.last == nil { state.connections[number]?.log.last = timeline.now }
        }
        for side in 0...1 { resume(LinkEnd(connection: number, side: side)) }
        forget(number)
    }

    /// Resumes everything that waits at an end of a closed link, and drops the link once both ends are closed.
    private func finish(_ end: LinkEnd) {
        resume(end)
        forget(end.connection)
    }

    private func resume(_ end: LinkEnd) {
        serve(end)
        resumeTag(nil, at: end, .failure(.closed))
    }

    private func forget(_ number: Int) {
        state.withLock { state in
            guard let connection = state.connections[number] else { return }
            state.sessions[connection.session]?.unauthenticated.removed(number)
            guard connection.ends.allSatisfy(\.isClosed) else { return }
            state.connections[number] = nil
            state.note(connection.log)
        }
    }

    /// Changes the table of the session that accepted a link; returns nil for the end that made it.
    @discardableResult
    private func withUnauthenticated<Value>(
        of end: LinkEnd, _ body: (inout UnauthenticatedLinks<Int, DeviceAddress>) -> Value
    ) -> Value? {
        state.withLock { state in
            guard end.side == 1, let session = state.connections[end.connection]?.session,
                var table = state.sessions[session]?.unauthenticated
            else { return nil }
            defer { state.sessions[session]?.unauthenticated = table }
            return body(&table)
        }
    }
}

extension SimulatedAir.End {
    /// Whether neither side has closed the link.
    var isUsable: Bool { !isClosed && !isFinished }

    fileprivate mutating func close() {
        isClosed = true
        inbox = []
    }
}

extension SimulatedAir.State {
    /// Makes a link to the radio that shows an address; returns nil if no radio in range shows it and accepts links.
    fileprivate mutating func link(from station: Int, to target: DeviceAddress, at now: UInt64) -> Int? {
        guard
            let session = sessionOrder.first(where: { number in
                guard let other = sessions[number] else { return false }
                return other.broadcast?.address == target && other.carriesLinks && other.station != station
                    && reaches(station, other.station) && !stations[other.station].clock.isSuspended
            }), let other = sessions[session]?.station
        else { return nil }
        // The radio initiates from its own address, which it has never shown.
        let type = AirAddressType.resolvablePrivate
        let own = nextAddress(type)
        let number = nextNumber()
        connections[number] = SimulatedAir.Connection(
            session: session,
            ends: [
                SimulatedAir.End(station: station, address: own, reassembler: FragmentReassembler()),
                SimulatedAir.End(
                    station: other, address: target,
                    reassembler: FragmentReassembler(accepting: PacketType.firstMessages)),
            ],
            mtu: min(max(conditions.mtu, Packet.mtuRange.lowerBound), Packet.mtuRange.upperBound),
            log: AirLink(from: own, type, to: target, at: now, between: [station, other]))
        return number
    }

    /// Draws the transmission time of a value, including the repetition of a lost one.
    mutating func linkDelay() -> UInt64 {
        let delay = UInt64.random(in: conditions.linkDelay, using: &generator)
        return generator.happens(conditions.loss) ? delay + 50 : delay
    }

    /// Returns whether nothing arrives on a link.
    func isLost(_ connection: SimulatedAir.Connection) -> Bool {
        let ends = connection.ends
        return !reaches(ends[0].station, ends[1].station)
            || ends.contains { stations[$0.station].faults.links == .mute }
    }
}
