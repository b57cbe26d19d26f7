internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// The local network: an instance in multicast DNS whose name changes with the epoch, and links over TCP.
///
/// A publication passes through the states of `Publishing`, because each step waits for an outcome. If it is abandoned,
/// everything opened for it is closed, and late outcomes are ignored.
struct LANTechnology: LinkTechnology {
    /// The delay before a failed publication is retried, in milliseconds of real time.
    static let retryInterval: UInt64 = 15_000

    /// The step for which the publication of an epoch waits.
    private enum Publishing: Hashable {
        case table(Epoch)
        case highWater(Epoch)
        case port(Epoch)
        case server(Epoch)
    }

    private enum Server {
        case closed
        case opening(Publication)
        case open(Publication)

        var isOpen: Bool { if case .open = self { true } else { false } }
        var isClosed: Bool { if case .closed = self { true } else { false } }
    }

    private enum Listener: Hashable {
        case closed
        case opening
        case open(port: UInt16)
    }

    let id = LinkTechnologyID.lan
    let transport = Transport.tcp

    private var rotation: TechnologyRotation
    private var isVisible: Bool
    /// Whether an audience was withdrawn, and the next one must not be shown yet.
    private var isWithdrawn = false
    private var isTimeAccepted = false
    private var publishing: Publishing?
    private var server = Server.closed
    private var listener = Listener.closed
    /// The numbers of the current server and listener; reports about earlier ones are ignored.
    private var serverNumber = 0
    private var listenerNumber = 0
    private var needs = FirstContactNeeds()
    /// The names that contacts may show, with the grants they are derived from; replaced when periods are forgotten.
    private var names = KnownNames()
    private var searches: [OpaqueServiceName: [Reply<[Endpoint]>]] = [:]
    private var retryWake: Tick?

    /// Creates a technology that shows nothing until `.started`; `confirmation` is the owner's confirmation of a tag
    /// device, and nil for other nodes.
    init(highWater: Epoch?, isVisible: Bool, confirmation: OwnerConfirmation? = nil) {
        self.isVisible = isVisible
        rotation = TechnologyRotation(
            highWater: highWater, isVisible: isVisible, confirmation: confirmation, over: .network)
    }

    var isWithheld: Bool { rotation.isWithheld }

    var isLooking: Bool { server.isOpen }

    /// True even if discovery failed: the inviter's address may have been given.
    var mayConnect: Bool {
        isTimeAccepted && hasSomethingToShow && rotation.permitted != nil && publishing == nil
    }

    var carriesInvitations: Bool { true }

    var ownEpochs: [OwnEpoch] { rotation.ownEpochs }

    var answered: [OwnEpoch] { rotation.answered }

    var shown: Epoch? { rotation.shown }

    var silence: NodeEvent.SilenceReason? { rotation.silence }

    var port: UInt16? { if case .open(let port) = listener { port } else { nil } }

