import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@Suite struct `Random walks of recognition` {
    // Contacts 7 and 8 hold copies of the keys of 1 and 2.
    private static let people = (1...8).map {
        person(ContactID(rawValue: $0), root: UInt8(($0 - 1) % 6 + 1), devices: [0, 1])
    }

    /// Covers INK-RCG-017, INK-RCG-034.
    @Test(arguments: 0..<24 as Range<UInt64>)
    func `arrivals and departures alternate, only handshakes confirm, and the budgets hold`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var history:
            [(milliseconds: Int, ahead: Int, event: RecognitionEngine.Event, effects: [RecognitionEngine.Effect])] = []
        var policy = RecognitionPolicy()
        policy.nameLimit = 12
        policy.contactLimit = 7
        var engine = RecognitionEngine(policy: policy)
        var milliseconds = 0
        var ahead = 0
        var wake: Tick?
        var states: [ContactID: PresenceState] = [:]
        var arrived: Set<ContactID> = []
        var running: [(attempt: Attempt, end: Int)] = []
        var starts: [Int] = []
        var tried: [[UInt32]: Int] = [:]
        var failedLinks: Set<[UInt32]> = []
        var repeats: [Int] = []
        var table = PredictedTable()

        func fail(_ what: String, _ place: SourceLocation = #_sourceLocation) {
            let events = history.map { line in
                let event = if case .tableReplaced = line.event { "table" } else { "\(line.event)" }
                return "\(line.milliseconds) ahead \(line.ahead): \(event) -> \(line.effects)"
            }
            Issue.record("seed \(seed): \(what)\n\(events.joined(separator: "\n"))", sourceLocation: place)
        }

        for step in 0..<400 {
            let jump = Int.random(in: 0..<100, using: &generator)
            if let wake, jump < 50 {
                milliseconds = max(milliseconds, Int(wake.milliseconds - tick(0).milliseconds))
            } else {
                milliseconds += Int.random(in: 0...[100, 3000, 20_000, 200_000][jump % 4], using: &generator)
            }
            if jump >= 98 { ahead += [-7200, 3 * 86_400, 60].randomElement(using: &generator) ?? 0 }
            let now = reading(milliseconds, ahead: ahead)
            let current = Epoch(containing: now.unixSeconds) ?? epochZero
            let contact = ContactID(rawValue: UInt32.random(in: 1...9, using: &generator))
            let device = Bool.random(using: &generator) ? DeviceIndex.first : DeviceIndex(1) ?? .first
            let near = Epoch(UInt32(Int(current.number) + Int.random(in: -2...2, using: &generator))) ?? current
            let shown =
                Int.random(in: 0..<4, using: &generator) == 0
                ? stranger(step) : name(root: UInt8.random(in: 1...6, using: &generator), near, device: device.number)
            let event: RecognitionEngine.Event
            switch step < 8 ? 0 : Int.random(in: 0..<40, using: &generator) {
            case 0: event = .contactAdded(ContactID(rawValue: UInt32(step % 8 + 1)))
            case 1...3:
                table = PredictedTable(of: Self.people, around: current, reusing: table)
                event = .tableReplaced(table)
            case 4...12: event = .nameAppeared(shown, observed: ObservedTime(at: now))
            case 13...16: event = .nameVanished(shown)
            case 17: event = .namesForgotten
            case 18...20: event = .confirmed(contact, device, Bool.random(using: &generator) ? .initiator : .responder)
            case 21...23: event = .sessionEnded(contact, device)
            case 24: event = .sessionHeard(contact, device)
            case 25: event = .contactRemoved(contact)
            case 26...30:
                if let attempt = running.randomElement(using: &generator)?.attempt {
                    let why = [AttemptFailure.silent, .unreachable, .reset, .refused].randomElement(using: &generator)
                    event = .attemptFailed(attempt, why ?? .silent)
                } else {
                    event = .timerFired
                }
            default: event = .timerFired
            }
            running.removeAll { $0.end <= milliseconds }
            if case .attemptFailed(let attempt, let why) = event {
                running.removeAll { $0.attempt == attempt }
                let key = [attempt.prediction.contact.rawValue, attempt.prediction.epoch.number]
                if why == .unreachable || why == .reset { failedLinks.insert(key) }
            }
            switch event {
            case .confirmed(let contact, _, .initiator, _), .contactRemoved(let contact):
                running.removeAll { $0.attempt.prediction.contact == contact }
            default: break
            }

            let effects = engine.handle(event, at: now, using: &generator)
            history.append((milliseconds, ahead, event, effects))
            for effect in effects {
                switch effect {
                case .outsideWindow(let predictions):
                    if predictions.isEmpty { fail("outsideWindow without predictions") }
                case .stateChanged(let contact, let from, let to):
                    if states[contact, default: .unseen] != from {
                        fail("the change does not begin with the last state")
                    }
                    if case .confirmed(let moment) = to, moment != now.tick {
                        guard case .stale(.some(moment)) = from else {
                            fail("confirmed without a handshake, and not from stale")
                            continue
                        }
                    }
                    if !from.isPresent, to.isPresent {
                        guard case .confirmed(contact, _, _, _) = event else {
                            fail("arrived without a handshake")
                            continue
                        }
                    }
                    states[contact] = to
                case .confirm(let attempt):
                    starts.removeAll { milliseconds - $0 >= 60_000 }
                    starts.append(milliseconds)
                    running.append((attempt, milliseconds + 15_000))
                    if starts.count > 6 { fail("more than six attempts in a minute") }
                    if running.count > 2 { fail("more than two attempts at once") }
                    let contact = attempt.prediction.contact
                    let key = [contact.rawValue, attempt.prediction.epoch.number]
                    let isRepeat = tried[key] != nil
                    if isRepeat, failedLinks.remove(key) == nil { fail("repeated without a failed link") }
                    if isRepeat {
                        repeats.removeAll { milliseconds - $0 >= 60_000 }
                        repeats.append(milliseconds)
                        if repeats.count > 2 { fail("more than two repeats in a minute") }
                    }
                    tried[key, default: 0] += 1
                    if tried[key, default: 0] > 4 { fail("a fifth attempt at a contact in one epoch") }
                    if states[contact]?.isPresent != true, states[contact] != .probable, states[contact] != .candidate {
                        fail("an attempt without evidence")
                    }
                case .replayed: break
                case .contested, .readTag: fail("an effect of the radio, which is not in use")
                case .arrived(let contact):
                    if states[contact]?.isPresent != true || !arrived.insert(contact).inserted {
                        fail("a wrong arrival")
                    }
                case .left(let contact):
                    if states[contact]?.isPresent == true || arrived.remove(contact) == nil {
                        fail("a wrong departure")
                    }
                case .wake(let moment):
                    if moment <= now.tick { fail("a wake in the past") }
                    wake = moment
                }
            }
            if case .contactRemoved(let contact) = event {
                states[contact] = nil
                // A contact that is added again is a new one, with an attempt of its own.
                tried = tried.filter { $0.key[0] != contact.rawValue }
            }
            let footprint = engine.footprint
            if footprint.names > 12 || footprint.contacts > 7 || footprint.evidence > 7 || footprint.planned > 7 {
                fail("a collection is beyond its limit: \(footprint)")
            }
            for (contact, state) in states where engine.state(of: contact) != state {
                fail("the state was not reported")
            }
        }
    }

    /// Covers INK-RCG-032.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every presence ends if no further events arrive`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var engine = RecognitionEngine()
        var wakes: [Tick] = []
        func note(_ effects: [RecognitionEngine.Effect]) {
            for case .wake(let moment) in effects { wakes.append(moment) }
        }
        for person in Self.people {
            note(engine.handle(.contactAdded(person.contact), at: reading(0), using: &generator))
        }
        let table = PredictedTable(of: Self.people, around: epochZero)
        note(engine.handle(.tableReplaced(table), at: reading(0), using: &generator))
        for person in Self.people {
            let observed = ObservedTime(at: reading(1000))
            let shown = name(root: UInt8((person.contact.rawValue - 1) % 6 + 1), epochZero)
            note(engine.handle(.nameAppeared(shown, observed: observed), at: reading(1000), using: &generator))
            if Bool.random(using: &generator) {
                note(
                    engine.handle(.confirmed(person.contact, .first, .responder), at: reading(1500), using: &generator))
            }
        }
        // From here on only the timer fires, at the moments of `wake`; no attempt, session or name is reported.
        for _ in 0..<400 {
            guard let wake = wakes.last else { break }
            let milliseconds = Int(wake.milliseconds - tick(0).milliseconds)
            wakes = []
            note(engine.handle(.timerFired, at: reading(milliseconds), using: &generator))
        }
        #expect(wakes.isEmpty)
        for person in Self.people { #expect(engine.state(of: person.contact) == .gone, "seed \(seed)") }
        #expect(engine.footprint.evidence == 0)
    }
}
