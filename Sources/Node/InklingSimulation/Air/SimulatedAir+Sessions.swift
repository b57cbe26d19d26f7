internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire
internal import Synchronization

/// The session of a radio that is on the air or listens.
struct AirSession {
    let station: Int
    /// The identifiers shown; nil for a session that only listens.
    let publication: RadioPublication?
    let carriesLinks: Bool
    let reports: AsyncStream<RadioReport>.Continuation
    let links: AsyncStream<any Link>.Continuation
    /// The frames sent; nil for a session that only listens.
    var broadcast: AirBroadcast?
    var unauthenticated: UnauthenticatedLinks<Int, DeviceAddress>
    /// Whether frames with unexpected minors are ignored.
    var isCrowded = false
}

extension SimulatedAir {
    private static let reportLimit = 1024
    /// The maximum numbers of accepted and of unauthenticated links, and the milliseconds after which one of the latter
    /// makes room.
    static let linkLimit = 32
    private static let unauthenticatedLimit = 8, grace: UInt64 = 2000

    /// Draws how long an adapter takes to show a beacon, in milliseconds.
    func openingTime() -> UInt64 { state.withLock { UInt64.random(in: 20...80, using: &$0.generator) } }

    /// Opens a session, under a random address unless one is given, and sends the first frame; without a publication
    /// nothing is sent.
    func open(
        _ publication: RadioPublication?, on station: Int, at chosen: DeviceAddress? = nil
    ) throws(RadioError) -> SimulatedRadioSession {
        let (reportStream, reports) = AsyncStream<RadioReport>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.reportLimit))
        let (linkStream, links) = AsyncStream<any Link>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let opened = state.withLock { state -> Result<(number: Int, carriesLinks: Bool), RadioError> in
            let own = state.stations[station]
            state.openings.appendBounded(AirOpening(time: timeline.now, station: station))
            if let error = own.faults.opening { return .failure(error) }
            guard own.session == nil else { return .failure(.refused) }
            let type = own.carriesLinks ? AirAddressType.resolvablePrivate : .nonResolvablePrivate
            let address = chosen ?? own.pinned ?? state.nextAddress(type)
            let number = state.nextNumber()
            var limits = UnauthenticatedLinks<Int, DeviceAddress>.Limits()
            limits.strangers = Self.unauthenticatedLimit
            limits.strangersPerSource = Self.unauthenticatedLimit
            limits.passed = Self.unauthenticatedLimit
            limits.grace = Self.grace
            state.sessions[number] = AirSession(
                station: station, publication: publication, carriesLinks: own.carriesLinks, reports: reports,
                links: links,
                broadcast: publication.map {
                    AirBroadcast(
                        address, chosen?.randomType ?? type, minor: $0.minor,
                        bytes: own.profile.beacon($0.minor).encoded(), isConnectable: own.carriesLinks,
                        at: timeline.now, from: station, proximity: own.profile.proximity)
                },
                unauthenticated: UnauthenticatedLinks(limits: limits))
            state.sessionOrder.append(number)
            state.stations[station].session = number
            reports.yield(.gap(state.conditions.gap))
            if let step = own.deafness { reports.yield(.deaf(step)) }
            return .success((number, own.carriesLinks))
        }
        let (number, carriesLinks) = try opened.get()
        send(of: number, isFirst: true)
        return SimulatedRadioSession(
            number: number, air: self, carriesLinks: carriesLinks, reports: reportStream, links: linkStream)
    }

    /// Goes off the air and closes every link.
    func close(_ number: Int) { end(number) { _ in } }

    func crash(_ station: Int, _ error: RadioError) {
        guard let number = state.withLock({ $0.stations[station].session }) else { return }
        end(number) { $0.reports.yield(.failed(error)) }
    }

    private func end(_ number: Int, _ report: (AirSession) -> Void) {
        let (session, links) = state.withLock { state -> (AirSession?, [Int]) in
            guard let session = state.sessions.removeValue(forKey: number) else { return (nil, []) }
            state.sessionOrder.removeAll { $0 == number }
            state.stations[session.station].session = nil
            if let broadcast = session.broadcast { state.note(broadcast) }
            return (session, state.links(of: session.station))
        }
        guard let session else { return }
        for link in links { end(link, of: session.station) }
        endWaits(during: number)
        report(session)
        session.reports.finish()
        session.links.finish()
    }

    /// Makes a station deaf, reporting this recovery step; nil makes it hear again.
    func deafen(_ station: Int, _ step: RadioRecovery?) {
        let (reports, wasDeaf) = state.withLock { state in
            defer { state.stations[station].deafness = step }
            let reports = state.stations[station].session.flatMap { state.sessions[$0]?.reports }
            return (reports, state.stations[station].deafness != nil)
        }
        if let step { reports?.yield(.deaf(step)) } else if wasDeaf { reports?.yield(.hearing) }
    }

    /// Makes a station ignore unexpected frames until its open session ends.
    func crowd(_ station: Int) {
        let reports = state.withLock { state in
            state.stations[station].session.flatMap { number in
                state.sessions[number]?.isCrowded = true
                return state.sessions[number]?.reports
            }
        }
        reports?.yield(.crowded)
    }

    // MARK: Frames

    /// Sends a frame of a session, and schedules the next one.
    private func send(of number: Int, isFirst: Bool = false) {
        let sent = state.withLock { state -> (broadcast: AirBroadcast, clock: SimulatedClock, next: UInt64)? in
            guard let session = state.sessions[number], let broadcast = session.broadcast else { return nil }
            if !isFirst {
                state.sessions[number]?.broadcast?.last = timeline.now
                state.sessions[number]?.broadcast?.frames += 1
            }
            let next = state.conditions.interval + UInt64.random(in: 0...10, using: &state.generator)
            return (broadcast, state.stations[session.station].clock, next)
        }
        guard let sent else { return }
        carry(sent.broadcast, rssi: nil)
        // A sleeping host sends nothing until it wakes.
        sent.clock.schedule(at: sent.clock.read().tick.advanced(byMilliseconds: sent.next)) { [self] in
            send(of: number)
        }
    }

    /// Sends a single frame that belongs to no session.
    func inject(_ broadcast: AirBroadcast, rssi: Int8) {
        state.withLock { $0.note(broadcast) }
        carry(broadcast, rssi: rssi)
    }

    /// Carries a frame to every radio that hears it.
    private func carry(_ broadcast: AirBroadcast, rssi: Int8?) {
        struct Arrival {
            let session: Int, station: Int
            let delay: UInt64
            let rssi: Int8
        }
        let arrivals = state.withLock { state -> [Arrival] in
            state.sessionOrder.compactMap { number in
                guard let session = state.sessions[number], session.station != broadcast.station,
                    state.hears(session.station, broadcast, at: timeline.now)
                else { return nil }
                let delay = UInt64.random(in: state.conditions.reportDelay, using: &state.generator)
                let noise = Int8.random(in: -6...6, using: &state.generator)
                let level = Int(rssi ?? state.conditions.rssi) + Int(noise)
                return Arrival(
                    session: number, station: session.station, delay: delay,
                    rssi: Int8(clamping: min(max(level, -127), 20)))
            }
        }
        for arrival in arrivals {
            let clock = state.withLock { $0.stations[arrival.station].clock }
            let observed = ObservedTime(at: clock.read())
            let report: RadioReport =
                if let minor = broadcast.minor {
                    .heard(BeaconSighting(minor, from: broadcast.address, rssi: arrival.rssi, observed: observed))
                } else {
                    .overflow(broadcast.address, observed: observed)
                }
            deliver(to: arrival.station, after: arrival.delay) { [self] in
                _ = state.withLock { $0.sessions[arrival.session]?.reports }?.yield(report)
            }
        }
    }
}

extension SimulatedAir.State {
    /// Returns whether a station hears a frame, drawing that and whether its scan then stops.
    fileprivate mutating func hears(_ station: Int, _ broadcast: AirBroadcast, at now: UInt64) -> Bool {
        let own = stations[station]
        guard own.profile.proximity == broadcast.proximity, reaches(station, broadcast.station), own.deafness == nil,
            !own.clock.isSuspended,
            own.pausedUntil <= now, !generator.happens(conditions.loss),
            conditions.duty >= 1 || generator.happens(conditions.duty)
        else { return false }
        if own.session.flatMap({ sessions[$0]?.isCrowded }) == true,
            broadcast.minor.map({ !own.expected.contains($0) }) ?? true
        {
            return false
        }
        if generator.happens(conditions.pauses) {
            stations[station].pausedUntil = now + UInt64.random(in: conditions.pause, using: &generator)
        }
        return true
    }

    /// Returns the open links of a station, in the order in which they were made.
    func links(of station: Int) -> [Int] {
        connections.filter { $0.value.log.stations.contains(station) }.keys.sorted()
    }
}
