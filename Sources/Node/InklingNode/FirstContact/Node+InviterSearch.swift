internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// A link that may reach an inviter, and with tags the time at which the first message is due.
struct FoundInviter: Sendable {
    let link: any Link
    let technology: LinkTechnologyID
    let round: Int
    let due: Tick?
}

/// The outcome of an exchange of cards.
enum Encounter: Sendable {
    /// A joiner's results after its last message.
    typealias Joined = (
        session: Handover<EstablishedSession>, card: ContactCard, link: any Link, technology: LinkTechnologyID
    )

    case met(Joined)
    /// The inviter was there, but a first contact with it is not possible.
    case refused(NodeError)
    /// No peer proved to hold the invitation: someone copies the inviter's identifiers, or the link failed.
    case nobody(NodeError)
}

// The joiner's search for the inviter (`Specs/invitations.md`), over the local network and by radio at the same time.
// By radio it listens for the minors of the invitation, reads the tag where it hears one, and sends its first message
// if the tag is the invitation's; otherwise it writes a random one.
extension Node {
    /// The minimum duration of the joiner's search on the local network, in milliseconds of real time: longer than a
    /// quiet period.
    private static let searchTime: UInt64 = 15_000
    /// The maximum number of times, every half second, that the joiner checks whether its own quiet period has ended.
    private static let gapPatience = 30
    /// The duration of a joiner's listening, in milliseconds: longer than the inviter's quiet period and its own.
    private static let listeningTime: UInt64 = 30_000
    /// The interval between two looks at the sightings, in milliseconds.
    private static let listeningInterval: UInt64 = 250

    /// Finds the inviter, and exchanges cards with it.
    nonisolated func meet(
        _ invitation: Invitation, _ terms: JoinTerms, at hint: Endpoint?
    ) async throws(NodeError) -> Encounter.Joined {
        if let hint { return try await exchangeCards(terms, over: try await reach(hint)).joined() }
        let search = await beginInviterSearch(invitation)
        let encounter = await withTaskGroup(of: Encounter?.self) { group in
            group.addTask { await self.meetOnNetwork(invitation, terms, in: search) }
            group.addTask { await self.meetByRadio(invitation, in: search) }
            var settled: Encounter?
            for await encounter in group {
                if case .nobody? = settled, encounter != nil {
                    settled = encounter
                } else {
                    settled = settled ?? encounter
                }
            }
            return settled
        }
        await endInviterSearch(search)
        guard let encounter else { throw await life == .stopped ? .stopped : .inviterNotFound }
        return try encounter.joined()
    }

    private func beginInviterSearch(_ invitation: Invitation) -> UInt64 {
        defer { tellMinors() }
        guard invitation.transports.contains(.gatt) else { return firstContacts.beginInviterSearch([]) }
        let tree = AudienceTree(root: invitation.keys().root.duplicate())
        let now = ports.clock.read().unixSeconds
        let allowance = SkewAllowance.standard
        let epochs = Set(
            allowance.observedEpochs(at: now) + allowance.observedEpochs(at: now + Self.listeningTime / 1000))
        return firstContacts.beginInviterSearch(
            epochs.sorted().compactMap { epoch in
                OwnEpoch(epoch, device: .first, of: tree, transport: .gatt).map {
                    FirstContactNeeds.ShownByRadio(epoch: epoch, minor: $0.minor, tag: $0.tag)
                }
            })
    }

    private func claim(_ search: UInt64) -> Bool { firstContacts.claim(search) }

    private func endInviterSearch(_ search: UInt64) {
        firstContacts.endInviterSearch(search)
        tellMinors()
    }

    private func isOpen(_ search: UInt64) -> Bool { firstContacts.isOpen(search) }

    /// Exchanges cards over a link that has claimed the search. Unless the inviter was met, the search continues.
    private nonisolated func meet(
        _ terms: JoinTerms, over found: FoundInviter, in search: UInt64
    ) async -> Encounter {
        let encounter = await exchangeCards(terms, over: found)
        if case .nobody = encounter { await release(search) } else { await endInviterSearch(search) }
        return encounter
    }

    private func release(_ search: UInt64) { firstContacts.release(search) }

    /// Exchanges the three messages of a first contact as the joiner; closes the link on failure.
    private nonisolated func exchangeCards(_ terms: JoinTerms, over found: FoundInviter) async -> Encounter {
        let link = found.link
        guard let number = await opened(link, over: found.technology, in: found.round) else {
            await link.close()
            return .nobody(.inviterNotFound)
        }
        var isProven = false
        do {
            guard let joiner = terms.joiner.take() else { throw NodeError.inviterNotFound }
            if let due = found.due { try? await ports.clock.sleep(until: due) }
            try await link.send(joiner.packet.bytes)
            let second = try await link.receive(
                upTo: 1 + PacketType.firstContactSecond.largestBody, within: Self.answerDeadline)
            let joined = try joiner.receive(
                Packet(parsing: second.span), now: terms.period,
                unixMilliseconds: ports.clock.read().unixMilliseconds)
            isProven = true
            guard case .card(let theirs, _) = joined.introduction else { throw NodeError.inviterNotFound }
            // Check everything that would refuse the inviter before sending the own card.
            let key = joined.peerKey
            let _: Void = try await ask { .checkInviter(theirs, provenKey: key, $0) }
            try await link.send(joined.packet.bytes)
            guard await closed(number) else { throw LinkError.closed }
            let session =
                terms.use == .deviceLink ? try joined.awaitingState() : try joined.awaitingAcceptance()
            return .met((Handover(session), theirs, link, found.technology))
        } catch {
            _ = await closed(number)
            await link.close()
            let refusal = error as? any Refusal
            let failure =
                error as? NodeError
                ?? .firstContactFailed(
                    stage: refusal?.stage ?? "link", reason: refusal?.reason ?? "closed or silent")
            return isProven ? .refused(failure) : .nobody(failure)
        }
    }
}

