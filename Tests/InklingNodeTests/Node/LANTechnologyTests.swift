import InklingEngine
import InklingKeys
import InklingSession
import InklingTesting
import Testing

@testable import InklingNode

/// A `LANTechnology` with its surroundings: a clock that the test advances, and ports and a disk that work unless the
/// test sets an error.
private struct Bench {
    var lan: LANTechnology
    /// The effects so far, in words.
    var log: [String] = []
    var listenError: LinkError?
    var openError: DiscoveryError?
    var saveError: VaultError?
    /// Whether outcomes of the ports are held back until `releaseOutcomes`.
    var areOutcomesHeld = false
    private(set) var held: [LANOutcome] = []
    private(set) var now: ClockReading
    private(set) var opened: [Publication] = []
    private var randomness = NodeRandomness(SeededGenerator(seed: 1))
    private let tree: SecretBox<AudienceTree>
    private var port: UInt16 = 4000

    init(isVisible: Bool = true) {
        // One minute after a boundary.
        now = ClockReading(tick: Tick(milliseconds: 1_000_000), unixMilliseconds: 1_800_000_060_000)
        tree = SecretBox(AudienceTree(root: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span)))
        lan = LANTechnology(highWater: nil, isVisible: isVisible)
        tell(.started)
        tell(.timeAccepted)
    }

    var epoch: Epoch? { Epoch(containing: now.unixSeconds) }

    mutating func tell(_ event: LinkTechnologyEvent) {
        for effect in lan.handle(event, at: now, using: &randomness) { perform(effect) }
    }

    /// Advances time, firing the timer whenever it is due.
    mutating func advance(bySeconds seconds: UInt64) {
        let end = now.tick.advanced(byMilliseconds: seconds * 1000)
        while let due = lan.due, due <= end {
            move(to: max(due, now.tick))
            tell(.timerFired)
        }
        move(to: end)
    }

    mutating func advance(until isDone: (Bench) -> Bool) {
        for _ in 0..<2000 where !isDone(self) { advance(bySeconds: 1) }
    }

    /// Lets time pass without firing the timer.
    mutating func leap(bySeconds seconds: UInt64) { move(to: now.tick.advanced(byMilliseconds: seconds * 1000)) }

    /// Delivers the outcomes that were held back.
    mutating func releaseOutcomes() {
        areOutcomesHeld = false
        let outcomes = held
        held = []
        for outcome in outcomes { tell(.ports(.lan(outcome))) }
    }

    private mutating func move(to tick: Tick) {
        now = ClockReading(
            tick: tick, unixMilliseconds: now.unixMilliseconds + tick.milliseconds(since: now.tick))
    }

    private mutating func report(_ outcome: LANOutcome) {
        if areOutcomesHeld { held.append(outcome) } else { tell(.ports(.lan(outcome))) }
    }

    private mutating func perform(_ effect: LinkTechnologyEffect) {
        switch effect {
        case .command(.lan(let command)): perform(command)
        case .prepare(let epoch, let isDerived):
            guard !isDerived, let own = OwnEpoch(epoch, device: .first, of: tree.value, transport: .tcp) else {
                return
            }
            tell(.derived(own))
        case .useTable(let epoch):
            log.append("table")
            tell(.tableInUse(epoch))
        case .storeHighWater(let epoch):
            log.append("store")
            tell(.highWaterStored(epoch, saveError))
        case .closeLinks: log.append("close links")
        case .showing: log.append("showing")
        case .silent(let reason): log.append("silent: \(reason)")
        case .deaf, .command(.bluetooth): log.append("Bluetooth")
        case .imitated: log.append("imitated")
        case .listening(.success(let port)): log.append("listens on \(port)")
        case .listening(.failure): log.append("cannot listen")
        case .found(let replies, let endpoints): for reply in replies { reply.send(endpoints) }
        case .searchReadiness(let replies, let readiness): for reply in replies { reply.send(readiness) }
        case .recognise, .retire, .forget, .noteHighWater: break
        }
    }

    private mutating func perform(_ command: LANCommand) {
        switch command {
        case .listen(let number):
            log.append("listen")
            port += 1
            report(.listening(number, listenError.map { .failure($0) } ?? .success(port)))
        case .stopListening: log.append("stop listening")
        case .openServer(let number, let publication, _):
            log.append(publication.announced == nil ? "open server" : "open server, announced")
            opened.append(publication)
            report(.opened(number, openError))
        case .settled(let reply): reply.send(())
        case .answer(let instances): log.append("answer \(instances.count)")
        case .search: log.append("search")
        case .recognise: log.append("recognise")
        case .closeServer(let goodbye): log.append(goodbye ? "close server, goodbye" : "close server")
        }
    }
}

