internal import InklingKeys

/// Between which moments something was certainly observed, and by protocol time, between which it may have been.
struct Observed {
    /// The latest moment at which it can have been observed, and the earliest.
    let first: Tick, last: Tick
    /// Protocol milliseconds.
    let possible: ClosedRange<UInt64>

    /// An observation; nothing is observed later than it is reported.
    init(_ observation: Observation, at clock: ClockReading) {
        let now = clock.unixMilliseconds
        let (sum, overflow) = observation.unixMilliseconds.addingReportingOverflow(observation.uncertainty)
        let latest = min(overflow ? .max : sum, now)
        let earliest = min(observation.earliest, latest)
        possible = earliest...latest
        first = min(clock.tick(ofUnixMilliseconds: latest), clock.tick)
        last = min(clock.tick(ofUnixMilliseconds: earliest), clock.tick)
    }
}

// What is heard by radio.
extension RecognitionEngine {
    /// Takes a minor in, in the order of the specification's table; nil when it is about a stranger.
    mutating func hear(
        _ sighting: BeaconSighting, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect]? {
        guard let epoch = radio.epoch else { return nil }
        let (minor, address) = (sighting.minor, sighting.address)
        let observed = Observed(sighting.observed, at: clock)
        radio.addresses.hear(address, first: observed.first, last: observed.last, limit: policy.addressLimit)
        guard var entry = radio.addresses[address], !entry.isDistrusted, !entry.isVoid || entry.shown != minor else {
            return nil
        }
        (entry.shown, entry.isVoid) = (minor, false)
        if entry.epoch != epoch { (entry.epoch, entry.minors) = (epoch, []) }
        let isNew = !entry.minors.contains(minor)
        if isNew, entry.minors.count >= HeardAddresses.minorLimit {
            radio.distrust(address)
            return []
        }
        if isNew { entry.minors.append(minor) }
        radio.addresses[address] = entry

        let predictions = table.predictions(for: minor).filter { contacts[$0.contact] != nil }
        guard !predictions.isEmpty else {
            if isNew { radio.strangers.add() }
            return drawDecoy(entry, at: clock, using: &generator) ? [] : nil
        }
        let inside = predictions.filter { isObserved(observed, in: $0) }
        guard !inside.isEmpty else {
            let isOver = predictions.allSatisfy {
                policy.skew.window(of: $0.epoch).upperBound <= observed.possible.lowerBound
            }
            if isOver { radio.distrust(address) }
            return isNew ? [.replaySuspected(predictions)] : []
        }
        return Set(inside.map(\.epoch)).sorted().compactMap { epoch in
            radio.traces.hear(
                sighting, as: inside.filter { $0.epoch == epoch }, first: observed.first, last: observed.last,
                limit: policy.traceLimit
            ).map { .contested($0.predictions) }
        }
    }

    mutating func hearOverflow(
        _ address: DeviceAddress, _ observed: Observed, at clock: ClockReading,
        using generator: inout some RandomNumberGenerator
    ) {
        radio.addresses.hear(address, first: observed.first, last: observed.last, limit: policy.addressLimit)
        guard let entry = radio.addresses[address], !entry.isDistrusted else { return }
        planReading(entry, at: clock, using: &generator)
    }

    /// Takes in a tag that was read.
    mutating func read(_ tag: RecognitionTag, _ address: DeviceAddress, _ observed: Observed, at clock: ClockReading)
        -> [Effect]
    {
        radio.addresses.hear(address, first: observed.first, last: observed.last, limit: policy.addressLimit)
        let predictions = table.predictions(for: tag).filter { contacts[$0.contact] != nil }
        guard !predictions.isEmpty, radio.addresses[address]?.isDistrusted != true else {
            radio.void(address)
            return []
        }
        let inside = predictions.filter { isObserved(observed, in: $0) }
        guard !inside.isEmpty else { return [.replaySuspected(predictions)] }
        let entry = ReadTags.Entry(tag: tag, address: address, predictions: inside)
        radio.tags.insert(entry, limit: policy.tagLimit)
        return []
    }

    /// Adds up what the radio says about each contact.
    mutating func gatherRadio(at clock: ClockReading) {
        let skew = policy.skew
        radio.expire(at: clock.tick) { clock.tick(ofUnixMilliseconds: skew.window(of: $0).upperBound) }
        for (contact, traces) in radio.traces.byContact {
            // What is so old that the contact has left since says nothing more.
            let departure = timers(of: contact).departAfter
            guard traces.contains(where: { $0.last.advanced(byMilliseconds: departure) > latest }) else { continue }
            let posterior = posterior(of: contact, by: traces)
            var moments: (own: Tick?, shared: Tick?) = (nil, nil)
            for trace in traces {
                if posterior >= Posterior.probable, !trace.isContested, radio.traces.isOwn(trace, of: contact) {
                    moments.own = max(moments.own ?? trace.last, trace.last)
                } else if posterior >= Posterior.candidate || trace.isContested {
                    moments.shared = max(moments.shared ?? trace.last, trace.last)
                }
            }
            note(contact, own: moments.own, shared: moments.shared)
        }
        for entry in radio.tags.entries {
            guard let heard = radio.addresses[entry.address] else { continue }
            let isOwn = Set(entry.predictions.map(\.contact)).count == 1
            for prediction in entry.predictions {
                let moment = min(heard.last, window(of: prediction.epoch, at: clock).upperBound)
                note(prediction.contact, own: isOwn ? moment : nil, shared: isOwn ? nil : moment)
            }
        }
    }

