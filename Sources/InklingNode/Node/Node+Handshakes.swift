internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingSession

// Confirm handshakes in both roles. Whatever goes wrong, the other side sees silence.
//
// The packets of a handshake are exchanged by jobs beside the inputs. A job holds the link and the keys of its
// handshake and nothing of the node; it comes to the node with inputs, and each ends with one of them.
extension Node {
    /// How long a message of a handshake may take to arrive.
    static let answerDeadline = Duration.seconds(5)
    /// How long a connection may take to be made.
    static let connectDeadline = Duration.seconds(3)
    /// How many addresses of one instance are tried: together they take no longer than an attempt may.
    static let endpointLimit = 4
    private static let firstMessageLimit = 1 + PacketType.confirmFirst.largestBody
    private static let secondMessageLimit = 1 + PacketType.confirmSecond.largestBody

    // MARK: Inputs

    func take(_ input: HandshakeInput) {
        switch input {
        case .search(let name, let technology, let reply):
            guard life == .running else { return reply.send([]) }
            tell(.search(name, reply), to: technology)
        case .connected(let number, let link, let reply): reply.send(connected(number, over: link))
        case .callSucceeded(let number, let session, let link): succeeded(number, session, over: link)
        case .callFailed(let number, let why): if let call = calls.end(number) { failed(call, why) }
        case .unmade(let attempt, let cause, let why): unmade(attempt, cause, why)
        case .firstMessage(let key, let technology, let reply): note(key, technology, reply)
        case .answered(let terms, let session, let link, let reply):
            guard let session = session.take(), terms.round == rounds[terms.technology, default: 0],
                hasRoom(for: terms.peer)
            else { return reply.send(false) }
            feeds.emit(.confirmed(terms.peer.user, after: nil))
            reply.send(begin(session, with: terms.peer, over: link, terms.technology) != nil)
        case .joiner(let pending, let packet, let reply): reply.send(proven(pending, by: packet))
        case .agreed(let contact, let answer):
            do throws(NodeError) { try agreed(contact, answer) } catch { answer.send(.failure(error)) }
        case .concluded(let number, let outcome): perform(firstContacts.conclude(number, outcome))
        }
    }

    // MARK: Initiator

    /// Begins a call, or reports why there is none.
    func begin(_ attempt: Attempt, because cause: Call.Cause) {
        let now = ports.clock.read()
        guard let call = call(for: attempt, because: cause, at: now) else {
            // As an input of its own: the machine that asks may still be carrying out the effects of one event.
            return enqueue(.handshake(.unmade(attempt, cause, .refused)))
        }
        let plan = Reachability.plan(for: book.reachability[call.callee.user], at: now.tick)
        feeds.emit(.planned(call.callee.user, plan))
        guard plan.steps.contains(where: { $0.transport == .network }) else {
            return enqueue(.handshake(.unmade(attempt, cause, .unreachable)))
        }
        calls.begin(call)
        spawn { await self.carryOut(call) }
    }

    /// Everything that a call needs; nil when there is something that forbids it.
    private func call(for attempt: Attempt, because cause: Call.Cause, at now: ClockReading) -> Call? {
        let prediction = attempt.prediction
        let technology = LinkTechnologyID.lan
        guard let user = book.roster[prediction.contact], let contact = contents.contact(user), !contact.isBlocked,
            case .granted(let audience) = prediction.audience,
            let grant = contact.grants.first(where: { $0.audience == audience }),
            let period = currentPeriod, let card = try? book.card(of: contact, now: period),
            let certificate = card.certificates.first(where: { $0.index == prediction.device }),
            certificate.isValid(in: period), let leaf = grant.tree.value.periodKey(prediction.epoch.period),
            let transport = technologies.first(where: { $0.id == technology })?.transport
        else { return nil }
        return Call(
            number: calls.nextNumber(), attempt: attempt, cause: cause, technology: technology,
            callee: KnownDevice(user: user, device: prediction.device), key: certificate.key,
            context: ConfirmContext(
                leaf.deviceKeys(prediction.device), device: prediction.device, epoch: prediction.epoch,
                transport: transport),
            pairwiseKey: contact.pairwiseKey, generation: grant.generation, start: now.tick,
            round: rounds[technology, default: 0])
    }

