internal import InklingEngine
internal import InklingJSON
internal import InklingKeys

/// Runs a scenario of sightings, handshakes and time, and returns the effects of the engine (`Specs/recognition.md`).
let recognitionOperation = ShimOperation(
    "recognition",
    [
        .integer("start", in: 1_000_000...3_700_000_000), .u16("decoys").optional,
        ListedDraws.parameter,
        .list("predictions", of: .object(predictionMembers), limit: 4096),
        .list("steps", of: .object(stepMembers), limit: 2048), .integer("until", in: moments),
    ], steps: recognitionSteps
) { arguments throws(ShimRefusal) in
    var scenario = try RecognitionScenario(arguments)
    let steps = try recognitionSteps.checked(in: arguments)
    for step in steps { try scenario.take(step) }
    scenario.wait(through: arguments.u64("until"))
    return ["effects": .list(scenario.effects.map { .object($0) }), "states": .list(scenario.states)]
}

/// The allowed times of steps: one year in milliseconds.
private let moments: ClosedRange<Int128> = 0...31_536_000_000

private let predictionMembers: [ShimParameter] = [
    .u32("contact"), .device, .epoch(), .bytes("name", 16), .u16("minor"), .bytes("tag", 16),
]

private let stepMembers: [ShimParameter] = [
    .integer("at", in: moments), .text("event"), .u32("contact").optional,
    .integer("prior", in: 1...62_259).optional, .integer("importance", in: 1...100).optional,
    .integer("arriveAfter", in: 0...86_400_000).optional, .integer("departAfter", in: 0...86_400_000).optional,
    .integer("leaveAfter", in: 0...86_400_000).optional,
    .epoch().optional, .bytes("name", 16).optional, .u16("minor").optional, .bytes("address", 6).optional,
    .integer("rssi", in: -127...20).optional, .bytes("tag", 16).optional, .device.optional,
    .flag("initiator").optional, .text("over", .oneOf(technologies.keys.sorted())).optional,
    .text("why", .oneOf(failures.keys.sorted())).optional,
    .integer("milliseconds", in: 0...Int128(UInt32.max)).optional,
    .integer("ahead", in: -31_536_000...31_536_000).optional, .integer("observed", in: moments).optional,
    .integer("uncertainty", in: 0...3_600_000).optional,
]

private let optionMembers = ["prior", "importance", "arriveAfter", "departAfter", "leaveAfter"]

/// The members that each event requires and allows.
private let recognitionSteps = ScenarioSteps(events: [
    "add": (["contact"], optionMembers), "options": (["contact"], optionMembers), "remove": (["contact"], []),
    "table": (["epoch"], []), "name": (["name"], ["observed", "uncertainty"]), "vanished": (["name"], []),
    "forgotten": ([], []), "minor": (["minor", "address", "rssi"], ["observed", "uncertainty"]),
    "overflow": (["address"], ["observed", "uncertainty"]), "tag": (["address"], ["tag", "observed", "uncertainty"]),
    "unread": (["address"], []), "confirmed": (["contact", "device", "initiator"], ["over"]),
    "failed": (["contact", "why"], ["over"]), "cut": (["over"], []), "crowded": ([], []),
    "heard": (["contact", "device"], []), "ended": (["contact", "device"], []),
    "leaves": (["contact", "device"], []), "gap": (["milliseconds"], []),
    "clock": (["ahead"], []), "restart": ([], []),
])

private let failures: [String: AttemptFailure] = [
    "unreachable": .unreachable, "reset": .reset, "silent": .silent, "refused": .refused, "stranger": .stranger,
]

private let technologies: [String: AttemptTechnology] = ["network": .network, "radio": .radio]

/// A recognition engine in a scenario, with a caller that only fires the timer.
private struct RecognitionScenario {
    private let start: UInt64
    private let policy: RecognitionPolicy
    private let shown: [PredictedValues]
    private var engine: RecognitionEngine
    private var draws: ListedDraws
    private var now: UInt64 = 0
    private var ahead: Int64 = 0
    private var wake: UInt64?
    private var contacts: Set<ContactID> = []
    private var running: [(attempt: Attempt, since: UInt64)] = []
    private(set) var effects: [JSONObject] = []

