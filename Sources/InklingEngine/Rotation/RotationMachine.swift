public import InklingKeys

/// Decides when a device is silent, when it shows which epoch, and when it forgets (`Specs/rotation.md`).
///
/// One machine serves one link technology, so that each draws its own silent gap. It publishes only while time is
/// accepted and never an epoch below one that it published before, in this run or an earlier one.
public struct RotationMachine: Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The program runs.
        case started
        /// `AcceptedTime` accepts the clock as it stands in this reading; may be repeated.
        case timeAccepted
        /// `AcceptedTime` refuses the clock.
        case timeRefused
        /// The moment of `wake` has come, or the clock is to be looked at for another reason.
        case timerFired
        /// Addresses or links of this machine are others than before.
        case networkChanged
        /// The user became invisible, visible, or visible to another audience.
        case visibilityChanged(isVisible: Bool)
        /// The machine is about to sleep.
        case fallingAsleep
        /// The machine slept.
        case wokeUp
        /// Somebody else claims the name that is published.
        case nameConflict
        /// The operator says that the high-water mark is false; every audience has a new generation.
        case highWaterCleared
    }

    /// What the caller must do, in the order of the list, each before the next begins.
    public enum Effect: Hashable, Sendable, Codable, CustomStringConvertible {
        /// Emit nothing any more, neither answers nor queries; withdraw records only with `goodbye`.
        case goQuiet(goodbye: Bool)
        /// Close every link on which no session is confirmed: it would connect this epoch with the next.
        case closeUnauthenticatedLinks
        /// Erase what is left of the epochs before this one: names, tags, pre-shared keys and gate keys.
        case retire(before: Epoch)
        /// Erase the keys of the periods before this one, durably. What `retire` names is kept apart from them.
        case forget(before: Period)
        /// Derive what the epoch shows, answers to, and expects of contacts.
        case prepare(Epoch)
        /// Store, durably, that this epoch is shown; without success, nothing is published.
        case highWater(Epoch)
        /// Show this epoch, all of it at once, under new addresses, with a server that remembers nothing.
        case publish(Epoch)
        /// Send `timerFired` at this moment; replaces every earlier wish.
        case wake(at: Tick)

        /// The effect in words, for a log.
        public var description: String {
            switch self {
            case .goQuiet(let goodbye): goodbye ? "go quiet with a goodbye" : "go quiet"
            case .closeUnauthenticatedLinks: "close unauthenticated links"
            case .retire(let epoch): "erase the values of epochs before \(epoch)"
            case .forget(let period): "erase the keys of periods before \(period)"
            case .prepare(let epoch): "prepare epoch \(epoch)"
            case .highWater(let epoch): "store epoch \(epoch) as the latest shown"
            case .publish(let epoch): "publish epoch \(epoch)"
            case .wake(let tick): "wake at \(tick)"
            }
        }
    }

    private enum Phase: Hashable, Sendable {
        case quiet
        case gap(until: Tick)
        case showing(Epoch)
    }

    private let policy: RotationPolicy
    private var phase = Phase.quiet
    /// The latest epoch that was ever published.
    public private(set) var highWater: Epoch?

    private var isRunning = false
    private var isVisible: Bool
    private var isAsleep = false
    // The reading at which time was accepted, for as long as it is.
    private var accepted: ClockReading?
    private var conflicted: Epoch?
    private var prepared: Set<Epoch> = []
    // The epochs whose values the caller derived and has not been told to erase.
    private var kept: ClosedRange<Epoch>?
    private var forgotten: Period?
    private var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?

    /// A machine at rest.
    ///
    /// - Parameters:
    ///   - highWater: what `highWater` stored last, if anything.
    ///   - isVisible: whether there is anything to show.
    ///   - policy: durations.
    public init(highWater: Epoch?, isVisible: Bool = true, policy: RotationPolicy = RotationPolicy()) {
        self.highWater = highWater
        self.isVisible = isVisible
        self.policy = policy
    }

    /// The epoch that is shown now, or nil in silence.
    public var shown: Epoch? {
        if case .showing(let epoch) = phase { epoch } else { nil }
    }

    /// Takes one event and says what the caller must now do, in order.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - reading: the clocks at that moment; ticks that go back count as no time.
    ///   - generator: draws the silent gaps.
    /// - Returns: the effects.
    public mutating func handle(
        _ event: Event, at reading: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        latest = max(latest, reading.tick)
        let clock = ClockReading(tick: latest, unixMilliseconds: reading.unixMilliseconds, rate: reading.rate)
        // Whatever the caller believes: a clock that was set is not the clock that was accepted.
        if let accepted, !AcceptedTime.isContinuous(accepted, clock) { self.accepted = nil }
        let isStart = take(event, at: clock)
        var effects = fallQuiet(isStart: isStart, at: clock)
        effects += erase(at: clock)
        effects += show(at: clock, using: &generator)
        if let wake = nextWake(at: clock), wake != scheduled {
            scheduled = wake
            effects.append(.wake(at: wake))
        }
        return effects
    }
}

// MARK: One event, step by step

extension RotationMachine {
    /// Takes the facts in; answers whether they make a new start, for which a fresh gap is due.
    private mutating func take(_ event: Event, at clock: ClockReading) -> Bool {
        switch event {
        case .started:
            isRunning = true
            return true
        case .timeAccepted:
            let wasAccepted = accepted != nil
            accepted = clock
            return !wasAccepted
        case .timeRefused:
            accepted = nil
        case .timerFired:
            scheduled = nil
        case .networkChanged:
            return true
        case .visibilityChanged(let isVisible):
            self.isVisible = isVisible
            // Another audience shows other values.
            prepared = []
            return true
        case .fallingAsleep:
            isAsleep = true
        case .wokeUp:
            isAsleep = false
            return true
        case .nameConflict:
            if let shown { conflicted = shown }
        case .highWaterCleared:
            highWater = nil
            return true
        }
        return false
    }

