internal import InklingEngine
internal import InklingKeys

/// The publication of epochs over one link technology, from the boundary to the moment at which an epoch is shown.
///
/// A publication passes through the states of `Stage`, because each step waits for an outcome. If it is abandoned,
/// everything opened for it is closed, and late outcomes are ignored.
struct EpochPublisher: Sendable {
    /// The step for which the publication of an epoch waits.
    enum Stage: Hashable, Sendable {
        /// The table of the epoch comes into use.
        case table(Epoch)
        /// The high-water mark is stored.
        case highWater(Epoch)
        /// Links are accepted at a port, which the identifiers name.
        case listening(Epoch)
        /// The ports show the epoch.
        case opening(Epoch)
    }

    var rotation: TechnologyRotation
    /// Whether the user wants to be visible to somebody.
    private(set) var isVisible: Bool
    /// Whether an audience was withdrawn, and the next one must not be shown yet.
    private(set) var isWithdrawn = false
    /// The step for which the publication waits; nil when none is in progress.
    var stage: Stage?
    /// The time at which a failed publication is tried again, after a fresh quiet period.
    var retryWake: Tick?

    init(_ rotation: TechnologyRotation, isVisible: Bool) {
        self.rotation = rotation
        self.isVisible = isVisible
    }

    /// Returns the values of this device in an epoch, if they are derived.
    func own(in epoch: Epoch) -> OwnEpoch? { rotation.ownEpochs.first { $0.epoch == epoch } }

    /// Records that nothing is shown any more. An invisible node with an open invitation does not report what passes.
    mutating func fallQuiet(_ reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        rotation.fallSilent(isVisible || !reason.passes ? reason : .invisible)
    }

    fileprivate mutating func withdraw() {
        isWithdrawn = true
        rotation.dropOwnEpochs()
    }

    fileprivate mutating func become(visible: Bool) {
        isVisible = visible
        isWithdrawn = false
    }

    /// Ends the publication in progress as failed.
    fileprivate mutating func fail(_ reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        stage = nil
        return rotation.fallSilent(reason)
    }
}

/// A link technology that shows epochs by the steps of an `EpochPublisher`.
///
/// The steps are here once; a technology says how its ports are opened and closed, and what else it shows.
protocol PublishingTechnology: LinkTechnology {
    var publisher: EpochPublisher { get set }
    /// Whether there is anything to show: this device's identifiers, or what first contacts need.
    var hasSomethingToShow: Bool { get }

    /// Handles an event that is none of those that every technology handles in the same way.
    mutating func handleOwn(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect]
    /// Opens the ports that show an epoch, or with which a suppressed tag device listens in it.
    mutating func openPorts(for epoch: Epoch, at now: ClockReading) -> [LinkTechnologyEffect]
    /// Stops emitting.
    mutating func goQuiet(goodbye: Bool, because reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect]
    /// Ends all links of an epoch.
    mutating func closeLinks() -> [LinkTechnologyEffect]
    /// Closes the ports that were being opened for a publication that is abandoned.
    mutating func closeOpening() -> [LinkTechnologyEffect]
    /// Sets the time of the next attempt: when a table is in use, and when a publication has failed.
    mutating func scheduleRetry(hasFailed: Bool, at now: ClockReading)
    /// Brings what is shown besides the epoch, and the ports for it, up to date.
    mutating func update() -> [LinkTechnologyEffect]
}

extension PublishingTechnology {
    var isVisible: Bool { publisher.isVisible }

    var isWithheld: Bool { publisher.rotation.isWithheld }

    var ownEpochs: [OwnEpoch] { publisher.rotation.ownEpochs }

    var answered: [OwnEpoch] { publisher.rotation.answered }

    var shown: Epoch? { publisher.rotation.shown }

    var silence: NodeEvent.SilenceReason? { publisher.rotation.silence }

    mutating func handle(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        // A late outcome must not continue the publication of an epoch that has ended in the meantime.
        guard !event.isPartOfStep, publisher.rotation.takeWake(at: now.tick) else {
            return step(event, at: now, using: &generator)
        }
        return rotate(.timerFired, at: now, using: &generator) + step(event, at: now, using: &generator)
    }

