internal import InklingEngine
public import InklingKeys
internal import InklingVault
public import InklingWire

/// A person's name and fingerprint, to be checked by the user before the two become contacts.
public struct Introduction: Hashable, Sendable {
    /// The name on the other person's card.
    public let name: String
    /// The fingerprint of the handshake: 16 characters in groups of four. The other person sees the same.
    public let fingerprint: String
    /// Whether this person is already a contact.
    public let isKnown: Bool
}

// First contact up to its last message, as the inviter and as the joiner.
extension Node {
    // MARK: The inviter

    /// Opens an invitation and answers to it; `invitationOutcome` waits for the result.
    ///
    /// - Parameters:
    ///   - life: 1 to 10 minutes, rounded up to whole minutes and clamped to that range.
    ///   - portChanged: receives the TCP port whenever it changes, as at the end of an epoch; must return at once.
    ///   - confirm: shows the joiner to the user and returns whether the user accepts.
    /// - Returns: the invitation, and the TCP port on which the node initially accepts joiners.
    /// - Throws: `NodeError.stopped`, `.notPrimary`, `.invitationOpen`, `.clockNotAccepted`, `.ownCard`, `.links` if no
    ///   port is available, `.invitationEnded` if the invitation is withdrawn before a port is open.
    public func invite(
        lasting life: Duration, portChanged: @escaping @Sendable (UInt16) -> Void = { _ in },
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> (invitation: Invitation, port: UInt16) {
        try await ask { .invite(.firstContact, lasting: life, portChanged: portChanged, confirm: confirm, $0) }
    }

    /// Waits for the outcome of the open invitation.
    ///
    /// - Throws: `NodeError.invitationEnded`, also if no invitation is open; `.invitationOpen` if another caller is
    ///   already waiting; `.declined`, `.firstContactFailed`, `.keyOfAnother`, `.tooManyContacts`, `.notSaved`,
    ///   `.stopped`.
    public func invitationOutcome() async throws(NodeError) -> ContactSummary { try await ask { .outcome($0) } }

    /// Closes the open invitation, if any; `invitationOutcome` then throws `NodeError.invitationEnded`.
    public func withdrawInvitation() { deliver(.request(.withdrawInvitation)) }

    func invite(
        for use: InvitationUse, lasting life: Duration, portChanged: @escaping @Sendable (UInt16) -> Void,
        confirm: @escaping @Sendable (Introduction) async -> Bool,
        _ answer: Answer<(invitation: Invitation, port: UInt16)>
    ) throws(NodeError) {
        guard self.life != .stopped else { throw .stopped }
        guard contents.rootSeed != nil else { throw .notPrimary }
        guard !firstContacts.isInviting else { throw .invitationOpen }
        guard currentPeriod != nil else { throw .clockNotAccepted }
        let card = try ownCard()
        // The state of a user is too large for a slow technology.
        let transports = technologies.filter {
            $0.carriesInvitations && (use == .firstContact || !$0.id.capabilities.isSlow)
        }.reduce(into: TransportSet()) { $0.insert(TransportSet($1.transport)) }
        if use == .deviceLink { firstContacts.deviceLinks.begin() }
        let invitation = Invitation(
            to: card, transports: transports, lasting: life, from: ports.clock.read().unixSeconds, using: &randomness)
        firstContacts.open(
            invitation, for: use, ownCard: card, lasting: life, answer: answer, portChanged: portChanged,
            confirm: confirm)
        firstContactNeedsChanged()
    }

    func perform(_ effects: [OpenInvitation.Effect]) {
        for effect in effects {
            switch effect {
            case .opened(let answer, let result): answer.send(result)
            case .moved(let portChanged, let port): portChanged(port)
            case .concluded(let answer, let outcome): answer.send(outcome)
            case .closed:
                firstContacts.deviceLinks.invitationClosed()
                enqueue(.firstContactNeedsChanged)
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
    /// - Throws: the error that ended the handshake; nothing more is sent then. Once the joiner has proven that it
    ///   holds the invitation, errors become the outcome of the invitation and are not thrown.
    nonisolated func answerJoiner(_ packet: Packet, over link: any Link, _ technology: LinkTechnologyID) async throws {
        let pending = try await receiveJoiner(packet, over: technology)
        await link.markGatePassed()
        // Only holders of the invitation get this far, and each message only once.
        let number = await opened(link, over: technology)
        let third: [UInt8]
        do {
            try await link.send(pending.packet.bytes)
            third = try await link.receive(
                upTo: 1 + PacketType.firstContactThird.largestBody, within: Self.answerDeadline)
        } catch {
            _ = await closed(number)
            throw error
        }
        guard await closed(number) else { throw LinkError.closed }
        let last = try Packet(parsing: third.span)
        let reply = Reply<Bool>()
        await deliver(.handshake(.joiner(Handover(pending), last, link, technology, reply)))
        guard await reply.value() else { throw HandshakeError.invitationSpent }
    }

    /// Records a link of a first contact, so that a boundary closes it.
    func opened(_ link: any Link, over technology: LinkTechnologyID) -> UInt64 {
        firstContacts.opened(link, over: technology)
    }

    /// Records a link that this node has opened for a first contact; returns nil if its round is over.
    func opened(_ link: any Link, over technology: LinkTechnologyID, in round: Int) -> UInt64? {
        guard dialer.round(of: technology) == round else { return nil }
        return opened(link, over: technology)
    }

    /// Drops a link of a first contact; returns false if a boundary has closed it.
    func closed(_ number: UInt64) -> Bool { firstContacts.closed(number) }

    /// Checks a joiner's first message, outside the queue of inputs (see `Node`).
    ///
    /// - Throws: `HandshakeError`; nothing is sent in any case.
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

    /// Handles a joiner's last message; returns false if it does not prove that the joiner holds the invitation.
    func admit(
        _ joiner: Handover<PendingJoiner>, provenBy packet: Packet, over link: any Link,
        _ technology: LinkTechnologyID
    ) -> Bool {
        guard life == .running, let period = currentPeriod, let number = firstContacts.invitation?.number,
            let confirm = firstContacts.invitation?.confirm
        else { return false }
        let now = ports.clock.read().unixMilliseconds
        let session: EstablishedSession?
        do throws(HandshakeError) {
            session = try firstContacts.withInvitation { invitation throws(HandshakeError) in
                guard let pending = joiner.take() else { throw .invitationSpent }
                return try invitation.complete(pending, with: packet, now: period, unixMilliseconds: now)
            }
        } catch {
            return false
        }
        guard let session else { return false }
        if case .newDevice = session.introduction {
            beginLink(Handover(session), over: link, confirm: confirm, for: number)
            return true
        }
        guard case .card(let card, _) = session.introduction else { return false }
        do throws(NodeError) {
            try begin(
                session, card, over: link, technology, confirm: confirm, for: .invitation(number), now: period)
        } catch {
            spawnClosing { await link.close() }
            perform(firstContacts.conclude(number, .failure(error)))
        }
        return true
    }

    // MARK: The joiner

    /// Accepts an invitation: finds the inviter and waits until both users have agreed.
    ///
    /// - Parameters:
    ///   - invitation: the inviter's invitation.
    ///   - hint: the inviter's endpoint, for networks without multicast.
    ///   - confirm: shows the inviter to the user and returns whether the user accepts.
    /// - Returns: the new contact.
    /// - Throws: `NodeError.clockNotAccepted`, `.ownCard`, `.links` if the hint is not reachable, `.inviterNotFound`,
    ///   `.firstContactFailed`, `.declined`, `.blocked`, `.olderCard`, `.keyOfAnother`, `.tooManyContacts`,
    ///   `.firstContactOpen`, `.tooManyKeys`, `.notSaved`, `.stopped`.
    public func accept(
        _ invitation: Invitation, at hint: Endpoint? = nil, confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> ContactSummary {
        let terms: JoinTerms = try await ask { .join(invitation, .firstContact, .tcp, $0) }
        // An invisible node may emit until the outcome is known.
        let isBegun = Reply<Void>()
        deliver(.request(.beginSearch(isBegun)))
        await isBegun.value()
        let outcome: Result<ContactSummary, NodeError>
        do throws(NodeError) {
            outcome = .success(try await join(invitation, terms, at: hint, confirm: confirm))
        } catch {
            outcome = .failure(error)
        }
        deliver(.request(.endSearch))
        return try outcome.get()
    }

    private nonisolated func join(
        _ invitation: Invitation, _ terms: JoinTerms, at hint: Endpoint?,
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> ContactSummary {
        let (session, theirs, link, technology) = try await meet(invitation, terms, at: hint)
        let answer = Answer<ContactSummary>()
        await deliver(.handshake(.joined(session, theirs, link, technology, confirm, answer)))
        // A child task, which runs on the same executor: a simulation would not wait for an unstructured task.
        let isOver = Reply<Void>()
        async let cancellation: Void = {
            await withTaskCancellationHandler {
                await isOver.value()
            } onCancel: {
                isOver.send(())
            }
            if Task.isCancelled { await self.deliver(.handshake(.abandoned(theirs.userID))) }
        }()
        let outcome = await answer.value()
        isOver.send(())
        await cancellation
        // A node that has stopped in the meantime does not close the link.
        if case .failure = outcome { await link.close() }
        return try outcome.get()
    }

    func joinTerms(
        _ invitation: Invitation, for use: InvitationUse, _ transport: Transport
    ) throws(NodeError) -> JoinTerms {
        guard let period = currentPeriod else { throw .clockNotAccepted }
        let purpose: Joiner.Purpose = use == .deviceLink ? .deviceLink : .firstContact(try ownCard())
        do throws(HandshakeError) {
            let joiner = try Joiner(
                invitation, for: purpose, transport: transport, deviceKey: deviceKey.value,
                using: &randomness)
            return JoinTerms(joiner: Handover(joiner), period: period, use: use)
        } catch {
            throw .firstContactFailed(stage: error.stage, reason: error.reason)
        }
    }
}
