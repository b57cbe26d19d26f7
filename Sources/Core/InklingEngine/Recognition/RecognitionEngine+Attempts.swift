internal import InklingKeys

/// An attempt that waits for its random delay to pass and for room in the budget.
struct PlannedAttempt: Sendable {
    /// The kind of value that justifies the attempt, the best first.
    enum Ground: Int, Comparable {
        case name, tag, minor

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    // The value itself is chosen when the attempt starts.
    let ground: Ground
    /// Whether the contact has had an attempt for the epoch of the value, whose link failed.
    let isRepeat: Bool
    let due: Tick
}

// The choice of contacts to confirm, and of the time.
extension RecognitionEngine {
    /// A present value for which an attempt may start, now or once its address is steady.
    private struct Option {
        let ground: PlannedAttempt.Ground
        let attempt: Attempt
        /// The probability that the value belongs to the contact, in 65,536ths; 0 for a minor, which has a posterior.
        let weight: UInt64
        /// The time for which the address of a minor has been heard, in milliseconds; 0 for names and tags.
        let span: UInt64
        /// Whether its address is steady; true for a name, which has no address.
        let isReady: Bool
        let isRepeat: Bool

        /// Whether this option is preferred to another on the same ground.
        func precedes(_ other: Option) -> Bool {
            let (mine, others) = (attempt.prediction, other.attempt.prediction)
            if span != other.span { return span > other.span }
            let (place, otherPlace) = (attempt.place, other.attempt.place)
            if ground == .minor, place != otherPlace { return place < otherPlace }
            if mine.epoch != others.epoch { return mine.epoch > others.epoch }
            if mine.device != others.device { return mine.device < others.device }
            return place < otherPlace
        }
    }

    /// Plans the next attempts to confirm a contact, over each technology.
    mutating func plan(
        _ contact: ContactID, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        for technology in AttemptTechnology.allCases {
            plan(Way(contact: contact, technology: technology), at: clock, using: &generator)
        }
    }

    /// Plans the next attempt over one technology; replaces the plan if the best kind of value present has changed.
    private mutating func plan(
        _ way: Way, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        let options = options(of: way, at: clock)
        let ground = Self.ground(of: options)
        let isRepeat = options.contains(where: \.isRepeat)
        // A session ends a plan only once its delay has passed: activity on one technology must not show on the other
        // at once.
        let hasSession = evidence[way.contact]?.hasSession ?? false
        if let plan = planned[way], plan.ground == ground, plan.isRepeat == isRepeat, !hasSession || plan.due > latest {
            return
        }
        planned[way] = nil
        waiting.remove(way)
        guard let ground, !hasSession else { return }
        // Without a delay, an attacker who shows a copied value could tell from the timing that it was recognised here.
        let delay =
            isRepeat
            ? repeatDelay(after: contacts[way.contact]?.tries[way.technology].calls ?? 0, using: &generator)
            : generator.next() % ((ground == .name ? timers.attemptDelay : timers.radioAttemptDelay) + 1)
        planned[way] = PlannedAttempt(
            ground: ground, isRepeat: isRepeat, due: clock.tick.advanced(byMilliseconds: delay))
    }

    /// Draws the delay before the repeat that follows this many calls, from a third below to a third above its middle.
    func repeatDelay(after calls: Int, using generator: inout some RandomNumberGenerator) -> UInt64 {
        let place = calls - 1
        let middle = timers.repeatDelays.indices.contains(place) ? timers.repeatDelays[place] : 0
        let third = middle / 3
        return middle - third + generator.next() % (2 * third + 1)
    }

    /// Whether an attempt or a reading that failed in this epoch of the observer may be repeated now.
    func mayRepeat(failedIn epoch: Epoch?, at clock: ClockReading) -> Bool {
        guard let epoch, epoch == radio.epoch else { return false }
        let end = epoch.end * 1000
        return clock.unixMilliseconds < end - min(timers.repeatEnd, end)
    }

