import InklingFleet
import InklingKeys
import InklingTesting

/// A fleet and its broker without a network: processes die, are held and continue, and of the messages of a dying
/// process only those arrive that its connection has passed on.
struct SimulatedFleet {
    /// A rule that is left out, so that a check must find it.
    enum Fault: CaseIterable {
        /// A new holder does not know which sightings are counted.
        case noDedupe
        /// Antennas follow the acknowledgements of every holder.
        case noFence
        /// A holder acknowledges before it stores.
        case acknowledgesFirst
    }

    enum Message {
        case sighting(SightingMessage)
        case match(MatchMessage)
        case acknowledgement(Acknowledgement, String)
        case lease(LeaseMessage)
        case forgottenLease(Fence)
        case record(ContactRecord)
        case forgotten(String, Fence)
    }

    struct Antenna {
        let source: String
        var outbox: SightingOutbox
        var inbox: [Message] = []
        var out: [Message] = []
    }

    struct Presence {
        var name: String
        var lease: LeaseMachine
        var book = PresenceBook(leaveAfter: .seconds(30))
        var inbox: [Message] = []
        var out: [Message] = []
        /// The messages that it was about to write when it was held.
        var hand: [Message] = []
        var heldUntil: UInt64 = 0
    }

    static let contacts = ["Ada", "Bo", "Cy", "Di"]

    let fault: Fault?
    var generator: SeededGenerator
    /// Milliseconds since the start.
    var now: UInt64 = 0
    var antennas: [Antenna]
    var presences: [Presence]
    /// The sightings that the matchers have not processed.
    var matching: [SightingMessage] = []
    var leases: [Fence: LeaseMessage] = [:]
    /// The records that the broker keeps, by contact and fence.
    var kept: [String: [Fence: ContactRecord]] = [:]
    /// The greatest fence under which a record was kept, and the number of records that came with a smaller one.
    var newest = Fence(0, holder: "")
    var stale = 0
    /// The numbers of sightings and of visits of each contact.
    var heard: [String: UInt64] = [:]
    var visits: [String: UInt64] = [:]
    var takeOvers = 0
    private var names = 0

    init(seed: UInt64, fault: Fault? = nil) {
        self.fault = fault
        generator = SeededGenerator(seed: seed)
        antennas = (0..<4).map { index in
            let source = "hall-000000000000000\(index)"
            return Antenna(source: source, outbox: SightingOutbox(source: source))
        }
        presences = []
        for _ in 0..<3 {
            names += 1
            presences.append(Self.process(names))
        }
        for index in presences.indices { connect(index) }
    }

    private static func process(_ number: Int) -> Presence {
        let name = "p\(number)"
        return Presence(name: name, lease: LeaseMachine(own: name, seconds: 6))
    }

    var reading: ClockReading {
        ClockReading(tick: Tick(milliseconds: 1_000_000 + now), unixMilliseconds: 1_785_600_000_000 + now)
    }

    private mutating func chance(_ one: UInt64, in many: UInt64) -> Bool {
        UInt64.random(in: 0..<many, using: &generator) < one
    }

    // MARK: The broker

    private mutating func connect(_ index: Int) {
        // Of the messages written to the connection before, some have been sent.
        let left = Int.random(in: 0...presences[index].out.count, using: &generator)
        for message in presences[index].out.prefix(left) { deliver(message) }
        presences[index].inbox = []
        presences[index].out = []
        presences[index].book.begin()
        // Retained messages come first.
        for fence in leases.keys.sorted() {
            if let lease = leases[fence] { presences[index].inbox.append(.lease(lease)) }
        }
        for contact in Self.contacts {
            for record in (kept[contact] ?? [:]).values.sorted(by: { $0.fence > $1.fence }) {
                presences[index].inbox.append(.record(record))
            }
        }
        perform(presences[index].lease.handle(.connected, at: reading.tick, using: &generator), of: index)
    }

