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

    mutating func plan(at clock: ClockReading, using generator: inout some RandomNumberGenerator) {
        let wanted = wanted(at: clock)
        planned = planned.filter { contact, plan in Self.ground(of: wanted[contact]) == plan.ground }
        for contact in wanted.keys.sorted() where planned[contact] == nil {
            guard let ground = Self.ground(of: wanted[contact]) else { continue }
            // An immediate attempt would tell whoever planted a copied value how fast somebody here recognised it.
            let delay = generator.next() % ((ground == .name ? policy.attemptDelay : policy.radioAttemptDelay) + 1)
            planned[contact] = PlannedAttempt(ground: ground, due: clock.tick.advanced(byMilliseconds: delay))
        }
    }

    mutating func startDueAttempts(at clock: ClockReading) -> [Effect] {
        budget.advance(to: latest)
        guard planned.values.contains(where: { $0.due <= latest }) else { return [] }
        let wanted = wanted(at: clock)
        let due = planned.filter { $0.value.due <= latest }.map { contact, plan in
            (plan, contact, isRecent: isRecent(contact), weight: weight(of: contact, among: wanted[contact] ?? []))
        }.sorted { left, right in
            if left.isRecent != right.isRecent { return left.isRecent }
            if left.weight != right.weight { return left.weight > right.weight }
            return (left.0.due, left.1) < (right.0.due, right.1)
        }
        var effects: [Effect] = []
        for (plan, contact, isRecent, _) in due {
            guard let attempt = best(of: wanted[contact] ?? [], plan.ground),
                budget.start(attempt, isRecent: isRecent, at: latest, under: policy)
            else { continue }
            planned[contact] = nil
            contacts[contact]?.lastAttempted = attempt.prediction.epoch
            radio.noteAttempt(attempt)
            effects.append(.confirm(attempt))
        }
        return effects
    }

    mutating func startDueReadings(at clock: ClockReading) -> [Effect] {
        radio.dropReadings(at: latest)
        var effects: [Effect] = []
        for (address, due) in radio.readings.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            guard due <= latest, radio.isCallable(address, steadyAfter: policy.steadyAfter),
                budget.startReading(address, at: latest, under: policy)
            else { continue }
            radio.noteReading(address)
            effects.append(.readTag(address))
        }
        return effects
    }

    /// What an attempt may start for, by contact.
    private func wanted(at clock: ClockReading) -> [ContactID: [Want]] {
        var wanted: [ContactID: [Want]] = [:]
        func add(
            _ ground: PlannedAttempt.Ground, _ attempt: Attempt, weight: UInt64, span: UInt64 = 0, isReady: Bool = true
        ) {
            let want = Want(ground: ground, attempt: attempt, weight: weight, span: span, isReady: isReady)
            wanted[attempt.prediction.contact, default: []].append(want)
        }
        for entry in names.entries where entry.predictions.contains(where: isWanted) {
            let sharers = UInt64(Set(matches(of: entry, at: clock).map(\.contact)).count)
            for prediction in entry.predictions where isWanted(prediction) {
                guard let end = evidenceEnd(entry, prediction, at: clock), end > clock.tick else { continue }
                let attempt = Attempt(name: entry.name, prediction: prediction)
                add(.name, attempt, weight: Posterior.cap / max(sharers, 1))
            }
        }
        for entry in radio.tags.entries where radio.mayAttempt(entry.address, .tag) {
            guard let heard = radio.addresses[entry.address], radio.isThere(heard.last, at: latest) else { continue }
            let sharers = UInt64(Set(entry.predictions.map(\.contact)).count)
            for prediction in entry.predictions where isWanted(prediction) && isInWindow(prediction, at: clock) {
                let attempt = Attempt(.tag(entry.tag, from: entry.address), prediction)
                add(
                    .tag, attempt, weight: Posterior.cap / max(sharers, 1),
                    isReady: heard.isSteady(policy.steadyAfter))
            }
        }
        for trace in radio.traces.entries where radio.isThere(trace.last, at: latest) {
            for prediction in trace.predictions where isWanted(prediction) && isInWindow(prediction, at: clock) {
                for source in trace.sources
                where radio.isThere(source.last, at: latest) && radio.mayAttempt(source.address, .minor) {
                    let attempt = Attempt(.minor(trace.minor, from: source.address), prediction)
                    add(
                        .minor, attempt, weight: 0, span: source.last.milliseconds(since: source.first),
                        isReady: source.isSteady(policy.steadyAfter))
                }
            }
        }
        return wanted
    }

    private static func ground(of wants: [Want]?) -> PlannedAttempt.Ground? { wants?.map(\.ground).min() }

    private func weight(of contact: ContactID, among wants: [Want]) -> UInt64 {
        guard let ground = Self.ground(of: wants) else { return 0 }
        let weight =
            ground == .minor
            ? posterior(of: contact) : wants.filter { $0.ground == ground }.map(\.weight).max() ?? 0
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
        guard let history = contacts[prediction.contact], !budget.isRunning(for: prediction.contact) else {
            return false
        }
        if let last = history.lastAttempted, prediction.epoch <= last { return false }
        return evidence[prediction.contact]?.hasSession != true
    }

    private func isInWindow(_ prediction: Prediction, at clock: ClockReading) -> Bool {
        window(of: prediction.epoch, at: clock).contains(clock.tick)
    }
}
