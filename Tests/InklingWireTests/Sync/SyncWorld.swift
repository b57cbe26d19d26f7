import InklingKeys
import InklingTesting
import InklingWire

/// Two simulated devices, the links between them, and everything that can happen to them, drawn from a seed.
struct SyncWorld {
    /// A rule that is broken, so that the simulation must find it.
    enum Fault: CaseIterable {
        /// The store reports writes before they are durable.
        case storesLater
        /// The queue drops texts when they are sent.
        case dropsWhenSent
        /// An identifier in a receipt is not compared, as if every queue knew what the receiver names.
        case comparesNoIdentifiers
        /// A process goes on in the stream of the one before it.
        case keepsStream
        /// A text is sometimes stored without its number, so that after a crash it seems not to have come.
        case forgetsPosition
        /// The application reads what is not yet stored.
        case readsEarly
    }

    /// The events that can happen besides the ordinary ones.
    struct Weather {
        var crashes = true
        /// Copies of the first device take its place, any of them and any number of times.
        var restores = false
        var failures = true
        var withdrawals = true
    }

    enum Packet {
        case hello
        case record(SyncRecord)
    }

    struct Link {
        let id: UInt64
        var toward: [[Packet]] = [[.hello], [.hello]]
        var isOpen = [false, false]
        /// Sides that have not yet noticed the end.
        var unaware = [false, false]
        var isCut = false
    }

    /// The number of rounds in which two devices must have settled everything; a few thousand are usual.
    static let roundLimit = 100_000

    var dice: SeededGenerator
    let weather: Weather
    let fault: Fault?
    var devices: [SyncDevice]
    var links: [Link] = []
    /// Copies of each device, the latest last.
    var backups: [[SyncDevice.Backup]] = [[], []]
    var now = Tick(milliseconds: 0)
    var linkCount: UInt64 = 0
    var restores = [0, 0]
    /// The number of processes of each device that have ended.
    var ends = [0, 0]
    var violations: [SyncMachine.Violation] = []
    var faults: [String] = []

    init(seed: UInt64, _ weather: Weather = Weather(), fault: Fault? = nil) {
        dice = SeededGenerator(seed: seed)
        self.weather = weather
        self.fault = fault
        devices = []
        for _ in 0..<2 { devices.append(SyncDevice(stream: drawStream())) }
    }