    var due: Tick? { [rotation.wake, retryWake].compactMap(\.self).min() }

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
        case .timeAccepted:
            isTimeAccepted = true
            return rotate(.timeAccepted, at: now, using: &generator)
        case .timeRefused(let refusal):
            isTimeAccepted = false
            let effects = rotate(.timeRefused, because: .clock(refusal), at: now, using: &generator)
            return effects + (isVisible ? rotation.fallSilent(.clock(refusal)) : []) + refuseInvitation() + update()
        case .timerFired: return timerFired(at: now, using: &generator)
        case .networkChanged:
            return rotate(.networkChanged, because: .networkChanged, at: now, using: &generator)
        case .fallingAsleep: return rotate(.fallingAsleep, because: .asleep, at: now, using: &generator)
        case .wokeUp: return rotate(.wokeUp, at: now, using: &generator)
        case .audienceWithdrawn:
            isWithdrawn = true
            rotation.dropOwnEpochs()
            return rotate(.visibilityChanged(isVisible: false), because: .gap, at: now, using: &generator)
                + abandonPublication() + update()
        case .visibilityChanged(let isVisible):
            self.isVisible = isVisible
            isWithdrawn = false
            var effects = rotate(
                .visibilityChanged(isVisible: hasSomethingToShow), because: isVisible ? .gap : .invisible, at: now,
                using: &generator)
            if !isVisible { effects += rotation.fallSilent(.invisible) }
            if !hasSomethingToShow { effects += abandonPublication() }
            return effects + update()
        case .derived(let own):
            rotation.add(own)
            return []
        case .unannounced(let values, let epoch):
            rotation.answer(values, in: epoch)
            return update()
        case .tableInUse(let epoch):
            guard publishing == .table(epoch) else { return [] }
            return tableInUse(epoch, at: now)
        case .highWaterStored(let epoch, let error):
            rotation.noteStored(epoch, error)
            guard publishing == .highWater(epoch) else { return [] }
            if let error { return fail(.vault(error)) }
            return listenThenOpen(epoch)
        case .firstContactNeeds(let needs):
            return take(needs, at: now, using: &generator)
        case .prepareSearch(let reply, let mayWait): return prepareSearch(reply, mayWait: mayWait)
        case .search(let name, let host, let reply):
            guard server.isOpen else { return [.found([reply], [])] }
            searches[name, default: []].append(reply)
            return [.command(.lan(.search(name, host)))]
        case .namesKnown(let names):
            self.names = names
            return server.isClosed || !isVisible ? [] : [.command(.lan(.recognise(names)))]
        case .ownerConfirmed(let confirmation): return rotation.note(confirmation)
        case .ports(.lan(let outcome)): return take(outcome, at: now, using: &generator)
        case .shownElsewhere(let epoch): return rotate(.shownElsewhere(epoch), at: now, using: &generator)
        case .ports(.bluetooth): return []
        case .stop: return goQuiet(goodbye: false, because: .stopped) + stopListening()
        }
    }

    private mutating func timerFired(
        at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        // `handle` has already reported the time to the rotation machine.
        guard let due = retryWake, due <= now.tick else { return [] }
        retryWake = nil
        // Keep the reason for the silence until something is shown.
        return rotate(.networkChanged, because: silence ?? .gap, at: now, using: &generator)
    }
}

// MARK: Rotation

extension LANTechnology {
    private mutating func rotate(
        _ event: RotationMachine.Event, because reason: NodeEvent.SilenceReason = .gap, at now: ClockReading,
        using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        var effects: [LinkTechnologyEffect] = []
        for step in rotation.handle(event, at: now, using: &generator) {
            switch step {
            case .effect(let effect): effects.append(effect)
            case .goQuiet(let goodbye): effects += goQuiet(goodbye: goodbye, because: reason)
            case .closeLinks: effects += [.closeLinks] + stopListening()
            case .publish(let epoch):
                publishing = .table(epoch)
                effects.append(.useTable(epoch))
            }
        }
        return effects
    }

    /// Stops emitting. Seen names are forgotten, because their disappearance would go unnoticed.
    private mutating func goQuiet(goodbye: Bool, because reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        rotation.fallSilent(isVisible || !reason.passes ? reason : .invisible) + abandonPublication()
            + closeServer(goodbye: goodbye && isVisible) + [.recognise(.namesForgotten)]
    }

    /// Abandons the publication in progress, and closes the server that is being opened for it.
    private mutating func abandonPublication() -> [LinkTechnologyEffect] {
        guard let publishing else { return [] }
        self.publishing = nil
        if case .server = publishing { return closeServer(goodbye: false) }
        return []
    }

    // MARK: Publishing

    private mutating func tableInUse(_ epoch: Epoch, at now: ClockReading) -> [LinkTechnologyEffect] {
        retryWake = now.tick.advanced(byMilliseconds: Self.retryInterval)
        guard ownEpochs.contains(where: { $0.epoch == epoch }) else { return fail(.gap) }
        if isWithheld { return refuseInvitation() + openServer(for: epoch) }
        if rotation.isHighWaterStored { return listenThenOpen(epoch) }
        publishing = .highWater(epoch)
        return [.storeHighWater(epoch)]
    }

    private mutating func listenThenOpen(_ epoch: Epoch) -> [LinkTechnologyEffect] {
        publishing = .port(epoch)
        if case .open = listener { return openServer(for: epoch) }
        return listen()
    }

