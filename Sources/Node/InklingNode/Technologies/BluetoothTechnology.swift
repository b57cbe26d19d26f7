internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// Bluetooth Low Energy: a beacon and a tag that change with the epoch, and links over GATT (`Specs/bluetooth.md`).
///
/// A publication passes through the states of `Publishing`, because each step waits for an outcome. If it is abandoned,
/// the radio that was opened for it is closed, and late outcomes are ignored.
struct BluetoothTechnology: LinkTechnology {
    /// The delay before a failed publication is retried, in milliseconds of real time. Each further failure doubles it,
    /// up to the longest.
    static let retryInterval: UInt64 = 5000, longestRetryInterval: UInt64 = 300_000
    /// The maximum time before a boundary at which the radio begins to go off the air.
    static let quietLead = RotationPolicy.bluetooth.quietLead
    /// The time for which an invitation is still shown after its outcome, in milliseconds, so that the last records of
    /// the first contact arrive.
    static let invitationRest: UInt64 = 5000

    /// The step for which the publication of an epoch waits.
    private enum Publishing: Hashable {
        case table(Epoch)
        case highWater(Epoch)
        case radio(Epoch)
    }

    private enum Radio: Hashable {
        case closed
        case opening
        case open(carriesLinks: Bool)
    }

    let id = LinkTechnologyID.bluetooth
    let transport = Transport.gatt

    /// Whether devices can be called through antennas, regardless of this machine's radio.
    private let callsThroughAntennas: Bool
    private var rotation: TechnologyRotation
    private var isVisible: Bool
    /// Whether an audience was withdrawn, and the next one must not be shown yet.
    private var isWithdrawn = false
    private var publishing: Publishing?
    private var radio = Radio.closed
    /// The number of the current session of the radio; reports about earlier ones are ignored.
    private var radioNumber = 0
    private var failures = 0
    private var retryWake: Tick?
    private var needs = FirstContactNeeds()
    /// The time at which the own identifiers replace an invitation that has its outcome.
    private var returnWake: Tick?
    /// Whether the identifiers on the air, or about to be, are those of an invitation.
    private var showsInvitation = false
    /// Whether the radio carried links when it was last opened; nil before.
    private var carriedLinks: Bool?

    /// Creates a technology that shows nothing until `.started`; `confirmation` is the owner's confirmation of a tag
    /// device, and nil for other nodes.
    init(
        highWater: Epoch?, isVisible: Bool, confirmation: OwnerConfirmation? = nil, callsThroughAntennas: Bool = false
    ) {
        self.isVisible = isVisible
        self.callsThroughAntennas = callsThroughAntennas
        rotation = TechnologyRotation(
            highWater: highWater, isVisible: isVisible, confirmation: confirmation, over: .radio, policy: .bluetooth)
    }

    var isWithheld: Bool { rotation.isWithheld }

    var isLooking: Bool { if case .open = radio { true } else { false } }

    /// Whether connections may begin. A node that shows an invitation shows no epoch, and connects to nobody: a
    /// connection would reveal whose invitation it is. A suppressed tag device connects to devices of its owner.
    var mayConnect: Bool { radioMayConnect || antennasMayConnect }

    /// Whether others can connect. An antenna accepts no links for this node.
    var acceptsLinks: Bool { radioMayConnect && !isWithheld }

    private var radioMayConnect: Bool { (shown != nil || isWithheld) && radio == .open(carriesLinks: true) }

    /// Whether antennas may call: in the epochs in which the radio may show itself, or could if there were one.
    private var antennasMayConnect: Bool {
        guard callsThroughAntennas, isVisible, !isWithdrawn, !isInviting, rotation.permitted != nil else {
            return false
        }
        if case .table = publishing { return false }
        return true
    }

    var carriesInvitations: Bool { carriedLinks != false && !isWithheld }

    var ownEpochs: [OwnEpoch] { rotation.ownEpochs }

    var answered: [OwnEpoch] { rotation.answered }

    var shown: Epoch? { rotation.shown }

    var silence: NodeEvent.SilenceReason? { rotation.silence }

    var due: Tick? { [rotation.wake, retryWake, returnWake].compactMap(\.self).min() }

    mutating func handle(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        // A late outcome must not continue the publication of an epoch that has ended in the meantime.
        guard !event.isPartOfStep, rotation.takeWake(at: now.tick) else {
            return take(event, at: now, using: &generator)
        }
        return rotate(.timerFired, at: now, using: &generator) + take(event, at: now, using: &generator)
    }

