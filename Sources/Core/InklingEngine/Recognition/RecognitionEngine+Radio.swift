public import InklingKeys

// Events of the radio.
extension RecognitionEngine {
    /// Processes a minor, in the order of the table in `Specs/recognition.md`.
    mutating func hear(
        _ sighting: BeaconSighting, at clock: ClockReading, _ changed: inout Set<ContactID>,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard let epoch = radio.epoch else { return [] }
        let (minor, address) = (sighting.minor, sighting.address)
        let observed = Observed(sighting.observed, at: clock)
        changed.formUnion(hear(address, observed, at: clock))
        if sighting.isReachable { radio.addresses[address]?.isReachable = true }
        guard var entry = radio.addresses[address], !entry.isDistrusted, !entry.isVoid || entry.shown != minor else {
            return []
        }
        (entry.shown, entry.isVoid) = (minor, false)
        if entry.epoch != epoch { (entry.epoch, entry.minors, entry.noted) = (epoch, [], []) }
        let isNew = !entry.minors.contains(minor)
        if isNew, entry.minors.count >= HeardAddresses.minorLimit {
            changed.formUnion(radio.distrust(address))
            return []
        }
        if isNew { entry.minors.append(minor) }
        radio.sweep.hear(minor, limit: policy.sweepMinors)
        radio.addresses[address] = entry

        let predictions = table.predictions(for: minor).filter { contacts[$0.contact] != nil }
        guard !predictions.isEmpty else {
            if isNew { radio.strangers.add() }
            drawDecoy(entry, at: clock, using: &generator)
            return []
        }
        let inside = predictions.filter { isObserved(observed, in: $0) }
        guard !inside.isEmpty else {
            let isOver = predictions.allSatisfy {
                policy.skew.window(of: $0.epoch).upperBound <= observed.possible.lowerBound
            }
            let isNoted = entry.noted.contains(minor)
            radio.addresses[address]?.noted.insert(minor)
            if isOver { changed.formUnion(radio.distrust(address)) }
            return isNoted ? [] : [.outsideWindow(predictions)]
        }
        var effects: [Effect] = []
        for epoch in Set(inside.map(\.epoch)).sorted() {
            let contested = radio.traces.hear(
                sighting, as: inside.filter { $0.epoch == epoch }, first: observed.first, last: observed.last,
                strangers: radio.strangers.expected, limit: policy.traceLimit)
            if let contested { effects.append(.contested(contested.predictions)) }
        }
        setExpiry(at: clock)
        changed.formUnion(radio.traces.contacts(of: minor))
        return effects
    }

    /// Processes an overflow hit, which says only that an address may have a tag to read.
    mutating func hearOverflow(
        _ address: DeviceAddress, _ observed: Observed, at clock: ClockReading, _ changed: inout Set<ContactID>,
        using generator: inout some RandomNumberGenerator
    ) {
        changed.formUnion(hear(address, observed, at: clock))
        radio.addresses[address]?.isReachable = true
        guard let entry = radio.addresses[address], !entry.isDistrusted else { return }
        planReading(entry, at: clock, using: &generator)
    }

    /// Plans another reading after the link of one failed.
    mutating func repeatReading(
        _ address: DeviceAddress, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        let count = radio.readingCount(of: address)
        guard count >= 1, count <= timers.repeatDelays.count, mayRepeat(failedIn: radio.epoch, at: clock),
            radio.addresses[address]?.isDistrusted == false, radio.readings[address] == nil,
            radio.readings.count < policy.plannedReadingLimit
        else { return }
        let delay = repeatDelay(after: count, using: &generator)
        radio.readings[address] = PlannedReading(
            due: clock.tick.advanced(byMilliseconds: delay), failedIn: radio.epoch)
    }

    /// Processes a tag that was read at an address.
    mutating func read(
        _ tag: RecognitionTag, _ address: DeviceAddress, _ observed: Observed, at clock: ClockReading,
        _ changed: inout Set<ContactID>
    ) -> [Effect] {
        changed.formUnion(hear(address, observed, at: clock))
        guard radio.addresses[address]?.isDistrusted != true else { return [] }
        // A newer reading replaces the older one even if it matches no contact.
        radio.tags.forget(address)
        let predictions = table.predictions(for: tag).filter { contacts[$0.contact] != nil }
        guard !predictions.isEmpty else {
            changed.formUnion(radio.void(address))
            return []
        }
        let inside = predictions.filter { isObserved(observed, in: $0) }
        guard !inside.isEmpty else { return [.outsideWindow(predictions)] }
        let heard = radio.addresses[address]?.last ?? observed.last
        let claims = inside.map { prediction in
            let end = window(of: prediction.epoch, at: clock).upperBound
            return ReadTags.Claim(
                prediction: prediction, last: heard < end ? max(heard, observed.last) : min(observed.last, end))
        }
        radio.tags.insert(ReadTags.Entry(tag: tag, address: address, claims: claims), limit: policy.tagLimit)
        setExpiry(at: clock)
        changed.formUnion(inside.map(\.contact))
        return []
    }

