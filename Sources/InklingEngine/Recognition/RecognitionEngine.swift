public import InklingKeys

/// Decides who is near: which contact a value might belong to, whom to try a handshake with and when, who has arrived
/// and who has left (`Specs/recognition.md`).
///
/// A name, a minor or a tag is evidence that anybody can copy; it leads to `probable` at most. Only a handshake, which
/// the caller carries out when it gets `confirm`, leads to `confirmed`. The caller drops its own values.
public struct RecognitionEngine: Sendable {
    /// What happened.
    public enum Event: Sendable {
        /// A table prepared for the epoch that begins, or for other contacts, is to be in force from now on.
        case tableReplaced(PredictedTable)
        /// A contact is to be recognised; one that is there already keeps its options.
        case contactAdded(ContactID, ContactOptions = ContactOptions())
        /// A contact is not to be recognised any more.
        case contactRemoved(ContactID)
        /// A name that is not our own is there, first observed at `observed`, which is now unless the report was late.
        case nameAppeared(OpaqueServiceName, observed: ObservedTime)
        /// A name is there no more.
        case nameVanished(OpaqueServiceName)
        /// Nothing is known any more about which names are there: discovery stopped.
        case namesForgotten
        /// A minor was heard by radio.
        case beaconHeard(BeaconSighting)
        /// An overflow hit for our service was heard by radio.
        case overflowHeard(DeviceAddress, observed: ObservedTime)
        /// The reading of an address's tag ended, with a tag or with none.
        case tagRead(RecognitionTag?, DeviceAddress, observed: ObservedTime)
        /// For how long the radio may be silent about a device that is near: 1 s to 10 min.
        case radioGapChanged(Duration)
        /// An attempt came to nothing.
        case attemptFailed(Attempt, AttemptFailure)
        /// A handshake with a contact's device succeeded.
        case confirmed(ContactID, DeviceIndex, Role)
        /// A record of a session authenticated.
        case sessionHeard(ContactID, DeviceIndex)
        /// The last session with a contact's device ended.
        case sessionEnded(ContactID, DeviceIndex)
        /// The moment of `wake` has come.
        case timerFired
    }

    /// What the caller must do, in the order of the list.
    public enum Effect: Hashable, Sendable, Codable, CustomStringConvertible {
        /// A value of one of these turned up outside the time in which it is theirs: a copy, or a clock that is wrong.
        /// Evidence of nothing.
        case outsideWindow([Prediction])
        /// Two addresses show a minor of one of these at the same time: a relay, or chance. Only a handshake tells.
        case contested([Prediction])
        /// Tell the user. The changes of one contact form an unbroken chain.
        case stateChanged(ContactID, from: PresenceState, to: PresenceState)
        /// The contact has been present for its arrival timer.
        case arrived(ContactID)
        /// The presence of a contact that had arrived has ended.
        case left(ContactID)
        /// Start a handshake now, and report `confirmed` or `attemptFailed`.
        case confirm(Attempt)
        /// Connect to this address now, read its tag and nothing else, and report `tagRead`.
        case readTag(DeviceAddress)
        /// Send `timerFired` at this moment; replaces every earlier wish.
        case wake(at: Tick)

        /// The effect in words, for a log.
        public var description: String {
            switch self {
            case .outsideWindow(let predictions): "a value outside its window: \(Self.list(predictions))"
            case .contested(let predictions): "a minor at two addresses: \(Self.list(predictions))"
            case .stateChanged(let contact, let before, let after): "\(contact) was \(before.word), is \(after)"
            case .arrived(let contact): "\(contact) has arrived"
            case .left(let contact): "\(contact) has left"
            case .confirm(let attempt): "confirm \(attempt)"
            case .readTag(let address): "read the tag at \(address)"
            case .wake(let tick): "wake at \(tick)"
            }
        }

        private static func list(_ predictions: [Prediction]) -> String {
            predictions.map(\.description).joined(separator: ", ")
        }
    }

    struct History: Sendable {
        let options: ContactOptions
        var lastConfirmed: Tick?
        var lastAttempted: Epoch?
        var lastFailure: AttemptFailure?
        var wasSeen = false
        var presentSince: Tick?
        var outsideWindow: Explanation.OutsideWindow?
        var hasArrived = false
    }

