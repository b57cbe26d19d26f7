internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingWire

/// The local network: an instance in multicast DNS whose name changes with the epoch, and links over TCP.
struct LANTechnology: PublishingTechnology {
    /// The delay before a failed publication is retried, in milliseconds of real time.
    static let retryInterval: UInt64 = 15_000

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

    static let capabilities = LinkCapabilities(
        transport: .tcp, option: .network, attempts: .network, needs: [.localNetwork], connectDeadline: .seconds(3),
        quietLead: RotationPolicy().quietLead, isSlow: false)

    let id = LinkTechnologyID.lan

    var publisher: EpochPublisher
    private var isTimeAccepted = false
    private var server = Server.closed
    private var listener = Listener.closed
    /// The numbers of the current server and listener; reports about earlier ones are ignored.
    private var serverNumber = 0
    private var listenerNumber = 0
    private var needs = FirstContactNeeds()
    /// The names that contacts may show, with the grants they are derived from; replaced when periods are forgotten.
    private var names = KnownNames()
    private var searches: [OpaqueServiceName: [Reply<[Endpoint]>]] = [:]

    /// Creates a technology that shows nothing until `.started`; `confirmation` is the owner's confirmation of a tag
    /// device, and nil for other nodes.
    init(highWater: Epoch?, isVisible: Bool, confirmation: OwnerConfirmation? = nil) {
        publisher = EpochPublisher(
            TechnologyRotation(
                highWater: highWater, isVisible: isVisible, confirmation: confirmation, over: .network),
            isVisible: isVisible)
    }

    var isLooking: Bool { server.isOpen }

    /// True even if discovery failed: the inviter's address may have been given.
    var mayConnect: Bool {
        isTimeAccepted && hasSomethingToShow && publisher.rotation.permitted != nil && publisher.stage == nil
    }

    var carriesInvitations: Bool { true }

    var port: UInt16? { if case .open(let port) = listener { port } else { nil } }

    var due: Tick? { [publisher.rotation.wake, publisher.retryWake].compactMap(\.self).min() }

    mutating func handleOwn(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch event {
        case .timeAccepted:
            isTimeAccepted = true
            return rotate(.timeAccepted, at: now, using: &generator)
        case .timeRefused(let refusal):
            isTimeAccepted = false
            let effects = rotate(.timeRefused, because: .clock(refusal), at: now, using: &generator)
            return effects + (isVisible ? publisher.rotation.fallSilent(.clock(refusal)) : []) + refuseInvitation()
                + update()
        // `handle` has already reported the time to the rotation machine.
        case .timerFired: return retryIfDue(at: now, using: &generator)
        case .networkChanged:
            return rotate(.networkChanged, because: .networkChanged, at: now, using: &generator)
        case .unannounced(let values, let epoch):
            publisher.rotation.answer(values, in: epoch)
            return update()
        case .firstContactNeeds(let needs):
            return apply(needs, at: now, using: &generator)
        case .prepareSearch(let reply, let mayWait): return prepareSearch(reply, mayWait: mayWait)
        case .search(let name, let host, let reply):
            guard server.isOpen else { return [.found([reply], [])] }
            searches[name, default: []].append(reply)
            return [.command(.lan(.search(name, host)))]
        case .namesKnown(let names):
            self.names = names
            return server.isClosed || !isVisible ? [] : [.command(.lan(.recognise(names)))]
        case .ports(.lan(let outcome)): return handle(outcome, at: now, using: &generator)
        case .stop: return goQuiet(goodbye: false, because: .stopped) + stopListening()
        default: return []
        }
    }
}

// MARK: Rotation

extension LANTechnology {
    /// Stops emitting. Seen names are forgotten, because their disappearance would go unnoticed.
    mutating func goQuiet(goodbye: Bool, because reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        publisher.fallQuiet(reason) + abandonPublication()
            + closeServer(goodbye: goodbye && isVisible) + [.recognise(.namesForgotten)]
    }

    mutating func closeLinks() -> [LinkTechnologyEffect] { [.closeLinks] + stopListening() }

    mutating func closeOpening() -> [LinkTechnologyEffect] { closeServer(goodbye: false) }

    // MARK: Publishing

    /// A publication that has not ended by then is tried again, whatever it waits for.
    mutating func scheduleRetry(hasFailed: Bool, at now: ClockReading) {
        if !hasFailed { publisher.retryWake = now.tick.advanced(byMilliseconds: Self.retryInterval) }
    }

