public import InklingKeys

/// Decides who is near: which contact a name might belong to, whom to try a handshake with and when, who has arrived
/// and who has left (`Specs/recognition.md`).
///
/// A name is evidence that anybody can copy; it leads to `probable` at most. Only a handshake, which the caller carries
/// out when it gets `confirm`, leads to `confirmed`. The caller drops its own names.
public struct RecognitionEngine: Sendable {
    /// What happened.
    public enum Event: Sendable {
        /// A table prepared for the epoch that begins, or for other contacts, is to be in force from now on.
        case tableReplaced(PredictedTable)
        /// A contact is to be recognised.
        case contactAdded(ContactID)
        /// A contact is not to be recognised any more.
        case contactRemoved(ContactID)
        /// A name that is not our own is there, first observed at `observed`, which is now unless the report was late.
        case nameAppeared(OpaqueServiceName, observed: Observation)
        /// A name is there no more.
        case nameVanished(OpaqueServiceName)
        /// Nothing is known any more about which names are there: discovery stopped.
        case namesForgotten
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
        /// A name of one of these turned up outside the time in which it is theirs: a copy, or a clock that is wrong.
        /// Evidence of nothing.
        case outsideWindow([Prediction])
        /// Tell the user. The changes of one contact form an unbroken chain.
        case stateChanged(ContactID, from: PresenceState, to: PresenceState)
        /// Start a handshake now, and report `confirmed` or `attemptFailed`.
        case confirm(Attempt)
        /// Send `timerFired` at this moment; replaces every earlier wish.
        case wake(at: Tick)
    }

    private struct History: Sendable {
        var lastConfirmed: Tick?
        var lastAttempted: Epoch?
        var lastFailure: AttemptFailure?
        var wasSeen = false
    }

    private struct Planned: Sendable {
        let attempt: Attempt
        let due: Tick
    }