    let policy: RecognitionPolicy
    var table = PredictedTable()
    var contacts: [ContactID: History] = [:]
    var names = PresentNames()
    var radio = RadioEvidence()
    var evidence: [ContactID: ContactEvidence] = [:]
    var planned: [ContactID: PlannedAttempt] = [:]
    /// Contacts whose attempt is due and has to wait for a place in the budget.
    var waiting: Set<ContactID> = []
    var budget = AttemptBudget()
    var latest = Tick(milliseconds: 0)
    // An event is judged for the contacts that it is about and for those whose time has come, so that its cost does not
    // grow with the number of contacts, or of those who are near.
    var agenda = Agenda()
    private var pending: Set<ContactID> = []
    private var steady: ClockReading?
    private var scheduled: Tick?

    /// A clock that has moved by so many milliseconds against the one that never steps has been set.
    private static let stepThreshold: Int64 = 1000

    /// An engine that knows nobody yet.
    public init(policy: RecognitionPolicy = RecognitionPolicy()) { self.policy = policy }

    /// Takes one event and says what the caller must now do, in order.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - reading: the clocks at that moment; ticks that go back count as no time.
    ///   - generator: draws the delays before attempts.
    /// - Returns: the effects.
    public mutating func handle(
        _ event: Event, at reading: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        latest = max(latest, reading.tick)
        let clock = ClockReading(tick: latest, unixMilliseconds: reading.unixMilliseconds, rate: reading.rate)
        var changed = pass(to: clock)
        let removal = removal(by: event)
        var effects = take(event, at: clock, &changed, using: &generator)
        note(effects)
        changed.formUnion(agenda.due(at: latest))

        let looked = changed.union([removal?.contact].compactMap { $0 }).sorted()
        for contact in looked {
            if let removal, removal.contact == contact { effects += removal.effects }
            gather(contact, at: clock)
            effects += settle(contact)
        }
        for contact in looked { plan(contact, at: clock, using: &generator) }
        let started = startDueAttempts(among: looked, at: clock)
        // Whoever may be at the same address is to be looked at with the next event.
        pending = started.reduce(into: []) { $0.formUnion(radio.contacts(behind: $1)) }
        effects += started.map { .confirm($0) } + startDueReadings()

        for contact in looked + started.map(\.prediction.contact) {
            agenda.plan(contact, at: contacts[contact] == nil ? nil : nextLook(at: contact, clock))
        }
        if let wake = nextWake, wake != scheduled {
            scheduled = wake
            effects.append(.wake(at: wake))
        }
        return effects
    }

    /// What is known about a contact; nil for nobody's number.
    public func state(of contact: ContactID) -> PresenceState? {
        contacts[contact].map { evidence[contact]?.reported ?? ($0.wasSeen ? .gone : .unseen) }
    }

    /// Why the latest attempt at a contact came to nothing, if it did.
    public func lastFailure(of contact: ContactID) -> AttemptFailure? { contacts[contact]?.lastFailure }

    /// How much is remembered, for tests of the bounds.
    package var footprint: Footprint {
        Footprint(
            names: names.entries.count, contacts: contacts.count, evidence: evidence.count, planned: planned.count,
            addresses: radio.addresses.count, traces: radio.traces.count, tags: radio.tags.entries.count,
            readings: radio.readings.count)
    }

    package struct Footprint: Hashable {
        package var names, contacts, evidence, planned, addresses, traces, tags, readings: Int
    }
}

// MARK: One event

extension RecognitionEngine {
    private typealias Removal = (contact: ContactID, effects: [Effect])

    /// Lets time pass; answers whom that concerns.
    private mutating func pass(to clock: ClockReading) -> Set<ContactID> {
        radio.advance(to: clock)
        var changed = pending
        changed.formUnion(budget.advance(to: latest))
        let skew = policy.skew
        changed.formUnion(radio.expire(at: latest) { clock.tick(ofUnixMilliseconds: skew.window(of: $0).upperBound) })
        if let steady, clock.step(since: steady).magnitude < Self.stepThreshold { return changed }
        steady = clock
        setExpiry(at: clock)
        changed.formUnion(evidence.keys)
        changed.formUnion(planned.keys)
        changed.formUnion(names.contacts)
        changed.formUnion(radio.contacts)
        return changed
    }