    private mutating func deliver(_ message: Message) {
        switch message {
        case .sighting(let sighting):
            matching.append(sighting)
            if chance(1, in: 20) { matching.append(sighting) }
        case .match: for index in presences.indices { presences[index].inbox.append(message) }
        case .acknowledgement(_, let source):
            for index in antennas.indices where antennas[index].source == source {
                antennas[index].inbox.append(message)
            }
        case .lease(let lease):
            leases[lease.fence] = lease
            for index in presences.indices { presences[index].inbox.append(message) }
            for index in antennas.indices { antennas[index].inbox.append(message) }
        case .record(let record):
            if record.fence < newest { stale += 1 }
            newest = max(newest, record.fence)
            kept[record.contact, default: [:]][record.fence] = record
            for index in presences.indices { presences[index].inbox.append(message) }
        case .forgottenLease(let fence): leases[fence] = nil
        case .forgotten(let contact, let fence):
            kept[contact]?[fence] = nil
            for index in presences.indices { presences[index].inbox.append(message) }
        }
    }

    // MARK: The processes

    private mutating func perform(_ effects: [LeaseMachine.Effect], of index: Int) {
        for effect in effects {
            switch effect {
            case .publish(let lease): presences[index].out.append(.lease(lease))
            case .forget(let fence): presences[index].out.append(.forgottenLease(fence))
            case .took(let fence):
                takeOvers += 1
                presences[index].book.take(fence, at: reading)
            case .lost:
                // A new connection, without what it knows.
                perform(presences[index].lease.handle(.disconnected, at: reading.tick, using: &generator), of: index)
                connect(index)
            }
        }
    }

    private mutating func perform(_ effects: [PresenceBook.Effect], of index: Int) {
        guard !effects.isEmpty else { return }
        guard presences[index].lease.mayWrite(at: reading.tick) else {
            perform([.lost], of: index)
            return
        }
        let fence = presences[index].lease.fence
        var messages: [Message] = []
        for effect in effects {
            switch effect {
            case .store(let record): messages.append(.record(record))
            case .forget(let contact, let fence): messages.append(.forgotten(contact, fence))
            case .acknowledge(let id):
                let acknowledgement = Message.acknowledgement(
                    Acknowledgement(fence: fence, sequences: [id.sequence]), id.source)
                messages.insert(acknowledgement, at: fault == .acknowledgesFirst ? 0 : messages.count)
            case .arrived, .left: break
            }
        }
        // The process may be held between the check and the first byte.
        if chance(1, in: 20) {
            presences[index].hand = messages
            presences[index].heldUntil = now + UInt64.random(in: 3_000...12_000, using: &generator)
        } else {
            presences[index].out += messages
        }
    }

    private mutating func step(presence index: Int) {
        guard presences[index].heldUntil <= now else { return }
        presences[index].out += presences[index].hand
        presences[index].hand = []
        for _ in 0..<8 {
            guard !presences[index].inbox.isEmpty, presences[index].heldUntil <= now else { break }
            switch presences[index].inbox.removeFirst() {
            case .lease(let lease):
                perform(presences[index].lease.handle(.heard(lease), at: reading.tick, using: &generator), of: index)
            case .record(var record):
                if fault == .noDedupe { record.seen = [] }
                presences[index].lease.note(record.fence)
                perform(presences[index].book.hear(record), of: index)
            case .forgotten(let contact, let fence): presences[index].book.forget { $0 == contact && $1 == fence }
            case .match(let match): perform(presences[index].book.hear(match, at: reading), of: index)
            case .sighting, .acknowledgement, .forgottenLease: break
            }
        }
        guard presences[index].heldUntil <= now else { return }
        if let wake = presences[index].lease.wake, wake <= reading.tick {
            perform(presences[index].lease.handle(.timerFired, at: reading.tick, using: &generator), of: index)
        }
        if let wake = presences[index].book.wake, wake <= reading.tick {
            perform(presences[index].book.timerFired(at: reading), of: index)
        }
    }

