internal import InklingEngine
public import InklingKeys
internal import InklingPlatforms
internal import InklingSession

// Sessions and what travels in them: HELLO, cards, grants, texts.
extension Node {
    /// The most sessions at once.
    private static let sessionLimit = 32
    /// How long a link may be silent: sessions end at every boundary anyway.
    private static let idleDeadline = EstablishedSession.lifetime
    /// How long a receipt may take.
    private static let receiptDeadline = Duration.seconds(5)

    /// Keeps a session that a handshake has made, and says HELLO.
    ///
    /// - Returns: nil, and the link is closed, when there are too many sessions, or the contact was removed meanwhile.
    @discardableResult
    func install(_ channel: consuming EstablishedSession, with peer: KnownDevice, over link: any Link) -> SessionID? {
        guard sessions.count < Self.sessionLimit, let contact = roster[peer.user] else {
            spawn { await link.close() }
            return nil
        }
        sessionCount += 1
        let id = SessionID(number: sessionCount)
        let now = ports.clock.read()
        let (packets, outbox) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(256))
        let role = channel.role
        let hello = channel.peerHello
        if case .contact(let payload) = channel.introduction {
            clockOffsets[peer.user] = Int64(clamping: payload.unixMilliseconds) - Int64(clamping: now.unixMilliseconds)
        }
        let session = Session(
            id: id, peer: peer, link: link, opened: now.tick, outbox: outbox, channel: channel)
        sessions[id] = session
        spawn {
            for await packet in packets {
                do { try await link.send(packet) } catch { return }
            }
        }
        spawn { [weak self] in await self?.listen(to: link, of: id) }
        recognise(.confirmed(contact, peer.device, role == .initiator ? .initiator : .responder), at: now)
        if let own = ownHello(for: peer.user) { _ = session.send(own.record) }
        if let hello {
            // The responder of a confirm handshake has opened the first record already.
            heard(session)
            answer(hello, in: session)
        }
        return id
    }

    /// The sessions, oldest first.
    var openSessions: [Session] { sessions.values.sorted { $0.id.number < $1.id.number } }

    /// Whether a handshake with a contact can become a session.
    func hasRoom(for peer: KnownDevice) -> Bool { sessions.count < Self.sessionLimit && roster[peer.user] != nil }

    /// Ends a session; the result, if any, sends CLOSE when that is wanted, and closes the link.
    @discardableResult
    func endSession(_ id: SessionID, sayingClose: Bool) -> (@Sendable () async -> Void)? {
        guard let session = sessions.removeValue(forKey: id) else { return nil }
        let farewell = sayingClose ? (try? session.channel.seal(Record.close))?.bytes : nil
        session.channel.end()
        session.outbox.finish()
        session.abandonWaiters()
        if let contact = roster[session.peer.user],
            !sessions.values.contains(where: { $0.peer == session.peer })
        {
            recognise(.sessionEnded(contact, session.peer.device), at: ports.clock.read())
        }
        let link = session.link
        return {
            if let farewell { try? await link.send(farewell) }
            await link.close()
        }
    }

    /// Ends every session with a contact that has left or was removed.
    func endSessions(with user: UserID) {
        for device in linkedDevices.keys.sorted() where device.user == user { letGo(device) }
        for (id, session) in sessions where session.peer.user == user { end(id, sayingClose: true) }
    }

    private func end(_ id: SessionID, sayingClose: Bool) {
        if let farewell = endSession(id, sayingClose: sayingClose) { spawn(farewell) }
    }

    private func listen(to link: any Link, of id: SessionID) async {
        while let packet = try? await link.receive(upTo: Packet.byteLimit, within: Self.idleDeadline) {
            guard await received(packet, in: id) else { return }
        }
        guard let session = sessions[id] else { return }
        end(id, sayingClose: false)
        let device = session.peer
        guard !sessions.values.contains(where: { $0.peer == device }) else { return }
        reconnect(.unlinked(device, link.remote))
    }

    /// Takes the next packet of a session; false when the session is over.
    private func received(_ bytes: [UInt8], in id: SessionID) async -> Bool {
        guard let session = sessions[id] else { return false }
        do {
            let record = try session.channel.open(Packet(parsing: bytes.span))
            heard(session)
            return try await take(record, in: session)
        } catch {
            end(id, sayingClose: false)
            return false
        }
    }

    private func heard(_ session: Session) {
        if let contact = roster[session.peer.user] {
            recognise(.sessionHeard(contact, session.peer.device), at: ports.clock.read())
        }
        guard !session.hasHeard else { return }
        session.heardAt = ports.clock.read().tick
        settleCrossing(of: session)
    }

    /// Of two sessions with one device, both sides keep the same one.
    private func settleCrossing(of new: Session) {
        guard
            let existing = openSessions.first(where: {
                $0.id != new.id && $0.hasHeard && !$0.isSuperseded && $0.peer.user == new.peer.user
                    && $0.peer.device == new.peer.device
            }),
            let earlier = existing.heardAt, let later = new.heardAt
        else { return }
        let survivor = CrossingRule.survivor(
            existing: existing.channel.role, new: new.channel.role, apart: earlier.duration(to: later),
            ownKey: deviceKey.value.publicKey, peerKey: new.channel.peerKey)
        let loser = survivor == .new ? existing.id : new.id
        sessions[loser]?.isSuperseded = true
        let due = ports.clock.read().tick.advanced(by: CrossingRule.closeDelay)
        spawn { [weak self, clock = ports.clock] in
            try? await clock.sleep(until: due)
            await self?.end(loser, sayingClose: true)
        }
    }

    private func take(_ record: consuming Record, in session: Session) async throws -> Bool {
        switch record.type {
        case .hello:
            // Later ones change nothing: what is missing was sent after the first.
            if let hello = session.channel.peerHello, !session.hasAnswered { answer(hello, in: session) }
        case .card: await takeCard(record, from: session)
        case .grant: await takeGrant(record, from: session)
        case .close:
            if !sessions.values.contains(where: { $0.id != session.id && $0.peer == session.peer }) {
                letGo(session.peer)
            }
            end(session.id, sayingClose: false)
            return false
        case .message:
            let message = try record.withBody { body throws(TextMessageError) in try TextMessage(parsing: body) }
            emit.yield(.message(session.peer.user, message.text))
            _ = session.send(TextMessage.receipt(for: message.number))
        case .receipt:
            let number = try record.withBody { body throws(TextMessageError) in
                try TextMessage.receiptNumber(parsing: body)
            }
            session.receipts.removeValue(forKey: number)?.resume(returning: true)
        default: break  // unknown types are ignored, so that later versions can add some
        }
        return true
    }

    // MARK: Cards and grants

    private func ownHello(for user: UserID) -> Hello? {
        guard let contact = contents.contacts.first(where: { $0.user == user }) else { return nil }
        return try? Hello(
            ownSerial: contents.cardSerial, peerSerial: contact.cardSerial,
            grants: contact.grants.prefix(Hello.grantLimit).map {
                Hello.GrantReport(audience: $0.audience, generation: $0.generation, to: $0.to)
            })
    }

    /// Sends what the peer's HELLO shows to be missing: a newer card, and grants that are missing or would end later.
    private func answer(_ hello: Hello, in session: Session) {
        session.hasAnswered = true
        guard let index = contents.contacts.firstIndex(where: { $0.user == session.peer.user }) else { return }
        contents.contacts[index].reported = hello.grants.map {
            ReportedGrant(audience: $0.audience, generation: $0.generation, to: $0.to)
        }
        let contact = contents.contacts[index]
        if contents.cardSerial > hello.peerSerial,
            let card = try? Record(.card, body: SecretBytes(copying: contents.card.span))
        {
            _ = session.send(card)
        }
        guard contents.restored == nil, !contact.needsReview, !contact.isBlocked else { return }
        for audience in contents.audiences {
            guard let grant = grant(of: audience, to: contact.user) else { continue }
            let held = hello.grants.first { $0.audience == audience.id && $0.generation >= audience.generation }
            if let held, grant.to.number < held.to.number + 24 {
                session.hasSentGrant = true
                continue
            }
            if let rootSeed = contents.rootSeed,
                let record = try? Record(
                    .grant,
                    body: grant.signed(by: rootSeed.value.identityKey(generation: contents.identityGeneration)))
            {
                session.hasSentGrant = session.send(record) || session.hasSentGrant
            }
        }
        // To somebody who holds all but the last day already, no other grant comes.
        if let now = currentPeriod,
            contact.grants.contains(where: { $0.to.number + 24 > now.number + Grant.longestSpan - 1 })
        {
            session.hasReceivedGrant = true
        }
        session.settleIfComplete()
    }

    /// A grant of an audience to a contact from this hour on, as long as a grant may be.
    func grant(of audience: Audience, to user: UserID) -> Grant? {
        guard let rootSeed = contents.rootSeed, let now = currentPeriod, let card = try? contents.ownCard(now: now)
        else { return nil }
        let to = Period(now.number + Grant.longestSpan - 1) ?? .last
        return try? audience.grant(
            from: now, to: to, certificates: card.certificates, to: user,
            issuer: rootSeed.value.identityKey(generation: contents.identityGeneration))
    }

    private func takeCard(_ record: borrowing Record, from session: Session) async {
        let user = session.peer.user
        do {
            guard let now = currentPeriod else { return }
            let card = try record.withBody { body throws(CardError) in try ContactCard(parsing: body, now: now) }
            try replaceCard(of: user, with: card, now: now)
            emit.yield(.renewed(user))
            await save()
            indexDevices()
            contactsChanged()
        } catch let error as any Refusal {
            emit.yield(.trouble(.refused(user, stage: error.stage, reason: error.reason)))
        } catch {
            return
        }
    }

    private func takeGrant(_ record: borrowing Record, from session: Session) async {
        let user = session.peer.user
        do throws(GrantError) {
            try record.withBody { body throws(GrantError) in try storeGrant(body, from: user) }
            session.hasReceivedGrant = true
            emit.yield(.renewed(user))
            await save()
            contactsChanged()
            session.settleIfComplete()
        } catch {
            emit.yield(.trouble(.refused(user, stage: error.stage, reason: error.reason)))
        }
    }

    // MARK: Texts

    /// Delivers a text to a contact now.
    ///
    /// - Throws: `NodeError.unknownContact`, `.notReachable` without a session, `.tooLong`, and `.notAcknowledged`
    ///   when no receipt came in time: the text may or may not have arrived.
    public func send(_ text: String, to user: UserID) async throws(NodeError) {
        guard contents.contacts.contains(where: { $0.user == user }) else { throw .unknownContact }
        let open = openSessions.filter { $0.peer.user == user && $0.hasHeard }
        guard let session = open.last(where: { !$0.isSuperseded }) ?? open.last else { throw .notReachable }
        let message: TextMessage
        do throws(TextMessageError) {
            message = try TextMessage(number: randomness.next(), text: text)
        } catch {
            throw .badText(limit: TextMessage.byteLimit)
        }
        guard session.send(message.record) else { throw .notReachable }
        let due = ports.clock.read().tick.advanced(byMilliseconds: 5000)
        spawn { [weak self, clock = ports.clock, id = session.id] in
            try? await clock.sleep(until: due)
            await self?.giveUpReceipt(message.number, in: id)
        }
        let isDelivered = await withCheckedContinuation { session.receipts[message.number] = $0 }
        guard isDelivered else { throw .notAcknowledged }
    }

    private func giveUpReceipt(_ number: UInt64, in id: SessionID) {
        sessions[id]?.receipts.removeValue(forKey: number)?.resume(returning: false)
    }
}