    /// Tells the machine that asked for a call that there is none.
    private func unmade(_ attempt: Attempt, _ cause: Call.Cause, _ why: AttemptFailure) {
        let now = ports.clock.read()
        switch cause {
        case .recognised: recognise(.attemptFailed(attempt, why), at: now)
        case .lostLink(let route):
            guard let user = book.roster[attempt.prediction.contact] else { return }
            let device = KnownDevice(user: user, device: attempt.prediction.device)
            renew(links.handle(.callFailed(device, route), at: now))
        }
    }

    /// Makes a link, exchanges the two messages, and reports what came of it.
    private nonisolated func carryOut(_ call: Call) async {
        guard let link = await connect(for: call) else {
            return await deliver(.handshake(.callFailed(call.number, .unreachable)))
        }
        let start = Reply<Handover<ConfirmInitiator>?>()
        await deliver(.handshake(.connected(call: call.number, link, start)))
        guard let initiator = await start.value()?.take() else { return await link.close() }
        do {
            try await link.send(initiator.packet.bytes)
            let answer = try await link.receive(upTo: Self.secondMessageLimit, within: Self.answerDeadline)
            let session = try initiator.receive(
                Packet(parsing: answer.span), pairwiseKey: call.pairwiseKey.value)
            await deliver(.handshake(.callSucceeded(call.number, Handover(session), link)))
        } catch {
            await link.close()
            await deliver(.handshake(.callFailed(call.number, error is LinkError ? .silent : .refused)))
        }
    }

    private nonisolated func connect(for call: Call) async -> (any Link)? {
        let endpoints: [Endpoint]
        switch (call.cause, call.attempt.value) {
        case (.lostLink(let route), _): endpoints = [route]
        case (.recognised, .name(let name)): endpoints = await search(for: name, over: call.technology)
        // Tags and minors come by radio, whose links this node does not make.
        case (.recognised, _): endpoints = []
        }
        return await connect(to: endpoints)
    }

    /// Makes a link to the first of a few endpoints that accepts one.
    nonisolated func connect(to endpoints: [Endpoint]) async -> (any Link)? {
        for endpoint in endpoints.prefix(Self.endpointLimit) {
            if let link = try? await ports.links.connect(to: endpoint, within: Self.connectDeadline) { return link }
        }
        return nil
    }

    /// Returns where a name can be reached; empty when nobody answers.
    nonisolated func search(for name: OpaqueServiceName, over technology: LinkTechnologyID) async -> [Endpoint] {
        let reply = Reply<[Endpoint]>()
        await deliver(.handshake(.search(name, technology, reply)))
        return await reply.value()
    }

    /// Begins the handshake of a call that has a link; nil when the call is not wanted any more.
    private func connected(_ number: UInt64, over link: any Link) -> Handover<ConfirmInitiator>? {
        calls.connected(number, over: link)
        guard let call = calls[number] else { return nil }
        guard call.round == rounds[call.technology, default: 0], life == .running else {
            return abandon(call, .unreachable)
        }
        let now = ports.clock.read()
        if case .lostLink(let route) = call.cause {
            renew(links.handle(.linked(call.callee, route), at: now))
            // Taken back meanwhile, because the device called us, or the epoch is over.
            guard links.link(to: call.callee) == route else {
                _ = calls.end(number)
                return nil
            }
        }
        let payload = ConfirmPayload(
            transports: .tcp, generation: call.generation, unixMilliseconds: now.unixMilliseconds)
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
        _ = calls.end(call.number)
        failed(call, why)
        return nil
    }

    private func succeeded(_ number: UInt64, _ session: Handover<EstablishedSession>, over link: any Link) {
        guard let call = calls.end(number), let session = session.take() else {
            return spawnClosing { await link.close() }
        }
        let now = ports.clock.read()
        guard call.round == rounds[call.technology, default: 0], hasRoom(for: call.callee) else {
            spawnClosing { await link.close() }
            return failed(call, .refused)
        }
        let taken = now.tick.milliseconds(since: call.start)
        book.reachability[call.callee.user, default: Reachability()].noteSuccess(afterMilliseconds: taken)
        feeds.emit(.confirmed(call.callee.user, after: .milliseconds(taken)))
        begin(session, with: call.callee, over: link, call.technology)
        switch call.cause {
        case .recognised: links.keep(call.callee, call.attempt, at: link.remote, now: now)
        case .lostLink: renew(links.handle(.stepDone(call.callee, .authentication), at: now))
        }
    }