    private mutating func take(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch event {
        case .started: return rotate(.started, at: now, using: &generator)
        case .timeAccepted: return rotate(.timeAccepted, at: now, using: &generator)
        case .timeRefused(let refusal):
            let effects = rotate(.timeRefused, because: .clock(refusal), at: now, using: &generator)
            return effects + abandonPublication() + (isVisible ? rotation.fallSilent(.clock(refusal)) : [])
        case .timerFired:
            if let due = returnWake, due <= now.tick { return showOwnAgain(at: now, using: &generator) }
            guard let due = retryWake, due <= now.tick else { return [] }
            retryWake = nil
            // Keep the reason for the silence until something is shown.
            return rotate(.networkChanged, because: silence ?? .gap, at: now, using: &generator)
        case .fallingAsleep: return rotate(.fallingAsleep, because: .asleep, at: now, using: &generator)
        case .wokeUp: return rotate(.wokeUp, at: now, using: &generator)
        case .audienceWithdrawn:
            isWithdrawn = true
            rotation.dropOwnEpochs()
            return rotate(.visibilityChanged(isVisible: false), because: .gap, at: now, using: &generator)
                + abandonPublication()
        case .visibilityChanged(let isVisible):
            self.isVisible = isVisible
            isWithdrawn = false
            let effects = rotate(
                .visibilityChanged(isVisible: hasSomethingToShow), because: isVisible ? .gap : .invisible, at: now,
                using: &generator)
            return effects + (hasSomethingToShow ? [] : abandonPublication())
                + (isVisible ? [] : rotation.fallSilent(.invisible))
        case .shownElsewhere(let epoch): return rotate(.shownElsewhere(epoch), at: now, using: &generator)
        case .derived(let own):
            rotation.add(own)
            return []
        case .tableInUse(let epoch):
            guard publishing == .table(epoch) else { return [] }
            return tableInUse(epoch, at: now)
        case .highWaterStored(let epoch, let error):
            rotation.noteStored(epoch, error)
            guard publishing == .highWater(epoch) else { return [] }
            if let error { return fail(.vault(error), at: now) }
            return openRadio(for: epoch, at: now)
        case .ownerConfirmed(let confirmation): return rotation.note(confirmation)
        case .ports(.bluetooth(let outcome)): return take(outcome, at: now, using: &generator)
        case .stop: return goQuiet(because: .stopped)
        case .search(_, _, let reply): return [.found([reply], [])]
        case .prepareSearch(let reply, _): return [.searchReadiness([reply], .unavailable)]
        case .firstContactNeeds(let needs): return take(needs, at: now, using: &generator)
        // Network changes and names concern only the local network.
        case .networkChanged, .namesKnown, .unannounced, .ports(.lan): return []
        }
    }
}

// MARK: Invitations

extension BluetoothTechnology {
    private var isInviting: Bool { !needs.shownByRadio.isEmpty }

    /// Whether there is anything to show: this device's identifiers, or an invitation.
    private var hasSomethingToShow: Bool { !isWithdrawn && (isVisible || isInviting) }

    /// Applies the needs of first contacts. An invitation replaces the own identifiers, which is a boundary.
    private mutating func take(
        _ needs: FirstContactNeeds, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        var needs = needs
        if !carriesInvitations { needs.shownByRadio = [] }
        if isInviting, needs.shownByRadio.isEmpty {
            returnWake = returnWake ?? now.tick.advanced(byMilliseconds: Self.invitationRest)
            return []
        }
        let isAnother = !isInviting || returnWake != nil
        self.needs = needs
        guard isInviting, isAnother else { return [] }
        returnWake = nil
        return changeShown(at: now, using: &generator)
    }

    private mutating func showOwnAgain(
        at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        returnWake = nil
        needs.shownByRadio = []
        return changeShown(at: now, using: &generator)
    }

    /// Goes off the air, and shows something else after a fresh quiet period.
    private mutating func changeShown(
        at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        let effects = rotate(
            .visibilityChanged(isVisible: hasSomethingToShow), because: .gap, at: now, using: &generator)
        return effects + (hasSomethingToShow ? [] : abandonPublication())
    }
}

// MARK: Rotation

extension BluetoothTechnology {
    private mutating func rotate(
        _ event: RotationMachine.Event, because reason: NodeEvent.SilenceReason = .gap, at now: ClockReading,
        using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        var effects: [LinkTechnologyEffect] = []
        for step in rotation.handle(event, at: now, using: &generator) {
            switch step {
            case .effect(let effect): effects.append(effect)
            case .goQuiet: effects += goQuiet(because: isVisible ? reason : .invisible)
            case .closeLinks: effects.append(.closeLinks)
            case .publish(let epoch):
                publishing = .table(epoch)
                effects.append(.useTable(epoch))
            }
        }
        return effects
    }

    private mutating func goQuiet(because reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        publishing = nil
        // An invitation that has its outcome is not shown again after a silence.
        if returnWake != nil { returnWake = Tick(milliseconds: 0) }
        return rotation.fallSilent(reason) + closeRadio()
    }

