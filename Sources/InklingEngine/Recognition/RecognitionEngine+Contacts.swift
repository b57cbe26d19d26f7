internal import InklingKeys

// What speaks for one contact, what follows from it, and when that changes.
extension RecognitionEngine {
    /// Brings the passive evidence of a contact up to date: it lasts while a value is there and in its window.
    mutating func gather(_ contact: ContactID, at clock: ClockReading) {
        evidence[contact]?.interrupt(at: clock.tick)
        guard contacts[contact] != nil else { return }
        for entry in names.of(contact) {
            let matches = matches(of: entry, at: clock)
            let isOwn = Set(matches.map(\.contact)).count == 1
            for (match, end) in matches where match == contact {
                let start = fresh(contact)
                evidence[contact, default: start].extend(entry.name, to: end, isOwn: isOwn)
            }
        }
        gatherRadio(contact, at: clock)
    }

    /// Works out the state of a contact.
    mutating func settle(_ contact: ContactID) -> [Effect] {
        let timers = timers(of: contact)
        let before = evidence[contact]?.settle(at: latest, under: timers)
        guard let after = evidence[contact]?.reported else { return [] }
        var effects: [Effect] = []
        if let before {
            contacts[contact]?.wasSeen = true
            effects.append(.stateChanged(contact, from: before, to: after))
        }
        if let hasArrived = contacts[contact]?.arrivalOrDeparture(isPresent: after.isPresent, at: latest) {
            effects.append(hasArrived ? .arrived(contact) : .left(contact))
        }
        if after == .gone || after == .unseen { evidence[contact] = nil }
        return effects
    }

    /// When a contact is to be looked at next although nothing happens to it.
    func nextLook(at contact: ContactID, _ clock: ClockReading) -> Tick? {
        var moments: [Tick] = []
        if let evidence = evidence[contact] {
            moments += [evidence.nextChange(after: latest, under: timers(of: contact))].compactMap { $0 }
        }
        if let history = contacts[contact], let since = history.presentSince, !history.hasArrived {
            moments.append(since.advanced(byMilliseconds: history.options.arriveAfterMilliseconds))
        }
        moments += [planned[contact]?.due].compactMap { $0 }
        for entry in names.of(contact) {
            // A name seen early begins to count, and one seen in time ceases to, without another event.
            for prediction in entry.predictions where contacts[prediction.contact] != nil {
                let window = window(of: prediction.epoch, at: clock)
                moments += [window.lowerBound, window.upperBound]
            }
        }
        return (moments + radioMoments(of: contact, at: clock)).filter { $0 > latest }.min()
    }

    // MARK: Judgements

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

    /// The note on a name that is outside all its windows.
    func replay(_ entry: PresentNames.Entry, at clock: ClockReading) -> Effect? {
        let known = entry.predictions.filter { contacts[$0.contact] != nil }
        let isOutside = known.allSatisfy { evidenceEnd(entry, $0, at: clock) == nil }
        return known.isEmpty || !isOutside ? nil : .outsideWindow(known)
    }

    /// The ticks in which the values of an epoch count: the epoch and the skew allowance on both sides.
    func window(of epoch: Epoch, at clock: ClockReading) -> Range<Tick> {
        let window = policy.skew.window(of: epoch)
        let start = clock.tick(ofUnixMilliseconds: window.lowerBound)
        let end = clock.tick(ofUnixMilliseconds: window.upperBound)
        return start..<max(start, end)
    }

    func isInWindow(_ prediction: Prediction, at clock: ClockReading) -> Bool {
        window(of: prediction.epoch, at: clock).contains(clock.tick)
    }

    /// The timers of one contact; a radio that is silent for long makes them longer.
    func timers(of contact: ContactID) -> RecognitionPolicy.Timers {
        var timers = policy.timers
        timers.staleAfter = max(policy.timers.staleAfter, radio.gap)
        timers.departAfter = max(
            contacts[contact]?.options.departAfterMilliseconds ?? policy.timers.departAfter, radio.gap)
        return timers
    }

    /// Whether a contact was confirmed in the last day.
    func isRecent(_ contact: ContactID, at now: Tick) -> Bool {
        contacts[contact]?.lastConfirmed.map { now.milliseconds(since: $0) < policy.timers.recency } ?? false
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
        guard !hasArrived, since.advanced(byMilliseconds: options.arriveAfterMilliseconds) <= now else { return nil }
        hasArrived = true
        return true
    }
}