    private mutating func openServer(for epoch: Epoch) -> [LinkTechnologyEffect] {
        publishing = .server(epoch)
        return openServer(publication(of: epoch))
    }

    /// Ends the publication in progress as failed. It is retried at `retryWake`.
    private mutating func fail(_ reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        publishing = nil
        return rotation.fallSilent(reason)
    }

    private func publication(of epoch: Epoch) -> Publication {
        guard case .open(let port) = listener, !isWithheld else {
            return Publication(announced: nil, browses: isVisible)
        }
        let own = isVisible ? ownEpochs.first { $0.epoch == epoch } : nil
        let invitation = needs.answered.map { ServiceInstance(name: $0.name, host: $0.host, port: port) }
        let unannounced = own == nil ? [] : rotation.unannounced.filter { $0.epoch == epoch }
        return Publication(
            announced: own?.instance(port: port),
            answered: [invitation].compactMap(\.self) + unannounced.map { $0.instance(port: port) },
            browses: own != nil)
    }

    // MARK: First contacts

    /// Whether there is anything to show: this device's identifiers, an invitation, or a search for one.
    private var hasSomethingToShow: Bool { !isWithdrawn && (isVisible || needs.isAny) }

    /// Whether the node is in a quiet period after which it will publish.
    private var isAboutToShow: Bool {
        hasSomethingToShow && isTimeAccepted && rotation.permitted == nil
    }

    private mutating func take(
        _ needs: FirstContactNeeds, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        let hadSomethingToShow = hasSomethingToShow
        let isNew = needs.isInviting && !self.needs.isInviting
        self.needs = needs
        var effects: [LinkTechnologyEffect] = []
        if hasSomethingToShow != hadSomethingToShow {
            effects += rotate(
                .visibilityChanged(isVisible: hasSomethingToShow), because: .invisible, at: now, using: &generator)
            if !hasSomethingToShow { effects += abandonPublication() }
        }
        guard isNew else { return effects + update() }
        // Otherwise the inviter is told the port after the quiet period.
        if case .open(let port) = listener { effects.append(.listening(.success(port))) }
        return effects + (isTimeAccepted && !isWithheld ? [] : refuseInvitation()) + update()
    }

    /// Tells an inviter who waits for a port that there will be none, because time is not accepted, or the tag device
    /// is suppressed.
    private func refuseInvitation() -> [LinkTechnologyEffect] {
        needs.isInviting ? [.listening(.failure(.closed))] : []
    }

    /// Updates the unannounced instances, and closes what is no longer needed.
    private mutating func update() -> [LinkTechnologyEffect] {
        guard isTimeAccepted else { return closeServer(goodbye: false) + stopListening() }
        // The publication in progress includes the needs of first contacts.
        guard publishing == nil else { return [] }
        // Everything waits in a quiet period, so that it appears at the same time.
        guard let epoch = rotation.permitted, hasSomethingToShow else {
            return closeServer(goodbye: false) + stopListening()
        }
        let wanted = publication(of: epoch)
        guard case .open(let publication) = server, publication.answered != wanted.answered else { return [] }
        server = .open(wanted)
        return [.command(.lan(.answer(wanted.answered)))]
    }

    private func prepareSearch(_ reply: Reply<SearchReadiness>, mayWait: Bool) -> [LinkTechnologyEffect] {
        guard isTimeAccepted else { return [.searchReadiness([reply], .unavailable)] }
        if server.isOpen { return [.searchReadiness([reply], .ready)] }
        let waits = mayWait && (isAboutToShow || publishing != nil)
        return [.searchReadiness([reply], waits ? .wait : .unavailable)]
    }
}

// MARK: Ports

extension LANTechnology {
    /// Starts accepting links, unless a listener is open or being opened.
    private mutating func listen() -> [LinkTechnologyEffect] {
        guard listener == .closed else { return [] }
        listenerNumber += 1
        listener = .opening
        return [.command(.lan(.listen(listenerNumber)))]
    }

    private mutating func stopListening() -> [LinkTechnologyEffect] {
        guard listener != .closed else { return [] }
        listener = .closed
        return [.command(.lan(.stopListening))]
    }

