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

// First contact up to its last message, as the inviter and as the joiner.
extension Node {
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
        firstContacts.open(invitation, ownCard: card, lasting: life, answer: answer, confirm: confirm)
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
        // Only holders of the invitation come this far, and each message once.
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

    /// Notes a link of a first contact, so that a boundary closes it.
    func opened(_ link: any Link, over technology: LinkTechnologyID) -> UInt64 {
        firstContacts.opened(link, over: technology)
    }

    /// Notes a link that this node has made for a first contact; returns nil when its round is over.
    private func opened(_ link: any Link, over technology: LinkTechnologyID, in round: Int) -> UInt64? {
        guard calls.round(of: technology) == round else { return nil }
        return opened(link, over: technology)
    }

    /// Forgets a link of a first contact; returns false when a boundary has closed it.
    func closed(_ number: UInt64) -> Bool { firstContacts.closed(number) }

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

    /// Processes a joiner's last message; returns false when it does not prove that the joiner holds the invitation.
    func take(
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
        guard let session, case .card(let card, _) = session.introduction else { return false }
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
    /// - Throws: `NodeError.clockNotAccepted`, `.ownCard`, `.links` when the hint is not reachable, `.inviterNotFound`,
    ///   `.firstContactFailed`, `.declined`, `.keyOfAnother`, `.tooManyContacts`, `.notSaved`, `.stopped`.
    public func accept(
        _ invitation: Invitation, at hint: Endpoint? = nil, confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> ContactSummary {
        let terms: JoinTerms = try await ask { .join(invitation, $0) }
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
        let (link, round) = try await reach(invitation, at: hint)
        guard let number = await opened(link, over: .lan, in: round) else {
            await link.close()
            throw .inviterNotFound
        }
        let (session, theirs) = try await exchangeCards(terms, over: link, number)
        let answer = Answer<ContactSummary>()
        await deliver(.handshake(.joined(session, theirs, link, confirm, answer)))
        let outcome = await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            Task { await self.deliver(.handshake(.abandoned(theirs.userID))) }
        }
        // A node that has stopped in the meantime does not close the link.
        if case .failure = outcome { await link.close() }
        return try outcome.get()
    }

    /// Exchanges the three messages of a first contact as the joiner; closes the link when that fails.
    private nonisolated func exchangeCards(
        _ terms: JoinTerms, over link: any Link, _ number: UInt64
    ) async throws(NodeError) -> (session: Handover<EstablishedSession>, card: ContactCard) {
        do {
            guard let joiner = terms.joiner.take() else { throw NodeError.inviterNotFound }
            try await link.send(joiner.packet.bytes)
            let second = try await link.receive(
                upTo: 1 + PacketType.firstContactSecond.largestBody, within: Self.answerDeadline)
            let joined = try joiner.receive(
                Packet(parsing: second.span), now: terms.period,
                unixMilliseconds: ports.clock.read().unixMilliseconds)
            guard case .card(let theirs, _) = joined.introduction else { throw NodeError.inviterNotFound }
            // What would refuse the inviter is checked before the own card is sent.
            let key = joined.peerKey
            let _: Void = try await ask { .checkInviter(theirs, provenKey: key, $0) }
            try await link.send(joined.packet.bytes)
            guard await closed(number) else { throw LinkError.closed }
            return (Handover(try joined.awaitingAcceptance()), theirs)
        } catch {
            _ = await closed(number)
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
    ) async throws(NodeError) -> (link: any Link, round: Int) {
        if let hint {
            do throws(LinkError) {
                guard await mayConnectSoon() else { throw .timedOut }
                return try await connect(to: .endpoint(hint), over: .lan)
            } catch {
                if await life == .stopped { throw .stopped }
                throw .links(error)
            }
        }
        let made = await isReadyToSearch() ? await find(invitation) : nil
        if let made { return made }
        throw await life == .stopped ? .stopped : .inviterNotFound
    }

    /// Waits until a connection may begin, and returns whether it may. A known address is not called in a silent gap.
    private nonisolated func mayConnectSoon() async -> Bool {
        for _ in 0..<Self.gapPatience {
            if await mayConnect(over: .lan) { return true }
            guard await life == .running else { return false }
            try? await ports.clock.sleep(until: ports.clock.read().tick.advanced(byMilliseconds: 500))
        }
        return await mayConnect(over: .lan)
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

    private nonisolated func find(_ invitation: Invitation) async -> (link: any Link, round: Int)? {
        let tree = AudienceTree(root: invitation.keys().root.duplicate())
        // The inviter may be in its silent gap, whose length the joiner does not know.
        let end = ports.clock.read().tick.advanced(byMilliseconds: Self.searchTime)
        repeat {
            // One query at a time: observers see unknown names, but not that several belong to one search.
            for epoch in SkewAllowance.standard.observedEpochs(at: ports.clock.read().unixSeconds) {
                guard let shown = OwnEpoch(epoch, device: .first, of: tree, transport: .tcp) else { continue }
                let endpoints = await search(for: shown.name, at: shown.host, over: .lan)
                if let made = await connect(to: endpoints, over: .lan) { return made }
            }
        } while await isLooking && ports.clock.read().tick < end
        return nil
    }

    /// Whether any link technology is looking for others.
    var isLooking: Bool { technologies.contains(where: \.isLooking) }
}
