internal import CInkling
internal import InklingEngine
internal import InklingKeys

/// A recognition engine with the state that C callers do not hold: keys, attempts and pending effects.
struct Recognition: Sendable {
    private var engine: RecognitionEngine
    private var grants: [ContactID: [HeldGrant]] = [:]
    private var contacts: Set<ContactID> = []
    // At most one per contact and technology: the engine starts another only after the first is over.
    private var attempts: [(number: UInt64, attempt: Attempt)] = []
    private var attemptCount: UInt64 = 0
    private var effects: [inkling_effect] = []
    private var taken = 0

    init(policy: RecognitionPolicy) { engine = RecognitionEngine(policy: policy) }

    /// Handles an event and queues its effects.
    ///
    /// - Throws: `INKLING_FULL` if `INKLING_EFFECT_LIMIT` effects are waiting.
    mutating func handle(_ event: RecognitionEngine.Event, at now: ClockReading) throws(Fault) {
        guard effects.count - taken < effectLimit else { throw Fault(INKLING_FULL) }
        switch event {
        case .contactAdded(let contact, _): contacts.insert(contact)
        case .contactRemoved(let contact):
            contacts.remove(contact)
            grants[contact] = nil
            attempts.removeAll { $0.attempt.prediction.contact == contact }
        case .confirmed(let contact, _, .initiator, let technology):
            let ended = attempts.filter {
                $0.attempt.prediction.contact == contact && (technology == nil || $0.attempt.over == technology)
            }.min { $0.attempt.over < $1.attempt.over }
            attempts.removeAll { $0.number == ended?.number }
        default: break
        }
        var generator = Randomness()
        for effect in engine.handle(event, at: now, using: &generator) { append(effect) }
    }

    /// Removes and returns the next effect; `nil` if there is none.
    mutating func next() -> inkling_effect? {
        guard taken < effects.count else { return nil }
        let effect = effects[taken]
        taken += 1
        if taken == effects.count {
            effects.removeAll(keepingCapacity: taken <= 64)
            taken = 0
        }
        return effect
    }

    /// Stores the keys of one audience of a contact, replacing earlier ones.
    ///
    /// - Throws: `INKLING_UNKNOWN` if no contact has the number.
    mutating func hold(_ grant: HeldGrant, of contact: ContactID) throws(Fault) {
        guard contacts.contains(contact) else { throw Fault(INKLING_UNKNOWN) }
        grants[contact, default: []].removeAll { $0.audience == grant.audience }
        grants[contact, default: []].append(grant)
    }

    /// Predicts the identifiers of all contacts in an epoch and its neighbours.
    func table(around epoch: Epoch) -> PredictedTable {
        PredictedTable(
            of: grants.sorted { $0.key < $1.key }.map { PredictedContact($0.key, grants: $0.value) },
            around: epoch, withTags: true)
    }

    /// Reports that an attempt failed.
    ///
    /// - Throws: `INKLING_UNKNOWN` if no attempt has the number, or it is over.
    mutating func fail(attempt number: UInt64, _ why: AttemptFailure, at now: ClockReading) throws(Fault) {
        guard let (_, attempt) = attempts.first(where: { $0.number == number }) else { throw Fault(INKLING_UNKNOWN) }
        try handle(.attemptFailed(attempt, why), at: now)
        attempts.removeAll { $0.number == number }
    }

    /// Reports that the handshake of an attempt succeeded.
    ///
    /// - Throws: `INKLING_UNKNOWN` if no attempt has the number, or it is over.
    mutating func confirm(attempt number: UInt64, at now: ClockReading) throws(Fault) {
        guard let (_, attempt) = attempts.first(where: { $0.number == number }) else { throw Fault(INKLING_UNKNOWN) }
        let (contact, device) = (attempt.prediction.contact, attempt.prediction.device)
        try handle(.confirmed(contact, device, .initiator, over: attempt.over), at: now)
    }

