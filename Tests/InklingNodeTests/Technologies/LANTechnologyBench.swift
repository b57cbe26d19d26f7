import InklingEngine
import InklingKeys
import InklingTesting
import InklingWire

@testable import InklingNode
@testable import InklingVault

/// A `LANTechnology` with its surroundings: a clock that the test advances, and ports and a disk that work unless the
/// test sets an error.
struct LANTechnologyBench {
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
        advance(byMilliseconds: seconds * 1000)
    }

    private mutating func advance(byMilliseconds milliseconds: UInt64) {
        let end = now.tick.advanced(byMilliseconds: milliseconds)
        while let due = lan.due, due <= end {
            move(to: max(due, now.tick))
            tell(.timerFired)
        }
        move(to: end)
    }

    mutating func advance(until isDone: (Self) -> Bool) {
        for _ in 0..<20_000 where !isDone(self) { advance(byMilliseconds: 100) }
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
        case .deaf, .crowded, .command(.bluetooth): log.append("Bluetooth")
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