    private let policy: RecognitionPolicy
    private var table = PredictedTable()
    private var contacts: [ContactID: History] = [:]
    private var names = PresentNames()
    // Only contacts with evidence, so that the cost of an event does not grow with the number of contacts.
    private var evidence: [ContactID: ContactEvidence] = [:]
    private var planned: [ContactID: Planned] = [:]
    private var budget = AttemptBudget()
    private var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?

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
        var effects = take(event, at: clock)
        gather(at: clock)
        effects += settle()
        plan(at: clock, using: &generator)
        effects += startDueAttempts()
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
    package var footprint: (names: Int, contacts: Int, evidence: Int, planned: Int) {
        (names.entries.count, contacts.count, evidence.count, planned.count)
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
    private mutating func take(_ event: Event, at clock: ClockReading) -> [Effect] {
        let now = clock.tick
        switch event {
        case .tableReplaced(let table):
            self.table = table
            return names.lookUp(in: table).compactMap { outsideWindow($0, at: clock) }
        case .contactAdded(let contact):
            if contacts[contact] == nil, contacts.count < policy.contactLimit { contacts[contact] = History() }
        case .contactRemoved(let contact):
            let state = state(of: contact)
            contacts[contact] = nil
            evidence[contact] = nil
            planned[contact] = nil
            if let state, state != .unseen, state != .gone { return [.stateChanged(contact, from: state, to: .gone)] }
        case .nameAppeared(let name, let observed):
            let since = min(clock.tick(ofUnixMilliseconds: observed.earliest), now)
            let entry = PresentNames.Entry(name: name, since: since, predictions: table.predictions(for: name))
            if names.insert(entry, limit: policy.nameLimit) {
                return [outsideWindow(entry, at: clock)].compactMap { $0 }
            }
        case .nameVanished(let name):
            names.remove(name)
        case .namesForgotten:
            names.removeAll()
        case .attemptFailed(let attempt, let why):
            budget.end(attempt)
            contacts[attempt.prediction.contact]?.lastFailure = why
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

    /// Brings the passive evidence up to date: it lasts while a name is there and in its window, and no longer.
    private mutating func gather(at clock: ClockReading) {
        for contact in evidence.keys { evidence[contact]?.interrupt(at: clock.tick) }
        for entry in names.entries {
            let matches = entry.predictions.compactMap { prediction -> (contact: ContactID, end: Tick)? in
                guard contacts[prediction.contact] != nil, let end = evidenceEnd(entry, prediction, at: clock) else {
                    return nil
                }
                return (prediction.contact, end)
            }
            let isOwn = Set(matches.map(\.contact)).count == 1
            for (contact, end) in matches {
                let start = fresh(contact)
                evidence[contact, default: start].extend(to: end, isOwn: isOwn)
            }
        }
    }

    private mutating func settle() -> [Effect] {
        var effects: [Effect] = []
        for contact in evidence.keys.sorted() {
            let before = evidence[contact]?.settle(at: latest, under: policy)
            guard let after = evidence[contact]?.reported else { continue }
            if let before {
                contacts[contact]?.wasSeen = true
                effects.append(.stateChanged(contact, from: before, to: after))
            }
            if after == .gone || after == .unseen { evidence[contact] = nil }
        }
        return effects
    }

    private mutating func plan(at clock: ClockReading, using generator: inout some RandomNumberGenerator) {
        var wanted: [ContactID: [Attempt]] = [:]
        for entry in names.entries {
            for prediction in entry.predictions where isWanted(prediction) {
                guard let end = evidenceEnd(entry, prediction, at: clock), end > clock.tick else { continue }
                wanted[prediction.contact, default: []].append(Attempt(name: entry.name, prediction: prediction))
            }
        }
        planned = planned.filter { contact, plan in wanted[contact]?.contains(plan.attempt) == true }
        for contact in wanted.keys.sorted() where planned[contact] == nil {
            guard let attempt = wanted[contact]?.first else { continue }
            // An immediate attempt would tell whoever planted a copied name how fast somebody here recognised it.
            let delay = UInt64.random(in: 0...policy.attemptDelay, using: &generator)
            planned[contact] = Planned(attempt: attempt, due: clock.tick.advanced(byMilliseconds: delay))
        }
    }

    private mutating func startDueAttempts() -> [Effect] {
        budget.advance(to: latest)
        let due = planned.values.filter { $0.due <= latest }.map { plan in
            (plan, contact: plan.attempt.prediction.contact, isRecent: isRecent(plan.attempt.prediction.contact))
        }.sorted { left, right in
            if left.isRecent != right.isRecent { return left.isRecent }
            return (left.0.due, left.contact) < (right.0.due, right.contact)
        }
        var effects: [Effect] = []
        for (plan, contact, isRecent) in due
        where budget.start(plan.attempt, isRecent: isRecent, at: latest, under: policy) {
            planned[contact] = nil
            contacts[contact]?.lastAttempted = plan.attempt.prediction.epoch
            effects.append(.confirm(plan.attempt))
        }
        return effects
    }

    private func nextWake(at clock: ClockReading) -> Tick? {
        var moments = planned.values.map { $0.due > latest ? $0.due : budget.nextRelease ?? latest }
        moments += evidence.values.compactMap { $0.nextChange(after: latest, under: policy) }
        for entry in names.entries {
            // A name seen early begins to count, and one seen in time ceases to, without another event.
            for prediction in entry.predictions where contacts[prediction.contact] != nil {
                let window = window(of: prediction.epoch, at: clock)
                moments += [window.lowerBound, window.upperBound]
            }
        }
        return moments.filter { $0 > latest }.min()
    }

    // MARK: Judgements

    /// Until when a name that is there speaks for a prediction; nil when it was not there within the window.
    private func evidenceEnd(_ entry: PresentNames.Entry, _ prediction: Prediction, at clock: ClockReading) -> Tick? {
        let window = window(of: prediction.epoch, at: clock)
        return entry.since < window.upperBound && window.lowerBound <= clock.tick ? window.upperBound : nil
    }

    private func outsideWindow(_ entry: PresentNames.Entry, at clock: ClockReading) -> Effect? {
        let known = entry.predictions.filter { contacts[$0.contact] != nil }
        let isOutside = known.allSatisfy { evidenceEnd(entry, $0, at: clock) == nil }
        return known.isEmpty || !isOutside ? nil : .outsideWindow(known)
    }

    /// The ticks in which the values of an epoch count: the epoch and the skew allowance on both sides.
    private func window(of epoch: Epoch, at clock: ClockReading) -> Range<Tick> {
        let skew = policy.skew.seconds
        let start = clock.tick(ofUnixMilliseconds: (epoch.start > skew ? epoch.start - skew : 0) * 1000)
        let end = clock.tick(ofUnixMilliseconds: (epoch.end + skew) * 1000)
        return start..<max(start, end)
    }

    private func isWanted(_ prediction: Prediction) -> Bool {
        guard let history = contacts[prediction.contact], !budget.isRunning(for: prediction.contact) else {
            return false
        }
        if let last = history.lastAttempted, prediction.epoch <= last { return false }
        return evidence[prediction.contact]?.hasSession != true
    }

    private func isRecent(_ contact: ContactID) -> Bool {
        contacts[contact]?.lastConfirmed.map { latest.milliseconds(since: $0) < policy.recency } ?? false
    }

    private func fresh(_ contact: ContactID) -> ContactEvidence {
        ContactEvidence(reported: contacts[contact]?.wasSeen == true ? .gone : .unseen)
    }
}
