internal import InklingEngine
public import InklingKeys
public import InklingSession

/// What a user checks about the other person before the two become contacts.
public struct Introduction: Hashable, Sendable {
    /// The name on the other person's card.
    public let name: String
    /// The fingerprint of the handshake: 16 characters in groups of four. The other person sees the same.
    public let fingerprint: String
    /// Whether this person is a contact already.
    public let isKnown: Bool
}

// First contact, as the inviter and as the joiner.
extension Node {
    /// How long the other person may take to check the name and the fingerprint.
    private static let decisionDeadline = Duration.milliseconds(SessionTable.grantDeadline)
    /// The minimum time for which the joiner searches for the inviter, in milliseconds of real time: longer than a
    /// silent gap.
    private static let searchTime: UInt64 = 15_000
    /// How often, every half second, the joiner checks whether its own silent gap has ended.
    private static let gapPatience = 30

    // MARK: The inviter

    /// Opens an invitation and answers to it; `invitationOutcome` waits for the result.
    ///
    /// - Parameters:
    ///   - life: 1 to 10 minutes, rounded up to whole minutes and clamped to that range.
    ///   - confirm: shows the joiner to the user and returns whether the user accepts.
    /// - Returns: the invitation, and the TCP port on which the node accepts joiners.
    /// - Throws: `NodeError.stopped`, `.notPrimary`, `.invitationOpen`, `.clockNotAccepted`, `.ownCard`, `.links` when
    ///   no port is available, `.invitationEnded` when the invitation is withdrawn before a port is open.
    public func invite(
        lasting life: Duration, confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> (invitation: Invitation, port: UInt16) {
        try await ask { .invite(lasting: life, confirm: confirm, $0) }
    }

    /// Waits for the outcome of the open invitation.
    ///
    /// - Throws: `NodeError.invitationEnded`, also when no invitation is open; `.invitationOpen` when another caller is
    ///   already waiting; `.declined`, `.firstContactFailed`, `.keyOfAnother`, `.tooManyContacts`, `.notSaved`,
    ///   `.stopped`.
    public func invitationOutcome() async throws(NodeError) -> ContactSummary { try await ask { .outcome($0) } }

    /// Closes the open invitation, if there is one; `outcome` then throws `NodeError.invitationEnded`.
    public func withdrawInvitation() { deliver(.request(.withdrawInvitation)) }

    func invite(
        lasting life: Duration, confirm: @escaping @Sendable (Introduction) async -> Bool,
        _ answer: Answer<(invitation: Invitation, port: UInt16)>
    ) throws(NodeError) {
        guard self.life != .stopped else { throw .stopped }
        guard contents.rootSeed != nil else { throw .notPrimary }
        guard !firstContacts.isInviting else { throw .invitationOpen }
        guard currentPeriod != nil else { throw .clockNotAccepted }
        let card = try ownCard()
        let invitation = Invitation(
            to: card, transports: .tcp, lasting: life, from: ports.clock.read().unixSeconds, using: &randomness)
        firstContacts.open(invitation, ownCard: card, answer: answer, confirm: confirm)
        firstContactNeedsChanged()
    }

    func perform(_ effects: [OpenInvitation.Effect]) {
        for effect in effects {
            switch effect {
            case .opened(let answer, let result): answer.send(result)
            case .concluded(let answer, let outcome): answer.send(outcome)
            case .closed: enqueue(.firstContactNeedsChanged)
            }
        }
    }

    /// Tells the link technologies what first contacts need now.
    func firstContactNeedsChanged() {
        guard life == .running else { return }
        tell(.firstContactNeeds(firstContacts.needs(at: ports.clock.read().unixSeconds)))
    }

    /// Ends the invitation when it has expired, and updates its name when the epoch has changed.
    func updateInvitation() {
        let now = ports.clock.read()
        guard let (effects, hasNewName) = firstContacts.withInvitation({ $0.update(at: now) }) else { return }
        perform(effects)
        if hasNewName { firstContactNeedsChanged() }
    }

    /// Responds to the first message of a first contact.
    ///
    /// - Throws: the error that ended the handshake; nothing more is sent then. After the joiner has proven that it
    ///   holds the invitation, errors become the outcome of the invitation and are not thrown.
    nonisolated func answerJoiner(_ packet: Packet, over link: any Link, _ technology: LinkTechnologyID) async throws {
        let pending = try await receiveJoiner(packet, over: technology)
        await link.markGatePassed()
        try await link.send(pending.packet.bytes)
        let third = try await link.receive(
            upTo: 1 + PacketType.firstContactThird.largestBody, within: Self.answerDeadline)
        let last = try Packet(parsing: third.span)
        let reply = Reply<ProvenJoiner?>()
        await deliver(.handshake(.joiner(Handover(pending), last, reply)))
        guard let joiner = await reply.value() else { throw HandshakeError.invitationSpent }
        await link.markAuthenticated()
        let outcome: Result<ContactSummary, NodeError>
        if await joiner.confirm(joiner.introduction) {
            outcome = await agree(
                FirstContact(card: joiner.card, session: joiner.session, link: link, technology: technology))
        } else {
            outcome = .failure(.declined)
        }
        if case .failure = outcome { await link.close() }
        await deliver(.handshake(.concluded(invitation: joiner.invitation, outcome)))
    }

    /// Checks a joiner's first message, outside the queue of inputs (see `Node`).
    ///
    /// - Throws: `HandshakeError`. Nothing is sent for any of them.
    private func receiveJoiner(
        _ packet: Packet, over technology: LinkTechnologyID
    ) throws(HandshakeError) -> PendingJoiner {
        guard currentPeriod != nil,
            let transport = technologies.first(where: { $0.id == technology })?.transport
        else { throw .invitationSpent }
        let now = ports.clock.read()
        let pending = try firstContacts.withInvitation { invitation throws(HandshakeError) in
            try invitation.receive(
                packet, transport: transport, deviceKey: deviceKey.value, budget: &responder.nodeBudget, at: now,
                using: &randomness)
        }
        guard let pending else { throw .invitationSpent }
        return pending
    }

    /// Processes a joiner's last message; returns nil when it does not prove that the joiner holds the invitation.
    func proven(_ joiner: Handover<PendingJoiner>, by packet: Packet) -> ProvenJoiner? {
        guard let period = currentPeriod, let number = firstContacts.invitation?.number,
            let confirm = firstContacts.invitation?.confirm
        else { return nil }
        let now = ports.clock.read().unixMilliseconds
        do throws(HandshakeError) {
            let session = try firstContacts.withInvitation { invitation throws(HandshakeError) in
                guard let pending = joiner.take() else { throw .invitationSpent }
                return try invitation.complete(pending, with: packet, now: period, unixMilliseconds: now)
            }
            guard let session, case .card(let card, _) = session.introduction else { return nil }
            let introduction = introduction(of: card, fingerprint: session.exporter.fingerprint())
            return ProvenJoiner(
                invitation: number, card: card, introduction: introduction, confirm: confirm,
                session: Handover(session))
        } catch {
            return nil
        }
    }

    // MARK: The joiner

    /// Accepts an invitation: finds the inviter and waits until both users have agreed.
    ///
    /// - Parameters:
    ///   - invitation: the inviter's invitation.
    ///   - hint: the inviter's endpoint, for networks without multicast.
    ///   - confirm: shows the inviter to the user and returns whether the user accepts.
    /// - Returns: the new contact.
    /// - Throws: `NodeError.clockNotAccepted`, `.ownCard`, `.links` when the hint is not reachable, `.inviterNotFound`,
    ///   `.firstContactFailed`, `.declined`, `.keyOfAnother`, `.tooManyContacts`, `.notSaved`, `.stopped`.
    public func accept(
        _ invitation: Invitation, at hint: Endpoint? = nil, confirm: @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> ContactSummary {
        let terms: JoinTerms = try await ask { .join(invitation, $0) }
        let link = try await reach(invitation, at: hint)
        do {
            guard let joiner = terms.joiner.take() else { throw NodeError.inviterNotFound }
            try await link.send(joiner.packet.bytes)
            let second = try await link.receive(
                upTo: 1 + PacketType.firstContactSecond.largestBody, within: Self.answerDeadline)
            let unconfirmed = try joiner.receive(
                Packet(parsing: second.span), now: terms.period,
                unixMilliseconds: ports.clock.read().unixMilliseconds)
            try await link.send(unconfirmed.packet.bytes)
            guard case .card(let theirs, _) = unconfirmed.introduction else { throw NodeError.inviterNotFound }
            guard await confirm(introduction(of: theirs, fingerprint: unconfirmed.fingerprint())) else {
                throw NodeError.declined
            }
            // The inviter's first record shows that the inviter has agreed too.
            guard let first = try? await link.receive(upTo: Packet.byteLimit, within: Self.decisionDeadline) else {
                throw NodeError.declined
            }
            let session = try unconfirmed.receive(Packet(parsing: first.span))
            return try await agree(
                FirstContact(card: theirs, session: Handover(session), link: link, technology: .lan)
            ).get()
        } catch {
            await link.close()
            if let error = error as? NodeError { throw error }
            let refusal = error as? any Refusal
            throw .firstContactFailed(
                stage: refusal?.stage ?? "link", reason: refusal?.reason ?? "closed or silent")
        }
    }

    func joinTerms(_ invitation: Invitation) throws(NodeError) -> JoinTerms {
        guard let period = currentPeriod else { throw .clockNotAccepted }
        let card = try ownCard()
        do throws(HandshakeError) {
            let joiner = try Joiner(
                invitation, for: .firstContact(card), transport: .tcp, deviceKey: deviceKey.value, using: &randomness)
            return JoinTerms(joiner: Handover(joiner), period: period)
        } catch {
            throw .firstContactFailed(stage: error.stage, reason: error.reason)
        }
    }

    private nonisolated func reach(
        _ invitation: Invitation, at hint: Endpoint?
    ) async throws(NodeError) -> any Link {
        if let hint {
            do throws(LinkError) { return try await ports.links.connect(to: hint, within: Self.connectDeadline) } catch
            {
                throw .links(error)
            }
        }
        let isBegun = Reply<Void>()
        await deliver(.request(.beginSearch(isBegun)))
        await isBegun.value()
        let link = await isReadyToSearch() ? await find(invitation) : nil
        await deliver(.request(.endSearch))
        if let link { return link }
        throw await life == .stopped ? .stopped : .inviterNotFound
    }

    /// Waits until a search can begin and returns whether it can. No query is sent in a silent gap.
    private nonisolated func isReadyToSearch() async -> Bool {
        for round in 0...Self.gapPatience {
            let reply = Reply<SearchReadiness>()
            await deliver(.request(.prepareSearch(mayWait: round < Self.gapPatience, reply)))
            switch await reply.value() {
            case .ready: return true
            case .unavailable: return false
            case .wait:
                try? await ports.clock.sleep(until: ports.clock.read().tick.advanced(byMilliseconds: 500))
            }
        }
        return false
    }

    private nonisolated func find(_ invitation: Invitation) async -> (any Link)? {
        let tree = AudienceTree(root: invitation.keys().root.duplicate())
        // The inviter may be in its silent gap, whose length the joiner does not know.
        let end = ports.clock.read().tick.advanced(byMilliseconds: Self.searchTime)
        repeat {
            // One query at a time: observers see unknown names, but not that several belong to one search.
            for epoch in SkewAllowance.standard.observedEpochs(at: ports.clock.read().unixSeconds) {
                guard let shown = OwnEpoch(epoch, device: .first, of: tree) else { continue }
                if let link = await connect(to: await search(for: shown.name, at: shown.host, over: .lan)) {
                    return link
                }
            }
        } while await isLooking && ports.clock.read().tick < end
        return nil
    }

    // MARK: Both roles

    /// Whether any link technology is looking for others.
    var isLooking: Bool { technologies.contains(where: \.isLooking) }

    private func introduction(of card: ContactCard, fingerprint: String) -> Introduction {
        Introduction(name: card.name, fingerprint: fingerprint, isKnown: contents.index(of: card.userID) != nil)
    }

    /// Stores the contact to which the user has agreed, and waits until grants have been exchanged both ways.
    private nonisolated func agree(_ contact: FirstContact) async -> Result<ContactSummary, NodeError> {
        let answer = Answer<ContactSummary>()
        await deliver(.handshake(.agreed(contact, answer)))
        return await answer.value()
    }

    func agreed(_ contact: FirstContact, _ answer: Answer<ContactSummary>) throws(NodeError) {
        guard life == .running else { throw .stopped }
        guard let session = contact.session.take() else { throw .stopped }
        guard let now = currentPeriod,
            let certificate = contact.card.certificate(ofKey: session.peerKey, in: now)
        else { throw .clockNotAccepted }
        let user = contact.card.userID
        try check(contact.card, proven: session.peerKey)
        let pairwiseKey = SecretBox(session.exporter.pairwiseKey())
        let meeting = FirstContacts.Meeting(
            user: user, replaced: contents.contact(user).map(ContentsChange.ReplacedKeys.init), answer: answer)
        store(
            .store(user, card: contact.card.bytes, pairwiseKey: pairwiseKey, .firstContact, added: now),
            then: .meeting(
                FirstContact(
                    card: contact.card, session: Handover(session), link: contact.link,
                    technology: contact.technology),
                KnownDevice(user: user, device: certificate.index), meeting))
    }

    /// Begins the session of a first contact after the contact has been stored.
    func begin(_ meeting: FirstContacts.Meeting, of contact: FirstContact, with device: KnownDevice) {
        guard let session = contact.session.take(),
            let id = begin(session, with: device, over: contact.link, contact.technology)
        else {
            spawnClosing { await contact.link.close() }
            return store(.withdraw(meeting.user, meeting.replaced), then: .failed(meeting.answer, .stopped))
        }
        firstContacts.begin(meeting, in: id)
        perform(sessions.awaitGrants(id, at: ports.clock.read().tick))
    }

    /// Ends a first contact when grants have been exchanged both ways, or when that has failed. A contact that has sent
    /// a grant has agreed, and is kept.
    func grantsExchanged(in id: SessionID, _ isComplete: Bool) {
        guard let meeting = firstContacts.endMeeting(in: id) else { return }
        guard isComplete, let contact = contents.contact(meeting.user) else {
            return store(.withdraw(meeting.user, meeting.replaced), then: .failed(meeting.answer, .declined))
        }
        meeting.answer.send(.success(summary(contact)))
        // An invisible node emits only for the invitation, so the session ends now and not at the boundary.
        if !isVisible { endSessions(with: meeting.user) }
    }
}
