internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingWire

/// Bluetooth Low Energy: a beacon and a tag that change with the epoch, and links over GATT (`Specs/bluetooth.md`).
struct BluetoothTechnology: PublishingTechnology {
    /// The delay before a failed publication is retried, in milliseconds of real time. Each further failure doubles it,
    /// up to the longest.
    static let retryInterval: UInt64 = 5000, longestRetryInterval: UInt64 = 300_000
    /// The time for which an invitation is still shown after its outcome, in milliseconds, so that the last records of
    /// the first contact arrive.
    static let invitationRest: UInt64 = 5000

    private enum Radio: Hashable {
        case closed
        case opening
        case open(carriesLinks: Bool)
    }

    /// A caller hears a device only every second or so. The radio begins to go off the air before a boundary.
    static let capabilities = LinkCapabilities(
        transport: .gatt, option: .gatt, attempts: .radio, needs: [.bluetooth, .central, .peripheral],
        connectDeadline: .seconds(6), quietLead: RotationPolicy.bluetooth.quietLead, isSlow: true)

    let id = LinkTechnologyID.bluetooth

    /// Whether devices can be called through antennas, regardless of this machine's radio.
    private let callsThroughAntennas: Bool
    var publisher: EpochPublisher
    private var radio = Radio.closed
    /// The number of the current session of the radio; reports about earlier ones are ignored.
    private var radioNumber = 0
    private var failures = 0
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
        self.callsThroughAntennas = callsThroughAntennas
        publisher = EpochPublisher(
            TechnologyRotation(
                highWater: highWater, isVisible: isVisible, confirmation: confirmation, over: .radio,
                policy: .bluetooth),
            isVisible: isVisible)
    }

    var isLooking: Bool { if case .open = radio { true } else { false } }

    /// Whether connections may begin. A node that shows an invitation shows no epoch, and connects to nobody: a
    /// connection would reveal whose invitation it is. A suppressed tag device connects to devices of its owner.
    var mayConnect: Bool { radioMayConnect || antennasMayConnect }

    /// Whether others can connect. An antenna accepts no links for this node.
    var acceptsLinks: Bool { radioMayConnect && !isWithheld }

    private var radioMayConnect: Bool { (shown != nil || isWithheld) && radio == .open(carriesLinks: true) }

    /// Whether antennas may call: in the epochs in which the radio may show itself, or could if there were one.
    private var antennasMayConnect: Bool {
        guard callsThroughAntennas, isVisible, !publisher.isWithdrawn, !isInviting, publisher.rotation.permitted != nil
        else {
            return false
        }
        if case .table = publisher.stage { return false }
        return true
    }

    var carriesInvitations: Bool { carriedLinks != false && !isWithheld }

    var due: Tick? { [publisher.rotation.wake, publisher.retryWake, returnWake].compactMap(\.self).min() }

    mutating func handleOwn(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch event {
        case .timeAccepted: return rotate(.timeAccepted, at: now, using: &generator)
        case .timeRefused(let refusal):
            let effects = rotate(.timeRefused, because: .clock(refusal), at: now, using: &generator)
            return effects + abandonPublication() + (isVisible ? publisher.rotation.fallSilent(.clock(refusal)) : [])
        case .timerFired:
            if let due = returnWake, due <= now.tick { return showOwnAgain(at: now, using: &generator) }
            return retryIfDue(at: now, using: &generator)
        case .ports(.bluetooth(let outcome)): return handle(outcome, at: now, using: &generator)
        case .stop: return goQuiet(goodbye: false, because: .stopped)
        case .search(_, _, let reply): return [.found([reply], [])]
        case .prepareSearch(let reply, _): return [.searchReadiness([reply], .unavailable)]
        case .firstContactNeeds(let needs): return apply(needs, at: now, using: &generator)
        // Network changes and names concern only the local network.
        default: return []
        }
    }
}

// MARK: Invitations

extension BluetoothTechnology {
    private var isInviting: Bool { !needs.shownByRadio.isEmpty }