    /// Takes an event in, and adds the contacts that it is about.
    private mutating func take(
        _ event: Event, at clock: ClockReading, _ changed: inout Set<ContactID>,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        let now = clock.tick
        switch event {
        case .tableReplaced(let table):
            self.table = table
            changed.formUnion(names.contacts)
            let contacts = contacts
            let found = names.lookUp(in: table) { contacts[$0] != nil }
            changed.formUnion(names.contacts)
            return found.compactMap { replay($0, at: clock) }
        case .contactAdded(let contact, let options):
            if contacts[contact] == nil, contacts.count < policy.contactLimit {
                contacts[contact] = History(options: options)
                changed.formUnion(names.sharers(of: contact))
            }
        case .contactRemoved(let contact):
            changed.formUnion(names.sharers(of: contact))
            changed.formUnion(radio.forget(contact))
        case .nameAppeared(let name, let observed):
            let since = min(clock.tick(ofUnixMilliseconds: observed.earliest), now)
            let entry = PresentNames.Entry(name: name, since: since, predictions: table.predictions(for: name))
            if names.insert(entry, limit: policy.nameLimit) {
                changed.formUnion(entry.predictions.map(\.contact))
                return [replay(entry, at: clock)].compactMap { $0 }
            }
        case .nameVanished(let name):
            changed.formUnion(names.contacts(of: name))
            names.remove(name)
        case .namesForgotten:
            changed.formUnion(names.contacts)
            names.removeAll()
        case .beaconHeard(let sighting):
            return hear(sighting, at: clock, &changed, using: &generator)
        case .overflowHeard(let address, let observed):
            hearOverflow(address, Observed(observed, at: clock), at: clock, &changed, using: &generator)
        case .tagRead(let tag, let address, let observed):
            budget.endReading(address)
            if let tag { return read(tag, address, Observed(observed, at: clock), at: clock, &changed) }
        case .radioGapChanged(let gap):
            radio.gap = min(max(gap.wholeMilliseconds, RadioEvidence.gaps.lowerBound), RadioEvidence.gaps.upperBound)
            changed.formUnion(evidence.keys)
            changed.formUnion(radio.contacts)
        case .attemptFailed(let attempt, let why):
            budget.end(attempt)
            contacts[attempt.prediction.contact]?.lastFailure = why
            changed.insert(attempt.prediction.contact)
            if why == .stranger, let address = attempt.address { changed.formUnion(radio.void(address)) }
        case .confirmed(let contact, let device, let role):
            if role == .initiator { budget.end(for: contact) }
            guard contacts[contact] != nil else { break }
            contacts[contact]?.lastConfirmed = now
            contacts[contact]?.lastFailure = nil
            let start = fresh(contact)
            evidence[contact, default: start].confirm(device, at: now)
            changed.insert(contact)
            // The prior of this contact counts in what others' minors say.
            for trace in radio.traces.of(contact) { changed.formUnion(radio.traces.contacts(of: trace.minor)) }
        case .sessionHeard(let contact, let device):
            evidence[contact]?.hear(device, at: now)
            changed.insert(contact)
        case .sessionEnded(let contact, let device):
            evidence[contact]?.endSession(device, at: now, under: policy.timers)
            changed.insert(contact)
        case .timerFired:
            scheduled = nil
        }
        return []
    }

    private mutating func removal(by event: Event) -> Removal? {
        guard case .contactRemoved(let contact) = event else { return nil }
        let state = state(of: contact)
        let hasArrived = contacts[contact]?.hasArrived ?? false
        contacts[contact] = nil
        evidence[contact] = nil
        planned[contact] = nil
        budget.end(for: contact)
        guard let state, state != .unseen, state != .gone else { return (contact, []) }
        return (contact, [.stateChanged(contact, from: state, to: .gone)] + (hasArrived ? [.left(contact)] : []))
    }

    private mutating func note(_ effects: [Effect]) {
        for case .outsideWindow(let predictions) in effects {
            for prediction in predictions {
                contacts[prediction.contact]?.outsideWindow = Explanation.OutsideWindow(
                    epoch: prediction.epoch, at: latest)
            }
        }
    }

    /// The next moment at which something changes although nothing happens.
    private var nextWake: Tick? {
        mutating get {
            var moments = [agenda.first, budget.nextEnd, radio.expiry]
            if !waiting.isEmpty || radio.readings.values.contains(where: { $0 <= latest }) {
                moments.append(budget.nextRelease)
            }
            moments += radio.readingMoments
            return moments.compactMap { $0 }.filter { $0 > latest }.min()
        }
    }
}