    /// Starts the attempts that are due and for which the budget has room, of these contacts and of those already
    /// waiting.
    mutating func startDueAttempts(among looked: [ContactID], at clock: ClockReading) -> [Attempt] {
        for contact in looked {
            for technology in AttemptTechnology.allCases {
                let way = Way(contact: contact, technology: technology)
                if let plan = planned[way], plan.due <= latest { waiting.insert(way) }
            }
        }
        guard !waiting.isEmpty,
            AttemptTechnology.allCases.contains(where: {
                budgets[$0].hasRoom(isRecent: true, isRepeat: false, under: policy)
            })
        else { return [] }
        // In a crowd most waiting attempts may not start; skip weighing them, it is slow.
        let due = waiting.compactMap { way -> (PlannedAttempt, Way, [Option], isRecent: Bool, weight: UInt64)? in
            let isRecent = isRecent(way.contact, at: latest)
            guard let plan = planned[way], mayStart(plan, over: way.technology, isRecent: isRecent) else { return nil }
            let options = options(of: way, at: clock)
            return (plan, way, options, isRecent, weight: weight(of: way.contact, among: options))
        }.sorted { left, right in
            if left.0.isRepeat != right.0.isRepeat { return right.0.isRepeat }
            if left.isRecent != right.isRecent { return left.isRecent }
            if left.weight != right.weight { return left.weight > right.weight }
            return (left.0.due, left.1) < (right.0.due, right.1)
        }
        var attempts: [Attempt] = []
        for (plan, way, options, isRecent, _) in due {
            guard let attempt = best(of: options, plan.ground) else {
                // The address is not steady yet; the next sighting of it evaluates the contact again.
                waiting.remove(way)
                continue
            }
            guard mayStart(plan, over: way.technology, isRecent: isRecent),
                budgets[way.technology].start(
                    attempt, isRecent: isRecent, isRepeat: plan.isRepeat, at: latest, under: policy)
            else { continue }
            planned[way] = nil
            waiting.remove(way)
            contacts[way.contact]?.tries[way.technology].noteCall(
                for: attempt.prediction.epoch, isRepeat: plan.isRepeat)
            reached[way.technology].remove(way.contact)
            if plan.ground == .name { unconfirmedCalls.began(way.contact) }
            if plan.ground == .minor { radio.sweep.noteAttempt() }
            radio.noteAttempt(attempt)
            attempts.append(attempt)
        }
        return attempts
    }

    /// Whether the limits leave room for a planned attempt over a technology.
    private func mayStart(_ plan: PlannedAttempt, over technology: AttemptTechnology, isRecent: Bool) -> Bool {
        guard budgets[technology].hasRoom(isRecent: isRecent, isRepeat: plan.isRepeat, under: policy) else {
            return false
        }
        switch plan.ground {
        case .name: return isRecent || unconfirmedCalls.hasRoom(under: policy.unconfirmedNameLimit)
        case .tag: return true
        case .minor: return radio.sweep.hasRoom(isRecent: isRecent, under: policy)
        }
    }

    /// Starts the readings of tags that are due and for which the budget has room.
    mutating func startDueReadings(at clock: ClockReading) -> [Effect] {
        let repeated = mayRepeat(failedIn: radio.epoch, at: clock) ? radio.epoch : nil
        radio.dropReadings(at: latest, exceptRepeatsOf: repeated)
        var effects: [Effect] = []
        let inOrder = radio.readings.sorted { left, right in
            if left.value.isRepeat != right.value.isRepeat { return right.value.isRepeat }
            return (left.value.due, left.key) < (right.value.due, right.key)
        }
        for (address, reading) in inOrder {
            guard reading.due <= latest, radio.isCallable(address, steadyAfter: timers.steadyAfter),
                budgets[.radio].startReading(address, isRepeat: reading.isRepeat, at: latest, under: policy)
            else { continue }
            radio.noteReading(address)
            effects.append(.readTag(address))
        }
        return effects
    }

