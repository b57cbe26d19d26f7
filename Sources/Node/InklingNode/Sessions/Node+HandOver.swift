internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingVault
internal import InklingWire

// Hand-over: a session over a slow technology continues over a link that is offered in it (`Specs/hand-over.md`). `HandOvers`
// decides about offers, `SessionTable` about the records sent in each session.
extension Node {
    /// The payload for which sessions are planned, in bytes: it takes seconds over GATT.
    private static let plannedPayload: UInt64 = 65_536
    /// The maximum number of endpoints called per offer.
    private static let offeredEndpointLimit = 8

    // MARK: Means

    /// Announces this device's transports after its HELLO, in a session over a slow technology.
    func sayMeans(in id: SessionID) {
        guard let session = sessions[id], session.technology.capabilities.isSlow, session.helloCount == 0 else {
            return
        }
        let transports = technologies.map { TransportSet($0.transport) }
        say(Means(transports: TransportSet(transports)).record, in: id)
    }

    /// Records the transports of the other side of a session.
    func takeMeans(_ record: borrowing Record, in id: SessionID) {
        guard let means = record.withBody({ Means(parsing: $0) }) else { return }
        sessions.noteTransports(means.transports, of: id)
        considerOffer(in: id)
    }

    // MARK: Offering

    /// Offers a link in a session over a slow technology, if the network comes first in the plan for the contact.
    func considerOffer(in id: SessionID) {
        let now = ports.clock.read()
        guard let session = sessions[id], let channel = channels[id], mayHandOver(session, at: now),
            session.helloCount > 0, let epoch = session.epoch,
            let port = technologies.first(where: { $0.id == .offered })?.port,
            let number = handOvers.nextNumber(in: id, role: session.role, at: now.tick)
        else { return }
        let addresses = ports.network.ownAddresses().filter(\.isPrivate).prefix(TransportOffer.addressLimit).map {
            TransportOffer.Address(Endpoint(address: $0, port: port))
        }
        guard let offer = TransportOffer(number, addresses: Array(addresses)), plansNetwork(for: session, at: now)
        else {
            return
        }
        // Open the gate before the offer can arrive.
        handOvers.noteOwn(
            HandOvers.Own(
                session: id, peer: session.peer, peerKey: session.peerKey,
                context: channel.offeredContext(number, in: epoch, of: contents.device),
                until: now.tick.advanced(byMilliseconds: TransportOffer.lifetime)),
            at: now.tick)
        say(offer.record, in: id)
    }

    /// Returns whether a session can be handed over: its technology is slow, and the contact is neither connected nor
    /// heard over the network.
    private func mayHandOver(_ session: SessionTable.Entry, at now: ClockReading) -> Bool {
        guard life == .running, session.technology.capabilities.isSlow, session.epoch != nil, session.heardAt != nil,
            !session.isSuperseded, mayConnect(over: .offered),
            contents.contact(session.peer.user).map({ !$0.isExcluded(in: clockPeriod) }) == true,
            !sessions.hasSession(with: session.peer, over: .offered), let contact = book.roster[session.peer.user]
        else { return false }
        return !technologiesHearing(contact, at: now).contains(.offered)
    }

    /// Makes the plan for carrying data to a contact, and returns whether its first step is the network.
    private func plansNetwork(for session: SessionTable.Entry, at now: ClockReading) -> Bool {
        let user = session.peer.user
        let plan = Reachability.plan(
            for: book.reachability[user], toCarry: Self.plannedPayload, linkedOver: session.technology,
            links: Set(technologies.filter(\.mayConnect).map(\.id)), of: session.transports, at: now.tick)
        feeds.emit(.planned(user, plan))
        return plan.steps.first?.transport == LinkTechnologyID.offered.capabilities.option
    }

    /// Returns the offer whose gate a first message has; this uses it up. An off-link message does not count.
    func takeOffer(with packet: Packet, from route: LinkRoute, at now: Tick) -> HandOvers.Own? {
        guard case .endpoint(let endpoint) = route, let offer = handOvers.claim(packet, at: now),
            ports.network.isOnLink(endpoint.address)
        else { return nil }
        return offer
    }

    // MARK: Opening

    /// Records an offer of a contact's device; a malformed or excess one is ignored.
    func takeOffer(_ record: borrowing Record, in id: SessionID) {
        let now = ports.clock.read()
        let parsed = record.withBody { try? TransportOffer(parsing: $0) }
        guard let session = sessions[id], let channel = channels[id], let epoch = session.epoch, let offer = parsed,
            session.technology.capabilities.isSlow, handOvers.counts(offer.number, in: id, role: session.role)
        else { return }
        sessions.noteTransports(session.transports.union(.tcp), of: id)
        handOvers.noteReceived(
            HandOvers.Received(
                session: id, peer: session.peer, peerKey: session.peerKey,
                context: channel.offeredContext(offer.number, in: epoch, of: session.peer.device),
                addresses: offer.addresses,
                opensAt: now.tick.advanced(
                    byMilliseconds: UInt64.random(in: TransportOffer.openingDelay, using: &randomness)),
                until: now.tick.advanced(byMilliseconds: TransportOffer.lifetime)),
            number: offer.number)
        considerOffer(in: id)
    }

