package import InklingKeys

/// The multicast DNS of a node between two silent gaps (`Specs/mdns.md`): its packets, answers and heard names.
///
/// No packet that it sends depends on the names that it knows, except the question of a search.
package struct MDNSMachine: Sendable {
    package enum Event: Sendable {
        /// The silent gap has ended.
        case started
        /// The complete list of the interfaces in use and of the addresses published on them, in any order.
        case interfacesChanged([MDNSInterface])
        /// The instances that are answered and not announced.
        case answeredChanged([ServiceInstance])
        /// The known names have changed.
        case namesChanged
        /// Find the endpoints of this name; `found` or `notFound` reports the result. With a host, a name that was not
        /// heard is asked for on the network, because it may be one that is not announced.
        case search(OpaqueServiceName, OpaqueHostName?)
        /// The moment of `wake` has come.
        case timerFired
        /// The silent gap begins. Nothing is sent after the effects of this event.
        case stopped(goodbye: Bool)
    }

    package enum Destination: Hashable, Sendable {
        case multicast
        case unicast(Endpoint)
    }

    package enum Effect: Hashable, Sendable {
        case send([UInt8], on: MDNSPath, to: Destination)
        /// A known name was heard for the first time.
        case appeared(OpaqueServiceName)
        /// A name has not been heard for too long, or its interface is gone.
        case vanished(OpaqueServiceName)
        /// The endpoints of a name that was searched for, in the order of calling; at least one.
        case found(OpaqueServiceName, [Endpoint])
        /// A name that was searched for was not heard.
        case notFound(OpaqueServiceName)
        /// A querier has asked for the SRV record of an instance that is answered and not announced; once for each.
        case asked(OpaqueServiceName)
        /// Another device shows our name; reported once.
        case imitated
        /// Send `timerFired` at this moment; replaces any earlier `wake`.
        case wake(at: Tick)
    }

    /// The origin of a packet.
    package struct Source: Hashable, Sendable {
        package let path: MDNSPath
        package let endpoint: Endpoint
        /// The TTL or hop limit with which it arrived.
        package let hopLimit: UInt8

        package init(path: MDNSPath, endpoint: Endpoint, hopLimit: UInt8) {
            self.path = path
            self.endpoint = endpoint
            self.hopLimit = hopLimit
        }
    }

    /// The UDP port of multicast DNS.
    package static let port: UInt16 = 5353
    /// The shortest random delay in milliseconds, and its spread.
    static let delay: UInt64 = 20, delaySpread: UInt64 = 100
    /// The milliseconds from the first announcement to the second.
    static let secondAnnouncement: UInt64 = 1000
    /// The milliseconds between the first queries, and then the shortest interval and its spread.
    static let queryIntervals: [UInt64] = [1000, 3000, 9000, 27_000]
    static let queryInterval: UInt64 = 60_000, queryIntervalSpread: UInt64 = 60_000
    /// The milliseconds after a query before which no new name brings the next one forward.
    static let queryRest: UInt64 = 4000
    /// The most searches at once, and the milliseconds to the second question and to the end of a search.
    static let searchLimit = 4, secondQuestion: UInt64 = 1000, searchEnd: UInt64 = 3000
    /// The milliseconds from the first answer to a search to its end, in which others may contradict it.
    static let gathering: UInt64 = 100

    enum Phase {
        case waiting
        case running
        case stopped
    }

    /// The timed actions on one interface.
    struct Activity {
        var announcements: [Tick] = []
        var query: Tick?
        var queryCount = 0
        var lastQuery: Tick?
    }

    struct Search {
        let host: OpaqueHostName
        var questions: [Tick]
        var end: Tick
    }

    let announced: ServiceInstance?
    let browses: Bool
    /// The service type of the instances.
    package let service: ServiceType
    var answered: [ServiceInstance]
    var phase = Phase.waiting
    var interfaces: [UInt32: MDNSInterface] = [:]
    var activities: [UInt32: Activity] = [:]
    var responses = ResponseSchedule()
    var echoes = SentEchoes()
    var searches: [OpaqueServiceName: Search] = [:]
    var heard = HeardNames()
    var hosts: [OpaqueServiceName: OpaqueHostName] = [:]
    var census = NameCensus(at: Tick(milliseconds: 0))
    /// Every address that was published since the start: a device that repeats one of them does not imitate us.
    var ownAddresses: Set<Endpoint.Address> = []
    var isImitated = false
    /// The names of answered instances whose SRV record was asked for.
    var asked: Set<OpaqueServiceName> = []
    private var scheduled: Tick?

    /// Creates a machine that has not started.
    package init(
        announced: ServiceInstance?, answered: [ServiceInstance] = [], browses: Bool = true,
        service: ServiceType = .inkling
    ) {
        self.service = service
        self.announced = announced
        self.answered = answered
        self.browses = browses
    }

    /// Processes one event and returns the effects to carry out, in order.
    ///
    /// A delay is drawn as a number modulo the spread plus 1, for each interface in ascending order.
    package mutating func handle(
        _ event: Event, at now: Tick, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard phase != .stopped else { return [] }
        var effects: [Effect] = []
        switch event {
        case .started:
            guard phase == .waiting else { return [] }
            phase = .running
            census = NameCensus(at: now)
            for index in interfaces.keys.sorted() { begin(on: index, at: now, using: &generator) }
        case .interfacesChanged(let list): effects = change(to: list, at: now, using: &generator)
        case .answeredChanged(let instances):
            answered = instances
            let names = Set(([announced].compactMap(\.self) + answered).map(\.name))
            responses.keep { names.contains($0.name) }
            asked.formIntersection(names)
        case .namesChanged:
            hosts = [:]
            askAgain(at: now, using: &generator)
        case .search(let name, let host): effects = search(name, host, at: now, using: &generator)
        case .timerFired:
            scheduled = nil
            effects = timerFired(at: now, using: &generator)
        case .stopped(let goodbye):
            phase = .stopped
            return goodbye ? goodbyes() : []
        }
        return effects + rescheduled(at: now)
    }

    /// The names that were heard in the last one to two minutes, known or not: at most 1,000, in no order.
    package var heardNames: [OpaqueServiceName] { census.names }

    mutating func rescheduled(at now: Tick) -> [Effect] {
        guard phase == .running else { return [] }
        var next = [responses.next, heard.nextEnd].compactMap(\.self)
        for activity in activities.values { next += activity.announcements + [activity.query].compactMap(\.self) }
        for search in searches.values { next += search.questions + [search.end] }
        guard let earliest = next.min(), scheduled != earliest else { return [] }
        scheduled = earliest
        return [.wake(at: earliest)]
    }

    func own(_ name: OpaqueServiceName) -> ServiceInstance? {
        announced?.name == name ? announced : answered.first { $0.name == name }
    }
}