    private mutating func fallQuiet(isStart: Bool, at clock: ClockReading) -> [Effect] {
        switch phase {
        case .quiet:
            return []
        case .gap:
            if isStart || !mayShow { phase = .quiet }
            return []
        case .showing(let epoch):
            let isCurrent = mayShow && Epoch(containing: clock.unixSeconds) == epoch
            let isEnding = isCurrent && !hasRoom(in: epoch, at: clock)
            guard isStart || !isCurrent || isEnding || conflicted == epoch else { return [] }
            phase = .quiet
            // At any other moment a goodbye would announce a change that others could date.
            return [.goQuiet(goodbye: isEnding && !isStart && conflicted != epoch), .closeUnauthenticatedLinks]
        }
    }

    private mutating func erase(at clock: ClockReading) -> [Effect] {
        guard isRunning, accepted != nil, let epoch = Epoch(containing: clock.unixSeconds) else { return [] }
        var effects: [Effect] = []
        if let kept, kept.lowerBound < epoch, clock.unixSeconds >= epoch.start + policy.skew.seconds {
            self.kept = kept.upperBound >= epoch ? epoch...kept.upperBound : nil
            effects.append(.retire(before: epoch))
        }
        if forgotten.map({ $0 < epoch.period }) != false {
            forgotten = epoch.period
            effects.append(.forget(before: epoch.period))
        }
        return effects
    }

    private mutating func show(at clock: ClockReading, using generator: inout some RandomNumberGenerator) -> [Effect] {
        guard mayShow, let epoch = Epoch(containing: clock.unixSeconds) else { return [] }
        if case .quiet = phase { beginGap(at: clock, using: &generator) }
        var effects: [Effect] = []
        prepared = prepared.filter { $0 >= epoch }
        if isUsable(epoch, at: clock) { effects += prepare(epoch) }
        if let next = epoch.next, clock.unixSeconds + policy.prepareLeadSeconds >= next.start, mayFollow(next) {
            effects += prepare(next)
        }
        guard case .gap(let end) = phase, end <= latest else { return effects }
        guard isUsable(epoch, at: clock) else {
            beginGap(at: clock, using: &generator)
            return effects
        }
        if highWater != epoch {
            highWater = epoch
            effects.append(.highWater(epoch))
        }
        phase = .showing(epoch)
        return effects + [.publish(epoch)]
    }

    private mutating func prepare(_ epoch: Epoch) -> [Effect] {
        guard prepared.insert(epoch).inserted else { return [] }
        kept = min(kept?.lowerBound ?? epoch, epoch)...max(kept?.upperBound ?? epoch, epoch)
        return [.prepare(epoch)]
    }

    private mutating func beginGap(at clock: ClockReading, using generator: inout some RandomNumberGenerator) {
        guard let start = nextStart(at: clock) else {
            phase = .quiet
            return
        }
        // Real milliseconds, drawn anew every time: an offset that a device kept would be its fingerprint.
        phase = .gap(
            until: start.advanced(byMilliseconds: UInt64.random(in: 0...policy.gapMilliseconds, using: &generator)))
    }

    private func nextWake(at clock: ClockReading) -> Tick? {
        guard isRunning, accepted != nil, let epoch = Epoch(containing: clock.unixSeconds) else { return nil }
        let boundary = clock.tick(ofUnixMilliseconds: epoch.end * 1000)
        var moments = [boundary]
        switch phase {
        case .quiet: break
        case .gap(let end): moments.append(end)
        case .showing:
            moments.append(
                Tick(milliseconds: boundary.milliseconds - min(policy.quietLeadMilliseconds, boundary.milliseconds)))
        }
        if mayShow, let next = epoch.next, !prepared.contains(next) {
            moments.append(clock.tick(ofUnixMilliseconds: (next.start - policy.prepareLeadSeconds) * 1000))
        }
        if let kept, kept.lowerBound < epoch {
            moments.append(clock.tick(ofUnixMilliseconds: (epoch.start + policy.skew.seconds) * 1000))
        }
        return moments.filter { $0 > latest }.min()
    }

    // MARK: Judgements

    private var mayShow: Bool { isRunning && isVisible && !isAsleep && accepted != nil }

    private func mayFollow(_ epoch: Epoch) -> Bool {
        epoch != conflicted && highWater.map { $0 <= epoch } != false
    }

    private func isUsable(_ epoch: Epoch, at clock: ClockReading) -> Bool {
        mayFollow(epoch) && hasRoom(in: epoch, at: clock)
    }

    private func hasRoom(in epoch: Epoch, at clock: ClockReading) -> Bool {
        clock.tick(ofUnixMilliseconds: epoch.end * 1000).milliseconds(since: latest) > policy.quietLeadMilliseconds
    }

    /// When the next gap may begin: now, or at the boundary before the first epoch that may be shown.
    private func nextStart(at clock: ClockReading) -> Tick? {
        guard let current = Epoch(containing: clock.unixSeconds) else { return nil }
        if isUsable(current, at: clock) { return latest }
        guard let next = current.next else { return nil }
        let first = max(next, highWater ?? next)
        guard let allowed = first == conflicted ? first.next : first else { return nil }
        return clock.tick(ofUnixMilliseconds: allowed.start * 1000)
    }
}
