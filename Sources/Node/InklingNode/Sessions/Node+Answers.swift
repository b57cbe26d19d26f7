internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

// The responder of a confirm handshake. On any failure the other side sees only silence.
extension Node {
    private static let firstMessageLimit = 1 + PacketType.confirmFirst.largestBody

    /// Serves an accepted link, outside the queue.
    func serve(_ link: any Link, over technology: LinkTechnologyID) {
        spawn { await self.answer(link, over: technology) }
    }

    private nonisolated func answer(_ link: any Link, over technology: LinkTechnologyID) async {
        do {
            let first = try await link.receive(upTo: Self.firstMessageLimit, within: Self.answerDeadline)
            let packet = try Packet(parsing: first.span)
            switch packet.type {
            case .confirmFirst: try await answer(packet, over: link, technology)
            case .firstContactFirst, .deviceLinkFirst: try await answerJoiner(packet, over: link, technology)
            default: throw PacketError.unknownType
            }
        } catch {
            await noteRefusal()
            await link.mute()
        }
    }

    private nonisolated func answer(_ packet: Packet, over link: any Link, _ technology: LinkTechnologyID) async throws
    {
        var key = PairwiseKeyNumber(rawValue: 0)
        var isOffered = false
        let request = try await receive(packet, over: link.route, under: &key, isOffered: &isOffered)
        // A message that a check after the gate refuses still counts as a stranger's, so that the lifetime of the link
        // does not reveal which check failed.
        await link.markGatePassed()
        let reply = Reply<ResponseTerms?>()
        let message = ReceivedFirstMessage(
            peerKey: request.peerKey, key: key, epoch: request.context.epoch, isOffered: isOffered)
        await deliver(.handshake(.firstMessage(message, technology, reply)))
        guard let terms = await reply.value() else { throw HandshakeError.unknownContact }
        let unconfirmed = try request.reply(terms.payload)
        try await link.send(unconfirmed.packet.bytes)
        let hello = try await link.receive(upTo: Packet.byteLimit, within: Self.answerDeadline)
        let session = try unconfirmed.receive(Packet(parsing: hello.span))
        let isInstalled = Reply<Bool>()
        await deliver(.handshake(.answered(terms, Handover(session), link, isInstalled)))
        guard await isInstalled.value() else { throw LinkError.closed }
    }

    /// Checks a first message, outside the queue of inputs (see `Node`). It changes only the responder's replay cache
    /// and budget, which no step reads, and uses up the offer whose gate the message has.
    ///
    /// - Throws: `HandshakeError`; nothing is sent in any case.
    private func receive(
        _ packet: Packet, over route: LinkRoute, under used: inout PairwiseKeyNumber, isOffered: inout Bool
    ) throws(HandshakeError) -> ConfirmRequest {
        let now = ports.clock.read()
        let technology = route.technology
        let offer = takeOffer(with: packet, from: route, at: now.tick)
        isOffered = offer != nil
        let answered = SkewAllowance.standard.answeredEpochs(at: now.unixSeconds)
        let own = shownEpochs(over: technology).filter { answered.contains($0.epoch) }
        let (book, contents, firstContacts, visibility) = (book, contents, firstContacts, visibility)
        let period = Epoch(containing: now.unixSeconds)?.period
        let request = try responder.receive(
            packet, contexts: own.map(\.context) + (offer.map { [$0.context] } ?? []), deviceKey: deviceKey.value,
            at: now.tick.milliseconds, using: &randomness,
            pairwiseKey: { key in
                if offer == nil, let peer = book.devices[key], peer.user == ownUser {
                    guard contents.restored == nil, let device = contents.own.device(peer.device), device.key == key
                    else { return nil }
                    used = OwnDevices.keyNumber
                    return device.pairwiseKey.value.duplicate()
                }
                guard let peer = book.devices[key], let contact = contents.contact(peer.user),
                    !contact.isExcluded(in: period), offer != nil || contents.shows(visibility, to: contact),
                    offer.map({ $0.peerKey == key }) != false
                else { return nil }
                let agreement = firstContacts.agreement(with: peer.user) ?? contact.agreement
                guard let number = agreement.answerKey, let kept = contact.key(number) ?? contact.likelyKey else {
                    return nil
                }
                used = kept.number
                return kept.key.value.duplicate()
            })
        // A contact may have passed on the keys of a pair audience.
        let reader = own.first { $0.context.identifier == request.context.identifier }?.reader
        guard reader == nil || reader == book.devices[request.peerKey]?.user else { throw .unknownContact }
        return request
    }

    /// Returns the values under which initiators are answered: none while nothing is shown, even if links are accepted
    /// for an invitation.
    private func shownEpochs(over technology: LinkTechnologyID) -> [OwnEpoch] {
        guard let technology = technologies.first(where: { $0.id == technology }), technology.shown != nil else {
            return []
        }
        return technology.answered
    }

    /// Counts a refused first message; outside the queue, like the gate check.
    private func noteRefusal() { refusedMessages &+= 1 }

    /// Stores a first message before it is answered, so that a replay is not answered after a crash.
    func note(
        _ message: ReceivedFirstMessage, _ technology: LinkTechnologyID, _ reply: Reply<ResponseTerms?>
    ) {
        guard life == .running, !shownEpochs(over: technology).isEmpty, let peer = book.devices[message.peerKey] else {
            return reply.send(nil)
        }
        if !isOwn(peer.user) { decide(.answering, with: peer.user) }
        let generation = contents.contact(peer.user)?.heldGeneration ?? 0
        let payload = ConfirmPayload(
            transports: ownTransports, generation: generation,
            unixMilliseconds: ports.clock.read().unixMilliseconds)
        save(
            .firstMessage(
                ResponseTerms(
                    peer: peer, technology: technology, payload: payload, key: message.key,
                    round: dialer.round(of: technology), epoch: message.epoch, isOffered: message.isOffered),
                reply))
    }
}