    func handOverTimerFired(at now: Tick) {
        for offer in handOvers.timerFired(at: now, ownKey: deviceKey.value.publicKey) { open(offer) }
        for session in handOvers.takeRepeats(at: now) { considerOffer(in: session) }
    }

    /// Opens an offered link, if the network still comes first in the plan.
    private func open(_ offer: HandOvers.Received) {
        let now = ports.clock.read()
        guard let session = sessions[offer.session], mayHandOver(session, at: now) else { return }
        var endpoints: [Endpoint] = []
        for endpoint in offer.addresses.flatMap(ports.network.callable) where !endpoints.contains(endpoint) {
            endpoints.append(endpoint)
        }
        guard !endpoints.isEmpty, plansNetwork(for: session, at: now) else { return }
        let round = dialer.round(of: .offered)
        let called = endpoints.prefix(Self.offeredEndpointLimit)
        spawn { await self.open(offer, at: Array(called), in: round) }
    }

    /// Calls the endpoints of an offer one after the other. A wrong device stays silent or refuses.
    private nonisolated func open(_ offer: HandOvers.Received, at endpoints: [Endpoint], in round: Int) async {
        var isUnreachable = true
        for endpoint in endpoints where ports.clock.read().tick < offer.until && !Task.isCancelled {
            let start = ports.clock.read().tick
            guard let (link, _) = try? await connect(to: .endpoint(endpoint), in: round, isOffered: true) else {
                continue
            }
            isUnreachable = false
            let reply = Reply<Handover<ConfirmInitiator>?>()
            await deliver(.handshake(.offeredLinkMade(offer, link, round: round, reply)))
            guard let initiator = await reply.value()?.take() else {
                await link.close()
                break
            }
            let keys = await pairwiseKeys(with: offer.peer)
            do {
                try await link.send(initiator.packet.bytes)
                let answer = try await link.receive(upTo: Self.secondMessageLimit, within: Self.answerDeadline)
                var index = 0
                let session = try initiator.receive(
                    Packet(parsing: answer.span), pairwiseKeys: keys.map(\.key), opened: &index)
                guard keys.indices.contains(index) else { throw HandshakeError.unknownContact }
                return await deliver(
                    .handshake(
                        .offeredLinkAnswered(
                            offer, Handover(session), keys[index].number, link, round: round, start: start)))
            } catch {
                await link.close()
            }
        }
        await deliver(.handshake(.offerFailed(offer, isUnreachable: isUnreachable, round: round)))
    }

    private func pairwiseKeys(with peer: KnownDevice) -> [StoredPairwiseKey] {
        contents.contact(peer.user)?.pairwiseKeys.reversed() ?? []
    }

    /// Begins the handshake over an offered link; returns nil if the link is no longer needed.
    func offeredLinkMade(
        _ offer: HandOvers.Received, _ link: any Link, in round: Int
    ) -> Handover<ConfirmInitiator>? {
        let now = ports.clock.read()
        guard life == .running, round == dialer.round(of: .offered), now.tick < offer.until, hasRoom(for: offer.peer),
            !sessions.hasSession(with: offer.peer, over: .offered), let contact = contents.contact(offer.peer.user)
        else { return nil }
        dialer.openOffered(link, of: offer.session)
        let payload = ConfirmPayload(
            transports: ownTransports, generation: contact.heldGeneration,
            unixMilliseconds: now.unixMilliseconds)
        do throws(HandshakeError) {
            return Handover(
                try ConfirmInitiator(
                    offer.context, deviceKey: deviceKey.value, responder: offer.peerKey, payload: payload,
                    using: &randomness))
        } catch {
            return nil
        }
    }

    func offeredLinkAnswered(
        _ offer: HandOvers.Received, _ session: Handover<EstablishedSession>, under key: PairwiseKeyNumber,
        over link: any Link, in round: Int, since start: Tick
    ) {
        dialer.endOffered(of: offer.session)
        let now = ports.clock.read().tick
        guard round == dialer.round(of: .offered), hasRoom(for: offer.peer), let session = session.take() else {
            return spawnClosing { await link.close() }
        }
        let taken = now.milliseconds(since: start)
        book.reachability[offer.peer.user, default: Reachability()].noteSuccess(
            over: .offered, afterMilliseconds: taken)
        feeds.emit(.confirmed(offer.peer.user, over: .offered, after: .milliseconds(taken)))
        let began = begin(
            session, with: offer.peer, under: key, over: link, .offered, in: offer.context.epoch, isOffered: true)
        if began == nil { spawnClosing { await link.close() } }
    }

    /// Records that an offer has failed, without reporting it.
    func offerFailed(_ offer: HandOvers.Received, isUnreachable: Bool, in round: Int) {
        dialer.endOffered(of: offer.session)
        guard isUnreachable, round == dialer.round(of: .offered) else { return }
        book.reachability[offer.peer.user, default: Reachability()].noteFailure(
            over: .offered, at: ports.clock.read().tick)
    }
}
