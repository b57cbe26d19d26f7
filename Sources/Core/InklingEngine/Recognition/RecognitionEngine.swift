public import InklingKeys

/// The engine that decides which contacts are near: it matches values with contacts, chooses when to try a handshake,
/// and reports arrivals and departures (`Specs/recognition.md`).
///
/// Names, minors and tags can be copied, so they lead to `probable` at most. Only a handshake, which the caller
/// performs when it receives `confirm`, leads to `confirmed`. The caller must not report values that its own device
/// shows.
public struct RecognitionEngine: Sendable {
    /// An event that the caller reports to the engine.
    public enum Event: Sendable {
        /// A new table, for the epoch that begins or for changed contacts, replaces the current one.
        case tableReplaced(PredictedTable)
        /// A contact must be recognised from now on. Ignored for a contact that is known, and beyond the policy's
        /// limit.
        case contactAdded(ContactID, ContactOptions = ContactOptions())
        /// New options for a known contact, from now on. Its evidence stays.
        case optionsChanged(ContactID, ContactOptions)
        /// A contact must no longer be recognised.
        case contactRemoved(ContactID)
        /// Another device's name appeared on the local network; `observed` is the current time unless the report is
        /// late.
        case nameAppeared(OpaqueServiceName, observed: ObservedTime)
        /// A name disappeared from the local network.
        case nameVanished(OpaqueServiceName)
        /// Discovery stopped, so that it is unknown which names are present.
        case namesForgotten
        /// The radio heard a minor.
        case beaconHeard(BeaconSighting)
        /// The radio heard an overflow area with a bit of Inkling's service set (`Specs/advertising.md`).
        case overflowHeard(DeviceAddress, observed: ObservedTime)
        /// The reading of the tag at an address ended; nil if no tag was read.
        case tagRead(RecognitionTag?, DeviceAddress, observed: ObservedTime)
        /// The link of the reading of the tag at an address failed: it was not made, or it broke.
        case readingFailed(DeviceAddress)
        /// A new radio gap: how long a working radio may miss a device that is near. Clamped to 1 s to 10 min.
        case radioGapChanged(Duration)
        /// The radio can or cannot connect to the devices that it hears; at first it can. Without links there are no
        /// attempts and no readings because of what it hears.
        case radioLinksChanged(Bool)
        /// The radio is rate-limited: it hears too much, and until the next silent gap ignores beacons that the table
        /// does not predict (`Specs/bluetooth.md`).
        case radioCrowded
        /// An attempt failed.
        case attemptFailed(Attempt, AttemptFailure)
        /// A handshake with a device of a contact succeeded, with this device in the given role. As the initiator it ends the
        /// running attempt over this technology; nil stands for the network if an attempt over it is running, otherwise for
        /// the radio.
        case confirmed(ContactID, DeviceIndex, Role, over: AttemptTechnology? = nil)
        /// This device has ended all its links over a technology itself: before a boundary, or because it was cut off.
        case linksClosed(over: AttemptTechnology)
        /// A record of a session with a device of a contact authenticated.
        case sessionHeard(ContactID, DeviceIndex)
        /// The last session with a device of a contact ended.
        case sessionEnded(ContactID, DeviceIndex)
        /// A device of a contact said goodbye in a session: its sessions end, and the values it has shown are no
        /// evidence until the next handshake with it. Ignored without a session with the device.
        case deviceLeft(ContactID, DeviceIndex)
        /// The moment of the latest `wake` has come.
        case timerFired
    }

    /// An action for the caller to carry out, or a change for it to report. The order matters.
    public enum Effect: Hashable, Sendable, Codable, CustomStringConvertible {
        /// A value that matches these predictions was seen outside its window: it is a copy, or a clock is wrong. It is
        /// no evidence.
        case outsideWindow([Prediction])
        /// Two addresses showed a minor of these predictions at the same time, through a relay or by chance; only a
        /// handshake can tell.
        case contested([Prediction])
        /// Too many calls because of names led to no handshake; the names are probably copies. Until the end of this
        /// device's epoch, only recently confirmed contacts are called because of a name.
        case replayed
        /// The state of a contact changed. Each change begins with the state in which the previous one ended.
        case stateChanged(ContactID, from: PresenceState, to: PresenceState)
        /// A contact arrived: it has been present for as long as its arrival timer.
        case arrived(ContactID)
        /// A contact that had arrived is no longer present.
        case left(ContactID)
        /// Start a handshake now, and report `confirmed` or `attemptFailed`.
        case confirm(Attempt)
        /// Connect to this address now, read its tag and nothing else, and report `tagRead` or `readingFailed`.
        case readTag(DeviceAddress)
        /// Report `timerFired` at this moment; replaces any earlier `wake`.
        case wake(at: Tick)

