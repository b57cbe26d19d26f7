internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingVault
internal import InklingWire

// Confirm handshakes: the reports of jobs, and the initiator; the responder is in `Node+Answers`. On failure the peer
// sees only silence.
//
// Jobs outside the queue exchange the packets of a handshake. A job holds the link and the keys of its handshake, and
// no state of the node; it communicates with the node by inputs, the last of which reports the outcome.
extension Node {
    /// The timeout for a message of a handshake.
    static let answerDeadline = Duration.seconds(5)
    /// The maximum numbers of endpoints called for one name, and called at once.
    static let endpointLimit = 8, parallelLimit = 4
    /// A link that closes within this many ms of message 1 failed; a later close is a refusal.
    static let failedLinkTime: UInt64 = 3000
    /// The interval between calls to two endpoints, in milliseconds.
    static let callInterval: UInt64 = 250
    static let secondMessageLimit = 1 + PacketType.confirmSecond.largestBody

    // MARK: Inputs

    func handle(_ input: HandshakeInput) {
        switch input {
        case .search(let name, let host, let reply):
            guard life == .running else { return reply.send([]) }
            tell(.search(name, host, reply), to: .searched)
        case .tagRead(let address, let tag): tagRead(tag, at: address)
        case .readingFailed(let address): recognise(.readingFailed(address), at: ports.clock.read())
        case .pairFound(let name, let epoch): pairFound(name, in: epoch)
        case .connected(let number, let link, let reply): reply.send(connected(number, over: link))
        case .callSucceeded(let number, let session, let key, let link):
            succeeded(number, session, under: key, over: link)
        case .callFailed(let number, let why): if let call = dialer.end(number) { failed(call, why) }
        case .callNotMade(let attempt, let cause, let why): callNotMade(attempt, cause, why)
        case .firstMessage(let message, let technology, let reply): note(message, technology, reply)
        case .offeredLinkMade(let offer, let link, let round, let reply):
            reply.send(offeredLinkMade(offer, link, in: round))
        case .offeredLinkAnswered(let offer, let session, let key, let link, let round, let start):
            offeredLinkAnswered(offer, session, under: key, over: link, in: round, since: start)
        case .offerFailed(let offer, let isUnreachable, let round):
            offerFailed(offer, isUnreachable: isUnreachable, in: round)
        case .answered(let terms, let session, let link, let reply):
            guard let session = session.take(), terms.round == dialer.round(of: terms.technology),
                hasRoom(for: terms.peer)
            else { return reply.send(false) }
            if !isOwn(terms.peer.user) { feeds.emit(.confirmed(terms.peer.user, over: terms.technology, after: nil)) }
            let id = begin(
                session, with: terms.peer, under: terms.key, over: link, terms.technology, in: terms.epoch,
                isOffered: terms.isOffered)
            reply.send(id != nil)
        case .joiner(let pending, let packet, let link, let technology, let reply):
            reply.send(admit(pending, provenBy: packet, over: link, technology))
        case .joined(let session, let card, let link, let technology, let confirm, let answer):
            do throws(NodeError) {
                guard let session = session.take() else { throw .stopped }
                guard let now = currentPeriod else { throw .clockNotAccepted }
                try begin(session, card, over: link, technology, confirm: confirm, for: .request(answer), now: now)
            } catch {
                spawnClosing { await link.close() }
                answer.send(.failure(error))
            }
        case .decided(let id, let isAccepted): decided(id, isAccepted: isAccepted)
        case .concluded(let waiter, let result): send(result, to: waiter)
        case .grantAwaited(let id): grantAwaited(in: id)
        case .deviceLinked(let number, let outcome): deviceLinked(number, outcome)
        case .abandoned(let user): if machine(of: user).isDeciding { decide(.linkLost, with: user) }
        }
    }

    // MARK: Initiator