    /// How likely a contact is near, by what the radio heard, in 65,536ths; names and handshakes do not count.
    public func posterior(of contact: ContactID) -> UInt64 {
        posterior(of: contact, by: radio.traces.entries.filter { $0.mayBe(of: contact) })
    }

    private func posterior(of contact: ContactID, by traces: [Trace]) -> UInt64 {
        let prior = prior(of: contact)
        var posterior = prior
        let traces = traces.filter { !$0.isContested }.sorted {
            ($0.epoch, $0.first, $0.minor.value) < ($1.epoch, $1.first, $1.minor.value)
        }
        for (place, trace) in traces.enumerated() {
            let others = Set(trace.predictions.map(\.contact)).filter { $0 != contact }
            posterior = Posterior.matched(
                posterior, others: others.reduce(0) { $0 + self.prior(of: $1) }, strangers: radio.strangers.expected)
            let next = place + 1 < traces.count ? traces[place + 1].first : latest
            posterior = Posterior.unheard(posterior, gaps: next.milliseconds(since: trace.last) / radio.gap)
            posterior = max(posterior, prior)
        }
        return posterior
    }

    /// The moments at which what the radio heard comes to mean something else.
    func radioMoments(at clock: ClockReading) -> [Tick] {
        var moments = radio.readings.flatMap { address, due in
            let there = radio.addresses[address].map { $0.last.advanced(byMilliseconds: radio.gap) }
            return [due > latest ? due : budget.nextRelease ?? latest, there ?? due]
        }
        for trace in radio.traces.entries {
            moments += Posterior.changes(after: trace.last, gap: radio.gap)
            moments.append(window(of: trace.epoch, at: clock).upperBound)
            if let next = trace.epoch.next { moments.append(window(of: next, at: clock).upperBound) }
        }
        for entry in radio.tags.entries {
            if let heard = radio.addresses[entry.address] {
                moments.append(heard.last.advanced(byMilliseconds: radio.gap))
            }
            moments += entry.predictions.map { window(of: $0.epoch, at: clock).upperBound }
        }
        if !radio.traces.entries.isEmpty, let epoch = radio.epoch {
            moments.append(clock.tick(ofUnixMilliseconds: epoch.end * 1000))
        }
        return moments
    }

    // MARK: Judgements

    private func isObserved(_ observed: Observed, in prediction: Prediction) -> Bool {
        let window = policy.skew.window(of: prediction.epoch)
        return observed.possible.lowerBound < window.upperBound && observed.possible.upperBound >= window.lowerBound
    }

    private func prior(of contact: ContactID) -> UInt64 {
        let prior = UInt64(contacts[contact]?.options.prior ?? Posterior.defaultPrior)
        return isRecent(contact) ? max(prior, Posterior.recentPrior) : prior
    }

    /// Notes evidence unless it is so old that the contact has left since.
    private mutating func note(_ contact: ContactID, own: Tick?, shared: Tick?) {
        guard let last = [own, shared].compactMap({ $0 }).max(),
            last.advanced(byMilliseconds: timers(of: contact).departAfter) > latest
        else { return }
        let start = fresh(contact)
        evidence[contact, default: start].hearRadio(own: own, shared: shared)
    }

    /// Decides, once for each stranger's address and epoch, whether to call it so that being called proves less.
    private mutating func drawDecoy(
        _ entry: HeardAddresses.Entry, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> Bool {
        guard policy.decoys > 0, entry.drawn != radio.epoch, entry.isSteady(policy.steadyAfter) else { return false }
        let epoch = radio.epoch
        radio.addresses[entry.address]?.drawn = epoch
        guard generator.next() % Posterior.one < UInt64(policy.decoys) else { return false }
        planReading(entry, at: clock, using: &generator)
        return true
    }

    private mutating func planReading(
        _ entry: HeardAddresses.Entry, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        guard entry.read != radio.epoch, radio.readings[entry.address] == nil,
            radio.readings.count < policy.plannedReadingLimit
        else { return }
        let delay = generator.next() % (policy.radioAttemptDelay + 1)
        radio.readings[entry.address] = clock.tick.advanced(byMilliseconds: delay)
    }
}
