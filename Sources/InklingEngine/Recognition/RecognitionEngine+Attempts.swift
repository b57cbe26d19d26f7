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
    let due: Tick
}

// Which contacts to try to confirm, and when.
extension RecognitionEngine {
    /// A present value for which an attempt may start, now or once its address is steady.
    private struct Option {
        let ground: PlannedAttempt.Ground
        let attempt: Attempt
        /// The probability that the value belongs to the contact, in 65,536ths; 0 for a minor, which has a posterior.
        let weight: UInt64
        /// How long the address of a minor has been heard, in milliseconds; 0 for names and tags.
        let span: UInt64
        /// Whether its address is steady; true for a name, which has no address.
        let isReady: Bool

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

    /// Plans the next attempt to confirm a contact; replaces the plan if the best kind of value present has changed.
    mutating func plan(
        _ contact: ContactID, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        let ground = Self.ground(of: options(of: contact, at: clock))
        if let plan = planned[contact], plan.ground == ground { return }
        planned[contact] = nil
        waiting.remove(contact)
        guard let ground else { return }
        // Without a delay, an attacker who shows a copied value could tell from the timing that it was recognised here.
        let delay =
            generator.next() % ((ground == .name ? timers.attemptDelay : timers.radioAttemptDelay) + 1)
        planned[contact] = PlannedAttempt(ground: ground, due: clock.tick.advanced(byMilliseconds: delay))
    }

    /// Starts the attempts that are due and for which the budget has room, of these contacts and of those already
    /// waiting.
    mutating func startDueAttempts(among looked: [ContactID], at clock: ClockReading) -> [Attempt] {
        waiting.formUnion(looked.filter { contact in planned[contact].map { $0.due <= latest } ?? false })
        guard !waiting.isEmpty, budget.hasRoom(isRecent: true, under: policy) else { return [] }
        let isOpenToAll = budget.hasRoom(isRecent: false, under: policy)
        let due = waiting.filter { isOpenToAll || isRecent($0, at: latest) }.compactMap { contact in
            planned[contact].map { plan in
                let options = options(of: contact, at: clock)
                return (
                    plan, contact, options, isRecent: isRecent(contact, at: latest),
                    weight: weight(of: contact, among: options)
                )
            }
        }.sorted { left, right in
            if left.isRecent != right.isRecent { return left.isRecent }
            if left.weight != right.weight { return left.weight > right.weight }
            return (left.0.due, left.1) < (right.0.due, right.1)
        }
        var attempts: [Attempt] = []
        for (plan, contact, options, isRecent, _) in due {
            guard let attempt = best(of: options, plan.ground) else {
                // The address is not steady yet; the next sighting of it evaluates the contact again.
                waiting.remove(contact)
                continue
            }
            guard budget.start(attempt, isRecent: isRecent, at: latest, under: policy) else { continue }
            planned[contact] = nil
            waiting.remove(contact)
            contacts[contact]?.lastAttempted = attempt.prediction.epoch
            radio.noteAttempt(attempt)
            attempts.append(attempt)
        }
        return attempts
    }

    /// Starts the readings of tags that are due and for which the budget has room.
    mutating func startDueReadings() -> [Effect] {
        radio.dropReadings(at: latest)
        var effects: [Effect] = []
        for (address, due) in radio.readings.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            guard due <= latest, radio.isCallable(address, steadyAfter: timers.steadyAfter),
                budget.startReading(address, at: latest, under: policy)
            else { continue }
            radio.noteReading(address)
            effects.append(.readTag(address))
        }
        return effects
    }

    /// The values for which an attempt to confirm a contact may start.
    private func options(of contact: ContactID, at clock: ClockReading) -> [Option] {
        guard contacts[contact] != nil, !budget.isRunning(for: contact) else { return [] }
        var options: [Option] = []
        for entry in names.of(contact) {
            let sharers = UInt64(Set(matches(of: entry, at: clock).map(\.contact)).count)
            for prediction in entry.predictions where prediction.contact == contact && isEligible(prediction) {
                guard let end = evidenceEnd(entry, prediction, at: clock), end > clock.tick else { continue }
                let attempt = Attempt(name: entry.name, prediction: prediction)
                options.append(
                    Option(
                        ground: .name, attempt: attempt, weight: Posterior.cap / max(sharers, 1), span: 0, isReady: true
                    ))
            }
        }
        for entry in radio.tags.entries where radio.mayAttempt(entry.address, .tag) {
            guard let heard = radio.addresses[entry.address], radio.isThere(heard.last, at: latest) else { continue }
            for prediction in entry.claims.map(\.prediction)
            where prediction.contact == contact && isEligible(prediction) && isInWindow(prediction, at: clock) {
                let attempt = Attempt(.tag(entry.tag, from: entry.address), prediction)
                options.append(
                    Option(
                        ground: .tag, attempt: attempt, weight: Posterior.cap / UInt64(max(entry.sharers, 1)), span: 0,
                        isReady: heard.isSteady(timers.steadyAfter)))
            }
        }
        for trace in radio.traces.of(contact) where radio.isThere(trace.last, at: latest) {
            for prediction in trace.predictions
            where prediction.contact == contact && isEligible(prediction) && isInWindow(prediction, at: clock) {
                for source in trace.sources
                where radio.isThere(source.last, at: latest) && radio.mayAttempt(source.address, .minor) {
                    let attempt = Attempt(.minor(trace.minor, from: source.address), prediction)
                    options.append(
                        Option(
                            ground: .minor, attempt: attempt, weight: 0,
                            span: source.last.milliseconds(since: source.first),
                            isReady: source.isSteady(timers.steadyAfter)))
                }
            }
        }
        return options
    }

    private static func ground(of options: [Option]) -> PlannedAttempt.Ground? { options.map(\.ground).min() }

    private func weight(of contact: ContactID, among options: [Option]) -> UInt64 {
        guard let ground = Self.ground(of: options) else { return 0 }
        let weight =
            ground == .minor
            ? posterior(of: contact, at: latest) : options.filter { $0.ground == ground }.map(\.weight).max() ?? 0
        return weight * UInt64(contacts[contact]?.options.importance ?? 1)
    }

    /// The attempt to start now on this ground; nil if no option is ready.
    private func best(of options: [Option], _ ground: PlannedAttempt.Ground) -> Attempt? {
        options.filter { option in
            option.ground == ground && option.isReady
                && option.attempt.address.map { radio.mayAttempt($0, ground) } ?? true
        }.min { $0.precedes($1) }?.attempt
    }

    /// Whether the contact has no session and has not been tried in the epoch of the prediction or a later one.
    private func isEligible(_ prediction: Prediction) -> Bool {
        guard let history = contacts[prediction.contact] else { return false }
        if let last = history.lastAttempted, prediction.epoch <= last { return false }
        return evidence[prediction.contact]?.hasSession != true
    }
}
