internal import InklingEngine
public import InklingKeys
internal import InklingSession

/// What two people compare before they become contacts.
public struct Introduction: Hashable, Sendable {
    /// The name on the other person's card.
    public let name: String
    /// Sixteen characters in groups of four, which the other person sees too.
    public let fingerprint: String
    /// The contact that this person is already, if any.
    public let isKnown: Bool
}

/// An invitation that this node has open, and who waits for its outcome.
struct Rendezvous {
    var inviter: Inviter
    /// The root's tree, with device 0: what the inviter answers to meanwhile.
    let tree: SecretBox<AudienceTree>
    let confirm: @Sendable (Introduction) async -> Bool
    var waiter: CheckedContinuation<Result<ContactSummary, NodeError>, Never>?
    /// The outcome when it came before anybody waited.
    var outcome: Result<ContactSummary, NodeError>?
    var shownEpoch: Epoch?
    /// False once somebody has proven to hold the invitation, whose expiry then matters no more.
    var isWaitingForJoiner = true

    /// Whether it is answered: nothing has come of it yet.
    var isOpen: Bool { outcome == nil }

    /// The instance that is answered in the epoch of a moment.
    func instance(port: UInt16, at unixSeconds: UInt64) -> ServiceInstance? {
        Epoch(containing: unixSeconds).flatMap { OwnEpoch($0, device: .first, of: tree.value) }?.instance(port: port)
    }
}

// First contact, as the one who invites and as the one who accepts.
extension Node {
    /// How long the other person may take to look at name and fingerprint.
    private static let decisionDeadline = Duration.seconds(300)
    /// For how long an inviter is searched for at least, in real milliseconds: longer than a silent gap.
    private static let searchTime: UInt64 = 15_000
    /// For how many half seconds a silent gap is waited for.
    private static let gapPatience = 30