    /// Updates the evidence of a contact from the minors and tags that the radio heard.
    mutating func gatherRadio(_ contact: ContactID, at clock: ClockReading) {
        let traces = radio.traces.of(contact)
        let posterior = posterior(of: contact, by: traces, at: latest)
        var moments: (own: Tick?, shared: Tick?) = (nil, nil)
        for trace in traces where trace.predictions.contains(where: { $0.contact == contact && !isSilenced($0) }) {
            // A copy of the minor at another address does not weaken the evidence from the address of a handshake.
            if let last = radio.proven.last(of: contact, in: trace) {
                moments.own = max(moments.own ?? last, last)
            }
            if posterior >= Posterior.probable, !trace.isContested, radio.traces.isOwn(trace, of: contact) {
                moments.own = max(moments.own ?? trace.last, trace.last)
            } else if posterior >= Posterior.candidate || trace.isContested {
                moments.shared = max(moments.shared ?? trace.last, trace.last)
            }
        }
        note(contact, own: moments.own, shared: moments.shared)
        for entry in radio.tags.entries {
            for claim in entry.claims where claim.prediction.contact == contact && !isSilenced(claim.prediction) {
                note(
                    contact, own: entry.sharers == 1 ? claim.last : nil, shared: entry.sharers == 1 ? nil : claim.last)
            }
        }
    }

    /// Returns the probability that a contact is near, given what the radio heard, in 65,536ths. Names do not affect
    /// it, and a recent handshake only raises the prior.
    public func posterior(of contact: ContactID, at now: Tick) -> UInt64 {
        posterior(of: contact, by: radio.traces.of(contact), at: max(now, latest))
    }

    private func posterior(of contact: ContactID, by traces: [Trace], at now: Tick) -> UInt64 {
        let prior = prior(of: contact, at: now)
        var posterior = prior
        let traces = traces.filter { !$0.isContested }
        for (place, trace) in traces.enumerated() {
            let others = Set(trace.predictions.map(\.contact)).filter { $0 != contact }
            posterior = Posterior.matched(
                posterior, others: others.reduce(0) { $0 + self.prior(of: $1, at: now) }, strangers: trace.strangers)
            let next = place + 1 < traces.count ? traces[place + 1].last : now
            posterior = Posterior.unheard(posterior, gaps: next.milliseconds(since: trace.last) / radio.gap)
            posterior = max(posterior, prior)
        }
        return posterior
    }

    /// Returns the moments at which time alone changes the meaning of what the radio heard of a contact.
    func radioMoments(of contact: ContactID, at clock: ClockReading) -> [Tick] {
        var moments: [Tick] = []
        for trace in radio.traces.of(contact) {
            // Gaps are counted from each trace, whether or not later traces of the contact follow.
            moments += Posterior.changes(after: trace.last, gap: radio.gap)
            moments.append(window(of: trace.epoch, at: clock).upperBound)
            moments += trace.sources.map { $0.last.advanced(byMilliseconds: radio.gap) }
        }
        for entry in radio.tags.entries {
            for claim in entry.claims where claim.prediction.contact == contact {
                moments.append(window(of: claim.prediction.epoch, at: clock).upperBound)
                if let heard = radio.addresses[entry.address] {
                    moments.append(heard.last.advanced(byMilliseconds: radio.gap))
                }
            }
        }
        // A new epoch of the observer permits new attempts at the same addresses.
        if !moments.isEmpty, let epoch = radio.epoch {
            moments.append(clock.tick(ofUnixMilliseconds: epoch.end * 1000))
        }
        return moments
    }

    /// Updates the moment at which the next trace or tag expires.
    mutating func setExpiry(at clock: ClockReading) {
        let skew = policy.skew
        radio.setExpiry { clock.tick(ofUnixMilliseconds: skew.window(of: $0).upperBound) }
    }

    /// Records that an address was heard. Returns the contacts for which that may be evidence.
    private mutating func hear(
        _ address: DeviceAddress, _ observed: Observed, at clock: ClockReading
    ) -> Set<ContactID> {
        let skew = policy.skew
        return radio.hear(address, observed, limit: policy.addressLimit) {
            clock.tick(ofUnixMilliseconds: skew.window(of: $0).upperBound)
        }
    }

    // MARK: Judgements

    private func isObserved(_ observed: Observed, in prediction: Prediction) -> Bool {
        let window = policy.skew.window(of: prediction.epoch)
        return observed.possible.lowerBound < window.upperBound && observed.possible.upperBound >= window.lowerBound
    }

    func prior(of contact: ContactID, at now: Tick) -> UInt64 {
        let prior = UInt64(contacts[contact]?.options.prior ?? Posterior.defaultPrior)
        return isRecent(contact, at: now) ? max(prior, Posterior.recentPrior) : prior
    }

    /// Records evidence of the radio unless it has run out.
    private mutating func note(_ contact: ContactID, own: Tick?, shared: Tick?) {
        guard let last = [own, shared].compactMap({ $0 }).max(),
            !timers(of: contact).isOver(last, at: latest)
        else { return }
        let start = emptyEvidence(of: contact)
        evidence[contact, default: start].hearRadio(own: own, shared: shared)
    }

    /// Draws, once for each stranger's address and epoch, whether to read its tag. Such decoys make it less certain
    /// that a device to which this one connects was recognised.
    private mutating func drawDecoy(
        _ entry: HeardAddresses.Entry, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        guard policy.decoys > 0, entry.drawn != radio.epoch, entry.isSteady(timers.steadyAfter) else { return }
        let epoch = radio.epoch
        radio.addresses[entry.address]?.drawn = epoch
        guard generator.next() % Posterior.one < UInt64(policy.decoys) else { return }
        planReading(entry, at: clock, using: &generator)
    }

    private mutating func planReading(
        _ entry: HeardAddresses.Entry, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        guard carriesRadioLinks, entry.isReachable, !radio.isRead(entry.address), radio.readings[entry.address] == nil,
            radio.readings.count < policy.plannedReadingLimit
        else { return }
        let delay = generator.next() % (timers.radioAttemptDelay + 1)
        radio.readings[entry.address] = PlannedReading(due: clock.tick.advanced(byMilliseconds: delay), failedIn: nil)
    }
}