    private func failed(_ call: Call, _ why: AttemptFailure) {
        let now = ports.clock.read()
        switch call.cause {
        case .recognised:
            if call.link == nil {
                book.reachability[call.callee.user, default: Reachability()].noteFailure(at: now.tick)
            }
            recognise(.attemptFailed(call.attempt, why), at: now)
        case .lostLink(let route):
            renew(
                links.handle(
                    call.link == nil
                        ? .callFailed(call.callee, route) : .stepFailed(call.callee, .authentication), at: now))
        }
    }

    // MARK: Responder

    /// Takes a link that somebody made; everything that follows runs beside the inputs.
    func serve(_ link: any Link, over technology: LinkTechnologyID) {
        spawn { await self.answer(link, over: technology) }
    }

    private nonisolated func answer(_ link: any Link, over technology: LinkTechnologyID) async {
        do {
            let first = try await link.receive(upTo: Self.firstMessageLimit, within: Self.answerDeadline)
            let packet = try Packet(parsing: first.span)
            switch packet.type {
            case .confirmFirst: try await answer(packet, over: link, technology)
            case .firstContactFirst: try await answerJoiner(packet, over: link, technology)
            default: throw PacketError.unknownType
            }
        } catch {
            await noteRefusal()
            await link.mute()
        }
    }

    private nonisolated func answer(_ packet: Packet, over link: any Link, _ technology: LinkTechnologyID) async throws
    {
        let request = try await receive(packet, over: technology)
        let reply = Reply<ResponseTerms?>()
        await deliver(.handshake(.firstMessage(peerKey: request.peerKey, technology, reply)))
        guard let terms = await reply.value() else { throw HandshakeError.unknownContact }
        let unconfirmed = try request.reply(terms.payload)
        try await link.send(unconfirmed.packet.bytes)
        let hello = try await link.receive(upTo: Packet.byteLimit, within: Self.answerDeadline)
        let session = try unconfirmed.receive(Packet(parsing: hello.span))
        let isInstalled = Reply<Bool>()
        await deliver(.handshake(.answered(terms, Handover(session), link, isInstalled)))
        guard await isInstalled.value() else { throw LinkError.closed }
    }

    /// Judges a first message, outside the queue of inputs: see `Node`. It changes nothing but what the responder
    /// remembers of first messages, which no step reads.
    ///
    /// - Throws: `HandshakeError`. Nothing is sent, whatever the reason.
    private func receive(
        _ packet: Packet, over technology: LinkTechnologyID
    ) throws(HandshakeError) -> ConfirmRequest {
        let now = ports.clock.read()
        let answered = SkewAllowance.standard.answeredEpochs(at: now.unixSeconds)
        let own = technologies.first { $0.id == technology }?.ownEpochs ?? []
        let (book, contents) = (book, contents)
        return try responder.receive(
            packet, contexts: own.filter { answered.contains($0.epoch) }.map(\.context),
            deviceKey: deviceKey.value, at: now.tick.milliseconds, using: &randomness,
            pairwiseKey: { key in
                guard let peer = book.devices[key], let contact = contents.contact(peer.user), !contact.isBlocked
                else { return nil }
                return contact.pairwiseKey.value.duplicate()
            })
    }

    /// Counts a first message that was refused, outside the queue like the gate check that refused it.
    private func noteRefusal() { refusedMessages &+= 1 }

    /// Notes a first message for good before the answer leaves: after a crash the same one must not be answered again.
    private func note(_ key: Octets32, _ technology: LinkTechnologyID, _ reply: Reply<ResponseTerms?>) {
        guard life == .running, let peer = book.devices[key] else { return reply.send(nil) }
        let generation = contents.contact(peer.user)?.grants.map(\.generation).max() ?? 0
        let payload = ConfirmPayload(
            transports: .tcp, generation: generation, unixMilliseconds: ports.clock.read().unixMilliseconds)
        save(
            .firstMessage(
                ResponseTerms(
                    peer: peer, technology: technology, payload: payload, round: rounds[technology, default: 0]),
                reply))
    }
}