    /// Returns a contact's presence, and the posterior probability in 65,536ths that it is near.
    ///
    /// - Throws: `INKLING_UNKNOWN` if no contact has the number.
    func state(of contact: ContactID, at now: Tick) throws(Fault) -> (state: PresenceState, posterior: UInt64) {
        guard let state = engine.state(of: contact) else { throw Fault(INKLING_UNKNOWN) }
        return (state, engine.posterior(of: contact, at: now))
    }

    private mutating func append(_ effect: RecognitionEngine.Effect) {
        switch effect {
        case .outsideWindow(let predictions): append(INKLING_EFFECT_OUTSIDE_WINDOW, predictions)
        case .contested(let predictions): append(INKLING_EFFECT_CONTESTED, predictions)
        case .replayed: append(INKLING_EFFECT_REPLAYED) { _ in }
        case .stateChanged(let contact, let from, let to):
            append(INKLING_EFFECT_STATE_CHANGED) { out in
                out.contact = contact.rawValue
                out.from_state = from.number
                out.to_state = to.number
            }
        case .arrived(let contact): append(INKLING_EFFECT_ARRIVED) { $0.contact = contact.rawValue }
        case .left(let contact): append(INKLING_EFFECT_LEFT) { $0.contact = contact.rawValue }
        case .confirm(let attempt):
            attemptCount += 1
            let number = attemptCount
            attempts.removeAll {
                $0.attempt.prediction.contact == attempt.prediction.contact && $0.attempt.over == attempt.over
            }
            attempts.append((number, attempt))
            append(INKLING_EFFECT_CONFIRM) { out in
                out.attempt = number
                out.fill(attempt.prediction)
                out.fill(attempt.value)
            }
        case .readTag(let address): append(INKLING_EFFECT_READ_TAG) { $0.address = address.value }
        case .wake(let tick): append(INKLING_EFFECT_WAKE) { $0.tick = tick.milliseconds }
        }
    }

    private mutating func append(_ kind: inkling_effect_kind, _ predictions: [Prediction]) {
        for (index, prediction) in predictions.enumerated() {
            append(kind) { out in
                out.fill(prediction)
                out.more = UInt32(clamping: predictions.count - 1 - index)
            }
        }
    }

    private mutating func append(_ kind: inkling_effect_kind, _ fill: (inout inkling_effect) -> Void) {
        var effect = inkling_effect()
        effect.kind = kind.rawValue
        fill(&effect)
        effects.append(effect)
    }
}

private let effectLimit = Int(INKLING_EFFECT_LIMIT)

extension PresenceState {
    /// The number of the state in `inkling_presence`.
    var number: UInt32 {
        switch self {
        case .unseen: INKLING_PRESENCE_UNSEEN.rawValue
        case .candidate: INKLING_PRESENCE_CANDIDATE.rawValue
        case .probable: INKLING_PRESENCE_PROBABLE.rawValue
        case .confirmed: INKLING_PRESENCE_CONFIRMED.rawValue
        case .stale: INKLING_PRESENCE_STALE.rawValue
        case .gone: INKLING_PRESENCE_GONE.rawValue
        }
    }
}

extension inkling_effect {
    fileprivate mutating func fill(_ prediction: Prediction) {
        contact = prediction.contact.rawValue
        device = prediction.device.number
        epoch = prediction.epoch.number
        switch prediction.audience {
        case .granted(let id):
            audience_kind = INKLING_AUDIENCE_GRANTED.rawValue
            audience_id = id.value
        case .pair: audience_kind = INKLING_AUDIENCE_PAIR.rawValue
        }
    }

    fileprivate mutating func fill(_ seen: Attempt.Value) {
        switch seen {
        case .name(let name):
            value_kind = INKLING_VALUE_NAME.rawValue
            write(name.octets, to: &value)
        case .tag(let tag, let from):
            value_kind = INKLING_VALUE_TAG.rawValue
            write(tag.octets, to: &value)
            address = from.value
        case .minor(let heard, let from):
            value_kind = INKLING_VALUE_MINOR.rawValue
            minor = heard.value
            address = from.value
        }
    }
}