    /// Whether there is anything to show: this device's identifiers, or an invitation.
    var hasSomethingToShow: Bool { !publisher.isWithdrawn && (isVisible || isInviting) }

    /// Applies the needs of first contacts. An invitation replaces the own identifiers, which is a boundary.
    private mutating func apply(
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
        return changeShown(because: .gap, at: now, using: &generator)
    }

    private mutating func showOwnAgain(
        at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        returnWake = nil
        needs.shownByRadio = []
        return changeShown(because: .gap, at: now, using: &generator)
    }
}

// MARK: Rotation

extension BluetoothTechnology {
    mutating func goQuiet(goodbye: Bool, because reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        publisher.stage = nil
        // An invitation that has its outcome is not shown again after a silence.
        if returnWake != nil { returnWake = Tick(milliseconds: 0) }
        return publisher.fallQuiet(reason) + closeRadio()
    }

    mutating func closeLinks() -> [LinkTechnologyEffect] { [.closeLinks] }

    mutating func closeOpening() -> [LinkTechnologyEffect] { closeRadio() }

    /// Nothing is shown by radio beside the epoch or an invitation.
    mutating func update() -> [LinkTechnologyEffect] { [] }

    /// Each further failure doubles the interval.
    mutating func scheduleRetry(hasFailed: Bool, at now: ClockReading) {
        guard hasFailed else { return }
        let doublings = min(failures, 8)
        failures += 1
        publisher.retryWake = now.tick.advanced(
            byMilliseconds: min(Self.retryInterval << UInt64(doublings), Self.longestRetryInterval))
    }
}

// MARK: The radio

extension BluetoothTechnology {
    mutating func openPorts(for epoch: Epoch, at now: ClockReading) -> [LinkTechnologyEffect] {
        // A suppressed tag device only listens, and shows no invitation either.
        let publication = isWithheld ? nil : publication(of: epoch)
        guard isWithheld || publication != nil else { return fail(.gap, at: now) }
        publisher.stage = .opening(epoch)
        let effects = closeRadio()
        radioNumber += 1
        radio = .opening
        showsInvitation = isInviting && !isWithheld
        return effects + [.command(.bluetooth(.open(radioNumber, publication)))]
    }

    /// Returns the publication of an epoch; nil for an invitation that has its outcome.
    private func publication(of epoch: Epoch) -> RadioPublication? {
        guard isInviting else {
            return publisher.own(in: epoch).map { RadioPublication(minor: $0.minor, tag: $0.tag) }
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

    private mutating func handle(
        _ outcome: BluetoothOutcome, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch outcome {
        case .opened(radioNumber, let result):
            guard radio == .opening, case .opening(let epoch) = publisher.stage else { return [] }
            switch result {
            case .success(let carriesLinks):
                radio = .open(carriesLinks: carriesLinks)
                carriedLinks = carriesLinks
                (publisher.stage, failures, publisher.retryWake) = (nil, 0, nil)
                if isWithheld { return [.recognise(.radioLinksChanged(carriesLinks))] + publisher.rotation.withhold() }
                // Without links nobody can accept an invitation by radio.
                if showsInvitation, !carriesLinks { return showOwnAgain(at: now, using: &generator) }
                let links = LinkTechnologyEffect.recognise(
                    .radioLinksChanged((carriesLinks || callsThroughAntennas) && !showsInvitation))
                guard !showsInvitation else {
                    return [links] + publisher.rotation.fallSilent(isVisible ? .inviting : .invisible)
                }
                publisher.rotation.show(epoch)
                return [links, .showing(epoch)]
            case .failure(let error):
                radio = .closed
                guard callsThroughAntennas else { return fail(.radio(error), at: now) }
                // A retry begins with a quiet period, which ends links through antennas. Wait for the boundary.
                publisher.stage = nil
                return [.recognise(.radioLinksChanged(!isInviting))] + publisher.rotation.fallSilent(.radio(error))
            }
        case .report(radioNumber, let report): return handle(report, at: now)
        case .opened, .report: return []  // from a session that has been closed
        }
    }

    private mutating func handle(_ report: RadioReport, at now: ClockReading) -> [LinkTechnologyEffect] {
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