extension Encounter {
    fileprivate func joined() throws(NodeError) -> Joined {
        switch self {
        case .met(let joined): return joined
        case .refused(let error), .nobody(let error): throw error
        }
    }
}

// MARK: On the local network

extension Node {
    private nonisolated func meetOnNetwork(
        _ invitation: Invitation, _ terms: JoinTerms, in search: UInt64
    ) async -> Encounter? {
        guard await isReadyToSearch() else { return nil }
        // The inviter may be in its quiet period, whose length the joiner does not know.
        let end = ports.clock.read().tick.advanced(byMilliseconds: Self.searchTime)
        repeat {
            if let found = await find(invitation) {
                if await claim(search) { return await meet(terms, over: found, in: search) }
                // Cards are being exchanged over another link.
                await found.link.close()
                try? await ports.clock.sleep(
                    until: ports.clock.read().tick.advanced(byMilliseconds: Self.listeningInterval))
            }
            guard await isOpen(search), await isLooking else { return nil }
        } while ports.clock.read().tick < end
        return nil
    }

    /// Connects to an endpoint that the user knows.
    private nonisolated func reach(_ hint: Endpoint) async throws(NodeError) -> FoundInviter {
        do throws(LinkError) {
            guard await mayConnectSoon() else { throw .timedOut }
            let (link, round) = try await connect(to: .endpoint(hint))
            return FoundInviter(link: link, technology: .offered, round: round, due: nil)
        } catch {
            if await life == .stopped { throw .stopped }
            throw .links(error)
        }
    }

    /// Waits until a connection may begin, and returns whether it may. A known address is not called in a quiet period.
    private nonisolated func mayConnectSoon() async -> Bool {
        for _ in 0..<Self.gapPatience {
            if await mayConnect(over: .offered) { return true }
            guard await life == .running else { return false }
            try? await ports.clock.sleep(until: ports.clock.read().tick.advanced(byMilliseconds: 500))
        }
        return await mayConnect(over: .offered)
    }

    /// Waits until a search can begin, and returns whether it can. No query is sent in a quiet period.
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

    /// Asks for the names of the invitation once, and connects to the first endpoint that answers.
    private nonisolated func find(_ invitation: Invitation) async -> FoundInviter? {
        let tree = AudienceTree(root: invitation.keys().root.duplicate())
        // One query at a time: observers see unknown names, but not that several belong to one search.
        for epoch in SkewAllowance.standard.observedEpochs(at: ports.clock.read().unixSeconds) {
            guard let shown = OwnEpoch(epoch, device: .first, of: tree, transport: .tcp) else { continue }
            let endpoints = await search(for: shown.name, at: shown.host)
            if let (link, round) = await connect(to: endpoints) {
                return FoundInviter(link: link, technology: .searched, round: round, due: nil)
            }
        }
        return nil
    }

    /// Whether any link technology is looking for others.
    var isLooking: Bool { technologies.contains(where: \.isLooking) }
}

// MARK: By radio

extension Node {
    private nonisolated func meetByRadio(_ invitation: Invitation, in search: UInt64) async -> Encounter? {
        guard invitation.transports.contains(.gatt) else { return nil }
        let end = ports.clock.read().tick.advanced(byMilliseconds: Self.listeningTime)
        var last: Encounter?
        while await mayListen, await isOpen(search), ports.clock.read().tick < end {
            guard let address = await nextAddress(in: search), let found = await call(address, in: search) else {
                try? await ports.clock.sleep(
                    until: ports.clock.read().tick.advanced(byMilliseconds: Self.listeningInterval))
                continue
            }
            let encounter = await meet(invitation, over: found, in: search)
            guard case .nobody = encounter else { return encounter }
            last = encounter
        }
        return last
    }

    /// Exchanges cards over a link with a first message of its own.
    private nonisolated func meet(
        _ invitation: Invitation, over found: FoundInviter, in search: UInt64
    ) async -> Encounter {
        do throws(NodeError) {
            let terms: JoinTerms = try await ask { .join(invitation, .firstContact, .gatt, $0) }
            return await meet(terms, over: found, in: search)
        } catch {
            await found.link.close()
            await endInviterSearch(search)
            return .refused(error)
        }
    }

    /// Whether a search by radio is useful: a node that shows nothing by radio connects to nobody.
    private var mayListen: Bool { ports.hearsBeacons && isVisible && life == .running }

    private func nextAddress(in search: UInt64) -> DeviceAddress? {
        guard mayConnect(over: .tagged), mayCallContacts(over: .tagged) else { return nil }
        return firstContacts.nextAddress(in: search, at: ports.clock.read().tick)
    }

    private func isTag(_ tag: RecognitionTag, in search: UInt64) -> Bool { firstContacts.isTag(tag, in: search) }

    /// Connects to an address and reads its tag, as every central does at every address. Returns the link if the tag is
    /// the invitation's and the link has claimed the search.
    private nonisolated func call(_ address: DeviceAddress, in search: UInt64) async -> FoundInviter? {
        guard let (made, round) = try? await connect(to: .device(address)),
            let link = made as? any TaggedLink
        else { return nil }
        guard let tag = try? await link.readTag(within: Self.tagDeadline) else {
            await link.close()
            return nil
        }
        let due = await momentOfAttempt()
        guard await isTag(tag, in: search), await claim(search) else {
            await writeDecoy(over: link, at: due)
            return nil
        }
        return FoundInviter(link: link, technology: .tagged, round: round, due: due)
    }
}
