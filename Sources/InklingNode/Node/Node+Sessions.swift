internal import InklingEngine
public import InklingKeys
internal import InklingPlatforms
internal import InklingSession

// Sessions and what travels in them: HELLO, cards, grants, texts.
extension Node {
    /// How long a link may be silent: sessions end at every boundary anyway.
    private static let idleDeadline = EstablishedSession.lifetime

    /// Delivers a text to a contact now.
    ///
    /// - Throws: `NodeError.unknownContact`, `.notReachable` without a session, `.badText`, and `.notAcknowledged` when
    ///   no receipt came in time: the text may or may not have arrived.
    public func send(_ text: String, to user: UserID) async throws(NodeError) {
        try await ask { .send(text, to: user, $0) }
    }

    func send(_ text: String, to user: UserID, _ answer: Answer<Void>) throws(NodeError) {
        guard contents.index(of: user) != nil else { throw .unknownContact }
        guard let id = sessions.route(to: user), let channel = channels[id] else { throw .notReachable }
        let message: TextMessage
        do throws(TextMessageError) {
            message = try TextMessage(number: randomness.next(), text: text)
        } catch {
            throw .badText(limit: TextMessage.byteLimit)
        }
        guard channel.send(message.record) else { throw .notReachable }
        sessions.sent(message.number, in: id, answer, at: ports.clock.read().tick)
    }

    // MARK: Beginning and end

    /// Whether a handshake with a contact can become a session.
    func hasRoom(for peer: KnownDevice) -> Bool {
        sessions.hasRoom && contents.contact(peer.user)?.isBlocked == false && life == .running
    }