    private mutating func step(antenna index: Int) {
        for message in antennas[index].inbox {
            switch message {
            case .lease(let lease): if fault != .noFence { antennas[index].outbox.heard(lease.fence) }
            case .acknowledgement(let one, _):
                let followed = fault == .noFence ? Acknowledgement(fence: nil, sequences: one.sequences) : one
                antennas[index].outbox.heard(followed)
            default: break
            }
        }
        antennas[index].inbox = []
        antennas[index].out += antennas[index].outbox.due(at: reading.tick).map { .sighting($0) }
    }

    private mutating func stepMatchers() {
        for sighting in matching {
            // A matcher that dies loses its messages.
            if chance(1, in: 15) { continue }
            let contact = Self.contacts[Int(sighting.beacon.minor) % Self.contacts.count]
            deliver(
                .match(
                    MatchMessage(
                        id: sighting.id, age: sighting.age, contact: contact, device: 0, rssi: sighting.beacon.rssi,
                        room: nil)))
        }
        matching = []
    }

    /// Kills a process, and another one takes its place.
    private mutating func kill(_ index: Int) {
        names += 1
        let out = presences[index].out
        presences[index] = Self.process(names)
        presences[index].out = out
        connect(index)
    }

    // MARK: The world

    /// An antenna hears a contact.
    mutating func hear(_ contact: Int) {
        let index = Int.random(in: antennas.indices, using: &generator)
        heard[Self.contacts[contact], default: 0] += 1
        antennas[index].outbox.add(
            HeardBeacon(
                time: reading.unixMilliseconds, uncertainty: 0, minor: UInt16(contact), device: nil, rssi: -60,
                room: nil),
            at: reading.tick)
    }

    /// Lets this many milliseconds pass in steps; in each, a process is killed with the probability one in `kills`.
    mutating func pass(_ milliseconds: UInt64, by length: UInt64 = 250, kills: UInt64? = nil) {
        let end = now + milliseconds
        while now < end {
            now += length
            for index in antennas.indices { step(antenna: index) }
            for index in presences.indices { step(presence: index) }
            // Connections of different lengths.
            for index in antennas.indices {
                let sent = antennas[index].out
                antennas[index].out = []
                for message in sent { deliver(message) }
            }
            for index in presences.indices {
                let count = Int.random(in: 0...3, using: &generator)
                let sent = presences[index].out.prefix(count)
                presences[index].out.removeFirst(sent.count)
                for message in sent { deliver(message) }
            }
            stepMatchers()
            if let kills, chance(1, in: kills) { kill(Int.random(in: presences.indices, using: &generator)) }
        }
    }

    /// Lets all contacts visit, some with a single sighting, and then a quiet time pass.
    mutating func run(rounds: Int) {
        pass(15_000)
        for _ in 0..<rounds {
            for contact in Self.contacts.indices {
                visits[Self.contacts[contact], default: 0] += 1
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    hear(contact)
                    pass(UInt64.random(in: 1...10, using: &generator) * 50, by: 50, kills: 60)
                }
            }
            pass(110_000, kills: 160)
        }
        pass(60_000)
    }

    /// The record of a contact that a reader follows: that of the greatest fence.
    private func record(of contact: String) -> ContactRecord? { kept[contact]?.max { $0.key < $1.key }?.value }

    /// The problems found at the end.
    var problems: [String] {
        var problems: [String] = []
        for contact in Self.contacts {
            let record = record(of: contact)
            let (counted, arrived) = (record?.sightings ?? 0, record?.visit ?? 0)
            if counted != heard[contact] {
                problems.append("\(contact): \(counted) of \(heard[contact] ?? 0) sightings")
            }
            if arrived != visits[contact] {
                problems.append("\(contact): \(arrived) of \(visits[contact] ?? 0) arrivals")
            }
            if record?.isPresent != false { problems.append("\(contact) has not left") }
        }
        for antenna in antennas where antenna.outbox.count > 0 || antenna.outbox.lost > 0 {
            problems.append("\(antenna.source): \(antenna.outbox.count) wait, \(antenna.outbox.lost) given up")
        }
        return problems
    }
}