    private mutating func drawStream() -> StreamID { StreamID(rawValue: dice.next() | 1) ?? drawStream() }
    private mutating func drawID() -> TextID { TextID(rawValue: Octets16(high: dice.next(), low: 1)) ?? drawID() }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &dice) < percent }

    // MARK: Running

    /// Lives through `steps` events, then lets everything come to rest, and returns the faults.
    mutating func run(steps: Int) -> [String] {
        for side in 0...1 { handle(.started, side) }
        for _ in 0..<steps where faults.isEmpty { step() }
        settle()
        for sender in 0...1 { judge(sender) }
        return faults
    }

    private mutating func step() {
        let side = Int.random(in: 0...1, using: &dice)
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<12: queue(side)
        case 12..<15 where links.filter { !$0.isCut }.count < 3: openLink()
        case 15..<17: cut()
        case 17..<18 where weather.crashes: crash(side)
        case 18..<19 where weather.withdrawals: withdraw(side)
        case 19..<21: copy(side)
        case 21..<22: restore(side)
        case 22..<36: synchronise(side)
        case 36..<48: answerLoad(side)
        case 48..<58: read(side)
        case 58..<60: pass(1_000)
        case 60..<64: notice(side)
        default: carry(side)
        }
    }

    private mutating func handle(_ event: SyncMachine.Event, _ side: Int) {
        let effects = devices[side].machine.handle(event, at: now)
        for effect in effects { perform(effect, side) }
    }

    private mutating func perform(_ effect: SyncMachine.Effect, _ side: Int) {
        switch effect {
        case .send(let record, let session):
            guard let link = links.firstIndex(where: { $0.id == session && !$0.isCut }) else { return }
            if fault == .dropsWhenSent, case .message(let message) = record {
                devices[side].write(.drop(message.number))
            }
            links[link].toward[1 - side].append(.record(record))
        case .end(let session, let violation):
            violations.append(violation)
            guard let link = links.firstIndex(where: { $0.id == session }) else { return }
            cut(link)
        case .enqueue(let number, let id):
            guard let text = devices[side].written[id],
                let message = try? SyncMessage(number: number, id: id, writtenAt: 0, text: text)
            else { return faults.append("enqueues an unknown text") }
            devices[side].write(.enqueue(message))
        case .refuse: break
        case .load(let range):
            if devices[side].load != nil { faults.append("loads twice at once") }
            if range.count > Int(SyncMachine.loadLimit) { faults.append("loads too much") }
            devices[side].load = range
        case .drop(let number):
            for (kept, message) in devices[side].working.queue where kept <= number {
                devices[side].dropped.insert(message.id)
            }
            devices[side].write(.drop(number))
        case .forget(let number): devices[side].write(.drop(number))
        case .store(let arrival):
            devices[side].write(.store(arrival))
            if fault == .readsEarly, arrival.message.text != nil { devices[side].log.append(arrival.message.id) }
        case .deliver(let range): devices[side].deliverable = max(devices[side].deliverable, range.upperBound)
        case .wake: break
        }
        if fault == .storesLater { confirm(devices[side].unsynchronised.suffix(1), side, isEarly: true) }
    }

    // MARK: What can happen

    private mutating func queue(_ side: Int) {
        let id = drawID()
        let text = String(repeating: "x", count: chance(10) ? 8_192 : 5)
        devices[side].written[id] = text
        handle(.queued(id, byteCount: text.utf8.count), side)
    }

    private mutating func openLink() {
        linkCount += 1
        links.append(Link(id: linkCount))
    }

    private mutating func cut() {
        guard let link = links.indices.filter({ !links[$0].isCut }).randomElement(using: &dice) else { return }
        cut(link)
    }

    private mutating func cut(_ link: Int) {
        links[link].isCut = true
        links[link].toward = [[], []]
        links[link].unaware = links[link].isOpen
    }

    private mutating func notice(_ side: Int) {
        guard let link = links.firstIndex(where: { $0.isCut && $0.unaware[side] }) else { return }
        links[link].unaware[side] = false
        handle(.closed(session: links[link].id), side)
        links.removeAll { $0.isCut && $0.unaware == [false, false] }
    }

    private mutating func carry(_ side: Int) {
        guard let link = links.indices.filter({ !links[$0].toward[side].isEmpty }).randomElement(using: &dice)
        else { return }
        let packet = links[link].toward[side].removeFirst()
        let id = links[link].id
        switch packet {
        case .hello:
            links[link].isOpen[side] = true
            handle(.opened(session: id), side)
        case .record(let record): handle(.heard(seen(record, side), session: id), side)
        }
    }

    /// Returns a receipt as it looks to a sender that does not compare identifiers.
    private func seen(_ record: SyncRecord, _ side: Int) -> SyncRecord {
        guard fault == .comparesNoIdentifiers, case .receipt(let receipt) = record,
            let last = receipt.last
        else { return record }
        let image = devices[side].working
        guard let id = image.queue[last.number]?.id,
            let changed = SyncReceipt.Last(stream: last.stream, number: last.number, id: id),
            let receipt = try? SyncReceipt(last: changed, room: receipt.room)
        else { return record }
        return .receipt(receipt)
    }

    private mutating func synchronise(_ side: Int) {
        if weather.failures, chance(3) { return fail(side) }
        // A prefix of the writes.
        let count = Int.random(in: 0...devices[side].unsynchronised.count, using: &dice)
        let writes = devices[side].unsynchronised.prefix(count)
        devices[side].unsynchronised.removeFirst(count)
        for write in writes {
            let before = devices[side].durable.last
            devices[side].durable.apply(write)
            switch write {
            case .enqueue(let message): devices[side].ledger[message.number] = message.id
            case .store where fault == .forgetsPosition:
                if let before, chance(50) { devices[side].durable.last = before }
            default: break
            }
        }
        if fault != .storesLater { confirm(writes, side, isEarly: false) }
    }

    private mutating func confirm(_ writes: ArraySlice<SyncImage.Write>, _ side: Int, isEarly: Bool) {
        for write in writes {
            switch write {
            case .enqueue(let message): handle(.enqueued(through: message.number), side)
            case .store(let arrival): handle(.stored(through: arrival.arrival), side)
            case .take(let arrival): handle(.taken(through: arrival, byteCount: 0), side)
            case .drop: handle(.dropped(byteCount: 5), side)
            case .withdraw(let number): noteWithdrawn(number, side)
            }
        }
    }

    /// The disk fails: texts that are not synchronised are lost, and the machine is told.
    private mutating func fail(_ side: Int) {
        let writes = devices[side].unsynchronised
        var kept: [SyncImage.Write] = []
        var first: UInt64?
        var isText = false
        for write in writes {
            switch write {
            case .enqueue(let message): first = min(first ?? message.number, message.number)
            case .store: isText = true
            case .withdraw: break
            case .drop, .take: kept.append(write)
            }
        }
        devices[side].working = devices[side].durable
        for write in kept { devices[side].working.apply(write) }
        devices[side].unsynchronised = kept
        if let first { handle(.notEnqueued(from: first), side) }
        if isText { handle(.notStored, side) }
    }

    private mutating func answerLoad(_ side: Int) {
        guard let range = devices[side].load else { return }
        devices[side].load = nil
        // The store returns as much as it likes.
        let texts = range.compactMap { devices[side].working.queue[$0] }
        handle(.loaded(Array(texts.prefix(Int.random(in: 1...16, using: &dice)))), side)
    }

    private mutating func read(_ side: Int) {
        let device = devices[side]
        let next = device.working.taken + 1
        guard next <= device.deliverable else { return }
        if next > device.durable.arrivals, fault != .storesLater { faults.append("delivers before it is stored") }
        if let message = device.working.inbox[next], fault != .readsEarly {
            if devices[side].seen.insert(message.id).inserted { devices[side].log.append(message.id) }
        }
        devices[side].write(.take(next))
    }

    private mutating func withdraw(_ side: Int) {
        guard let number = devices[side].durable.queue.keys.randomElement(using: &dice),
            let message = devices[side].working.queue[number]
        else { return }
        devices[side].withdrawn.insert(message.id)
        devices[side].write(.withdraw(number))
    }

    private mutating func noteWithdrawn(_ number: UInt64, _ side: Int) {
        let image = devices[side].working
        var last = image.base
        while let next = image.queue[last + 1], next.text == nil { last += 1 }
        if last > image.base { handle(.withdrawn(through: last), side) }
    }

    private mutating func crash(_ side: Int) {
        if !devices[side].crash(as: nextStream(side)) { faults.append("the stored fields do not fit") }
        leave(side)
    }

    private mutating func copy(_ side: Int) {
        backups[side].append(SyncDevice.Backup(image: devices[side].durable, ledger: devices[side].ledger))
    }

    private mutating func restore(_ side: Int) {
        guard side == 0, weather.restores, let backup = backups[side].randomElement(using: &dice) else { return }
        restores[side] += 1
        if !devices[side].restore(backup, as: nextStream(side)) { faults.append("the restored fields do not fit") }
        leave(side)
    }

    /// The stream of the next process.
    private mutating func nextStream(_ side: Int) -> StreamID {
        fault == .keepsStream ? devices[side].machine.stream : drawStream()
    }

    /// The process ends: its links are cut, and it begins again.
    private mutating func leave(_ side: Int) {
        ends[side] += 1
        for link in links.indices {
            cut(link)
            links[link].unaware[side] = false
        }
        handle(.started, side)
    }

    private mutating func pass(_ milliseconds: UInt64) {
        now = now.advanced(by: .milliseconds(milliseconds))
        for side in 0...1 { handle(.timerFired, side) }
    }

    // MARK: The end

    /// Nothing fails any more, and one link stays.
    private mutating func settle() {
        for link in links.indices where !links[link].isCut { cut(link) }
        openLink()
        var (rest, rounds) = (0, 0)
        while faults.isEmpty, rest < 12 {
            rounds += 1
            if rounds > Self.roundLimit { return faults.append("it does not come to rest") }
            if isAtRest {
                rest += 1
                pass(15_000)
            } else {
                rest = 0
            }
            let side = Int.random(in: 0...1, using: &dice)
            notice(side)
            carry(side)
            answerLoad(side)
            let writes = devices[side].unsynchronised[...]
            devices[side].unsynchronised = []
            for write in writes {
                devices[side].durable.apply(write)
                if case .enqueue(let message) = write { devices[side].ledger[message.number] = message.id }
            }
            if fault != .storesLater { confirm(writes, side, isEarly: false) }
            read(side)
            if !links.contains(where: { !$0.isCut }) { openLink() }
        }
    }

    /// Whether nothing but time is pending.
    private var isAtRest: Bool {
        devices.allSatisfy { $0.unsynchronised.isEmpty && $0.load == nil && $0.working.taken >= $0.deliverable }
            && links.allSatisfy { $0.isCut ? $0.unaware == [false, false] : $0.toward.allSatisfy(\.isEmpty) }
    }

    private mutating func judge(_ sender: Int) {
        let (own, other) = (devices[sender], devices[1 - sender])
        let log = other.log
        if Set(log).count != log.count { faults.append("\(sender): a text arrived twice") }
        // A text that was on its way when a process ended, or had reached the other device from another copy, may come
        // again.
        if other.durable.repeats > 0, ends[sender] == 0 { faults.append("\(sender): a text was stored twice") }
        // The receiver of texts that was restored has lost some of them.
        guard restores[1 - sender] == 0 else { return }
        let expected = own.ledger.sorted { $0.key < $1.key }.map(\.value)
        let missing = expected.filter { !own.withdrawn.contains($0) && !Set(log).contains($0) }
        if !missing.isEmpty { faults.append("\(sender): \(missing.count) of \(expected.count) texts are missing") }
        // One that was withdrawn waits again, behind texts that have arrived, when a crash or a copy undoes that.
        let late = ends[sender] == 0 ? [] : own.withdrawn
        let ordered = log.filter { !own.disowned.contains($0) && !late.contains($0) }
        if ordered != expected.filter({ Set(log).contains($0) && !late.contains($0) }) {
            faults.append("\(sender): the order is wrong")
        }
        if !Set(log).isSubset(of: own.disowned.union(expected)) { faults.append("\(sender): an unknown text arrived") }
        for id in own.dropped where !Set(log).contains(id) && !own.withdrawn.contains(id) {
            faults.append("\(sender): dropped a text that did not arrive")
            return
        }
    }
}