    /// Begins a call, or reports that it cannot be made.
    func begin(_ attempt: Attempt, because cause: Call.Cause) {
        let now = ports.clock.read()
        guard let call = call(for: attempt, because: cause, at: now) else {
            // Enqueue it, because the effects of the current event may not all be carried out yet.
            return enqueue(.handshake(.callNotMade(attempt, cause, .refused)))
        }
        let plan = Reachability.plan(
            for: book.reachability[call.peer.user], heardOver: technologiesHearing(attempt.prediction.contact, at: now),
            links: Set(technologies.filter(\.mayConnect).map(\.id)), at: now.tick)
        if !isOwn(call.peer.user) { feeds.emit(.planned(call.peer.user, plan)) }
        guard plan.steps.contains(where: { $0.transport == call.technology.capabilities.option }) else {
            return enqueue(.handshake(.callNotMade(attempt, cause, .unreachable)))
        }
        dialer.begin(call)
        spawn { await self.carryOut(call) }
    }

    /// Returns the technologies over which an identifier of a contact is heard now.
    func technologiesHearing(_ contact: ContactID, at now: ClockReading) -> Set<LinkTechnologyID> {
        let sights = recognition.explanation(of: contact, at: now)?.sights ?? []
        return Set(sights.filter(\.isCounting).map(\.value.technology))
    }

    /// Creates a call; returns nil if a key is missing or the contact must not be called.
    private func call(for attempt: Attempt, because cause: Call.Cause, at now: ClockReading) -> Call? {
        let prediction = attempt.prediction
        let technology = attempt.technology
        if book.roster[prediction.contact] == ownUser { return ownCall(for: attempt, because: cause, at: now) }
        guard mayCallContacts(over: technology), let user = book.roster[prediction.contact],
            let contact = contents.contact(user), meets(contact), let tree = tree(of: prediction.audience, of: contact),
            let period = currentPeriod, let card = try? book.card(of: contact, now: period),
            let certificate = card.certificates.first(where: { $0.index == prediction.device }),
            certificate.isValid(in: period), !contact.isRevoked(certificate),
            let leaf = tree.value.periodKey(prediction.epoch.period),
            let transport = technologies.first(where: { $0.id == technology })?.transport
        else { return nil }
        return Call(
            number: dialer.nextNumber(), attempt: attempt, cause: cause, technology: technology,
            peer: KnownDevice(user: user, device: prediction.device), key: certificate.key,
            context: ConfirmContext(
                leaf.deviceKeys(prediction.device), device: prediction.device, epoch: prediction.epoch,
                transport: transport),
            pairwiseKeys: contact.pairwiseKeys.reversed(), generation: contact.heldGeneration, start: now.tick,
            round: dialer.round(of: technology))
    }

    /// Returns the keys by which a contact was recognised.
    private func tree(of audience: HeldAudience, of contact: StoredContact) -> SecretBox<AudienceTree>? {
        switch audience {
        case .granted(let audience): contact.grants.first { $0.audience == audience }?.tree
        case .pair: book.pairs.tree(.expected, with: contact.user)
        }
    }

    /// Reports that a call was not made to the state machine that requested it.
    private func callNotMade(_ attempt: Attempt, _ cause: Call.Cause, _ why: AttemptFailure) {
        let now = ports.clock.read()
        switch cause {
        case .recognised: recognise(.attemptFailed(attempt, why), at: now)
        case .lostLink(let route):
            guard let user = book.roster[attempt.prediction.contact] else { return }
            let device = KnownDevice(user: user, device: attempt.prediction.device)
            renew(links.handle(.callFailed(device, route), over: route.technology, at: now))
        }
    }

    /// Calls the endpoints of a call in parallel and reports the outcome.
    ///
    /// Any endpoint may be an imitation that accepts a link and stays silent. So the calls start 250 ms apart, at most
    /// four run at once, and the first valid answer decides; the other links are closed. Together they are one attempt.
    private nonisolated func carryOut(_ call: Call) async {
        let routes = await routes(for: call).prefix(Self.endpointLimit)
        await withTaskGroup(of: CallStep.self) { group in
            var waiting = routes[...]
            var running = 0
            var isDue = true
            var failure: AttemptFailure?
            func callNext() {
                guard isDue, running < Self.parallelLimit, let route = waiting.popFirst() else { return }
                isDue = false
                running += 1
                group.addTask { await self.exchange(call, at: route) }
                guard !waiting.isEmpty else { return }
                group.addTask {
                    let now = self.ports.clock.read().tick
                    try? await self.ports.clock.sleep(until: now.advanced(byMilliseconds: Self.callInterval))
                    return .nextIsDue
                }
            }
            callNext()
            while running > 0, let step = await group.next() {
                switch step {
                case .nextIsDue: isDue = true
                case .failed(let why):
                    running -= 1
                    failure = Self.said(failure, why)
                    if running == 0 { isDue = true }
                case .answered(let session, let key, let link):
                    await deliver(.handshake(.callSucceeded(call.number, session, key, link)))
                    group.cancelAll()
                    return
                }
                callNext()
            }
            group.cancelAll()
            await deliver(.handshake(.callFailed(call.number, failure ?? .unreachable)))
        }
    }

