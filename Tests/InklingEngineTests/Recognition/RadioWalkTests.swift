import InklingEngine
import InklingKeys
import InklingTesting
import Testing

/// Checks invariants effect by effect.
private struct Witness {
    private var states: [ContactID: PresenceState] = [:]
    private var arrived: Set<ContactID> = []
    private var starts: [(at: Int, isReading: Bool)] = []
    private var tried: [[UInt32]: Int] = [:]
    private var read: [[UInt64]: Int] = [:]
    private(set) var faults: [String] = []

    mutating func note(_ effects: [RecognitionEngine.Effect], of event: RecognitionEngine.Event, at now: ClockReading) {
        let milliseconds = Int(now.tick.milliseconds)
        for effect in effects {
            switch effect {
            case .outsideWindow(let predictions), .contested(let predictions):
                if predictions.isEmpty { faults.append("a report without predictions") }
            case .stateChanged(let contact, let from, let to):
                if states[contact, default: .unseen] != from {
                    faults.append("the change does not begin with the last state")
                }
                if !from.isPresent, to.isPresent {
                    guard case .confirmed(contact, _, _, _) = event else {
                        faults.append("confirmed without a handshake")
                        continue
                    }
                }
                states[contact] = to
            case .arrived(let contact):
                if states[contact]?.isPresent != true { faults.append("an absent contact arrived") }
                if !arrived.insert(contact).inserted { faults.append("two arrivals without a departure") }
            case .left(let contact):
                if states[contact]?.isPresent == true { faults.append("a present contact left") }
                if arrived.remove(contact) == nil { faults.append("a departure without an arrival") }
            case .confirm(let attempt):
                start(false, at: milliseconds)
                let key = [attempt.prediction.contact.rawValue, attempt.prediction.epoch.number]
                tried[key, default: 0] += 1
                if tried[key, default: 0] > 4 { faults.append("a fifth attempt at a contact in one epoch") }
            case .readTag(let address):
                start(true, at: milliseconds)
                let epoch = Epoch(containing: now.unixSeconds)?.number ?? 0
                read[[address.value, UInt64(epoch)], default: 0] += 1
                if read[[address.value, UInt64(epoch)], default: 0] > 4 {
                    faults.append("a tag read five times in an epoch")
                }
            case .replayed: break
            case .wake(let moment):
                if moment <= now.tick { faults.append("a wake in the past") }
            }
        }
        if case .contactRemoved(let contact) = event {
            states[contact] = nil
            tried = tried.filter { $0.key[0] != contact.rawValue }
        }
    }

    private mutating func start(_ isReading: Bool, at milliseconds: Int) {
        starts.removeAll { milliseconds - $0.at >= 60_000 }
        starts.append((milliseconds, isReading))
        if starts.count > 6 { faults.append("more than six attempts in a minute") }
        if starts.count(where: \.isReading) > 2 { faults.append("more than two readings in a minute") }
    }
}

@Suite struct `Random walks of recognition by radio` {
    private static let bounds = (addresses: 24, traces: 6, tags: 3, readings: 2)

    private static let policy: RecognitionPolicy = {
        var policy = RecognitionPolicy()
        (policy.addressLimit, policy.traceLimit, policy.tagLimit) = (bounds.addresses, bounds.traces, bounds.tags)
        policy.plannedReadingLimit = bounds.readings
        policy.decoys = 20_000
        return policy
    }()

    // With eight contacts, ten minors and twelve epochs, most minors collide.
    private static let shown: [PredictedValues] = (1...8).flatMap { contact in
        (-2...9).map { offset in
            values(
                ContactID(rawValue: contact), minor: UInt16((contact * 7 + UInt32(offset + 2) * 3) % 10), epoch(offset))
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `only handshakes confirm, arrivals and departures alternate, and limits hold`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var engine = RecognitionEngine(policy: Self.policy)
        var witness = Witness()
        var milliseconds = 0
        var wake: Tick?
        var running: [Attempt] = []
        for step in 0..<600 {
            if let wake, Bool.random(using: &generator) {
                milliseconds = max(milliseconds, Int(wake.milliseconds - tick(0).milliseconds))
            } else {
                milliseconds += Int.random(
                    in: 0...([50, 1500, 8000, 60_000].randomElement(using: &generator) ?? 0), using: &generator)
            }
            let now = reading(milliseconds)
            let event =
                step < 8
                ? .contactAdded(ContactID(rawValue: UInt32(step + 1))) : Self.event(at: now, running, &generator)
            if case .attemptFailed(let attempt, _) = event { running.removeAll { $0 == attempt } }
            let effects = engine.handle(event, at: now, using: &generator)
            for case .wake(let moment) in effects { wake = moment }
            for case .confirm(let attempt) in effects { running.append(attempt) }
            witness.note(effects, of: event, at: now)
            let footprint = engine.footprint
            if footprint.addresses > Self.bounds.addresses || footprint.traces > Self.bounds.traces
                || footprint.tags > Self.bounds.tags || footprint.readings > Self.bounds.readings
            {
                Issue.record("seed \(seed), step \(step): a collection is beyond its limit: \(footprint)")
            }
            for contact in 1...8 as ClosedRange<UInt32>
            where engine.posterior(of: ContactID(rawValue: contact), at: now.tick) > 62_259 {
                Issue.record("seed \(seed), step \(step): a posterior above the cap")
            }
            if let fault = witness.faults.first {
                Issue.record("seed \(seed), step \(step): \(fault) after \(event): \(effects)")
                return
            }
        }
    }

    private static func event(
        at now: ClockReading, _ running: [Attempt], _ generator: inout SeededGenerator
    ) -> RecognitionEngine.Event {
        let late = UInt64.random(
            in: 0...([0, 0, 2000, 300_000].randomElement(using: &generator) ?? 0), using: &generator)
        let observed = ObservedTime(
            unixMilliseconds: now.unixMilliseconds - late,
            uncertainty: .milliseconds([0, 0, 500, 60_000].randomElement(using: &generator) ?? 0))
        let contact = ContactID(rawValue: UInt32.random(in: 1...9, using: &generator))
        let address = address(UInt64.random(in: 1...40, using: &generator))
        switch Int.random(in: 0..<60, using: &generator) {
        case 0...2:
            return .tableReplaced(PredictedTable(shown, around: Epoch(containing: now.unixSeconds) ?? epochZero))
        case 3...34:
            let minor = BeaconMinor(UInt16.random(in: 0...14, using: &generator))
            return .beaconHeard(BeaconSighting(minor, from: address, rssi: -60, observed: observed))
        case 35...38: return .overflowHeard(address, observed: observed)
        case 39: return .readingFailed(address)
        case 40...41:
            let tag = Bool.random(using: &generator) ? shown.randomElement(using: &generator)?.tag : nil
            return .tagRead(tag, address, observed: observed)
        case 42...44: return .confirmed(contact, .first, Bool.random(using: &generator) ? .initiator : .responder)
        case 45...46: return .sessionEnded(contact, .first)
        case 56: return .linksClosed(over: .radio)
        case 47: return .radioGapChanged(.milliseconds(UInt64.random(in: 0...700_000, using: &generator)))
        case 48: return .contactRemoved(contact)
        case 49: return .contactAdded(contact, ContactOptions(prior: UInt32.random(in: 0...70_000, using: &generator)))
        case 50...55:
            guard let attempt = running.randomElement(using: &generator) else { return .timerFired }
            let why = [AttemptFailure.stranger, .silent, .reset, .unreachable].randomElement(using: &generator)
            return .attemptFailed(attempt, why ?? .silent)
        default: return .timerFired
        }
    }
}
