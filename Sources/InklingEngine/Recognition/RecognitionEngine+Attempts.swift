internal import InklingKeys

/// A handshake that waits for its random delay, and for a place in the budget.
struct PlannedAttempt: Sendable {
    /// What kind of value it is because of, the best first.
    enum Ground: Int, Comparable {
        case name, tag, minor

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The value itself is chosen at the last moment.
    let ground: Ground
    let due: Tick
}

// Whom to try a handshake with, and when.
extension RecognitionEngine {
    /// A value that is there and for which an attempt may start, now or when its address is steady.
    private struct Want {
        let ground: PlannedAttempt.Ground
        let attempt: Attempt
        /// How much it says, in 65,536ths.
        let weight: UInt64
        /// For how long the address of a minor has been heard.
        let span: UInt64
        /// Whether its address is steady; always on the local network.
        let isReady: Bool

        /// Whether it is to be chosen before another of the same ground.
        func precedes(_ other: Want) -> Bool {
            let (mine, others) = (attempt.prediction, other.attempt.prediction)
            if span != other.span { return span > other.span }
            let (place, otherPlace) = (attempt.place, other.attempt.place)
            if ground == .minor, place != otherPlace { return place < otherPlace }
            if mine.epoch != others.epoch { return mine.epoch > others.epoch }
            if mine.device != others.device { return mine.device < others.device }
            return place < otherPlace
        }
    }

    /// Plans the next attempt at a contact, or drops the plan when the best kind of value that is there has changed.
    mutating func plan(
        _ contact: ContactID, at clock: ClockReading, using generator: inout some RandomNumberGenerator
    ) {
        let ground = Self.ground(of: wants(of: contact, at: clock))
        if let plan = planned[contact], plan.ground == ground { return }
        planned[contact] = nil
        waiting.remove(contact)
        guard let ground else { return }
        // An immediate attempt would tell whoever planted a copied value how fast somebody here recognised it.
        let delay =
            generator.next() % ((ground == .name ? policy.timers.attemptDelay : policy.timers.radioAttemptDelay) + 1)
        planned[contact] = PlannedAttempt(ground: ground, due: clock.tick.advanced(byMilliseconds: delay))
    }

    /// Starts what is due and has a place in the budget, of these contacts and of those that wait for a place.
    mutating func startDueAttempts(among looked: [ContactID], at clock: ClockReading) -> [Attempt] {
        waiting.formUnion(looked.filter { contact in planned[contact].map { $0.due <= latest } ?? false })
        guard !waiting.isEmpty, budget.hasRoom(isRecent: true, under: policy) else { return [] }
        let isOpenToAll = budget.hasRoom(isRecent: false, under: policy)
        let due = waiting.filter { isOpenToAll || isRecent($0, at: latest) }.compactMap { contact in
            planned[contact].map { plan in
                let wants = wants(of: contact, at: clock)
                return (
                    plan, contact, wants, isRecent: isRecent(contact, at: latest),
                    weight: weight(of: contact, among: wants)
                )
            }
        }.sorted { left, right in
            if left.isRecent != right.isRecent { return left.isRecent }
            if left.weight != right.weight { return left.weight > right.weight }
            return (left.0.due, left.1) < (right.0.due, right.1)
        }
        var attempts: [Attempt] = []
        for (plan, contact, wants, isRecent, _) in due {
            guard let attempt = best(of: wants, plan.ground) else {
                // Its address has been heard once only; the next sighting brings it here again.
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

    /// Starts the readings of tags that are due and have a place in the budget.
    mutating func startDueReadings() -> [Effect] {
        radio.dropReadings(at: latest)
        var effects: [Effect] = []
        for (address, due) in radio.readings.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            guard due <= latest, radio.isCallable(address, steadyAfter: policy.timers.steadyAfter),
                budget.startReading(address, at: latest, under: policy)
            else { continue }
            radio.noteReading(address)
            effects.append(.readTag(address))
        }
        return effects
    }

    /// What an attempt at a contact may start for.
    private func wants(of contact: ContactID, at clock: ClockReading) -> [Want] {
        guard contacts[contact] != nil, !budget.isRunning(for: contact) else { return [] }
        var wants: [Want] = []
        for entry in names.of(contact) {
            let sharers = UInt64(Set(matches(of: entry, at: clock).map(\.contact)).count)
            for prediction in entry.predictions where prediction.contact == contact && isWanted(prediction) {
                guard let end = evidenceEnd(entry, prediction, at: clock), end > clock.tick else { continue }
                let attempt = Attempt(name: entry.name, prediction: prediction)
                wants.append(
                    Want(
                        ground: .name, attempt: attempt, weight: Posterior.cap / max(sharers, 1), span: 0, isReady: true
                    ))
            }
        }
        for entry in radio.tags.entries where radio.mayAttempt(entry.address, .tag) {
            guard let heard = radio.addresses[entry.address], radio.isThere(heard.last, at: latest) else { continue }
            for prediction in entry.claims.map(\.prediction)
            where prediction.contact == contact && isWanted(prediction) && isInWindow(prediction, at: clock) {
                let attempt = Attempt(.tag(entry.tag, from: entry.address), prediction)
                wants.append(
                    Want(
                        ground: .tag, attempt: attempt, weight: Posterior.cap / UInt64(max(entry.sharers, 1)), span: 0,
                        isReady: heard.isSteady(policy.timers.steadyAfter)))
            }
        }
        for trace in radio.traces.of(contact) where radio.isThere(trace.last, at: latest) {
            for prediction in trace.predictions
            where prediction.contact == contact && isWanted(prediction) && isInWindow(prediction, at: clock) {
                for source in trace.sources
                where radio.isThere(source.last, at: latest) && radio.mayAttempt(source.address, .minor) {
                    let attempt = Attempt(.minor(trace.minor, from: source.address), prediction)
                    wants.append(
                        Want(
                            ground: .minor, attempt: attempt, weight: 0,
                            span: source.last.milliseconds(since: source.first),
                            isReady: source.isSteady(policy.timers.steadyAfter)))
                }
            }
        }
        return wants
    }

    private static func ground(of wants: [Want]) -> PlannedAttempt.Ground? { wants.map(\.ground).min() }

    private func weight(of contact: ContactID, among wants: [Want]) -> UInt64 {
        guard let ground = Self.ground(of: wants) else { return 0 }
        let weight =
            ground == .minor
            ? posterior(of: contact, at: latest) : wants.filter { $0.ground == ground }.map(\.weight).max() ?? 0
        return weight * UInt64(contacts[contact]?.options.importance ?? 1)
    }

    /// The value to be used, if any may be used now.
    private func best(of wants: [Want], _ ground: PlannedAttempt.Ground) -> Attempt? {
        wants.filter { want in
            want.ground == ground && want.isReady
                && want.attempt.address.map { radio.mayAttempt($0, ground) } ?? true
        }.min { $0.precedes($1) }?.attempt
    }

    private func isWanted(_ prediction: Prediction) -> Bool {
        guard let history = contacts[prediction.contact] else { return false }
        if let last = history.lastAttempted, prediction.epoch <= last { return false }
        return evidence[prediction.contact]?.hasSession != true
    }
}
