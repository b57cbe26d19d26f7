public import InklingKeys

/// The machine that decides when a device is silent, what it shows, and when it erases keys (`Specs/rotation.md`).
///
/// Each link technology has a machine of its own, so that each draws its own silent gap. A machine publishes only in
/// accepted time, and never an epoch before one that was published already, in this run or an earlier one.
public struct RotationMachine: Sendable {
    /// An event that the caller reports to the machine.
    public enum Event: Hashable, Sendable {
        /// The program has started.
        case started
        /// `AcceptedTime` accepts the clock at this reading; can be repeated.
        case timeAccepted
        /// `AcceptedTime` refuses the clock.
        case timeRefused
        /// The moment of the latest `wake` has come, or the clock must be checked for another reason.
        case timerFired
        /// The addresses or links of this technology changed.
        case networkChanged
        /// The user became invisible, visible, or visible to another audience.
        case visibilityChanged(isVisible: Bool)
        /// Another link technology of this device is about to show this epoch, so that no earlier one may be shown.
        case shownElsewhere(Epoch)
        /// The device is about to sleep.
        case fallingAsleep
        /// The device woke from sleep.
        case wokeUp
        /// The operator discarded the high-water mark, and every audience has a new generation.
        case highWaterCleared
    }

    /// An action for the caller. Carry actions out in their order, and complete each before beginning the next.
    public enum Effect: Hashable, Sendable, Codable, CustomStringConvertible {
        /// Stop sending, both answers and queries. Withdraw published records only if `goodbye` is true.
        case goQuiet(goodbye: Bool)
        /// Close every link without a confirmed session, because a link that stays open connects this epoch with the
        /// next.
        case closeUnauthenticatedLinks
        /// Erase the names, tags, pre-shared keys and gate keys of the epochs before this one.
        case retire(before: Epoch)
        /// Erase the keys of the periods before this one durably. The values that `retire` erases are stored
        /// separately.
        case forget(before: Period)
        /// Derive the values that the device shows, responds to and expects of contacts in this epoch.
        case prepare(Epoch)
        /// Store durably that this epoch is shown. If that fails, do not publish.
        case highWater(Epoch)
        /// Show all values of this epoch at once, under new addresses and from a server without state of earlier
        /// epochs.
        case publish(Epoch)
        /// Report `timerFired` at this moment; replaces any earlier `wake`.
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
    /// The high-water mark: the latest epoch that was ever published; nil before the first.
    public private(set) var highWater: Epoch?

    /// The latest epoch that another link technology has shown.
    private var shownElsewhere: Epoch?
    private var isRunning = false
    private var isVisible: Bool
    private var isAsleep = false
    // The reading at which time was accepted; nil while it is not.
    private var accepted: ClockReading?
    private var prepared: Set<Epoch> = []
    // The epochs whose values the caller has derived and need not erase yet.
    private var kept: ClosedRange<Epoch>?
    private var forgotten: Period?
    private var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?
    // The time before its boundary at which the shown epoch ends, in milliseconds.
    private var quietLead: UInt64 = 0

    /// Creates a silent machine, which waits for `started`.
    ///
    /// - Parameters:
    ///   - highWater: the epoch of the last `highWater` effect that was stored; nil on the first start.
    ///   - first: no epoch before this one is published, as if another link technology had shown it.
    ///   - isVisible: whether the user is visible to any audience.
    ///   - policy: the durations of rotation.
    public init(
        highWater: Epoch?, notBefore first: Epoch? = nil, isVisible: Bool = true,
        policy: RotationPolicy = RotationPolicy()
    ) {
        self.highWater = highWater
        shownElsewhere = first
        self.isVisible = isVisible
        self.policy = policy
    }

    /// The epoch that is shown now; nil during silence.
    public var shown: Epoch? {
        if case .showing(let epoch) = phase { epoch } else { nil }
    }

    /// Processes one event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - reading: the clocks at that moment; if the ticks go back, no time has passed.
    ///   - generator: draws the silent gaps, and when emission ends before a boundary.
    /// - Returns: the effects to carry out now, in this order.
    public mutating func handle(
        _ event: Event, at reading: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        latest = max(latest, reading.tick)
        let clock = ClockReading(tick: latest, unixMilliseconds: reading.unixMilliseconds, rate: reading.rate)
        // A clock that was set needs a new judgement, even if the caller has not noticed yet.
        if let accepted, !AcceptedTime.isContinuous(accepted, clock) { self.accepted = nil }
        let isStart = apply(event, at: clock)
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
    /// Applies an event. Returns whether it begins a new silent gap.
    private mutating func apply(_ event: Event, at clock: ClockReading) -> Bool {
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
        case .shownElsewhere(let epoch):
            shownElsewhere = max(shownElsewhere ?? epoch, epoch)
        case .fallingAsleep:
            isAsleep = true
        case .wokeUp:
            isAsleep = false
            return true
        case .highWaterCleared:
            (highWater, shownElsewhere) = (nil, nil)
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
            let isEnding = isCurrent && !hasRoom(in: epoch, before: quietLead, at: clock)
            guard isStart || !isCurrent || isEnding else { return [] }
            phase = .quiet
            // Everywhere but at a boundary, a goodbye would reveal when this device changed.
            return [.goQuiet(goodbye: isEnding && !isStart), .closeUnauthenticatedLinks]
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
        let later = UInt64.random(in: 0...policy.quietSpreadMilliseconds, using: &generator)
        quietLead = policy.quietLeadMilliseconds - later
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
        // In real time, and drawn for each gap: a constant offset would identify the device.
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
                Tick(milliseconds: boundary.milliseconds - min(quietLead, boundary.milliseconds)))
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
        [highWater, shownElsewhere].allSatisfy { $0.map { $0 <= epoch } != false }
    }

    private func isUsable(_ epoch: Epoch, at clock: ClockReading) -> Bool {
        mayFollow(epoch) && hasRoom(in: epoch, before: policy.quietLeadMilliseconds, at: clock)
    }

    private func hasRoom(in epoch: Epoch, before lead: UInt64, at clock: ClockReading) -> Bool {
        clock.tick(ofUnixMilliseconds: epoch.end * 1000).milliseconds(since: latest) > lead
    }

    /// Returns when the next gap may begin: now, or at the boundary before the first epoch that may be shown.
    private func nextStart(at clock: ClockReading) -> Tick? {
        guard let current = Epoch(containing: clock.unixSeconds) else { return nil }
        if isUsable(current, at: clock) { return latest }
        guard let next = current.next else { return nil }
        let first = max(next, highWater ?? next, shownElsewhere ?? next)
        return clock.tick(ofUnixMilliseconds: first.start * 1000)
    }
}
