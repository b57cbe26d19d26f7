internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

// First contact after its last message (`Specs/first-contact.md`): each user decides, the decision is stored, and the
// session begins when both have accepted. `FirstContactMachine` decides; this carries out its effects.
extension Node {
    /// The time for which an invisible node waits for the other side's full grant.
    private static let fullGrantDeadline = Duration.seconds(2)
    /// The maximum delay of the outcome while the last records are sent.
    private static let closingDeadline = Duration.seconds(1)

    // MARK: Beginning

    /// Begins to wait for the decisions of both users.
    ///
    /// - Throws: `NodeError.clockNotAccepted`, and those of `checkFirstContact`.
    func begin(
        _ session: consuming EstablishedSession, _ card: ContactCard, over link: any Link,
        _ technology: LinkTechnologyID, confirm: @escaping @Sendable (Introduction) async -> Bool,
        for waiter: FirstContacts.Meeting.Waiter, now: Period
    ) throws(NodeError) {
        guard let certificate = card.certificate(ofKey: session.peerKey, in: now) else { throw .clockNotAccepted }
        endLoser(with: card.userID, role: session.role, peerKey: session.peerKey)
        try checkFirstContact(with: card, proven: session.peerKey)
        // A new first contact ends the session of an earlier one.
        if machine(of: card.userID).hasLink { decide(.linkLost, with: card.userID) }
        let fingerprint = session.exporter.fingerprint()
        let meeting = FirstContacts.Meeting(
            device: KnownDevice(user: card.userID, device: certificate.index), card: card, technology: technology,
            role: session.role, peerKey: session.peerKey, route: link.route,
            key: SecretBox(session.exporter.pairwiseKey()), began: now,
            introduction: Introduction(
                name: card.name, fingerprint: fingerprint, isKnown: contents.index(of: card.userID) != nil),
            confirm: confirm, waiter: waiter)
        let id = sessions.reserve()
        channels[id] = openChannel(session, over: link, id)
        firstContacts.begin(meeting, in: id)
        decide(.began, with: card.userID)
    }

    /// Rejects a first contact before the users are asked. `proven` is the device key proven by the handshake.
    ///
    /// - Throws: `NodeError.stopped`, `.blocked`, `.olderCard`, `.keyOfAnother`, `.tooManyContacts`, `.firstContactOpen`, `.tooManyKeys`.
    func checkFirstContact(with card: ContactCard, proven: Octets32) throws(NodeError) {
        guard life == .running else { throw .stopped }
        if let held = contents.contact(card.userID) {
            guard !held.isBlocked else { throw .blocked }
            // The thief of a revoked device holds a card that was once valid.
            guard card.serial > held.cardSerial || card.bytes == held.card else { throw .olderCard }
        }
        try check(card, proven: proven)
        let machine = machine(of: card.userID)
        guard !machine.isBusy else { throw .firstContactOpen }
        guard !machine.agreement.isFull else { throw .tooManyKeys }
    }

    /// Drops one of the two links of users who invite each other at the same time. Both keep the one whose joiner has
    /// the smaller device key.
    private func endLoser(with user: UserID, role: Role, peerKey: Octets32) {
        guard let (_, existing) = firstContacts.meeting(with: user), existing.role != role,
            machine(of: user).isDeciding
        else { return }
        let kept: Role = deviceKey.value.publicKey < peerKey ? .initiator : .responder
        if existing.role != kept { decide(.linkLost, with: user) }
    }

    // MARK: Decisions

    /// Returns the machine of a user: the one in progress, or a new one from the stored agreement.
    func machine(of user: UserID) -> FirstContactMachine {
        firstContacts.machine(of: user, stored: contents.contact(user)?.agreement)
    }

    /// Reports an event to the machine of a user and carries out the effects.
    func decide(_ event: FirstContactMachine.Event, with user: UserID) {
        let stored = contents.contact(user)?.agreement
        let effects = firstContacts.handle(event, with: user, stored: stored, at: ports.clock.read().tick)
        for effect in effects { perform(effect, with: user) }
        guard !machine(of: user).hasLink, let (id, _) = firstContacts.meeting(with: user) else { return }
        if firstContacts.stopAwaitingGrant(in: id) { conclude(.complete, with: user) }
        // An effect of this event may have led here before the outcome was sent.
        if firstContacts.meetings[id]?.waiter == nil { firstContacts.endMeeting(with: user) }
    }

