import InklingKeys
import InklingTesting
import InklingWire
import Testing

/// A contact that sends any records in any sessions, in any order, with numbers and identifiers that it knows and that it
/// guesses.
private struct HostileContact {
    /// A fault that a machine under attack must not have.
    enum Fault: CaseIterable {
        /// A receipt counts whatever identifier it names.
        case believesReceipts
        /// The text after a gap is stored.
        case storesAfterGap
    }

    private var dice: SeededGenerator
    private var machine: SyncMachine
    private let fault: Fault?
    private var now = Tick(milliseconds: 0)
    private var session: UInt64 = 0
    private var open: Set<UInt64> = []
    private var queue: [UInt64: SyncMessage] = [:]
    private var base: UInt64 = 0
    /// The texts that were sent in this stream, by number.
    private var sent: [UInt64: TextID] = [:]
    /// Names of texts that the contact has put into receipts.
    private var named: Set<SyncReceipt.Last> = []
    private var stored: [SyncMachine.Arrival] = []
    /// The stream and the number of the last text that was to be stored; nil when a STREAM came after it.
    private var latest: (stream: StreamID, number: UInt64)?
    /// With the fault `storesAfterGap`: the numbers that the contact gave.
    private var given: [TextID: UInt64] = [:]
    private var acknowledged: UInt64 = 0
    private(set) var drops = 0
    private(set) var stores = 0
    private(set) var ends = 0
    private(set) var broken: [String] = []

