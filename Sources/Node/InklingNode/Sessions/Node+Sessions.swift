internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingVault
internal import InklingWire

// Sessions and their records: HELLO, cards, grants, text messages.
extension Node {
    /// The idle timeout of a link. Sessions end at every boundary, so it is not reached in practice.
    private static let idleDeadline = EstablishedSession.lifetime

    // MARK: Beginning and end

    /// Returns whether a session with this device can begin: the node runs, there is room, the contact is not excluded.
    func hasRoom(for peer: KnownDevice) -> Bool {
        sessions.hasRoom && life == .running
            && (isOwn(peer.user)
                ? meetsOwn(peer.device)
                : contents.contact(peer.user).map { !$0.isExcluded(in: clockPeriod) } == true)
    }

    /// Begins the session of a completed confirm handshake, whose context had this epoch.
    ///
    /// - Returns: the session; nil if there are too many, or the contact has been removed or blocked in the meantime.
    @discardableResult
    func begin(
        _ session: consuming EstablishedSession, with peer: KnownDevice, under key: PairwiseKeyNumber,
        over link: any Link, _ technology: LinkTechnologyID, in epoch: Epoch, isOffered: Bool = false
    ) -> SessionID? {
        let role = session.role
        var transports: TransportSet = []
        if case .contact(let payload) = session.introduction { transports = payload.transports }
        guard hasRoom(for: peer), book.roster[peer.user] != nil,
            let id = sessions.add(
                SessionTable.Entry(
                    peer: peer, technology: technology, role: role, peerKey: session.peerKey, route: link.route,
                    epoch: epoch, transports: transports, isOffered: isOffered))
        else { return nil }
        let now = ports.clock.read()
        if case .contact(let payload) = session.introduction {
            book.clockOffsets[peer.user] =
                Int64(clamping: payload.unixMilliseconds) - Int64(clamping: now.unixMilliseconds)
        }
        let hello = session.peerHello
        let channel = openChannel(session, over: link, id)
        channels[id] = channel
        // The call over an offered link was not a recognition attempt, and so ends none.
        sessionBegan(id, with: peer, role: isOffered ? .responder : role, over: technology)
        // An initiator sends HELLO once the success of its key has been stored; own devices share only one key.
        if role == .responder || isOwn(peer.user) { greet(in: id) }
        if !isOwn(peer.user) {
            decide(
                role == .initiator
                    ? .secondMessageOpened(session: id.number, key) : .firstRecordOpened(session: id.number, key),
                with: peer.user)
        }
        // The responder of a confirm handshake has already opened the peer's first record.
        if let hello, sessions[id] != nil { heardHello(hello, in: id) }
        return id
    }