    /// Combines the failures of an attempt's endpoints into one. A failed link takes precedence: an imitation that
    /// stays silent beside the contact must not end the attempts.
    static func said(_ one: AttemptFailure?, _ other: AttemptFailure) -> AttemptFailure {
        guard let one else { return other }
        let order: [AttemptFailure] = [.reset, .unreachable, .refused, .silent]
        return order.first { $0 == one || $0 == other } ?? other
    }

    private enum CallStep: Sendable {
        case nextIsDue
        case failed(AttemptFailure)
        case answered(Handover<EstablishedSession>, PairwiseKeyNumber, any Link)
    }

    /// Connects to one route and exchanges the two messages.
    private nonisolated func exchange(_ call: Call, at route: LinkRoute) async -> CallStep {
        let link: any Link
        // The timing of message 1 must not depend on what we know about the peer.
        var due: Tick?
        switch await reach(route, for: call) {
        case .failed(let why): return .failed(why)
        case .stranger(let made, let moment):
            await writeDecoy(over: made, at: moment)
            return .failed(.stranger)
        case .made(let made, let moment): (link, due) = (made, moment)
        }
        let start = Reply<Handover<ConfirmInitiator>?>()
        await deliver(.handshake(.connected(call: call.number, link, start)))
        guard let initiator = await start.value()?.take() else {
            if let due { await writeDecoy(over: link, at: due) } else { await link.close() }
            return .failed(.unreachable)
        }
        if let due { try? await ports.clock.sleep(until: due) }
        let sent = ports.clock.read().tick
        do {
            try await link.send(initiator.packet.bytes)
            let answer = try await link.receive(upTo: Self.secondMessageLimit, within: Self.answerDeadline)
            var index = 0
            let session = try initiator.receive(
                Packet(parsing: answer.span), pairwiseKeys: call.pairwiseKeys.map(\.key), opened: &index)
            guard call.pairwiseKeys.indices.contains(index) else { throw HandshakeError.unknownContact }
            return .answered(Handover(session), call.pairwiseKeys[index].number, link)
        } catch {
            await link.close()
            guard let error = error as? LinkError else { return .failed(.refused) }
            return .failed(Self.failure(error, afterMilliseconds: ports.clock.read().tick.milliseconds(since: sent)))
        }
    }

    /// Returns the failure of an endpoint whose link ended this long after message 1 was sent. A device that does not
    /// know us is silent for five seconds before it resets; an earlier end comes from the network, or someone on it.
    static func failure(_ error: LinkError, afterMilliseconds taken: UInt64) -> AttemptFailure {
        switch error {
        case .closed, .unreachable: taken < failedLinkTime ? .reset : .silent
        case .timedOut: .silent
        case .oversized: .refused
        }
    }

    private nonisolated func routes(for call: Call) async -> [LinkRoute] {
        switch (call.cause, call.attempt.value) {
        case (.lostLink(let route), _): [route]
        case (.recognised, .tag(_, let address)), (.recognised, .minor(_, let address)): [.device(address)]
        case (.recognised, .name(let name)):
            await search(for: name, at: nil).map(LinkRoute.endpoint)
        }
    }

    /// Connects to the first of eight endpoints that accepts a link; returns nil if none does.
    nonisolated func connect(to endpoints: [Endpoint]) async -> (link: any Link, round: Int)? {
        for endpoint in endpoints.prefix(Self.endpointLimit) {
            if let made = try? await connect(to: .endpoint(endpoint)) { return made }
        }
        return nil
    }