    /// Opens a new server and closes the current one.
    private mutating func openServer(_ publication: Publication) -> [LinkTechnologyEffect] {
        var effects: [LinkTechnologyEffect] = []
        if !server.isClosed { effects = finishSearches() + [.command(.lan(.closeServer(goodbye: false)))] }
        serverNumber += 1
        server = .opening(publication)
        // An invisible node recognises nobody.
        let known = isVisible ? names : KnownNames()
        return effects + [.command(.lan(.openServer(serverNumber, publication, known)))]
    }

    /// Closes the server, if any, and ends its searches.
    private mutating func closeServer(goodbye: Bool) -> [LinkTechnologyEffect] {
        guard !server.isClosed else { return [] }
        server = .closed
        serverNumber += 1
        return finishSearches() + [.command(.lan(.closeServer(goodbye: goodbye)))]
    }

    private mutating func finishSearches() -> [LinkTechnologyEffect] {
        defer { searches = [:] }
        return searches.sorted { $0.key.octets < $1.key.octets }.map { .found($0.value, []) }
    }

    private mutating func take(
        _ outcome: LANOutcome, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch outcome {
        case .listening(listenerNumber, let result):
            guard listener == .opening else { return [] }
            return listening(result)
        case .opened(serverNumber, let error):
            guard case .opening(let publication) = server else { return [] }
            return opened(publication, error)
        case .event(serverNumber, let event): return take(event, at: now, using: &generator)
        case .listening, .opened, .event: return []  // from a listener or a server that has been closed
        }
    }

    private mutating func listening(_ result: Result<UInt16, LinkError>) -> [LinkTechnologyEffect] {
        switch result {
        case .success(let port):
            listener = .open(port: port)
            let next = if case .port(let epoch) = publishing { openServer(for: epoch) } else { update() }
            return [.listening(result)] + next
        case .failure(let error):
            listener = .closed
            let next = if case .port = publishing { fail(.links(error)) } else { [LinkTechnologyEffect]() }
            return [.listening(result)] + next
        }
    }

    private mutating func opened(_ publication: Publication, _ error: DiscoveryError?) -> [LinkTechnologyEffect] {
        if let error {
            server = .closed
            publishing = nil
            return rotation.fallSilent(.discovery(error))
        }
        server = .open(publication)
        var effects: [LinkTechnologyEffect] = []
        if case .server(let epoch) = publishing {
            publishing = nil
            retryWake = nil
            if isVisible, isWithheld {
                effects += rotation.withhold()
            } else if isVisible {
                rotation.show(epoch)
                effects.append(.showing(epoch))
            } else {
                effects += rotation.fallSilent(.invisible)
            }
        }
        // The needs of first contacts may have changed while the server started.
        return effects + update()
    }

    private mutating func take(
        _ event: DiscoveryEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch event {
        case .established: return []
        case .appeared(let name):
            guard isVisible, !ownEpochs.contains(where: { $0.name == name }) else { return [] }
            return [.recognise(.nameAppeared(name, observed: ObservedTime(at: now)))]
        case .vanished(let name): return [.recognise(.nameVanished(name))]
        case .found(let name, let endpoints): return found(name, endpoints)
        case .notFound(let name): return found(name, [])
        case .asked(let name):
            rotation.noteAsked(name)
            return []
        case .imitated: return [.imitated]
        case .failed(let error):
            return goQuiet(goodbye: false, because: .discovery(error))
                + rotate(.networkChanged, because: .discovery(error), at: now, using: &generator) + update()
        }
    }

    private mutating func found(_ name: OpaqueServiceName, _ endpoints: [Endpoint]) -> [LinkTechnologyEffect] {
        searches.removeValue(forKey: name).map { [.found($0, endpoints)] } ?? []
    }
}

extension NodeEvent.SilenceReason {
    /// Whether it ends by itself; an invisible node with an open invitation does not report it.
    fileprivate var passes: Bool {
        switch self {
        case .gap, .networkChanged, .clock, .highWater, .unconfirmed: true
        case .noKeys, .discovery, .links, .radio, .vault, .asleep, .inviting, .invisible, .stopped: false
        }
    }
}