        /// The effect in words, for a log.
        public var description: String {
            switch self {
            case .outsideWindow(let predictions): "a value outside its window: \(Self.list(predictions))"
            case .contested(let predictions): "a minor at two addresses: \(Self.list(predictions))"
            case .replayed: "names are called that do not confirm"
            case .stateChanged(let contact, let before, let after): "\(contact) changed from \(before.word) to \(after)"
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

    let policy: RecognitionPolicy
    let timers: RecognitionPolicy.Timers
    var table = PredictedTable()
    var contacts: [ContactID: History] = [:]
    var names = PresentNames()
    var radio = RadioEvidence()
    /// Whether devices that the radio hears can be connected to.
    var carriesRadioLinks = true
    var evidence: [ContactID: ContactEvidence] = [:]
    var planned: [Way: PlannedAttempt] = [:]
    /// Contacts whose attempt is due and waits for room in the budget.
    var waiting: Set<Way> = []
    var budgets = EachTechnology(AttemptBudget())
    /// The contacts that an attempt of this device has confirmed, until the links of its technology are closed.
    var reached = EachTechnology<Set<ContactID>>([])
    var unconfirmedCalls = UnconfirmedCalls()
    var latest = Tick(milliseconds: 0)
    // An event evaluates only the contacts that it concerns and those whose timer has run out, so that its cost does
    // not grow with the number of contacts that are known or near.
    var agenda = Agenda()
    /// Contacts that the next event must evaluate.
    private var pending: Set<ContactID> = []
    /// The first reading since the clock was last set.
    private var steady: ClockReading?
    /// The moment of the latest `wake`.
    private var scheduled: Tick?

    /// The clock has been set if it has moved by this many milliseconds against the monotonic clock.
    private static let stepThreshold: Int64 = 1000

    /// Creates an engine without contacts.
    public init(policy: RecognitionPolicy = RecognitionPolicy()) {
        self.policy = policy
        timers = RecognitionPolicy.Timers(policy)
    }

    /// Processes one event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - reading: the clocks at that moment; if the ticks go back, no time has passed.
    ///   - generator: draws the delays before attempts.
    /// - Returns: the effects to carry out now, in this order.
    public mutating func handle(
        _ event: Event, at reading: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        latest = max(latest, reading.tick)
        let clock = ClockReading(tick: latest, unixMilliseconds: reading.unixMilliseconds, rate: reading.rate)
        var changed = advance(to: clock)
        let removal = removal(by: event)
        var effects = apply(event, at: clock, &changed, using: &generator)
        recordOutsideWindow(in: effects)
        if unconfirmedCalls.takeNote(of: policy.unconfirmedNameLimit) { effects.append(.replayed) }
        changed.formUnion(agenda.due(at: latest))

        let looked = changed.union([removal?.contact].compactMap { $0 }).sorted()
        for contact in looked {
            if let removal, removal.contact == contact { effects += removal.effects }
            gather(contact, at: clock)
            effects += settle(contact)
        }
        for contact in looked { plan(contact, at: clock, using: &generator) }
        let started = startDueAttempts(among: looked, at: clock)
        // An attempt uses its address up for this epoch, so that the next event must evaluate the other contacts that
        // may be at that address.
        pending = started.reduce(into: []) { $0.formUnion(radio.contacts(behind: $1)) }
        effects += started.map { .confirm($0) } + startDueReadings(at: clock)

        for contact in looked + started.map(\.prediction.contact) {
            agenda.plan(contact, at: contacts[contact] == nil ? nil : nextLook(at: contact, clock))
        }
        if let wake = nextWake(at: clock), wake != scheduled {
            scheduled = wake
            effects.append(.wake(at: wake))
        }
        return effects
    }

    /// Returns the state of a contact; nil if it was not added.
    public func state(of contact: ContactID) -> PresenceState? {
        contacts[contact].map { evidence[contact]?.reported ?? ($0.wasSeen ? .gone : .unseen) }
    }

    /// Whether a contact has arrived and has not left; false if it was not added.
    public func hasArrived(_ contact: ContactID) -> Bool { contacts[contact]?.hasArrived ?? false }

    /// Returns why the last attempt to confirm a contact failed; nil if it succeeded or none has been made.
    public func lastFailure(of contact: ContactID) -> AttemptFailure? { contacts[contact]?.lastFailure }

    /// Returns the number of attempts, with repeats, to confirm a contact over a technology for the epoch of the last
    /// one.
    package func attempts(of contact: ContactID, over technology: AttemptTechnology) -> Int {
        contacts[contact]?.tries[technology].calls ?? 0
    }

    /// Returns when the attempt to confirm a contact over a technology is due; nil if none is planned.
    public func plannedAttempt(of contact: ContactID, over technology: AttemptTechnology) -> Tick? {
        planned[Way(contact: contact, technology: technology)]?.due
    }

    /// The sizes of the engine's collections, for tests of their bounds.
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

    /// Advances to the time of an event. Returns the contacts that must be evaluated because of that.
    private mutating func advance(to clock: ClockReading) -> Set<ContactID> {
        radio.advance(to: clock)
        unconfirmedCalls.advance(to: radio.epoch)
        var changed = pending
        let ended = budgets[.network].advance(to: latest)
        for contact in ended { unconfirmedCalls.failed(contact) }
        changed.formUnion(ended)
        changed.formUnion(budgets[.radio].advance(to: latest))
        if steady.map({ clock.step(since: $0).magnitude >= Self.stepThreshold }) ?? true {
            steady = clock
            setExpiry(at: clock)
            changed.formUnion(evidence.keys)
            changed.formUnion(planned.keys.map(\.contact))
            changed.formUnion(names.contacts)
            changed.formUnion(radio.contacts)
        }
        let skew = policy.skew
        changed.formUnion(radio.expire(at: latest) { clock.tick(ofUnixMilliseconds: skew.window(of: $0).upperBound) })
        return changed
    }

    /// Applies an event, and adds the contacts that it concerns to `changed`.
    private mutating func apply(
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
            return found.compactMap { outsideWindowEffect(of: $0, at: clock) }
        case .contactAdded(let contact, let options):
            if contacts[contact] == nil, contacts.count < policy.contactLimit {
                contacts[contact] = History(options: options)
                changed.formUnion(names.sharers(of: contact))
            }
        case .optionsChanged(let contact, let options):
            guard contacts[contact] != nil else { break }
            setOptions(options, of: contact)
            changed.insert(contact)
            // The prior of this contact enters into the posteriors of others that share a minor with it.
            for trace in radio.traces.of(contact) { changed.formUnion(radio.traces.contacts(of: trace.minor)) }
        case .contactRemoved(let contact):
            changed.formUnion(names.sharers(of: contact))
            changed.formUnion(radio.forget(contact))
        case .nameAppeared(let name, let observed):
            let since = min(clock.tick(ofUnixMilliseconds: observed.earliest), now)
            let entry = PresentNames.Entry(name: name, since: since, predictions: table.predictions(for: name))
            if names.insert(entry, limit: policy.nameLimit) {
                changed.formUnion(entry.predictions.map(\.contact))
                return [outsideWindowEffect(of: entry, at: clock)].compactMap { $0 }
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
            _ = budgets[.radio].endReading(address)
            if let tag { return read(tag, address, Observed(observed, at: clock), at: clock, &changed) }
        case .readingFailed(let address):
            if budgets[.radio].endReading(address) { repeatReading(address, at: clock, using: &generator) }
        case .radioLinksChanged(let carriesLinks):
            carriesRadioLinks = carriesLinks
            changed.formUnion(radio.contacts)
        case .radioCrowded: radio.sweep.noteCrowd()
        case .radioGapChanged(let gap):
            radio.gap = min(max(gap.wholeMilliseconds, RadioEvidence.gaps.lowerBound), RadioEvidence.gaps.upperBound)
            changed.formUnion(evidence.keys)
            changed.formUnion(radio.contacts)
        case .attemptFailed(let attempt, let why):
            let contact = attempt.prediction.contact
            if budgets[attempt.over].end(attempt) {
                contacts[contact]?.tries[attempt.over].failedIn = why.isOfLink ? radio.epoch : nil
                if attempt.over == .network { unconfirmedCalls.failed(contact) }
            }
            contacts[contact]?.lastFailure = why
            changed.insert(contact)
            if why == .stranger, let address = attempt.address { changed.formUnion(radio.void(address)) }
        case .confirmed(let contact, let device, let role, let technology):
            let attempt = role == .initiator ? endAttempt(with: contact, over: technology) : nil
            guard contacts[contact] != nil else { break }
            if let attempt {
                radio.confirmed(attempt)
                reached[attempt.over].insert(contact)
            }
            unconfirmedCalls.drop(contact)
            contacts[contact]?.lastConfirmed = now
            contacts[contact]?.lastFailure = nil
            contacts[contact]?.goodbye = nil
            contacts[contact]?.silenced[device] = nil
            for technology in AttemptTechnology.allCases { contacts[contact]?.tries[technology].failedIn = nil }
            let start = emptyEvidence(of: contact)
            evidence[contact, default: start].confirm(device, at: now)
            changed.insert(contact)
            // The prior of this contact enters into the posteriors of others that share a minor with it.
            for trace in radio.traces.of(contact) { changed.formUnion(radio.traces.contacts(of: trace.minor)) }
        case .sessionHeard(let contact, let device):
            evidence[contact]?.hear(device, at: now)
            changed.insert(contact)
        case .sessionEnded(let contact, let device): endSession(with: contact, device, at: now, &changed)
        case .deviceLeft(let contact, let device):
            guard evidence[contact]?.hasSession(with: device) == true else { break }
            endSession(with: contact, device, at: now, &changed)
            contacts[contact]?.goodbye = now
            contacts[contact]?.silenced[device] = radio.epoch
        case .linksClosed(let technology):
            // We closed these links ourselves, so calling again reveals nothing.
            for contact in reached[technology] { contacts[contact]?.tries[technology].failedIn = radio.epoch }
            changed.formUnion(reached[technology])
            reached[technology] = []
            if technology == .radio {
                radio.cut = now
                changed.formUnion(radio.contacts)
            }
        case .timerFired:
            scheduled = nil
        }
        return []
    }

    /// Ends the sessions with a device of a contact.
    private mutating func endSession(
        with contact: ContactID, _ device: DeviceIndex, at now: Tick, _ changed: inout Set<ContactID>
    ) {
        if evidence[contact]?.hasSession(with: device) == true { contacts[contact]?.sessionEnded = now }
        evidence[contact]?.endSession(device, at: now, under: timers)
        changed.insert(contact)
    }

    /// Ends the running attempt with a contact over a technology, or over the first over which one is running.
    private mutating func endAttempt(with contact: ContactID, over technology: AttemptTechnology?) -> Attempt? {
        for technology in technology.map({ [$0] }) ?? AttemptTechnology.allCases {
            guard let attempt = budgets[technology].attempt(for: contact) else { continue }
            budgets[technology].end(for: contact)
            return attempt
        }
        return nil
    }

    private mutating func removal(by event: Event) -> Removal? {
        guard case .contactRemoved(let contact) = event else { return nil }
        let state = state(of: contact)
        let hasArrived = contacts[contact]?.hasArrived ?? false
        contacts[contact] = nil
        evidence[contact] = nil
        for technology in AttemptTechnology.allCases {
            planned[Way(contact: contact, technology: technology)] = nil
            budgets[technology].end(for: contact)
            reached[technology].remove(contact)
        }
        unconfirmedCalls.drop(contact)
        guard let state, state != .unseen, state != .gone else { return (contact, []) }
        return (contact, [.stateChanged(contact, from: state, to: .gone)] + (hasArrived ? [.left(contact)] : []))
    }

    private mutating func recordOutsideWindow(in effects: [Effect]) {
        for case .outsideWindow(let predictions) in effects {
            for prediction in predictions {
                contacts[prediction.contact]?.outsideWindow = Explanation.OutsideWindow(
                    epoch: prediction.epoch, at: latest)
            }
        }
    }

    /// Returns the next moment at which the engine has something to do without another event.
    private mutating func nextWake(at clock: ClockReading) -> Tick? {
        var moments = [agenda.first, radio.expiry] + budgets.both.map(\.nextEnd)
        if waiting.contains(where: { $0.technology == .network }) { moments.append(budgets[.network].nextRelease) }
        if waiting.contains(where: { $0.technology == .radio })
            || radio.readings.values.contains(where: { $0.due <= latest })
        {
            moments.append(budgets[.radio].nextRelease)
        }
        if !waiting.isEmpty, !unconfirmedCalls.hasRoom(under: policy.unconfirmedNameLimit) {
            moments.append(radio.epoch.map { clock.tick(ofUnixMilliseconds: $0.end * 1000) })
        }
        moments += radio.readingMoments
        return moments.compactMap { $0 }.filter { $0 > latest }.min()
    }
}