    init(_ arguments: ShimArguments) throws(ShimRefusal) {
        start = arguments.u64("start") * 1000
        var policy = RecognitionPolicy()
        policy.decoys = arguments.u16("decoys")
        self.policy = policy
        engine = RecognitionEngine(policy: policy)
        draws = ListedDraws(arguments)
        var shown: [PredictedValues] = []
        for one in arguments.objects("predictions") {
            let prediction = Prediction(
                contact: ContactID(rawValue: one.u32("contact")), device: try one.device(), audience: .granted(0),
                epoch: try one.epoch())
            shown.append(
                PredictedValues(
                    prediction, name: OpaqueServiceName(one.octets16("name")), minor: BeaconMinor(one.u16("minor")),
                    tag: RecognitionTag(one.octets16("tag"))))
        }
        self.shown = shown
    }

    /// Advances time to a step and performs it.
    mutating func take(_ step: ShimArguments) throws(ShimRefusal) {
        let at = step.u64("at")
        if at > 0 { wait(through: at - 1) }
        now = at
        switch step.text("event") {
        case "clock": ahead = Int64(step.integer("ahead")) * 1000
        case "restart":
            engine = RecognitionEngine(policy: policy)
            (wake, contacts, running) = (nil, [], [])
        // Like every step, one without an event takes the place of a due timer.
        default: handle(try event(step) ?? .timerFired)
        }
    }

    /// Advances time to a moment, inclusive, and fires the timer if the engine asked for it.
    mutating func wait(through moment: UInt64) {
        while let due = wake, due <= moment {
            wake = nil
            now = max(now, due)
            handle(.timerFired)
        }
        now = max(now, moment)
    }

    /// The state of each contact, in order of number.
    var states: [JSON] {
        contacts.sorted().map { contact in
            .object([
                "contact": .integer(contact.rawValue), "state": .text(engine.state(of: contact)?.word ?? ""),
                "posterior": .integer(engine.posterior(of: contact, at: reading.tick)),
            ])
        }
    }

    private var reading: ClockReading {
        ClockReading(
            tick: Tick(milliseconds: origin + now),
            unixMilliseconds: UInt64(max(0, Int64(start + now) + ahead)))
    }

    // Well above zero, so that times before the scenario can be expressed.
    private var origin: UInt64 { 1 << 40 }

    private func event(_ step: ShimArguments) throws(ShimRefusal) -> RecognitionEngine.Event? {
        let contact = ContactID(rawValue: step.u32("contact"))
        switch step.text("event") {
        case "add": return .contactAdded(contact, step.contactOptions)
        case "options": return .optionsChanged(contact, step.contactOptions)
        case "remove": return .contactRemoved(contact)
        case "table": return .tableReplaced(PredictedTable(shown, around: try step.epoch()))
        case "name": return .nameAppeared(OpaqueServiceName(step.octets16("name")), observed: observed(step))
        case "vanished": return .nameVanished(OpaqueServiceName(step.octets16("name")))
        case "forgotten": return .namesForgotten
        case "minor":
            guard let address = step.address else { return nil }
            return .beaconHeard(
                BeaconSighting(
                    BeaconMinor(step.u16("minor")), from: address, rssi: Int8(clamping: step.integer("rssi")),
                    observed: observed(step)))
        case "overflow": return step.address.map { .overflowHeard($0, observed: observed(step)) }
        case "tag":
            let tag = step.has("tag") ? RecognitionTag(step.octets16("tag")) : nil
            return step.address.map { .tagRead(tag, $0, observed: observed(step)) }
        case "unread": return step.address.map { .readingFailed($0) }
        case "confirmed":
            return .confirmed(
                contact, try step.device(), step.flag("initiator") ? .initiator : .responder, over: over(step))
        case "failed":
            guard let attempt = attempt(with: contact, over: over(step)), let why = failures[step.text("why")] else {
                return nil
            }
            return .attemptFailed(attempt, why)
        case "cut": return over(step).map { .linksClosed(over: $0) }
        case "crowded": return .radioCrowded
        case "heard": return .sessionHeard(contact, try step.device())
        case "ended": return .sessionEnded(contact, try step.device())
        case "leaves": return .deviceLeft(contact, try step.device())
        default: return .radioGapChanged(.milliseconds(step.u64("milliseconds")))
        }
    }

    private func over(_ step: ShimArguments) -> AttemptTechnology? {
        step.has("over") ? technologies[step.text("over")] : nil
    }

