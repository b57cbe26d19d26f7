internal import InklingKeys

// The evidence for one contact, the state that follows from it, and when that can change.
extension RecognitionEngine {
    /// Updates the passive evidence of a contact, which counts while a value is present and its window is open.
    mutating func gather(_ contact: ContactID, at clock: ClockReading) {
        evidence[contact]?.interrupt(at: clock.tick)
        guard contacts[contact] != nil else { return }
        for entry in names.of(contact) {
            let isOwn = Set(matches(of: entry, at: clock).map(\.contact)).count == 1
            for prediction in entry.predictions where prediction.contact == contact && !isSilenced(prediction) {
                guard let end = evidenceEnd(entry, prediction, at: clock) else { continue }
                let start = emptyEvidence(of: contact)
                evidence[contact, default: start].extend(entry.name, to: end, isOwn: isOwn)
            }
        }
        gatherRadio(contact, at: clock)
    }

    /// Updates the state of a contact; returns the effects of the change, if any.
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

    /// Returns the next moment at which time alone can change a contact's state or its attempts; nil if there is none.
    func nextLook(at contact: ContactID, _ clock: ClockReading) -> Tick? {
        var moments: [Tick] = []
        if let evidence = evidence[contact] {
            moments += [evidence.nextChange(after: latest, under: timers(of: contact))].compactMap { $0 }
        }
        if let history = contacts[contact], let since = history.presentSince, !history.hasArrived {
            moments.append(since.advanced(byMilliseconds: history.options.arriveAfterMilliseconds))
        }
        for technology in AttemptTechnology.allCases {
            guard let plan = planned[Way(contact: contact, technology: technology)] else { continue }
            moments.append(plan.due)
            if plan.isRepeat, let epoch = radio.epoch {
                let end = epoch.end * 1000
                moments.append(clock.tick(ofUnixMilliseconds: end - min(timers.repeatEnd, end)))
            }
        }
        for entry in names.of(contact) {
            // A present name begins to count when its window opens and ceases to when it closes, without another event.
            for prediction in entry.predictions where contacts[prediction.contact] != nil {
                let window = window(of: prediction.epoch, at: clock)
                moments += [window.lowerBound, window.upperBound]
            }
        }
        return (moments + radioMoments(of: contact, at: clock)).filter { $0 > latest }.min()
    }

    // MARK: Judgements

    /// Returns the contacts that are expected to show a name now, each with the end of that evidence.
    func matches(of entry: PresentNames.Entry, at clock: ClockReading) -> [(contact: ContactID, end: Tick)] {
        entry.predictions.compactMap { prediction in
            guard contacts[prediction.contact] != nil, let end = evidenceEnd(entry, prediction, at: clock) else {
                return nil
            }
            return (prediction.contact, end)
        }
    }

    /// Returns when a present name ceases to be evidence for a prediction; nil if it was not seen inside the window.
    func evidenceEnd(_ entry: PresentNames.Entry, _ prediction: Prediction, at clock: ClockReading) -> Tick? {
        let window = window(of: prediction.epoch, at: clock)
        return entry.since < window.upperBound && window.lowerBound <= clock.tick ? window.upperBound : nil
    }

    /// Returns the effect that reports a name of known contacts outside all its windows; nil for any other name.
    func outsideWindowEffect(of entry: PresentNames.Entry, at clock: ClockReading) -> Effect? {
        let known = entry.predictions.filter { contacts[$0.contact] != nil }
        let isOutside = known.allSatisfy { evidenceEnd(entry, $0, at: clock) == nil }
        return known.isEmpty || !isOutside ? nil : .outsideWindow(known)
    }

    /// Returns the window of an epoch in ticks: the epoch, and the skew allowance before and after it.
    func window(of epoch: Epoch, at clock: ClockReading) -> Range<Tick> {
        let window = policy.skew.window(of: epoch)
        let start = clock.tick(ofUnixMilliseconds: window.lowerBound)
        let end = clock.tick(ofUnixMilliseconds: window.upperBound)
        return start..<max(start, end)
    }

    func isInWindow(_ prediction: Prediction, at clock: ClockReading) -> Bool {
        window(of: prediction.epoch, at: clock).contains(clock.tick)
    }

    /// Returns the timers of one contact. None is shorter than the radio gap, so that a slow radio does not end a
    /// presence.
    func timers(of contact: ContactID) -> RecognitionPolicy.Timers {
        var own = timers
        own.staleAfter = max(timers.staleAfter, radio.gap)
        own.departAfter = max(
            contacts[contact]?.options.departAfterMilliseconds ?? timers.departAfter, radio.gap,
            RecognitionPolicy.minimumDeparture.wholeMilliseconds)
        own.leaveAfter = max(
            contacts[contact]?.options.leaveAfterMilliseconds ?? timers.leaveAfter, radio.gap,
            RecognitionPolicy.minimumDeparture.wholeMilliseconds)
        own.goodbye = contacts[contact]?.goodbye
        own.over = contacts[contact]?.over
        return own
    }

    /// Whether the device said goodbye in the epoch of the value or later, so that copies of the value prove nothing.
    func isSilenced(_ prediction: Prediction) -> Bool {
        contacts[prediction.contact]?.silenced[prediction.device].map { prediction.epoch <= $0 } ?? false
    }

    /// Changes the options of a contact. Its evidence stays, but evidence that has run out does not count again.
    mutating func setOptions(_ options: ContactOptions, of contact: ContactID) {
        let timers = timers(of: contact)
        var ended = [timers.over, timers.goodbye].compactMap(\.self).filter { timers.isOver($0, at: latest) }
        if latest.milliseconds >= timers.departAfter {
            ended.append(Tick(milliseconds: latest.milliseconds - timers.departAfter))
        }
        contacts[contact]?.over = ended.max()
        contacts[contact]?.options = options
    }

    /// Whether a contact was confirmed within the policy's `recency`.
    func isRecent(_ contact: ContactID, at now: Tick) -> Bool {
        contacts[contact]?.lastConfirmed.map { now.milliseconds(since: $0) < timers.recency } ?? false
    }

    func emptyEvidence(of contact: ContactID) -> ContactEvidence {
        ContactEvidence(reported: contacts[contact]?.wasSeen == true ? .gone : .unseen)
    }
}

extension RecognitionEngine.History {
    /// Records whether the contact is present. Returns true if it has now arrived, false if it has now left, else nil.
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
