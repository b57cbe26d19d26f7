internal import InklingKeys

/// A handshake that waits for its random delay, and for a place in the budget.
struct PlannedAttempt: Sendable {
    /// What kind of value it is because of, the best first.
    enum Ground: Int, Comparable {
        case name, tag, minor

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    let ground: Ground
    /// The attempt; nil by radio, where the address is chosen at the last moment.
    let attempt: Attempt?
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
        /// By radio: for how long its address has been heard, if that makes it steady.
        let span: UInt64?
    }

    mutating func plan(at clock: ClockReading, using generator: inout some RandomNumberGenerator) {
        let wanted = wanted(at: clock)
        planned = planned.filter { contact, plan in
            guard let wants = wanted[contact], wants.first?.ground == plan.ground else { return false }
            return plan.attempt.map { attempt in wants.contains { $0.attempt == attempt } } ?? true
        }
        for contact in wanted.keys.sorted() where planned[contact] == nil {
            guard let want = wanted[contact]?.first else { continue }
            let isLocal = want.ground == .name
            // An immediate attempt would tell whoever planted a copied value how fast somebody here recognised it.
            let delay = generator.next() % ((isLocal ? policy.attemptDelay : policy.radioAttemptDelay) + 1)
            planned[contact] = PlannedAttempt(
                ground: want.ground, attempt: isLocal ? want.attempt : nil,
                due: clock.tick.advanced(byMilliseconds: delay))
        }
    }

    mutating func startDueAttempts(at clock: ClockReading) -> [Effect] {
        budget.advance(to: latest)
        guard planned.values.contains(where: { $0.due <= latest }) else { return [] }
        let wanted = wanted(at: clock)
        let due = planned.filter { $0.value.due <= latest }.map { contact, plan in
            (
                plan, contact, isRecent: isRecent(contact),
                weight: weight(of: contact, plan, among: wanted[contact] ?? [])
            )
        }.sorted { left, right in
            if left.isRecent != right.isRecent { return left.isRecent }
            if left.weight != right.weight { return left.weight > right.weight }
            return (left.0.due, left.1) < (right.0.due, right.1)
        }
        var effects: [Effect] = []
        for (plan, contact, isRecent, _) in due {
            guard let attempt = plan.attempt ?? best(of: wanted[contact] ?? [], plan.ground),
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

    /// What an attempt may start for, by contact; the best ground first, then in the order of the sightings.
    private func wanted(at clock: ClockReading) -> [ContactID: [Want]] {
        var wanted: [ContactID: [Want]] = [:]
        func add(_ ground: PlannedAttempt.Ground, _ attempt: Attempt, _ weight: UInt64, _ span: UInt64?) {
            let want = Want(ground: ground, attempt: attempt, weight: weight, span: span)
            wanted[attempt.prediction.contact, default: []].append(want)
        }
        for entry in names.entries where entry.predictions.contains(where: isWanted) {
            let sharers = UInt64(Set(matches(of: entry, at: clock).map(\.contact)).count)
            for prediction in entry.predictions where isWanted(prediction) {
                guard let end = evidenceEnd(entry, prediction, at: clock), end > clock.tick else { continue }
                add(.name, Attempt(name: entry.name, prediction: prediction), Posterior.cap / max(sharers, 1), nil)
            }
        }
        for entry in radio.tags.entries where radio.mayAttempt(entry.address, .tag) {
            guard let heard = radio.addresses[entry.address], radio.isThere(heard.last, at: latest) else { continue }
            let sharers = UInt64(Set(entry.predictions.map(\.contact)).count)
            for prediction in entry.predictions where isWanted(prediction) && isInWindow(prediction, at: clock) {
                add(
                    .tag, Attempt(.tag(entry.tag, from: entry.address), prediction), Posterior.cap / max(sharers, 1),
                    heard.isSteady(policy.steadyAfter) ? heard.last.milliseconds(since: heard.first) : nil)
            }
        }
        for trace in radio.traces.entries where radio.isThere(trace.last, at: latest) {
            for prediction in trace.predictions where isWanted(prediction) && isInWindow(prediction, at: clock) {
                for source in trace.sources
                where radio.isThere(source.last, at: latest) && radio.mayAttempt(source.address, .minor) {
                    add(
                        .minor, Attempt(.minor(trace.minor, from: source.address), prediction), 0,
                        source.isSteady(policy.steadyAfter) ? source.last.milliseconds(since: source.first) : nil)
                }
            }
        }
        return wanted
    }

    private func weight(of contact: ContactID, _ plan: PlannedAttempt, among wants: [Want]) -> UInt64 {
        let weight =
            plan.ground == .minor
            ? posterior(of: contact)
            : wants.first { $0.ground == plan.ground && (plan.attempt == nil || $0.attempt == plan.attempt) }?.weight
        return (weight ?? 0) * UInt64(contacts[contact]?.options.importance ?? 1)
    }

    /// The address heard for the longest time, if any is steady and may still be called.
    private func best(of wants: [Want], _ ground: PlannedAttempt.Ground) -> Attempt? {
        var best: (attempt: Attempt, span: UInt64, address: DeviceAddress)?
        for want in wants where want.ground == ground {
            guard let span = want.span, let address = want.attempt.address, radio.mayAttempt(address, ground) else {
                continue
            }
            if let best, best.span > span || best.span == span && best.address <= address { continue }
            best = (want.attempt, span, address)
        }
        return best?.attempt
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
