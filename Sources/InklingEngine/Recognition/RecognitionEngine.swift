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
        case nameAppeared(OpaqueServiceName, observed: Observation)
        /// A name is there no more.
        case nameVanished(OpaqueServiceName)
        /// Nothing is known any more about which names are there: discovery stopped.
        case namesForgotten
        /// A minor was heard by radio.
        case beaconHeard(BeaconSighting)
        /// An overflow hit for our service was heard by radio.
        case overflowHeard(DeviceAddress, observed: Observation)
        /// The reading of an address's tag ended, with a tag or with none.
        case tagRead(RecognitionTag?, DeviceAddress, observed: Observation)
        /// For how long the radio may be silent about a device that is near: 1,000 to 600,000 ms.
        case radioGapChanged(milliseconds: UInt64)
        /// An attempt came to nothing.
        case attemptFailed(Attempt, AttemptFailure)
        /// A handshake with a contact's device succeeded.
        case confirmed(ContactID, DeviceIndex, SessionRole)
        /// A record of a session authenticated.
        case sessionHeard(ContactID, DeviceIndex)
        /// The last session with a contact's device ended.
        case sessionEnded(ContactID, DeviceIndex)
        /// The moment of `wake` has come.
        case timerFired
    }

    /// What the caller must do, in the order of the list.
    public enum Effect: Hashable, Sendable {
        /// A value of one of these turned up outside the time in which it is theirs: a copy, or a clock that is wrong.
        /// Evidence of nothing.
        case replaySuspected([Prediction])
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
    }

    struct History: Sendable {
        let options: ContactOptions
        var lastConfirmed: Tick?
        var lastAttempted: Epoch?
        var lastFailure: AttemptFailure?
        var wasSeen = false
        var presentSince: Tick?
        var hasArrived = false
    }

    let policy: RecognitionPolicy
    var table = PredictedTable()
    var contacts: [ContactID: History] = [:]
    var names = PresentNames()
    var radio: RadioEvidence
    // Only contacts with evidence, so that the cost of an event does not grow with the number of contacts.
    var evidence: [ContactID: ContactEvidence] = [:]
    var planned: [ContactID: PlannedAttempt] = [:]
    var budget = AttemptBudget()
    var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?

    /// An engine that knows nobody yet.
    public init(policy: RecognitionPolicy = RecognitionPolicy()) {
        self.policy = policy
        radio = RadioEvidence()
    }

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
        radio.advance(to: clock)
        var removal = Removal?.none
        if case .contactRemoved(let contact) = event { removal = remove(contact) }
        guard var effects = take(event, at: clock, using: &generator) else { return [] }
        gather(at: clock)
        effects += settle(with: removal)
        plan(at: clock, using: &generator)
        effects += startDueAttempts(at: clock)
        effects += startDueReadings(at: clock)
        if let wake = nextWake(at: clock), wake != scheduled {
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
            addresses: radio.addresses.count, traces: radio.traces.entries.count, tags: radio.tags.entries.count,
            readings: radio.readings.count)
    }

    package struct Footprint: Hashable {
        package var names, contacts, evidence, planned, addresses, traces, tags, readings: Int
    }
}

/// Which side of a handshake we were.
public enum SessionRole: Hashable, Sendable {
    /// We started it, upon `confirm`.
    case initiator
    /// The contact started it.
    case responder
}

// MARK: One event, step by step