    private func perform(_ effect: FirstContactMachine.Effect, with user: UserID) {
        switch effect {
        case .ask:
            guard let (id, meeting) = firstContacts.meeting(with: user) else { return }
            spawn {
                let isAccepted = await meeting.confirm(meeting.introduction)
                await self.deliver(.handshake(.decided(id, isAccepted: isAccepted)))
            }
        case .save(let agreement):
            let consents = firstContacts.consents(with: user, for: agreement)
            store(.agree(user, agreement, consents), then: .agreement(user))
        case .send(let saying): say(saying, to: user)
        case .close: closeMeeting(with: user)
        case .outcome(.complete): concludeWithFullGrant(with: user)
        case .outcome(let outcome): conclude(outcome, with: user)
        case .proceed(let session): greet(in: SessionID(number: session))
        case .drop(let session):
            let id = SessionID(number: session)
            firstContacts.takeSealing(id)?.send(.failure(saveFailure.map { .notSaved($0) } ?? .unknownContact))
            perform(sessions.end(id, .boundary))
        case .grant(let session, let span): grant(span, to: user, in: SessionID(number: session))
        case .use, .wake: break  // the key was chosen with the first message; `due` has the moment
        }
    }

    /// Reports the timer to every machine that is due.
    func firstContactTimerFired(at now: Tick) {
        for user in firstContacts.due(at: now) { decide(.timerFired, with: user) }
    }

    /// Handles the decision of this device's user.
    func decided(_ id: SessionID, isAccepted: Bool) {
        guard let meeting = firstContacts.meetings[id] else { return }
        decide(isAccepted ? .agreed : .refused, with: meeting.user)
    }

    // MARK: The link

    private func say(_ saying: FirstContactMachine.Saying, to user: UserID) {
        guard let (id, meeting) = firstContacts.meeting(with: user), let channel = channels[id] else { return }
        switch saying {
        case .accept: say(.accept, in: id)
        case .decline: say(.decline, in: id)
        case .close: say(.close, in: id)
        case .hello: begin(meeting, in: id, channel)
        }
    }

    /// Turns the link of a first contact that both have accepted into a session.
    private func begin(_ meeting: FirstContacts.Meeting, in id: SessionID, _ channel: SessionChannel) {
        let entry = SessionTable.Entry(
            peer: meeting.device, technology: meeting.technology, role: meeting.role, peerKey: meeting.peerKey,
            route: meeting.route)
        guard hasRoom(for: meeting.device), sessions.add(entry, as: id) else {
            return decide(.linkLost, with: meeting.user)
        }
        sessionBegan(id, with: meeting.device, role: meeting.role, over: meeting.technology)
        greet(in: id)
        // The other side's HELLO may arrive while this side's agreement is being stored.
        if let hello = channel.peerHello { heardHello(hello, in: id) }
    }

    /// Handles a packet before both have accepted. Returns false once the session has begun.
    func takeSaying(_ packet: [UInt8], in id: SessionID) -> Bool {
        guard let meeting = firstContacts.meetings[id], sessions[id] == nil, let channel = channels[id] else {
            return false
        }
        do {
            switch try channel.open(packet).type {
            case .accept: decide(.heard(.accept), with: meeting.user)
            case .decline: decide(.heard(.decline), with: meeting.user)
            case .close: decide(.heard(.close), with: meeting.user)
            case .hello: break  // answered when the session begins
            default: decide(.heardOther, with: meeting.user)
            }
        } catch {
            decide(.linkLost, with: meeting.user)
        }
        return true
    }

    /// Handles the loss of a first contact's link, before or after the session has begun.
    func meetingEnded(in id: SessionID) {
        if let meeting = firstContacts.meetings[id] { decide(.linkLost, with: meeting.user) }
    }

    private func closeMeeting(with user: UserID) {
        guard let (id, _) = firstContacts.meeting(with: user) else { return }
        if sessions[id] != nil { return perform(sessions.end(id, .boundary)) }
        if let channel = channels.removeValue(forKey: id) { close(id, by: channel.endWhenDrained()) }
    }