    /// Abandons the publication in progress, and closes the radio that is being opened for it.
    private mutating func abandonPublication() -> [LinkTechnologyEffect] {
        guard let publishing else { return [] }
        self.publishing = nil
        if case .radio = publishing { return closeRadio() }
        return []
    }

    private mutating func tableInUse(_ epoch: Epoch, at now: ClockReading) -> [LinkTechnologyEffect] {
        guard rotation.ownEpochs.contains(where: { $0.epoch == epoch }) else { return fail(.gap, at: now) }
        if isWithheld || rotation.isHighWaterStored { return openRadio(for: epoch, at: now) }
        publishing = .highWater(epoch)
        return [.storeHighWater(epoch)]
    }

    /// Ends the publication in progress as failed, and schedules the retry.
    private mutating func fail(_ reason: NodeEvent.SilenceReason, at now: ClockReading) -> [LinkTechnologyEffect] {
        publishing = nil
        let doublings = min(failures, 8)
        failures += 1
        retryWake = now.tick.advanced(
            byMilliseconds: min(Self.retryInterval << UInt64(doublings), Self.longestRetryInterval))
        return rotation.fallSilent(reason)
    }
}

// MARK: The radio

extension BluetoothTechnology {
    private mutating func openRadio(for epoch: Epoch, at now: ClockReading) -> [LinkTechnologyEffect] {
        // A suppressed tag device only listens, and shows no invitation either.
        let publication = isWithheld ? nil : publication(of: epoch)
        guard isWithheld || publication != nil else { return fail(.gap, at: now) }
        publishing = .radio(epoch)
        let effects = closeRadio()
        radioNumber += 1
        radio = .opening
        showsInvitation = isInviting && !isWithheld
        return effects + [.command(.bluetooth(.open(radioNumber, publication)))]
    }

    /// Returns the publication of an epoch; nil for an invitation that has its outcome.
    private func publication(of epoch: Epoch) -> RadioPublication? {
        guard isInviting else {
            return rotation.ownEpochs.first { $0.epoch == epoch }.map { RadioPublication(minor: $0.minor, tag: $0.tag) }
        }
        guard returnWake == nil else { return nil }
        return needs.shownByRadio.first { $0.epoch == epoch }.map { RadioPublication(minor: $0.minor, tag: $0.tag) }
    }

    private mutating func closeRadio() -> [LinkTechnologyEffect] {
        guard radio != .closed else { return [] }
        radio = .closed
        radioNumber += 1
        return [.command(.bluetooth(.close))]
    }

    private mutating func take(
        _ outcome: BluetoothOutcome, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch outcome {
        case .opened(radioNumber, let result):
            guard radio == .opening, case .radio(let epoch) = publishing else { return [] }
            switch result {
            case .success(let carriesLinks):
                radio = .open(carriesLinks: carriesLinks)
                carriedLinks = carriesLinks
                (publishing, failures, retryWake) = (nil, 0, nil)
                if isWithheld { return [.recognise(.radioLinksChanged(carriesLinks))] + rotation.withhold() }
                // Without links nobody can accept an invitation by radio.
                if showsInvitation, !carriesLinks { return showOwnAgain(at: now, using: &generator) }
                let links = LinkTechnologyEffect.recognise(
                    .radioLinksChanged((carriesLinks || callsThroughAntennas) && !showsInvitation))
                guard !showsInvitation else {
                    return [links] + rotation.fallSilent(isVisible ? .inviting : .invisible)
                }
                rotation.show(epoch)
                return [links, .showing(epoch)]
            case .failure(let error):
                radio = .closed
                guard callsThroughAntennas else { return fail(.radio(error), at: now) }
                // A retry begins with a quiet period, which ends links through antennas. Wait for the boundary.
                publishing = nil
                return [.recognise(.radioLinksChanged(!isInviting))] + rotation.fallSilent(.radio(error))
            }
        case .report(radioNumber, let report): return take(report, at: now)
        case .opened, .report: return []  // from a session that has been closed
        }
    }

    private mutating func take(_ report: RadioReport, at now: ClockReading) -> [LinkTechnologyEffect] {
        switch report {
        case .heard(let sighting):
            // A device that only this radio hears cannot be called if the radio carries no links.
            let isReachable = radio == .open(carriesLinks: true) || !callsThroughAntennas
            return [.recognise(.beaconHeard(isReachable ? sighting : sighting.unreachable))]
        case .overflow(let address, let observed):
            // The tag of a phone in the background is read over a link.
            return acceptsLinks ? [.recognise(.overflowHeard(address, observed: observed))] : []
        case .crowded: return [.recognise(.radioCrowded), .crowded]
        case .gap(let gap): return [.recognise(.radioGapChanged(gap))]
        case .deaf(let step): return [.deaf(step)]
        case .hearing: return []
        case .failed(let error):
            let effects = closeRadio()
            return [.closeLinks] + effects + fail(.radio(error), at: now)
        }
    }
}