    private mutating func step(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch event {
        case .started: return rotate(.started, at: now, using: &generator)
        case .fallingAsleep: return rotate(.fallingAsleep, because: .asleep, at: now, using: &generator)
        case .wokeUp: return rotate(.wokeUp, at: now, using: &generator)
        case .shownElsewhere(let epoch): return rotate(.shownElsewhere(epoch), at: now, using: &generator)
        case .audienceWithdrawn:
            publisher.withdraw()
            return rotate(.visibilityChanged(isVisible: false), because: .gap, at: now, using: &generator)
                + abandonPublication() + update()
        case .visibilityChanged(let isVisible):
            publisher.become(visible: isVisible)
            var effects = changeShown(because: isVisible ? .gap : .invisible, at: now, using: &generator)
            if !isVisible { effects += publisher.rotation.fallSilent(.invisible) }
            return effects + update()
        case .derived(let own):
            publisher.rotation.add(own)
            return []
        case .tableInUse(let epoch):
            guard publisher.stage == .table(epoch) else { return [] }
            return tableInUse(epoch, at: now)
        case .highWaterStored(let epoch, let error):
            publisher.rotation.noteStored(epoch, error)
            guard publisher.stage == .highWater(epoch) else { return [] }
            if let error { return fail(.vault(error), at: now) }
            return openPorts(for: epoch, at: now)
        case .ownerConfirmed(let confirmation): return publisher.rotation.note(confirmation)
        case .timeAccepted, .timeRefused, .timerFired, .networkChanged, .unannounced, .firstContactNeeds,
            .prepareSearch, .search, .namesKnown, .ports, .stop:
            return handleOwn(event, at: now, using: &generator)
        }
    }

    /// Reports an event to the rotation machine, and carries out its steps. `reason` is why nothing is shown after it.
    mutating func rotate(
        _ event: RotationMachine.Event, because reason: NodeEvent.SilenceReason = .gap, at now: ClockReading,
        using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        var effects: [LinkTechnologyEffect] = []
        for step in publisher.rotation.handle(event, at: now, using: &generator) {
            switch step {
            case .effect(let effect): effects.append(effect)
            case .goQuiet(let goodbye): effects += goQuiet(goodbye: goodbye, because: reason)
            case .closeLinks: effects += closeLinks()
            case .publish(let epoch):
                publisher.stage = .table(epoch)
                effects.append(.useTable(epoch))
            }
        }
        return effects
    }

    /// Goes quiet, and shows what there is to show now after a fresh quiet period.
    mutating func changeShown(
        because reason: NodeEvent.SilenceReason, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        let effects = rotate(
            .visibilityChanged(isVisible: hasSomethingToShow), because: reason, at: now, using: &generator)
        return effects + (hasSomethingToShow ? [] : abandonPublication())
    }

    /// Tries a failed publication again if it is time. The reason for the silence stays until something is shown.
    mutating func retryIfDue(
        at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        guard let due = publisher.retryWake, due <= now.tick else { return [] }
        publisher.retryWake = nil
        return rotate(.networkChanged, because: silence ?? .gap, at: now, using: &generator)
    }

    /// Abandons the publication in progress, and closes the ports that are being opened for it.
    mutating func abandonPublication() -> [LinkTechnologyEffect] {
        guard let stage = publisher.stage else { return [] }
        publisher.stage = nil
        if case .opening = stage { return closeOpening() }
        return []
    }

    private mutating func tableInUse(_ epoch: Epoch, at now: ClockReading) -> [LinkTechnologyEffect] {
        scheduleRetry(hasFailed: false, at: now)
        guard publisher.own(in: epoch) != nil else { return fail(.gap, at: now) }
        // A suppressed tag device shows no epoch, and so raises no mark.
        if isWithheld || publisher.rotation.isHighWaterStored { return openPorts(for: epoch, at: now) }
        publisher.stage = .highWater(epoch)
        return [.storeHighWater(epoch)]
    }

    /// Ends the publication in progress as failed, and schedules the retry.
    mutating func fail(_ reason: NodeEvent.SilenceReason, at now: ClockReading) -> [LinkTechnologyEffect] {
        scheduleRetry(hasFailed: true, at: now)
        return publisher.fail(reason)
    }
}

extension NodeEvent.SilenceReason {
    /// Whether it ends by itself.
    fileprivate var passes: Bool {
        switch self {
        case .gap, .networkChanged, .clock, .highWater, .unconfirmed: true
        case .noKeys, .discovery, .links, .radio, .vault, .asleep, .inviting, .invisible, .stopped: false
        }
    }
}