    mutating func openPorts(for epoch: Epoch, at now: ClockReading) -> [LinkTechnologyEffect] {
        if isWithheld { return refuseInvitation() + openServer(for: epoch) }
        publisher.stage = .listening(epoch)
        if case .open = listener { return openServer(for: epoch) }
        return listen()
    }

    private mutating func openServer(for epoch: Epoch) -> [LinkTechnologyEffect] {
        publisher.stage = .opening(epoch)
        return openServer(publication(of: epoch))
    }

    private func publication(of epoch: Epoch) -> Publication {
        guard case .open(let port) = listener, !isWithheld else {
            return Publication(announced: nil, browses: isVisible)
        }
        let own = isVisible ? publisher.own(in: epoch) : nil
        let invitation = needs.answered.map { ServiceInstance(name: $0.name, host: $0.host, port: port) }
        let unannounced = own == nil ? [] : publisher.rotation.unannounced.filter { $0.epoch == epoch }
        return Publication(
            announced: own?.instance(port: port),
            answered: [invitation].compactMap(\.self) + unannounced.map { $0.instance(port: port) },
            browses: own != nil)
    }

    // MARK: First contacts

    /// Whether there is anything to show: this device's identifiers, an invitation, or a search for one.
    var hasSomethingToShow: Bool { !publisher.isWithdrawn && (isVisible || needs.isAny) }

    /// Whether the node is in a quiet period after which it will publish.
    private var isAboutToShow: Bool {
        hasSomethingToShow && isTimeAccepted && publisher.rotation.permitted == nil
    }

    private mutating func apply(
        _ needs: FirstContactNeeds, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        let hadSomethingToShow = hasSomethingToShow
        let isNew = needs.isInviting && !self.needs.isInviting
        self.needs = needs
        var effects: [LinkTechnologyEffect] = []
        if hasSomethingToShow != hadSomethingToShow {
            effects += changeShown(because: .invisible, at: now, using: &generator)
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
    mutating func update() -> [LinkTechnologyEffect] {
        guard isTimeAccepted else { return closeServer(goodbye: false) + stopListening() }
        // The publication in progress includes the needs of first contacts.
        guard publisher.stage == nil else { return [] }
        // Everything waits in a quiet period, so that it appears at the same time.
        guard let epoch = publisher.rotation.permitted, hasSomethingToShow else {
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
        let waits = mayWait && (isAboutToShow || publisher.stage != nil)
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

    private mutating func handle(
        _ outcome: LANOutcome, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect] {
        switch outcome {
        case .listening(listenerNumber, let result):
            guard listener == .opening else { return [] }
            return listening(result, at: now)
        case .opened(serverNumber, let error):
            guard case .opening(let publication) = server else { return [] }
            return opened(publication, error)
        case .event(serverNumber, let event): return handle(event, at: now, using: &generator)
        case .listening, .opened, .event: return []  // from a listener or a server that has been closed
        }
    }

    private mutating func listening(
        _ result: Result<UInt16, LinkError>, at now: ClockReading
    ) -> [LinkTechnologyEffect] {
        switch result {
        case .success(let port):
            listener = .open(port: port)
            let next = if case .listening(let epoch) = publisher.stage { openServer(for: epoch) } else { update() }
            return [.listening(result)] + next
        case .failure(let error):
            listener = .closed
            let next =
                if case .listening = publisher.stage { fail(.links(error), at: now) } else { [LinkTechnologyEffect]() }
            return [.listening(result)] + next
        }
    }

    private mutating func opened(_ publication: Publication, _ error: DiscoveryError?) -> [LinkTechnologyEffect] {
        if let error {
            server = .closed
            publisher.stage = nil
            return publisher.rotation.fallSilent(.discovery(error))
        }
        server = .open(publication)
        var effects: [LinkTechnologyEffect] = []
        if case .opening(let epoch) = publisher.stage {
            (publisher.stage, publisher.retryWake) = (nil, nil)
            if isVisible, isWithheld {
                effects += publisher.rotation.withhold()
            } else if isVisible {
                publisher.rotation.show(epoch)
                effects.append(.showing(epoch))
            } else {
                effects += publisher.rotation.fallSilent(.invisible)
            }
        }
        // The needs of first contacts may have changed while the server started.
        return effects + update()
    }

    private mutating func handle(
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
            publisher.rotation.noteAsked(name)
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