    /// Closes the link of a first contact, and records when its last record has been sent.
    private func close(_ id: SessionID, by end: @escaping @Sendable () async -> Void) {
        let isClosed = firstContacts.beginClosing(id)
        spawnClosing {
            await end()
            isClosed.send(())
        }
    }

    /// Concludes a first contact. An invisible node first waits briefly for the other side's full grant, because its
    /// links close with the outcome.
    private func concludeWithFullGrant(with user: UserID) {
        guard !isVisible, let (id, _) = firstContacts.meeting(with: user), sessions[id] != nil, !hasFullGrant(of: user)
        else { return conclude(.complete, with: user) }
        firstContacts.awaitGrant(in: id)
        spawn {
            let now = self.ports.clock.read().tick
            try? await self.ports.clock.sleep(until: now.advanced(by: Self.fullGrantDeadline))
            await self.deliver(.handshake(.grantAwaited(id)))
        }
    }

    /// Returns whether a grant of the user outlasts the longest first grant.
    private func hasFullGrant(of user: UserID) -> Bool {
        guard let now = clockPeriod, let grants = contents.contact(user)?.grants else { return false }
        let first = FirstContactMachine.Span.first.end(from: now)
        return grants.contains { $0.to > first }
    }

    /// Concludes a first contact whose full grant has arrived, or did not in time.
    func grantAwaited(in id: SessionID) {
        guard let meeting = firstContacts.meetings[id], firstContacts.stopAwaitingGrant(in: id) else { return }
        conclude(.complete, with: meeting.user)
    }

    private func conclude(_ outcome: FirstContactMachine.Outcome, with user: UserID) {
        guard let (id, _) = firstContacts.meeting(with: user), let waiter = firstContacts.takeWaiter(in: id) else {
            return
        }
        let result = result(of: outcome, with: user)
        // An invisible node emits only for the invitation, so the session ends now instead of at the boundary.
        if !isVisible, sessions[id] != nil, let channel = channels.removeValue(forKey: id) {
            close(id, by: channel.end(.boundary))
            perform(sessions.end(id, .boundary))
        }
        guard let isClosed = firstContacts.takeClosing(id) else { return send(result, to: waiter) }
        // The process may end with the outcome: the last record must have been sent, if the other side reads it.
        spawnClosing {
            await isClosed.value()
            await self.deliver(.handshake(.concluded(waiter, result)))
        }
        spawnClosing {
            let now = self.ports.clock.read().tick
            try? await self.ports.clock.sleep(until: now.advanced(by: Self.closingDeadline))
            await self.deliver(.handshake(.concluded(waiter, result)))
        }
    }

    /// Sends an outcome to its recipient.
    func send(_ result: Result<ContactSummary, NodeError>, to waiter: FirstContacts.Meeting.Waiter) {
        switch waiter {
        case .invitation(let number): perform(firstContacts.conclude(number, result))
        case .request(let answer): answer.send(result)
        }
    }

    private func result(
        of outcome: FirstContactMachine.Outcome, with user: UserID
    ) -> Result<ContactSummary, NodeError> {
        switch outcome {
        case .waiting, .halfFinished, .complete:
            contents.contact(user).map { .success(summary($0)) }
                ?? .failure(.firstContactFailed(stage: "link", reason: "closed or silent"))
        case .declined, .refused, .unanswered: .failure(.declined)
        case .busy: .failure(.firstContactOpen)
        case .full: .failure(.tooManyKeys)
        case .failed:
            .failure(life == .stopped ? .stopped : .firstContactFailed(stage: "link", reason: "closed or silent"))
        case .notSaved: .failure(saveFailure.map { .notSaved($0) } ?? .stopped)
        }
    }

    /// Abandons all decisions because the node stops.
    func abandonFirstContacts() {
        for (_, meeting) in firstContacts.meetings.sorted(by: { $0.key < $1.key }) {
            decide(.linkLost, with: meeting.user)
        }
    }

    /// Closes the first contacts of a technology at a boundary. A link on which two people decide may outlive one.
    func endFirstContacts(over technology: LinkTechnologyID) {
        for link in firstContacts.endRound(of: technology) { spawnClosing { await link.fallSilent() } }
        for (_, meeting) in firstContacts.meetings.sorted(by: { $0.key < $1.key })
        where meeting.technology == technology {
            decide(.boundary, with: meeting.user)
        }
    }
}