    /// Returns the running attempt with a contact over a technology; if none is named, network before radio.
    private func attempt(with contact: ContactID, over technology: AttemptTechnology?) -> Attempt? {
        running.filter { attempt, since in
            attempt.prediction.contact == contact && (technology == nil || attempt.over == technology)
                && .milliseconds(now - since) < policy.attemptTimeout
        }.map(\.attempt).min { $0.over < $1.over }
    }

    private func observed(_ step: ShimArguments) -> ObservedTime {
        guard step.has("observed") else {
            return ObservedTime(
                unixMilliseconds: reading.unixMilliseconds, uncertainty: .milliseconds(step.u64("uncertainty")))
        }
        return ObservedTime(
            unixMilliseconds: start + step.u64("observed"), uncertainty: .milliseconds(step.u64("uncertainty")))
    }

    private mutating func handle(_ event: RecognitionEngine.Event) {
        switch event {
        case .contactAdded(let contact, _): contacts.insert(contact)
        case .contactRemoved(let contact):
            contacts.remove(contact)
            running.removeAll { $0.attempt.prediction.contact == contact }
        case .attemptFailed(let attempt, _): running.removeAll { $0.attempt == attempt }
        case .confirmed(let contact, _, .initiator, let technology):
            let ended = attempt(with: contact, over: technology)
            running.removeAll { $0.attempt == ended }
        default: break
        }
        for effect in engine.handle(event, at: reading, using: &draws) {
            switch effect {
            case .wake(let tick): wake = tick.milliseconds - origin
            case .confirm(let attempt):
                running.removeAll {
                    $0.attempt.prediction.contact == attempt.prediction.contact && $0.attempt.over == attempt.over
                }
                running.append((attempt, now))
                add(effect)
            default: add(effect)
            }
        }
    }

    private mutating func add(_ effect: RecognitionEngine.Effect) {
        guard var facts = effect.facts else { return }
        facts["at"] = .integer(now)
        effects.append(facts)
    }
}

extension ShimArguments {
    fileprivate var contactOptions: ContactOptions {
        var options = ContactOptions(arriveAfter: .milliseconds(u64("arriveAfter")))
        if has("prior") { options.prior = u32("prior") }
        if has("importance") { options.importance = u32("importance") }
        if has("departAfter") { options.departAfter = .milliseconds(u64("departAfter")) }
        if has("leaveAfter") { options.leaveAfter = .milliseconds(u64("leaveAfter")) }
        return options
    }

    fileprivate var address: DeviceAddress? {
        DeviceAddress(bytes("address").reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension RecognitionEngine.Effect {
    /// The effect in the form of the specification's table; `nil` for one that the table does not list.
    fileprivate var facts: JSONObject? {
        switch self {
        case .outsideWindow(let predictions): ["effect": "outside", "contacts": Self.contacts(predictions)]
        case .contested(let predictions): ["effect": "contested", "contacts": Self.contacts(predictions)]
        case .replayed: ["effect": .text("replayed")]
        case .stateChanged(let contact, let from, let to):
            from.word == to.word
                ? nil
                : [
                    "effect": "state", "contact": .integer(contact.rawValue), "from": .text(from.word),
                    "to": .text(to.word),
                ]
        case .arrived(let contact): ["effect": "arrived", "contact": .integer(contact.rawValue)]
        case .left(let contact): ["effect": "left", "contact": .integer(contact.rawValue)]
        case .confirm(let attempt): attempt.facts
        case .readTag(let address): ["effect": "read", "address": .text(address.description)]
        case .wake: nil
        }
    }

    private static func contacts(_ predictions: [Prediction]) -> JSON {
        .list(Set(predictions.map(\.contact)).sorted().map { .integer($0.rawValue) })
    }
}

extension Attempt {
    fileprivate var facts: JSONObject {
        var facts: JSONObject = [
            "effect": "attempt", "contact": .integer(prediction.contact.rawValue),
            "device": .integer(prediction.device.number), "epoch": .integer(prediction.epoch.number),
        ]
        switch value {
        case .name(let name): facts["name"] = .hex(name.octets)
        case .tag(let tag, let address):
            facts["tag"] = .hex(tag.octets)
            facts["address"] = .text(address.description)
        case .minor(let minor, let address):
            facts["minor"] = .integer(minor.value)
            facts["address"] = .text(address.description)
        }
        return facts
    }
}