extension RecognitionEngine {
    /// Takes an event in; nil when it is about strangers only, which changes nobody's state by itself.
    private mutating func take(
        _ event: Event, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect]? {
        let now = clock.tick
        let isDue = scheduled.map { $0 <= now } ?? false
        switch event {
        case .tableReplaced(let table):
            self.table = table
            return names.lookUp(in: table).compactMap { replay($0, at: clock) }
        case .contactAdded(let contact, let options):
            if contacts[contact] == nil, contacts.count < policy.contactLimit {
                contacts[contact] = History(options: options)
            }
        case .contactRemoved: break
        case .nameAppeared(let name, let observed):
            let since = min(clock.tick(ofUnixMilliseconds: observed.earliest), now)
            let entry = PresentNames.Entry(name: name, since: since, predictions: table.predictions(for: name))
            if names.insert(entry, limit: policy.nameLimit) { return [replay(entry, at: clock)].compactMap { $0 } }
        case .nameVanished(let name):
            names.remove(name)
        case .namesForgotten:
            names.removeAll()
        case .beaconHeard(let sighting):
            return hear(sighting, at: clock, using: &generator) ?? (isDue ? [] : nil)
        case .overflowHeard(let address, let observed):
            hearOverflow(address, Observed(observed, at: clock), at: clock, using: &generator)
        case .tagRead(let tag, let address, let observed):
            budget.endReading(address)
            if let tag { return read(tag, address, Observed(observed, at: clock), at: clock) }
        case .radioGapChanged(let milliseconds):
            radio.gap = min(max(milliseconds, RadioEvidence.gaps.lowerBound), RadioEvidence.gaps.upperBound)
        case .attemptFailed(let attempt, let why):
            budget.end(attempt)
            contacts[attempt.prediction.contact]?.lastFailure = why
            if why == .stranger, let address = attempt.address { radio.void(address) }
        case .confirmed(let contact, let device, let role):
            if role == .initiator { budget.end(for: contact) }
            guard contacts[contact] != nil else { break }
            contacts[contact]?.lastConfirmed = now
            contacts[contact]?.lastFailure = nil
            let start = fresh(contact)
            evidence[contact, default: start].confirm(device, at: now)
        case .sessionHeard(let contact, let device):
            evidence[contact]?.hear(device, at: now)
        case .sessionEnded(let contact, let device):
            evidence[contact]?.endSession(device, at: now, under: policy)
        case .timerFired:
            scheduled = nil
        }
        return []
    }

    private typealias Removal = (contact: ContactID, effects: [Effect])

    private mutating func remove(_ contact: ContactID) -> Removal {
        let state = state(of: contact)
        let hasArrived = contacts[contact]?.hasArrived ?? false
        contacts[contact] = nil
        evidence[contact] = nil
        planned[contact] = nil
        radio.forget(contact)
        budget.end(for: contact)
        guard let state, state != .unseen, state != .gone else { return (contact, []) }
        return (contact, [.stateChanged(contact, from: state, to: .gone)] + (hasArrived ? [.left(contact)] : []))
    }

    /// Brings the passive evidence up to date: it lasts while a name is there and in its window, and no longer.
    private mutating func gather(at clock: ClockReading) {
        for contact in evidence.keys { evidence[contact]?.interrupt(at: clock.tick) }
        for entry in names.entries {
            let matches = matches(of: entry, at: clock)
            let isOwn = Set(matches.map(\.contact)).count == 1
            for (contact, end) in matches {
                let start = fresh(contact)
                evidence[contact, default: start].extend(to: end, isOwn: isOwn)
            }
        }
        gatherRadio(at: clock)
    }

    private mutating func settle(with removal: Removal?) -> [Effect] {
        var effects: [Effect] = []
        var removal = removal
        for contact in evidence.keys.sorted() {
            if let removed = removal, removed.contact < contact {
                effects += removed.effects
                removal = nil
            }
            let timers = timers(of: contact)
            let before = evidence[contact]?.settle(at: latest, under: timers)
            guard let after = evidence[contact]?.reported else { continue }
            if let before {
                contacts[contact]?.wasSeen = true
                effects.append(.stateChanged(contact, from: before, to: after))
            }
            effects += [contacts[contact]?.arrivalOrDeparture(isPresent: after.isPresent, at: latest)]
                .compactMap { $0 }.map { $0 ? .arrived(contact) : .left(contact) }
            if after == .gone || after == .unseen { evidence[contact] = nil }
        }
        return effects + (removal?.effects ?? [])
    }