    /// Opens an invitation and answers to it; `outcome` tells what became of it.
    ///
    /// - Parameters:
    ///   - minutes: 1 to 10.
    ///   - confirm: shows the person who came to the user, who says whether that is the right one.
    /// - Returns: the invitation, and the TCP port on which it is answered.
    /// - Throws: `NodeError`.
    public func invite(
        lasting minutes: UInt64, confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> (invitation: Invitation, port: UInt16) {
        guard !isStopped else { throw .stopped }
        guard contents.rootSeed != nil else { throw .notPrimary }
        guard rendezvous?.isOpen != true else { throw .invitationOpen }
        guard currentPeriod != nil else { throw .clockNotAccepted }
        let now = ports.clock.read()
        let card = try ownCard()
        let invitation = Invitation(
            to: card, transports: .tcp, lasting: .seconds(min(minutes, 60) * 60), from: now.unixSeconds,
            using: &randomness)
        let tree = AudienceTree(root: invitation.keys().root.duplicate())
        rendezvous = Rendezvous(
            inviter: Inviter(invitation, for: .firstContact, ownCard: card), tree: SecretBox(tree),
            confirm: confirm)
        let failure = try await inTurn { node -> LinkError? in
            do throws(LinkError) { try await node.listen() } catch {
                return error
            }
            await node.republish()
            return nil
        }
        if let failure {
            rendezvous = nil
            throw .links(failure)
        }
        return (invitation, listener?.port ?? 0)
    }

    /// Waits for what becomes of the open invitation.
    ///
    /// - Throws: `NodeError.invitationEnded`, `.declined`, `.firstContactFailed`, `.stopped`.
    public func outcome() async throws(NodeError) -> ContactSummary {
        guard let rendezvous else { throw .invitationEnded }
        if let outcome = rendezvous.outcome {
            self.rendezvous = nil
            return try outcome.get()
        }
        guard rendezvous.waiter == nil else { throw .invitationOpen }
        return try await withCheckedContinuation { self.rendezvous?.waiter = $0 }.get()
    }

    /// Closes the open invitation.
    public func withdrawInvitation() { endRendezvous(.invitationEnded) }

    /// Ends the open invitation without a contact.
    func endRendezvous(_ error: NodeError) { conclude(.failure(error)) }

    private func conclude(_ outcome: Result<ContactSummary, NodeError>) {
        guard rendezvous?.isOpen == true else { return }
        enqueue(.publicationChanged)
        guard let waiter = rendezvous?.waiter else {
            rendezvous?.outcome = outcome
            return
        }
        rendezvous = nil
        waiter.resume(returning: outcome)
    }

    /// When an open invitation has to be looked at next: it ends, or its name changes with the epoch.
    func rendezvousWake(after now: ClockReading) -> Tick? {
        guard let rendezvous, rendezvous.isOpen else { return nil }
        let end = UInt64(rendezvous.inviter.invitation.expiryMinute) * 60_000
        let boundary = Epoch(containing: now.unixSeconds).map { $0.end * 1000 } ?? end
        return [end, boundary].filter { $0 > now.unixMilliseconds }.min().map(now.tick(atUnixMilliseconds:))
    }

    /// Ends an invitation whose time is over, and lets its name follow the epochs.
    func tendRendezvous(at now: ClockReading) async {
        guard let open = rendezvous, open.isOpen else { return }
        if !open.inviter.isOpen(at: now.unixMilliseconds), open.isWaitingForJoiner { endRendezvous(.invitationEnded) }
        let epoch = Epoch(containing: now.unixSeconds)
        if rendezvous != nil, open.shownEpoch != epoch {
            rendezvous?.shownEpoch = epoch
            await republish()
        }
    }

    // MARK: The one who invites

    /// Answers a first message of a first contact. Throws, and stays silent, when no invitation is open for it.
    func answerJoiner(_ packet: Packet, over link: any Link) async throws {
        guard rendezvous?.isOpen == true, let period = currentPeriod else {
            throw HandshakeError.invitationSpent
        }
        let reading = ports.clock.read()
        let now = reading.unixMilliseconds
        guard
            let pending = try rendezvous?.inviter.receive(
                packet, transport: .tcp, deviceKey: deviceKey.value, budget: &responder.nodeBudget,
                at: reading.tick.milliseconds, unixMilliseconds: now, using: &randomness)
        else { throw HandshakeError.invitationSpent }
        try await link.send(pending.packet.bytes)
        let third = try await link.receive(
            upTo: 1 + PacketType.firstContactThird.largestBody, within: Self.answerDeadline)
        guard
            let session = try rendezvous?.inviter.complete(
                pending, with: Packet(parsing: third.span), now: period,
                unixMilliseconds: ports.clock.read().unixMilliseconds)
        else { throw HandshakeError.invitationSpent }
        // From here on somebody has proven to hold the invitation: problems are the user's to know.
        rendezvous?.isWaitingForJoiner = false
        await link.authenticated()
        do throws(NodeError) {
            conclude(.success(try await admit(session, over: link)))
        } catch {
            await link.close()
            conclude(.failure(error))
        }
    }

    private func admit(_ session: consuming EstablishedSession, over link: any Link) async throws(NodeError)
        -> ContactSummary
    {
        guard case .card(let card, _) = session.introduction, let confirm = rendezvous?.confirm else {
            throw .invitationEnded
        }
        let introduction = introduction(of: card, fingerprint: session.exporter.fingerprint())
        guard await confirm(introduction) else { throw .declined }
        return try await befriend(card, session, over: link)
    }

    // MARK: The one who accepts

    /// Uses an invitation.
    ///
    /// - Parameters:
    ///   - invitation: what the inviter gave away.
    ///   - hint: where the inviter can be reached, for networks without multicast.
    ///   - confirm: shows the inviter to the user, who says whether that is the right one.
    /// - Returns: the new contact.
    /// - Throws: `NodeError`.
    public func accept(
        _ invitation: Invitation, at hint: Endpoint? = nil, confirm: @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> ContactSummary {
        guard let period = currentPeriod else { throw .clockNotAccepted }
        let card = try ownCard()
        let link = try await reach(invitation, at: hint)
        do {
            let joiner = try Joiner(
                invitation, for: .firstContact(card), transport: .tcp, deviceKey: deviceKey.value, using: &randomness)
            try await link.send(joiner.packet.bytes)
            let second = try await link.receive(
                upTo: 1 + PacketType.firstContactSecond.largestBody, within: Self.answerDeadline)
            let unconfirmed = try joiner.receive(
                Packet(parsing: second.span), now: period, unixMilliseconds: ports.clock.read().unixMilliseconds)
            try await link.send(unconfirmed.packet.bytes)
            guard case .card(let theirs, _) = unconfirmed.introduction else { throw NodeError.inviterNotFound }
            guard await confirm(introduction(of: theirs, fingerprint: unconfirmed.fingerprint())) else {
                throw NodeError.declined
            }
            // The inviter's first record says that the inviter has agreed too.
            guard let first = try? await link.receive(upTo: Packet.byteLimit, within: Self.decisionDeadline) else {
                throw NodeError.declined
            }
            let session = try unconfirmed.receive(Packet(parsing: first.span))
            return try await befriend(theirs, session, over: link)
        } catch {
            await link.close()
            if let error = error as? NodeError { throw error }
            let refusal = error as? any Refusal
            throw .firstContactFailed(
                stage: refusal?.stage ?? "link", reason: refusal?.reason ?? "closed or silent")
        }
    }

    private func reach(_ invitation: Invitation, at hint: Endpoint?) async throws(NodeError) -> any Link {
        if let hint {
            do throws(LinkError) { return try await ports.links.connect(to: hint, within: Self.connectDeadline) } catch
            {
                throw .links(error)
            }
        }
        acceptances += 1
        defer {
            acceptances -= 1
            enqueue(.publicationChanged)
        }
        // Nothing is asked in the silent gap, which a publication ends soon.
        for _ in 0..<Self.gapPatience where discovery == nil && isAboutToShow {
            try? await ports.clock.sleep(until: ports.clock.read().tick.advanced(byMilliseconds: 500))
        }
        let isReady = try await inTurn { node in
            if node.discovery != nil { return true }
            return await node.openDiscovery()
        }
        guard isReady else { throw .inviterNotFound }
        let tree = AudienceTree(root: invitation.keys().root.duplicate())
        // The inviter may be in its silent gap, whose length nobody else knows.
        let end = ports.clock.read().tick.advanced(byMilliseconds: Self.searchTime)
        repeat {
            // Asked one after the other: whoever listens sees unknown names, and not how many were tried at once.
            for epoch in SkewAllowance.standard.observedEpochs(at: ports.clock.read().unixSeconds) {
                guard let shown = OwnEpoch(epoch, device: .first, of: tree) else { continue }
                for endpoint in await search(for: shown.name).prefix(Self.endpointLimit) {
                    if let link = try? await ports.links.connect(to: endpoint, within: Self.connectDeadline) {
                        return link
                    }
                }
            }
        } while ports.clock.read().tick < end && discovery != nil
        throw isStopped ? .stopped : .inviterNotFound
    }

    // MARK: Both

    private func introduction(of card: ContactCard, fingerprint: String) -> Introduction {
        Introduction(
            name: card.name, fingerprint: fingerprint,
            isKnown: contents.contacts.contains { $0.user == card.userID })
    }

    /// Stores the new contact and waits until grants have gone both ways.
    private func befriend(
        _ card: ContactCard, _ session: consuming EstablishedSession, over link: any Link
    ) async throws(NodeError) -> ContactSummary {
        guard let certificate = currentPeriod.flatMap({ card.certificate(ofKey: session.peerKey, in: $0) }) else {
            throw .clockNotAccepted
        }
        let user = card.userID
        let before = contents.contacts.first { $0.user == user }
        let pairwise = SecretBox(session.exporter.pairwiseKey())
        let summary = try await store(card, pairwiseKey: pairwise, origin: .firstContact)
        guard let id = install(session, with: KnownDevice(user: user, device: certificate.index), over: link) else {
            await forgetMeeting(with: user, restoring: before)
            throw .stopped
        }
        let due = ports.clock.read().tick.advanced(
            byMilliseconds: UInt64(Self.decisionDeadline.components.seconds) * 1000)
        spawn { [weak self, clock = ports.clock] in
            try? await clock.sleep(until: due)
            await self?.giveUpSettling(id)
        }
        let isSettled = await withCheckedContinuation { waiter in
            guard let session = sessions[id] else { return waiter.resume(returning: false) }
            session.settling.append(waiter)
            session.settleIfComplete()
        }
        guard isSettled else {
            await forgetMeeting(with: user, restoring: before)
            throw .declined
        }
        // An invisible node emits for the invitation and for nothing else; a session left open would end by itself.
        if !isVisible { endSessions(with: user) }
        return contents.contacts.first { $0.user == user }.map(self.summary) ?? summary
    }

    /// Undoes a first contact to which the other person did not agree. Whoever has sent us a grant has agreed.
    private func forgetMeeting(with user: UserID, restoring before: StoredContact?) async {
        guard let index = contents.contacts.firstIndex(where: { $0.user == user }) else { return }
        if let before {
            contents.contacts[index] = before
            await save()
        } else if contents.contacts[index].grants.isEmpty {
            try? await remove(user)
        }
    }

    private func giveUpSettling(_ id: SessionID) {
        for waiter in sessions[id]?.settling ?? [] { waiter.resume(returning: false) }
        sessions[id]?.settling = []
    }
}