private func inviting(_ byte: UInt64 = 1) -> FirstContactNeeds {
    FirstContactNeeds(
        isInviting: true,
        answered: FirstContactNeeds.Answered(
            name: OpaqueServiceName(Octets16(high: 1, low: byte)), host: OpaqueHostName(Octets16(high: 2, low: byte))))
}

@Suite struct LANTechnologyTests {
    @Test func `publishing an epoch takes a table, a stored high-water mark, a port and a server, in this order`() {
        var bench = Bench()
        #expect(bench.log == [])
        bench.advance(bySeconds: 11)
        #expect(
            bench.log == [
                "table", "store", "listen", "listens on 4001", "open server, announced", "showing",
            ])
        #expect(bench.lan.shown == bench.epoch)
        #expect(bench.lan.silence == nil)
        #expect(bench.lan.isLooking)
        #expect(bench.opened.first?.announced?.port == 4001)
    }

    @Test func `at a boundary everything is closed, and the next epoch has another port and another name`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let first = bench.opened.last?.announced
        bench.log = []
        bench.advance(until: { $0.lan.shown == nil })
        #expect(bench.log == ["silent: between two epochs", "close server, goodbye", "close links", "stop listening"])
        bench.log = []
        bench.advance(until: { $0.lan.shown != nil })
        #expect(
            bench.log == [
                "table", "store", "listen", "listens on 4002", "open server, announced", "showing",
            ])
        #expect(bench.opened.last?.announced?.port == 4002)
        #expect(bench.opened.last?.announced?.name != first?.name)
    }

    @Test func `an epoch is not shown until its high-water mark is stored`() {
        var bench = Bench()
        bench.saveError = VaultError(.diskFull, "vault")
        bench.advance(bySeconds: 100)
        #expect(!bench.log.contains("listen"))
        #expect(bench.lan.silence == .vault(VaultError(.diskFull, "vault")))
        bench.saveError = nil
        bench.advance(bySeconds: 26)
        #expect(bench.lan.shown == bench.epoch)
    }

    @Test func `a port or a server that cannot be opened is tried again after 15 seconds`() {
        var bench = Bench()
        bench.listenError = .unreachable(code: 24)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.silence == .links(.unreachable(code: 24)))
        bench.listenError = nil
        bench.openError = .noNetwork
        bench.advance(bySeconds: 26)
        #expect(bench.lan.silence == .discovery(.noNetwork))
        #expect(!bench.log.contains("showing"))
        bench.openError = nil
        bench.advance(bySeconds: 26)
        #expect(bench.log.last == "showing")
    }

    @Test func `ignores reports of a server that has been closed`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.areOutcomesHeld = true
        bench.tell(.networkChanged)
        bench.advance(bySeconds: 11)
        // The network changes again while the port for the new publication is being opened.
        bench.tell(.networkChanged)
        bench.releaseOutcomes()
        #expect(bench.lan.shown == nil)
        #expect(bench.log.last == "stop listening")
        bench.advance(bySeconds: 11)
        #expect(bench.log.last == "showing")
        #expect(bench.lan.shown == bench.epoch)
    }

    /// Covers INK-MDN-014.
    @Test func `a node whose name another device shows stays visible and reports it`() throws {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let shown = try #require(bench.lan.shown)
        bench.log = []
        bench.tell(.ports(.lan(.event(1, .imitated))))
        #expect(bench.log == ["imitated"])
        #expect(bench.lan.shown == shown)
    }

    /// Covers INK-ROT-011.
    @Test func `an invisible node opens a server only for an invitation, after a silent gap`() {
        var bench = Bench(isVisible: false)
        bench.advance(bySeconds: 200)
        #expect(bench.log == [])
        bench.tell(.firstContactNeeds(inviting()))
        #expect(bench.log == [])
        bench.advance(bySeconds: 11)
        #expect(bench.log == ["table", "store", "listen", "listens on 4001", "open server"])
        #expect(bench.opened.last?.answered.map(\.port) == [4001])
        #expect(bench.opened.last?.browses == false)
        #expect(bench.lan.shown == nil)
        #expect(bench.lan.silence == .invisible)
        bench.log = []
        bench.tell(.firstContactNeeds(inviting(2)))
        #expect(bench.log == ["answer 1"])
        bench.log = []
        bench.tell(.firstContactNeeds(FirstContactNeeds()))
        #expect(bench.log == ["close server", "close links", "stop listening"])
        bench.log = []
        bench.advance(bySeconds: 2000)
        #expect(bench.log == [])
    }

    /// Covers INK-ROT-011.
    @Test func `the invitation of an invisible node keeps the silence at a boundary and gets another port`() throws {
        var bench = Bench(isVisible: false)
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 11)
        #expect(bench.opened.count == 1)
        let epoch = bench.epoch
        bench.log = []
        bench.advance(until: { $0.log.contains("stop listening") })
        // Before the boundary, and silent until after it.
        #expect(bench.log == ["close server", "close links", "stop listening"])
        #expect(bench.epoch == epoch)
        bench.log = []
        bench.tell(.firstContactNeeds(inviting(2)))
        #expect(bench.log == [])
        bench.advance(until: { $0.opened.count == 2 })
        #expect(bench.epoch == epoch?.next)
        #expect(bench.log == ["table", "store", "listen", "listens on 4002", "open server"])
        #expect(bench.opened.last?.answered.map(\.port) == [4002])
        #expect(bench.opened.last?.answered.map(\.name) == [OpaqueServiceName(Octets16(high: 1, low: 2))])
    }

    /// Covers INK-ROT-011, INK-ROT-040.
    @Test(arguments: [true, false])
    func `while time is refused nothing is opened, not even for a first contact`(isVisible: Bool) {
        var bench = Bench(isVisible: isVisible)
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.timeRefused(.unsupported))
        #expect(bench.log.contains("stop listening"))
        #expect(bench.log.contains("close server"))
        bench.log = []
        bench.tell(.firstContactNeeds(inviting(2)))
        bench.tell(.firstContactNeeds(FirstContactNeeds(isSearching: true)))
        let search = Reply<SearchReadiness>()
        bench.tell(.prepareSearch(search, mayWait: false))
        #expect(search.sent == .unavailable)
        bench.advance(bySeconds: 2000)
        #expect(!bench.log.contains { $0.hasPrefix("open server") || $0 == "listen" })
        bench.tell(.firstContactNeeds(inviting(3)))
        #expect(bench.log.last == "cannot listen")
        bench.tell(.timeAccepted)
        bench.advance(bySeconds: 11)
        #expect(bench.opened.last?.answered.count == 1)
    }

    /// Covers INK-ROT-002.
    @Test func `an outcome that comes after the end of an epoch opens nothing for it`() {
        var bench = Bench()
        bench.areOutcomesHeld = true
        bench.advance(bySeconds: 11)
        #expect(bench.log.last == "listen")
        bench.log = []
        // The program was stopped and goes on in the next epoch; the outcome is processed before any timer.
        bench.leap(bySeconds: 1000)
        bench.releaseOutcomes()
        #expect(!bench.log.contains { $0.hasPrefix("open server") }, "\(bench.log)")
        #expect(bench.lan.shown == nil)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.shown == bench.epoch)
        #expect(bench.opened.count == 1)
    }

    /// Covers INK-ROT-011.
    @Test func `the invitation of an invisible node has another port and a gap in the next epoch`() {
        var bench = Bench(isVisible: false)
        bench.advance(bySeconds: 200)
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.advance(until: { !$0.lan.isLooking })
        #expect(bench.log == ["close server", "close links", "stop listening"])
        // The new name is not answered in the gap.
        bench.tell(.firstContactNeeds(inviting(2)))
        #expect(bench.log == ["close server", "close links", "stop listening"])
        bench.advance(until: { $0.lan.isLooking })
        #expect(bench.opened.map { $0.answered.map(\.port) } == [[4001], [4002]])
        #expect(bench.opened.map(\.announced) == [nil, nil])
    }

    /// Covers INK-ROT-011.
    @Test func `nothing is opened for an invitation while time is not accepted`() {
        var bench = Bench(isVisible: false)
        bench.tell(.timeRefused(.unsupported))
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 100)
        // The inviter learns that there will be no port.
        #expect(bench.log == ["cannot listen"])
        bench.tell(.timeAccepted)
        bench.advance(bySeconds: 11)
        #expect(bench.log.last == "open server")
        bench.log = []
        bench.tell(.timeRefused(.unsupported))
        #expect(bench.log == ["close server", "close links", "stop listening", "cannot listen"])
    }

    @Test func `an inviter who waits for the end of the gap learns that time is refused`() {
        var bench = Bench(isVisible: false)
        bench.tell(.firstContactNeeds(inviting()))
        #expect(bench.log == [])
        bench.tell(.timeRefused(.unsupported))
        #expect(bench.log == ["cannot listen"])
    }

    @Test func `new generations are shown under another name, after a gap`() throws {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.audienceWithdrawn)
        bench.tell(.visibilityChanged(true))
        #expect(bench.log == ["silent: between two epochs", "close server", "close links", "stop listening"])
        #expect(bench.lan.ownEpochs.count == 1)
        bench.advance(bySeconds: 11)
        #expect(bench.log.last == "showing")
    }

    /// Covers INK-PAIR-011.
    @Test
    func `a withdrawn audience is followed by none before every technology is silent, also not for an invitation`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.audienceWithdrawn)
        #expect(bench.log == ["silent: between two epochs", "close server", "close links", "stop listening"])
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 30)
        #expect(bench.log.count == 4)
        #expect(bench.lan.ownEpochs.isEmpty)
        bench.tell(.visibilityChanged(true))
        bench.advance(bySeconds: 11)
        #expect(bench.log.suffix(2) == ["open server, announced", "showing"])
    }

    /// Covers INK-HSK-036, INK-MDN-013.
    @Test func `what is answered without announcement is tried at the gate when it was asked for`() throws {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let epoch = try #require(bench.epoch)
        let tree = AudienceTree(root: SecretBytes(copying: [UInt8](repeating: 8, count: 32).span))
        let reader = UserID(Octets16(high: 0, low: 1))
        let own = try unwrap(OwnEpoch(epoch, device: .first, of: tree, transport: .tcp, reader: reader))
        bench.log = []
        bench.tell(.unannounced([own], in: epoch))
        #expect(bench.log == ["answer 1"])
        #expect(bench.lan.answered.map(\.reader) == [nil])
        bench.tell(.ports(.lan(.event(1, .asked(OpaqueServiceName(Octets16(high: 0, low: 0)))))))
        #expect(bench.lan.answered.count == 1)
        bench.tell(.ports(.lan(.event(1, .asked(own.name)))))
        #expect(bench.lan.answered.map(\.reader) == [nil, reader])
        bench.tell(.unannounced([], in: epoch))
        #expect(bench.lan.answered.count == 1)
        bench.tell(.unannounced([own], in: epoch))
        #expect(bench.lan.answered.count == 1)
        // An audience that is withdrawn takes what was answered beside it along.
        bench.tell(.ports(.lan(.event(1, .asked(own.name)))))
        bench.tell(.audienceWithdrawn)
        #expect(bench.lan.answered.isEmpty)
    }

    @Test func `an invitation in the silent gap waits for its end`() {
        var bench = Bench()
        bench.tell(.firstContactNeeds(inviting()))
        #expect(bench.log == [])
        bench.advance(bySeconds: 11)
        #expect(bench.log.suffix(2) == ["open server, announced", "showing"])
        #expect(bench.opened.count == 1)
        #expect(bench.opened.first?.answered.count == 1)
    }

    @Test func `an invitation while an epoch is shown uses the open server`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.firstContactNeeds(inviting()))
        #expect(bench.log == ["listens on 4001", "answer 1"])
        bench.log = []
        bench.tell(.firstContactNeeds(FirstContactNeeds()))
        #expect(bench.log == ["answer 0"])
    }

    @Test func `every search gets a reply, at the latest when the server closes`() {
        var bench = Bench()
        let name = OpaqueServiceName(Octets16(high: 5, low: 5))
        let endpoint = Endpoint(address: .v4(1), port: 2)
        let (early, found, lost) = (Reply<[Endpoint]>(), Reply<[Endpoint]>(), Reply<[Endpoint]>())
        bench.tell(.search(name, nil, early))
        #expect(early.sent == [])
        bench.advance(bySeconds: 11)
        bench.tell(.search(name, nil, found))
        #expect(found.sent == nil)
        bench.tell(.ports(.lan(.event(1, .found(name, [endpoint])))))
        #expect(found.sent == [endpoint])
        bench.tell(.search(name, nil, lost))
        bench.tell(.networkChanged)
        #expect(lost.sent == [])
    }

    @Test func `a search for an inviter waits for the end of the gap unless it must not wait`() {
        var bench = Bench()
        let (first, second, forced) = (
            Reply<SearchReadiness>(), Reply<SearchReadiness>(), Reply<SearchReadiness>()
        )
        bench.tell(.firstContactNeeds(FirstContactNeeds(isSearching: true)))
        bench.tell(.prepareSearch(first, mayWait: true))
        #expect(first.sent == .wait)
        bench.tell(.prepareSearch(forced, mayWait: false))
        #expect(forced.sent == .unavailable)
        bench.advance(bySeconds: 11)
        bench.tell(.prepareSearch(second, mayWait: true))
        #expect(second.sent == .ready)
    }

    /// Covers INK-ROT-013.
    @Test func `connections may begin only while something is shown`() {
        var bench = Bench()
        #expect(!bench.lan.mayConnect)
        bench.areOutcomesHeld = true
        bench.advance(bySeconds: 11)
        // The gap is over, and the port is not open yet.
        #expect(!bench.lan.mayConnect)
        bench.releaseOutcomes()
        #expect(bench.lan.mayConnect)
        bench.tell(.networkChanged)
        #expect(!bench.lan.mayConnect)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.mayConnect)
        bench.tell(.timeRefused(.unsupported))
        #expect(!bench.lan.mayConnect)
        bench.tell(.timeAccepted)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.mayConnect)
        bench.tell(.visibilityChanged(false))
        #expect(!bench.lan.mayConnect)
        // Discovery that fails does not keep a joiner from an inviter whose address is known.
        bench.openError = .noNetwork
        bench.tell(.firstContactNeeds(FirstContactNeeds(isSearching: true)))
        #expect(!bench.lan.mayConnect)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.mayConnect && !bench.lan.isLooking)
    }

    @Test func `stopping closes everything and replies to every search`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let search = Reply<[Endpoint]>()
        bench.tell(.search(OpaqueServiceName(Octets16(high: 5, low: 5)), nil, search))
        bench.log = []
        bench.tell(.stop)
        #expect(bench.log == ["silent: stopped", "close server", "stop listening"])
        #expect(search.sent == [])
    }
}