    /// Returns the endpoints of a name; empty if none is known. With a host, a name that was not heard is asked for on
    /// the network.
    nonisolated func search(for name: OpaqueServiceName, at host: OpaqueHostName?) async -> [Endpoint] {
        let reply = Reply<[Endpoint]>()
        await deliver(.handshake(.search(name, host, reply)))
        return await reply.value()
    }

    /// The transports over which this node can be reached now.
    var ownTransports: TransportSet {
        technologies.reduce(into: .tcp) { set, technology in
            if technology.acceptsLinks { set.insert(TransportSet(technology.transport)) }
        }
    }

    /// Begins the handshake of a call that has a link; returns nil if the call is no longer needed.
    private func connected(_ number: UInt64, over link: any Link) -> Handover<ConfirmInitiator>? {
        dialer.connected(number, over: link)
        guard let call = dialer[number] else { return nil }
        guard call.round == dialer.round(of: call.technology), life == .running else {
            return abandon(call, .unreachable)
        }
        let now = ports.clock.read()
        if case .lostLink(let route) = call.cause {
            renew(links.handle(.linked(call.peer, route), over: call.technology, at: now))
            // The reconnection was cancelled in the meantime: the device has called us, or the epoch is over.
            guard links.link(to: call.peer, over: call.technology) == route else {
                _ = dialer.end(number)
                return nil
            }
        }
        let payload = ConfirmPayload(
            transports: ownTransports, generation: call.generation, unixMilliseconds: now.unixMilliseconds)
        do throws(HandshakeError) {
            return Handover(
                try ConfirmInitiator(
                    call.context, deviceKey: deviceKey.value, responder: call.key, payload: payload,
                    using: &randomness))
        } catch {
            return abandon(call, .refused)
        }
    }

    private func abandon(_ call: Call, _ why: AttemptFailure) -> Handover<ConfirmInitiator>? {
        _ = dialer.end(call.number)
        failed(call, why)
        return nil
    }

    private func succeeded(
        _ number: UInt64, _ session: Handover<EstablishedSession>, under key: PairwiseKeyNumber, over link: any Link
    ) {
        guard let call = dialer.end(number), let session = session.take() else {
            return spawnClosing { await link.close() }
        }
        let now = ports.clock.read()
        close(call.links, except: link)
        guard call.round == dialer.round(of: call.technology), hasRoom(for: call.peer) else {
            spawnClosing { await link.close() }
            return failed(call, .refused)
        }
        let taken = now.tick.milliseconds(since: call.start)
        book.reachability[call.peer.user, default: Reachability()].noteSuccess(
            over: call.technology, afterMilliseconds: taken)
        if !isOwn(call.peer.user) {
            feeds.emit(.confirmed(call.peer.user, over: call.technology, after: .milliseconds(taken)))
        }
        begin(session, with: call.peer, under: key, over: link, call.technology, in: call.context.epoch)
        switch call.cause {
        case .recognised:
            links.keep(
                call.peer, call.attempt, at: link.route,
                attempts: recognition.attempts(of: call.attempt.prediction.contact, over: call.attempt.over), now: now)
        case .lostLink:
            renew(links.handle(.stepDone(call.peer, .authentication), over: call.technology, at: now))
        }
    }

    private func close(_ links: [any Link], except kept: any Link) {
        for link in links where link.route != kept.route { spawnClosing { await link.close() } }
    }

    private func failed(_ call: Call, _ why: AttemptFailure) {
        let now = ports.clock.read()
        switch call.cause {
        case .recognised:
            // A call that a boundary has ended says nothing about the network.
            if call.links.isEmpty, call.round == dialer.round(of: call.technology) {
                book.reachability[call.peer.user, default: Reachability()].noteFailure(
                    over: call.technology, at: now.tick)
            }
            recognise(.attemptFailed(call.attempt, why), at: now)
        case .lostLink(let route):
            renew(
                links.handle(
                    call.links.isEmpty ? .callFailed(call.peer, route) : .stepFailed(call.peer, .authentication),
                    over: call.technology, at: now))
        }
    }
}