    init(seed: UInt64, fault: Fault?) throws {
        dice = SeededGenerator(seed: seed)
        self.fault = fault
        machine = SyncMachine(SyncState(), stream: try #require(StreamID(rawValue: 5)))
    }

    private mutating func number(_ limit: UInt64) -> UInt64 { UInt64.random(in: 0...limit, using: &dice) }

    mutating func run(steps: Int) {
        for _ in 0..<steps where broken.isEmpty {
            now = now.advanced(byMilliseconds: number(4_000))
            switch number(9) {
            case 0:
                session += 1
                open.insert(session)
                handle(.opened(session: session))
            case 1:
                guard let id = TextID(rawValue: Octets16(high: dice.next(), low: 1)) else { continue }
                handle(.queued(id, byteCount: 5))
            case 2: handle(.timerFired)
            case 3 where number(9) == 0: handle(.closed(session: number(session)))
            case 4:
                let through = number(UInt64(stored.count))
                if through > acknowledged {
                    acknowledged = through
                    handle(.stored(through: through))
                    handle(.taken(through: through, byteCount: 5))
                }
            default: hear()
            }
        }
    }

    /// The contact sends a record.
    private mutating func hear() {
        let target = number(3) == 0 ? number(session + 1) : session
        let streams = [5, 6, 7, dice.next() | 1].compactMap(StreamID.init(rawValue:))
        guard let stream = streams.randomElement(using: &dice) else { return }
        let expected = (stored.last?.message.number ?? 0) + 1
        let any = [expected, expected, expected, expected + 1, 1, number(100) + 1, UInt64.max >> 1]
        let rooms: [UInt16] = [0, 1, 64]
        guard let first = any.randomElement(using: &dice), let room = rooms.randomElement(using: &dice) else {
            return
        }
        switch number(4) {
        case 0:
            guard let said = try? SyncStream(stream: stream, first: first) else { return }
            latest = nil
            handle(.heard(.stream(said), session: target))
        case 1:
            // An identifier that was sent, or one that the contact makes up.
            let known = sent.keys.sorted().randomElement(using: &dice) ?? 1
            let id = number(2) == 0 ? TextID(rawValue: Octets16(high: dice.next(), low: 1)) : sent[known]
            let last = id.flatMap { SyncReceipt.Last(stream: stream, number: number(3) == 0 ? first : known, id: $0) }
            if let last { named.insert(last) }
            guard let said = try? SyncReceipt(last: last, room: room) else { return }
            handle(.heard(.receipt(believed(said)), session: target))
        default:
            guard let id = TextID(rawValue: Octets16(high: dice.next(), low: 2)),
                let said = try? SyncMessage(number: first, id: id, writtenAt: 0, text: number(5) == 0 ? nil : "hello")
            else { return }
            handle(.heard(.message(accepted(said, expected)), session: target))
        }
    }

    /// Returns a receipt as it looks to a machine that compares no identifiers.
    private func believed(_ said: SyncReceipt) -> SyncReceipt {
        guard fault == .believesReceipts, let last = said.last, let id = sent[last.number],
            let changed = SyncReceipt.Last(stream: last.stream, number: last.number, id: id),
            let receipt = try? SyncReceipt(last: changed, room: said.room)
        else { return said }
        return receipt
    }

    /// Returns a text after a gap as it looks to a machine that accepts it.
    private mutating func accepted(_ said: SyncMessage, _ expected: UInt64) -> SyncMessage {
        guard fault == .storesAfterGap, said.number == expected + 1,
            let changed = try? SyncMessage(number: expected, id: said.id, writtenAt: 0, text: said.text)
        else { return said }
        given[said.id] = said.number
        return changed
    }

    private mutating func handle(_ event: SyncMachine.Event) {
        for effect in machine.handle(event, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: SyncMachine.Effect) {
        switch effect {
        case .send(.message(let text), let session):
            if !open.contains(session) { broken.append("sends in a session that is not open") }
            if queue[text.number]?.id != text.id { broken.append("sends what is not queued") }
            sent[text.number] = text.id
            if sent.keys.filter({ $0 > base }).count > 64 { broken.append("more than 64 texts are under way") }
        case .send: break
        case .end(let session, _):
            open.remove(session)
            ends += 1
        case .enqueue(let number, let id):
            queue[number] = try? SyncMessage(number: number, id: id, writtenAt: 0, text: "hello")
            handle(.enqueued(through: number))
        case .load(let numbers): handle(.loaded(numbers.compactMap { queue[$0] }))
        case .drop(let through):
            drops += 1
            guard let id = sent[through], named.contains(where: { $0.number == through && $0.id == id }) else {
                return broken.append("drops a text that was not sent, or not acknowledged with its identifier")
            }
            for number in queue.keys where number <= through { queue[number] = nil }
            base = through
            handle(.dropped(byteCount: 5))
        case .store(let arrival):
            stores += 1
            if arrival.arrival != UInt64(stored.count) + 1 { broken.append("arrivals are not counted one by one") }
            let number = given[arrival.message.id] ?? arrival.message.number
            if let latest, latest.stream == arrival.stream ? number != latest.number + 1 : true {
                broken.append("a number of a stream is missing, or comes twice or late")
            }
            latest = (arrival.stream, number)
            stored.append(arrival)
            if stored.count - Int(acknowledged) > 128 { broken.append("more than 128 texts are being stored") }
        case .deliver(let arrivals):
            if arrivals.upperBound > acknowledged { broken.append("delivers what is not stored") }
        case .forget, .refuse, .wake: break
        }
    }
}

@Suite struct `The delivery of texts, with a hostile contact` {
    /// Covers INK-SYN-009, INK-SYN-010, INK-SYN-025, INK-SYN-030.
    @Test func `drops only what was acknowledged by its identifier, and stores every number once and in order`()
        throws
    {
        var (drops, stores, ends) = (0, 0, 0)
        for seed in 0..<400 as Range<UInt64> {
            var contact = try HostileContact(seed: seed, fault: nil)
            contact.run(steps: 400)
            #expect(contact.broken == [], "seed \(seed)")
            drops += contact.drops
            stores += contact.stores
            ends += contact.ends
        }
        // The contact gets through often enough to show something.
        #expect(drops > 100 && stores > 1000 && ends > 1000)
    }

    @Test(arguments: HostileContact.Fault.allCases)
    private func `a broken promise is found`(fault: HostileContact.Fault) throws {
        let found = try (0..<50 as Range<UInt64>).contains { seed in
            var contact = try HostileContact(seed: seed, fault: fault)
            contact.run(steps: 400)
            return !contact.broken.isEmpty
        }
        #expect(found)
    }
}