    /// Creates the channel of a session, and starts to send and receive its packets.
    func openChannel(
        _ session: consuming EstablishedSession, over link: any Link, _ id: SessionID
    ) -> SessionChannel {
        let (packets, outbox) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(256))
        let isDrained = Reply<Void>()
        let channel = SessionChannel(session, over: link, outbox: outbox, isDrained: isDrained)
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
        return channel
    }

    /// Reports to recognition that a session with a device has begun.
    func sessionBegan(_ id: SessionID, with peer: KnownDevice, role: Role, over technology: LinkTechnologyID) {
        guard let contact = book.roster[peer.user] else { return }
        recognise(
            .confirmed(
                contact, peer.device, role == .initiator ? .initiator : .responder,
                over: technology.capabilities.attempts),
            at: ports.clock.read())
    }

    /// Sends HELLO in a session.
    func greet(in id: SessionID) {
        guard let user = sessions[id]?.peer.user, let own = ownHello(for: user) else { return }
        say(own.record, in: id)
        sayMeans(in: id)
    }

    /// Handles a HELLO of the peer, the first or a later one.
    func heardHello(_ hello: Hello, in id: SessionID) {
        heard(id)
        if let meeting = firstContacts.meetings[id], let key = machine(of: meeting.user).linkKey,
            sessions[id]?.helloCount == 0
        {
            decide(.firstRecordOpened(session: id.number, key), with: meeting.user)
        }
        answer(hello, in: id)
    }

    /// Ends every session with a contact that has left, was removed or was blocked.
    func endSessions(with user: UserID) {
        renew(links.release(user, at: ports.clock.read()))
        handOvers.drop { $0.user == user }
        perform(sessions.endAll(with: user))
    }

    // MARK: Records

    /// Seals a record and queues it as the next packet.
    ///
    /// - Returns: false if the session has ended. It ends if the peer reads so slowly that no further packet can be
    ///   queued: the packet's number is used, so the next one could not be opened.
    @discardableResult
    func say(_ record: borrowing Record, in id: SessionID) -> Bool {
        guard let channel = channels[id] else { return false }
        // After MOVE only texts and receipts follow; their sequence numbers deduplicate them. A HELLO's requests are
        // served in the session that stays.
        if sessions[id]?.isSuperseded == true, ![.move, .receipt, .message, .stream].contains(record.type) {
            return true
        }
        if channel.send(record) { return true }
        // Enqueue it, because the effects of the current event may not all be carried out yet.
        enqueue(.linkEnded(id))
        return false
    }

    /// Handles the next packet of a session; a packet that does not open ends the session.
    func receive(_ packet: [UInt8], in id: SessionID) {
        guard !takeSaying(packet, in: id), let channel = channels[id] else { return }
        do {
            let record = try channel.open(packet)
            heard(id)
            try receive(record, in: id)
        } catch {
            perform(sessions.end(id, nil))
        }
    }

    private func heard(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        let peer = session.peer
        let now = ports.clock.read()
        if session.heardAt == nil { proven(session.peerKey, by: peer.user) }
        if let contact = book.roster[peer.user] { recognise(.sessionHeard(contact, peer.device), at: now) }
        guard session.heardAt == nil else { return }
        perform(sessions.heard(id, at: now.tick, marker: MoveMarker(number: randomness.next())))
        if session.technology == .offered { handOvers.drop { $0 == peer } }
    }

    /// Records that a session has proven that a contact's device holds a key.
    private func proven(_ key: Octets32, by user: UserID) {
        book.prove(key, by: user)
        if book.claims.claimants(of: key, except: user).isEmpty == false { indexDevices() }
    }

    private func receive(_ record: consuming Record, in id: SessionID) throws {
        guard let session = sessions[id], channels[id] != nil else { return }
        if isOwn(session.peer.user), ![.hello, .close, .move, .moved].contains(record.type) {
            return try takeOwn(record, in: id)
        }
        switch record.type {
        case .hello:
            let hello = try record.withBody { body throws(HelloError) in try Hello(parsing: body) }
            if session.helloCount < SessionTable.helloLimit { heardHello(hello, in: id) }
        case .card: takeCard(record, from: session.peer.user, provenBy: session.peerKey)
        case .grant: takeGrant(record, from: session.peer.user, in: id)
        case .close: perform(sessions.closed(id, record.withBody { CloseReason(parsing: $0) }))
        case .means: takeMeans(record, in: id)
        case .offer: takeOffer(record, in: id)
        case .move:
            let marker = try record.withBody { body throws(MoveError) in try MoveMarker(parsing: body) }
            perform(sessions.moveArrived(marker, in: id))
        case .moved:
            let marker = try record.withBody { body throws(MoveError) in try MoveMarker(parsing: body) }
            perform(sessions.movedArrived(marker, in: id))
        case .message, .receipt, .stream: try takeDelivery(record, in: id)
        case .fileOffer, .fileGrant, .fileChunk, .fileTaken, .fileEnd, .fileDone, .fileStop:
            try takeFile(record, in: id)
        default: break  // unknown types are ignored, so that later versions can add types
        }
    }

    private func ownHello(for user: UserID) -> Hello? {
        guard !isOwn(user) else { return ownDeviceHello }
        guard let contact = contents.contact(user) else { return nil }
        return try? Hello(
            ownSerial: contents.cardSerial, peerSerial: contact.cardSerial,
            grants: contact.grants.prefix(Hello.grantLimit).map {
                Hello.GrantReport(audience: $0.audience, generation: $0.generation, to: $0.to)
            })
    }

    /// Sends the card that the peer lacks according to its HELLO, and compares the grants.
    private func answer(_ hello: Hello, in id: SessionID) {
        guard let user = sessions[id]?.peer.user else { return }
        guard !isOwn(user) else { return answerOwn(hello, in: id) }
        guard let index = contents.index(of: user) else { return }
        if let now = currentPeriod { raiseSerial(above: hello.peerSerial, reportedBy: user, now: now) }
        contents.contacts[index].reported = hello.grants.map {
            IssuedGrant(audience: $0.audience, generation: $0.generation, to: $0.to)
        }
        if contents.cardSerial > hello.peerSerial,
            let card = try? Record(.card, copying: contents.card.span)
        {
            say(card, in: id)
        }
        book.heldSerials[user] = hello.peerSerial
        sessions.noteHello(id)
        beginDelivery(in: id)
        compareGrants(in: id)
        passOnGrants(to: user, after: hello, in: id)
        considerOffer(in: id)
        fileSessionBegan(id)
    }

    /// Decides about grants in a session, after the peer's HELLO and once a grant of the peer has been stored.
    private func compareGrants(in id: SessionID, onlyIfNamed: Bool = false) {
        guard let session = sessions[id], session.helloCount > 0,
            let now = currentPeriod, let contact = contents.contact(session.peer.user),
            let comparison = GrantComparison(
                of: contact, in: contents, now: now, heldSerial: book.heldSerials[contact.user]),
            comparison.namesOurs || !onlyIfNamed
        else { return }
        decide(
            .compared(
                session: id.number, namesOurs: comparison.namesOurs, holdsTheirs: comparison.holdsTheirs,
                isLacking: !comparison.lacking.isEmpty, now: now),
            with: session.peer.user)
    }

    /// Compares grants again in the sessions with a contact: its audiences or the renewal of its grants have changed.
    func compareGrants(with user: UserID) {
        for id in sessions.ids where sessions[id]?.peer.user == user { compareGrants(in: id) }
    }

    /// Sends or seals grants for a span that has been stored, once their audiences have been recorded.
    func grant(_ span: FirstContactMachine.Span, to user: UserID, in id: SessionID) {
        guard let end = currentPeriod.map({ span.end(from: $0) }) else {
            firstContacts.takeSealing(id)?.send(.failure(.clockNotAccepted))
            return
        }
        guard let contact = contents.contact(user) else {
            firstContacts.takeSealing(id)?.send(.failure(.unknownContact))
            return
        }
        let stored = min(end, contact.agreement.grantedUntil ?? end)
        let unrecorded = contents.unrecorded(contents.audiences(of: contact), of: contact, until: stored)
        guard unrecorded.isEmpty else {
            return store(.noteIssued(user, unrecorded), then: .issued(user, id, span))
        }
        guard let answer = firstContacts.takeSealing(id) else { return sendGrants(span, in: id) }
        answer.send(.success(sealGrants(stored, for: user)))
    }

    /// Sends the grants that the peer lacks, for a span that has been stored.
    private func sendGrants(_ span: FirstContactMachine.Span, in id: SessionID) {
        guard let user = sessions[id]?.peer.user, let now = currentPeriod,
            let rootSeed = contents.rootSeed, let contact = contents.contact(user),
            let comparison = GrantComparison(
                of: contact, in: contents, now: now, heldSerial: book.heldSerials[contact.user])
        else { return }
        let end = min(span.end(from: now), contact.agreement.grantedUntil ?? now)
        for audience in span == .first ? comparison.unnamed : comparison.lacking {
            guard let grant = contents.grant(of: audience, to: user, now: now, until: end),
                let record = try? Record(
                    .grant,
                    body: grant.signed(by: rootSeed.value.identityKey(generation: contents.identityGeneration)))
            else { continue }
            say(record, in: id)
        }
    }

    /// Signs a newer card if a contact holds one that these contents do not know, as after a restored backup.
    private func raiseSerial(above reported: UInt32, reportedBy user: UserID, now: Period) {
        guard reported > contents.cardSerial, book.spend(of: user, at: ports.clock.read().tick) else { return }
        do throws(CardError) {
            if try contents.raiseSerial(above: reported, now: now) { save() }
        } catch {
            feeds.emit(.trouble(.certificateNotRenewed(error)))
        }
    }

    private func takeCard(_ record: borrowing Record, from user: UserID, provenBy key: Octets32) {
        guard let now = currentPeriod, let index = contents.index(of: user) else { return }
        // A card that is not newer changes nothing, so skip verifying its signature.
        let serial = record.withBody { ContactCard.serial(ofUnverified: $0) }
        guard serial.map({ $0 > contents.contacts[index].cardSerial }) != false,
            book.spend(of: user, at: ports.clock.read().tick)
        else { return }
        do throws(CardError) {
            let card = try record.withBody { body throws(CardError) in try ContactCard(parsing: body, now: now) }
            // Drop a card of another user, and one with a key of ours or of another contact.
            guard card.userID == user, (try? book.checkKeys(of: card, proven: key, in: contents)) != nil
            else { return }
            contents.contacts[index].card = card.bytes
            book.noteCard(card.bytes, of: user)
            feeds.emit(.renewed(user))
            save()
            indexDevices()
            contactsChanged()
        } catch {
            feeds.emit(.trouble(.refused(user, stage: error.stage, reason: error.reason)))
        }
    }

    /// Handles a stored grant of the peer: a contact that was half-finished when it arrived is told by another HELLO.
    /// It may have become complete in the meantime.
    func grantStored(in id: SessionID, ofHalfFinished wasHalfFinished: Bool) {
        if wasHalfFinished, let user = sessions[id]?.peer.user {
            greet(in: id)
            if machine(of: user).agreement.standing == .halfFinished { compareGrants(in: id, onlyIfNamed: true) }
        }
        grantAwaited(in: id)
    }

    private func takeGrant(_ record: borrowing Record, from user: UserID, in id: SessionID) {
        do throws(GrantError) {
            guard let now = currentPeriod, let index = contents.index(of: user),
                let card = try? book.card(of: contents.contacts[index], now: now)
            else { throw .unknownIssuer }
            let contact = contents.contacts[index]
            // A grant that adds nothing to the one held is neither verified nor stored.
            if let terms = record.withBody({ Grant.terms(ofUnverified: $0) }), contact.holds(terms) {
                return grantAwaited(in: id)
            }
            guard book.spend(of: user, at: ports.clock.read().tick) else { return }
            let grant = try record.withBody { body throws(GrantError) in
                try parseGrant(body, from: contact, card: card, now: now)
            }
            contents.contacts[index].keep(grant)
            feeds.emit(.renewed(user))
            save(.grantStored(id, ofHalfFinished: machine(of: user).agreement.standing == .halfFinished))
            contactsChanged()
        } catch {
            feeds.emit(.trouble(.refused(user, stage: error.stage, reason: error.reason)))
        }
    }
}