    private func nextWake(at clock: ClockReading) -> Tick? {
        var moments = planned.values.map { $0.due > latest ? $0.due : budget.nextRelease ?? latest }
        for (contact, evidence) in evidence {
            moments += [evidence.nextChange(after: latest, under: timers(of: contact))].compactMap { $0 }
            if let history = contacts[contact], let since = history.presentSince, !history.hasArrived {
                moments.append(since.advanced(byMilliseconds: history.options.arriveAfter))
            }
        }
        for entry in names.entries {
            // A name seen early begins to count, and one seen in time ceases to, without another event.
            for prediction in entry.predictions where contacts[prediction.contact] != nil {
                let window = window(of: prediction.epoch, at: clock)
                moments += [window.lowerBound, window.upperBound]
            }
        }
        moments += radioMoments(at: clock)
        return moments.filter { $0 > latest }.min()
    }
}

// MARK: Judgements

extension RecognitionEngine {
    /// The contacts that may show a name now, and until when that is evidence.
    func matches(of entry: PresentNames.Entry, at clock: ClockReading) -> [(contact: ContactID, end: Tick)] {
        entry.predictions.compactMap { prediction in
            guard contacts[prediction.contact] != nil, let end = evidenceEnd(entry, prediction, at: clock) else {
                return nil
            }
            return (prediction.contact, end)
        }
    }

    /// Until when a name that is there speaks for a prediction; nil when it was not there within the window.
    func evidenceEnd(_ entry: PresentNames.Entry, _ prediction: Prediction, at clock: ClockReading) -> Tick? {
        let window = window(of: prediction.epoch, at: clock)
        return entry.since < window.upperBound && window.lowerBound <= clock.tick ? window.upperBound : nil
    }

    private func replay(_ entry: PresentNames.Entry, at clock: ClockReading) -> Effect? {
        let known = entry.predictions.filter { contacts[$0.contact] != nil }
        let isOutside = known.allSatisfy { evidenceEnd(entry, $0, at: clock) == nil }
        return known.isEmpty || !isOutside ? nil : .replaySuspected(known)
    }

    /// The ticks in which the values of an epoch count: the epoch and the skew allowance on both sides.
    func window(of epoch: Epoch, at clock: ClockReading) -> Range<Tick> {
        let window = policy.skew.window(of: epoch)
        let start = clock.tick(ofUnixMilliseconds: window.lowerBound)
        let end = clock.tick(ofUnixMilliseconds: window.upperBound)
        return start..<max(start, end)
    }

    /// The policy with the timers of one contact; a radio that is silent for long makes them longer.
    func timers(of contact: ContactID) -> RecognitionPolicy {
        var timers = policy
        timers.staleAfter = max(policy.staleAfter, radio.gap)
        timers.departAfter = max(contacts[contact]?.options.departAfter ?? policy.departAfter, radio.gap)
        return timers
    }

    func isRecent(_ contact: ContactID) -> Bool {
        contacts[contact]?.lastConfirmed.map { latest.milliseconds(since: $0) < policy.recency } ?? false
    }

    func fresh(_ contact: ContactID) -> ContactEvidence {
        ContactEvidence(reported: contacts[contact]?.wasSeen == true ? .gone : .unseen)
    }
}

extension RecognitionEngine.History {
    /// Notes whether the contact is present; true when that makes it arrive, false when it makes it leave.
    fileprivate mutating func arrivalOrDeparture(isPresent: Bool, at now: Tick) -> Bool? {
        guard isPresent else {
            let hadArrived = hasArrived
            presentSince = nil
            hasArrived = false
            return hadArrived ? false : nil
        }
        let since = presentSince ?? now
        presentSince = since
        guard !hasArrived, since.advanced(byMilliseconds: options.arriveAfter) <= now else { return nil }
        hasArrived = true
        return true
    }
}