    /// Returns the values for which an attempt to confirm a contact over a technology may start, while no session is
    /// open.
    private func options(of way: Way, at clock: ClockReading) -> [Option] {
        let contact = way.contact
        guard contacts[contact] != nil, !budgets[way.technology].isRunning(for: contact) else { return [] }
        var options: [Option] = []
        func offer(
            _ ground: PlannedAttempt.Ground, _ attempt: Attempt, weight: UInt64, span: UInt64 = 0, isReady: Bool = true
        ) {
            guard let isRepeat = isRepeat(attempt.prediction, over: way.technology, at: clock) else { return }
            if let address = attempt.address {
                guard radio.mayAttempt(address, ground, contact, isRepeat: isRepeat) else { return }
            }
            options.append(
                Option(
                    ground: ground, attempt: attempt, weight: weight, span: span, isReady: isReady, isRepeat: isRepeat))
        }
        for entry in way.technology == .network ? names.of(contact) : [] {
            let sharers = UInt64(Set(matches(of: entry, at: clock).map(\.contact)).count)
            for prediction in entry.predictions where prediction.contact == contact {
                guard let end = evidenceEnd(entry, prediction, at: clock), end > clock.tick else { continue }
                offer(
                    .name, Attempt(name: entry.name, prediction: prediction), weight: Posterior.cap / max(sharers, 1))
            }
        }
        // While an epoch without an attempt has a value, nothing is repeated.
        func best() -> [Option] {
            let first = options.filter { !$0.isRepeat }
            return first.isEmpty ? options : first
        }
        guard way.technology == .radio, carriesRadioLinks else { return best() }
        let ended = contacts[contact]?.sessionEnded
        for entry in radio.tags.entries {
            guard let heard = radio.addresses[entry.address], radio.isCallable(heard.last, since: ended, at: latest)
            else { continue }
            for prediction in entry.claims.map(\.prediction)
            where prediction.contact == contact && isInWindow(prediction, at: clock) {
                offer(
                    .tag, Attempt(.tag(entry.tag, from: entry.address), prediction),
                    weight: Posterior.cap / UInt64(max(entry.sharers, 1)), isReady: heard.isSteady(timers.steadyAfter))
            }
        }
        for trace in radio.traces.of(contact) where radio.isCallable(trace.last, since: ended, at: latest) {
            for prediction in trace.predictions
            where prediction.contact == contact && isInWindow(prediction, at: clock) {
                for source in trace.sources
                where radio.isCallable(source.last, since: ended, at: latest)
                    && radio.addresses[source.address]?.isReachable != false
                {
                    offer(
                        .minor, Attempt(.minor(trace.minor, from: source.address), prediction), weight: 0,
                        span: source.last.milliseconds(since: source.first),
                        isReady: source.isSteady(timers.steadyAfter))
                }
            }
        }
        return best()
    }

    private static func ground(of options: [Option]) -> PlannedAttempt.Ground? { options.map(\.ground).min() }

    private func weight(of contact: ContactID, among options: [Option]) -> UInt64 {
        guard let ground = Self.ground(of: options) else { return 0 }
        let weight =
            ground == .minor
            ? posterior(of: contact, at: latest) : options.filter { $0.ground == ground }.map(\.weight).max() ?? 0
        return weight * UInt64(contacts[contact]?.options.importance ?? 1)
    }

    /// Returns the attempt to start now on this ground; nil if no option is ready.
    private func best(of options: [Option], _ ground: PlannedAttempt.Ground) -> Attempt? {
        options.filter { option in
            option.ground == ground && option.isReady
                && option.attempt.address.map {
                    radio.mayAttempt($0, ground, option.attempt.prediction.contact, isRepeat: option.isRepeat)
                } ?? true
        }.min { $0.precedes($1) }?.attempt
    }

    /// Whether an attempt for this prediction over a technology would be a repeated one; nil if none may be made: the
    /// contact has been tried in the epoch of the prediction or a later one, and may not be tried again.
    private func isRepeat(_ prediction: Prediction, over technology: AttemptTechnology, at clock: ClockReading) -> Bool?
    {
        guard let tries = contacts[prediction.contact]?.tries[technology] else { return nil }
        guard let last = tries.lastAttempted, prediction.epoch <= last else { return false }
        let isLeft = tries.calls <= timers.repeatDelays.count && mayRepeat(failedIn: tries.failedIn, at: clock)
        return prediction.epoch == last && isLeft ? true : nil
    }
}