// MARK: By time

extension MDNSMachine {
    static func draw(_ generator: inout some RandomNumberGenerator) -> UInt64 {
        delay + generator.next() % (delaySpread + 1)
    }

    /// Draws one delay for the first announcement and the first query, so that every node sends them in the same order.
    private mutating func begin(
        on index: UInt32, at now: Tick, using generator: inout some RandomNumberGenerator
    ) {
        let first = now.advanced(byMilliseconds: Self.draw(&generator))
        activities[index] = Activity(query: browses ? first : nil)
        if let interface = interfaces[index], shows(on: interface) {
            plan([first, first.advanced(byMilliseconds: Self.secondAnnouncement)], on: interface)
        }
    }

    /// Plans announcements, which also answer the questions asked until then.
    private mutating func plan(_ announcements: [Tick], on interface: MDNSInterface) {
        guard let announced else { return }
        activities[interface.index]?.announcements = announcements
        for path in interface.paths { responses.cancel(ResponseSchedule.Key(path: path, name: announced.name)) }
    }

    private func shows(on interface: MDNSInterface) -> Bool {
        announced != nil && interface.isShown && !interface.published.isEmpty
    }

    private mutating func change(
        to list: [MDNSInterface], at now: Tick, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        let before = interfaces
        interfaces = Dictionary(list.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
        for interface in list { ownAddresses.formUnion(interface.published) }
        guard phase == .running else { return [] }
        let paths = Set(list.flatMap(\.paths))
        responses.keep { paths.contains($0.path) }
        for index in activities.keys where interfaces[index] == nil { activities[index] = nil }
        for index in interfaces.keys.sorted() {
            guard let interface = interfaces[index] else { continue }
            guard let old = before[index], old.paths == interface.paths, old.isShown == interface.isShown else {
                begin(on: index, at: now, using: &generator)
                continue
            }
            if old.published != interface.published {
                announceChange(on: interface, isFirst: old.published.isEmpty, at: now, using: &generator)
            }
        }
        return endHeard(at: now)
    }

    /// Announces new addresses, at least a second after the last response; one that is already due covers them too.
    private mutating func announceChange(
        on interface: MDNSInterface, isFirst: Bool, at now: Tick, using generator: inout some RandomNumberGenerator
    ) {
        guard let announced, shows(on: interface), activities[interface.index]?.announcements.isEmpty == true else {
            return
        }
        let last = interface.paths.compactMap {
            responses.lastShown(ResponseSchedule.Key(path: $0, name: announced.name))
        }
        let earliest = last.max()?.advanced(byMilliseconds: ResponseSchedule.shortest) ?? now
        let first = max(now.advanced(byMilliseconds: Self.draw(&generator)), earliest)
        let second = first.advanced(byMilliseconds: Self.secondAnnouncement)
        plan(isFirst ? [first, second] : [first], on: interface)
    }

    private mutating func askAgain(at now: Tick, using generator: inout some RandomNumberGenerator) {
        guard phase == .running, browses else { return }
        for index in activities.keys.sorted() {
            guard let planned = activities[index]?.query, let last = activities[index]?.lastQuery else { continue }
            let wanted = now.advanced(byMilliseconds: Self.draw(&generator))
            activities[index]?.query = min(planned, max(wanted, last.advanced(byMilliseconds: Self.queryRest)))
        }
    }

    private mutating func timerFired(at now: Tick, using generator: inout some RandomNumberGenerator) -> [Effect] {
        guard phase == .running else { return [] }
        var effects: [Effect] = []
        for index in activities.keys.sorted() {
            guard var activity = activities[index], let interface = interfaces[index] else { continue }
            if let due = activity.announcements.first, due <= now {
                activity.announcements.removeFirst()
                activities[index] = activity
                effects += announce(on: interface, at: now)
            }
            if let due = activity.query, due <= now {
                let intervals = Self.queryIntervals
                let interval =
                    activity.queryCount < intervals.count
                    ? intervals[activity.queryCount]
                    : Self.queryInterval + generator.next() % (Self.queryIntervalSpread + 1)
                activity.queryCount += 1
                activity.lastQuery = now
                activity.query = now.advanced(byMilliseconds: interval)
                activities[index] = activity
                for path in interface.paths {
                    effects += multicast(ServicePacket.browseQuery(of: service), on: path, at: now)
                }
            }
        }
        for key in responses.takeDue(at: now) { effects += respond(key, at: now) }
        for reply in responses.takeReplies(at: now) {
            if let packet = packet(of: reply.key, for: reply.purpose) {
                effects.append(.send(packet, on: reply.key.path, to: .unicast(reply.destination)))
            }
        }
        return effects + continueSearches(at: now) + endHeard(at: now)
    }

    mutating func announce(on interface: MDNSInterface, at now: Tick) -> [Effect] {
        guard let announced, shows(on: interface) else { return [] }
        return interface.paths.flatMap { path in
            respond(ResponseSchedule.Key(path: path, name: announced.name), at: now)
        }
    }

    private mutating func respond(_ key: ResponseSchedule.Key, at now: Tick) -> [Effect] {
        guard let packet = packet(of: key, for: .answer) else { return [] }
        responses.sent(key, at: now)
        return multicast(packet, on: key.path, at: now)
    }

    private mutating func multicast(_ packet: [UInt8], on path: MDNSPath, at now: Tick) -> [Effect] {
        echoes.expect(packet, on: path, at: now)
        return [.send(packet, on: path, to: .multicast)]
    }

    /// Returns the response about one of our instances on an interface; nil where it is not shown.
    func packet(of key: ResponseSchedule.Key, for purpose: ServicePacket.Purpose) -> [UInt8]? {
        guard let instance = own(key.name), let interface = interfaces[key.path.interface], interface.isShown,
            !interface.published.isEmpty
        else { return nil }
        return ServicePacket.response(
            instance, isAnnounced: instance == announced, addresses: interface.published, for: purpose,
            of: service)
    }

    private func goodbyes() -> [Effect] {
        guard let announced else { return [] }
        return interfaces.values.flatMap(\.paths).sorted().compactMap { path in
            let key = ResponseSchedule.Key(path: path, name: announced.name)
            guard responses.lastShown(key) != nil, let packet = packet(of: key, for: .goodbye) else { return nil }
            return .send(packet, on: path, to: .multicast)
        }
    }
}

// MARK: Searches

extension MDNSMachine {
    private mutating func search(
        _ name: OpaqueServiceName, _ host: OpaqueHostName?, at now: Tick,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        let known = heard.endpoints(of: name)
        guard known.isEmpty else { return [.found(name, known)] }
        guard phase == .running, let host, searches[name] != nil || searches.count < Self.searchLimit else {
            return [.notFound(name)]
        }
        let first = now.advanced(byMilliseconds: Self.draw(&generator))
        searches[name] = Search(
            host: host, questions: [first, first.advanced(byMilliseconds: Self.secondQuestion)],
            end: now.advanced(byMilliseconds: Self.searchEnd))
        return []
    }

    private mutating func continueSearches(at now: Tick) -> [Effect] {
        var effects: [Effect] = []
        for name in searches.keys.sorted(by: { $0.octets < $1.octets }) {
            if let due = searches[name]?.questions.first, due <= now {
                searches[name]?.questions.removeFirst()
                for path in interfaces.values.flatMap(\.paths).sorted() {
                    effects += multicast(ServicePacket.instanceQuery(name, of: service), on: path, at: now)
                }
            }
            if let end = searches[name]?.end, end <= now {
                searches[name] = nil
                let endpoints = heard.endpoints(of: name)
                effects.append(endpoints.isEmpty ? .notFound(name) : .found(name, endpoints))
            }
        }
        return effects
    }
}