    /// Begins a session that a handshake has made, and says HELLO.
    ///
    /// - Returns: nil when there are too many sessions, or the contact was removed or blocked meanwhile.
    @discardableResult
    func begin(
        _ session: consuming EstablishedSession, with peer: KnownDevice, over link: any Link,
        _ technology: LinkTechnologyID
    ) -> SessionID? {
        let role = session.role
        guard hasRoom(for: peer), let contact = book.roster[peer.user],
            let id = sessions.add(
                SessionTable.Entry(
                    peer: peer, technology: technology, role: role, peerKey: session.peerKey, remote: link.remote))
        else { return nil }
        let now = ports.clock.read()
        if case .contact(let payload) = session.introduction {
            book.clockOffsets[peer.user] =
                Int64(clamping: payload.unixMilliseconds) - Int64(clamping: now.unixMilliseconds)
        }
        let hello = session.peerHello
        let (packets, outbox) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(256))
        let isDrained = Reply<Void>()
        let channel = SessionChannel(session, over: link, outbox: outbox, isDrained: isDrained)
        channels[id] = channel
        spawn {
            defer { isDrained.send(()) }
            await link.markAuthenticated()
            for await packet in packets {
                do { try await link.send(packet) } catch { return }
            }
        }
        spawn {
            while let packet = try? await link.receive(upTo: Packet.byteLimit, within: Self.idleDeadline) {
                await self.deliver(.packet(packet, id))
            }
            await self.deliver(.linkEnded(id))
        }
        recognise(.confirmed(contact, peer.device, role == .initiator ? .initiator : .responder), at: now)
        if let own = ownHello(for: peer.user) { _ = channel.send(own.record) }
        if let hello {
            // The responder of a confirm handshake has opened the first record already.
            heard(id)
            answer(hello, in: id)
        }
        return id
    }

    /// Ends every session with a contact that has left, was removed or was blocked.
    func endSessions(with user: UserID) {
        renew(links.letGo(user, at: ports.clock.read()))
        perform(sessions.endAll(with: user))
    }

    // MARK: Records

    /// Takes the next packet of a session; one that does not open ends it.
    func take(_ packet: [UInt8], in id: SessionID) {
        guard let channel = channels[id] else { return }
        do {
            let record = try channel.open(packet)
            heard(id)
            try take(record, in: id)
        } catch {
            perform(sessions.end(id, sayingClose: false))
        }
    }

    private func heard(_ id: SessionID) {
        guard let peer = sessions[id]?.peer else { return }
        let now = ports.clock.read()
        if let contact = book.roster[peer.user] { recognise(.sessionHeard(contact, peer.device), at: now) }
        sessions.heard(id, at: now.tick)
    }

    private func take(_ record: consuming Record, in id: SessionID) throws {
        guard let session = sessions[id], let channel = channels[id] else { return }
        switch record.type {
        case .hello:
            // Later ones change nothing: what is missing was sent after the first.
            if let hello = channel.peerHello, !session.hasAnswered { answer(hello, in: id) }
        case .card: takeCard(record, from: session.peer.user)
        case .grant: takeGrant(record, from: session.peer.user, in: id)
        case .close: perform(sessions.closed(id))
        case .message:
            let message = try record.withBody { body throws(TextMessageError) in try TextMessage(parsing: body) }
            feeds.received(message.text, from: session.peer.user, at: ports.clock.read())
            _ = channel.send(TextMessage.receipt(for: message.number))
        case .receipt:
            let number = try record.withBody { body throws(TextMessageError) in
                try TextMessage.receiptNumber(parsing: body)
            }
            perform(sessions.receipt(number, in: id))
        default: break  // unknown types are ignored, so that later versions can add some
        }
    }

    private func ownHello(for user: UserID) -> Hello? {
        guard let contact = contents.contact(user) else { return nil }
        return try? Hello(
            ownSerial: contents.cardSerial, peerSerial: contact.cardSerial,
            grants: contact.grants.prefix(Hello.grantLimit).map {
                Hello.GrantReport(audience: $0.audience, generation: $0.generation, to: $0.to)
            })
    }

    /// Sends what the peer's HELLO shows to be missing.
    private func answer(_ hello: Hello, in id: SessionID) {
        guard let user = sessions[id]?.peer.user, let channel = channels[id],
            let index = contents.index(of: user)
        else { return }
        let now = currentPeriod
        let answer = HelloAnswer(hello, of: contents.contacts[index], in: contents, now: now)
        contents.contacts[index].reported = answer.reported
        if answer.needsCard, let card = try? Record(.card, body: SecretBytes(copying: contents.card.span)) {
            _ = channel.send(card)
        }
        var hasSentGrant = answer.holdsGrant
        if let now, let rootSeed = contents.rootSeed {
            for audience in answer.audiences {
                guard let grant = contents.grant(of: audience, to: user, now: now),
                    let record = try? Record(
                        .grant,
                        body: grant.signed(by: rootSeed.value.identityKey(generation: contents.identityGeneration)))
                else { continue }
                if channel.send(record) { hasSentGrant = true }
            }
        }
        perform(sessions.answered(id, hasSentGrant: hasSentGrant, isComplete: answer.isComplete))
    }

    private func takeCard(_ record: borrowing Record, from user: UserID) {
        guard let now = currentPeriod, let index = contents.index(of: user) else { return }
        do throws(CardError) {
            let card = try record.withBody { body throws(CardError) in try ContactCard(parsing: body, now: now) }
            // A card of another user, an older one, or one with a key that belongs to another is dropped.
            guard card.userID == user, card.serial > contents.contacts[index].cardSerial,
                (try? contents.checkKeys(of: card, now: now)) != nil
            else { return }
            contents.contacts[index].card = card.bytes
            feeds.emit(.renewed(user))
            save()
            indexDevices()
            contactsChanged()
        } catch {
            feeds.emit(.trouble(.refused(user, stage: error.stage, reason: error.reason)))
        }
    }

    private func takeGrant(_ record: borrowing Record, from user: UserID, in id: SessionID) {
        do throws(GrantError) {
            guard let now = currentPeriod, let index = contents.index(of: user),
                let card = try? book.card(of: contents.contacts[index], now: now)
            else { throw .unknownIssuer }
            let contact = contents.contacts[index]
            let grant = try record.withBody { body throws(GrantError) in
                try parseGrant(body, from: contact, card: card, now: now)
            }
            contents.contacts[index].keep(grant)
            feeds.emit(.renewed(user))
            save()
            contactsChanged()
            perform(sessions.receivedGrant(id))
        } catch {
            feeds.emit(.trouble(.refused(user, stage: error.stage, reason: error.reason)))
        }
    }
}
