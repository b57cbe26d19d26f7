import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault

/// The sender of one request: it receives facts, and asks a person when the node needs consent.
protocol ControlPeer: Sendable {
    /// Receives one fact.
    func take(_ fact: ControlFact) async
    /// Shows an introduction to a person and returns whether the person agrees; false when no person can be asked.
    func ask(_ question: IntroductionFact) async -> Bool
}

/// The handler of requests to a node, which come from this process or through the control socket.
struct ControlHandler: Sendable {
    let node: Node
    /// The address of the node's dashboard, and its token; nil without a dashboard.
    var dashboard: (DashboardFact, token: DashboardToken)?

    /// Carries out one request and reports its facts to `peer`.
    ///
    /// - Throws: `Failure`.
    func handle(_ request: ControlRequest, for peer: some ControlPeer) async throws(Failure) {
        switch request {
        case .status:
            let status = await node.status()
            let audience = await audience(of: status.visibility)
            await peer.take(.status(StatusFact(status, to: audience, lacking: ProcessHardening.gaps)))
        case .contacts:
            for contact in await node.contacts() { await peer.take(.contact(await fact(contact))) }
        case .contact(let name): await peer.take(.contact(await fact(try await contact(name))))
        case .rename(let contact, let name): try await rename(contact, to: name, peer)
        case .delay(let contact, let arrive, let leave, let goodbye, let isReset):
            try await delay(contact, arrive: arrive, leave: leave, goodbye: goodbye, isReset: isReset, peer)
        case .remove(let contact): try await remove(contact, peer)
        case .renew(let audiences): try await renew(audiences)
        case .audiences, .createAudience, .renameAudience, .removeAudience, .assign, .recognisers:
            try await handleAudiences(request, for: peer)
        case .revoke, .block, .unblock, .grant: try await handleRevocation(request, for: peer)
        case .visible(let audience): try await becomeVisible(to: audience, peer)
        case .reviewed(let contact): try await reviewed(contact, peer)
        case .card: try await card(peer)
        case .add(let text): try await add(text, peer)
        case .invite(let minutes): try await invite(minutes, peer)
        case .addDevice(let minutes): try await addDevice(minutes, peer)
        case .devices: for fact in try await devices() { await peer.take(.device(fact)) }
        case .removeDevice(let index): try await removeDevice(index, peer)
        case .accept(let text, let address): try await accept(text, at: address, peer)
        case .send(let contact, let text, let expires, let wait):
            try await send(text, to: contact, expires: expires, wait: wait, peer)
        case .messages(let contact): try await messages(with: contact, peer)
        case .message(let id): await peer.take(.message(try await message(id)))
        case .acknowledge(let id): try await acknowledge(id)
        case .removeMessage(let id): try await removeMessage(id)
        case .sendFile(let contact, let path, let staysInEpoch, let waits):
            try await sendFile(at: path, to: contact, staysInEpoch: staysInEpoch, waits: waits, peer)
        case .files: await files(peer)
        case .file(let id, let change): try await self.change(id, change, peer)
        case .explain(let contact): await peer.take(.explanation(try await explain(contact)))
        case .predictions(let from, let through, let own): await predictions(from...through, own: own, peer)
        case .presence: await followPresence(peer)
        case .events: await followEvents(peer)
        case .dashboard:
            guard let (fact, token) = dashboard else {
                throw Failure(
                    .unavailable, "the node serves no dashboard",
                    remedy: .command("Start it with one", "run --dashboard 127.0.0.1:9761"))
            }
            await peer.take(.dashboard(fact, token: token.text))
        }
    }

    // MARK: Contacts

    /// Returns the contact with this name or id; the first 8 characters of an id are enough.
    ///
    /// - Throws: `Failure` when no contact or several contacts match.
    func contact(_ wanted: String) async throws(Failure) -> ContactSummary {
        let all = await node.contacts()
        let exact = all.filter { $0.name == wanted || $0.user.octets.description == wanted }
        let matches =
            exact.isEmpty && wanted.utf8.count >= 8
            ? all.filter { $0.user.octets.description.hasPrefix(wanted) } : exact
        guard let match = matches.first else {
            let near = nearest(to: wanted, among: all.map(\.name))
            let question = near.map { "; did you mean '\(printable($0))'?" } ?? ""
            throw Failure(
                .badData, "there is no contact '\(printable(wanted))'\(question)",
                remedy: .command("List them with", "contacts list"))
        }
        guard matches.count == 1 else {
            throw Failure(
                .badData, "\(matches.count) contacts are called '\(printable(wanted))'",
                remedy: .command("Use the id of one of them", "contacts list --json"))
        }
        return match
    }

    /// Returns the facts of a contact, with details of its presence while it is seen.
    func fact(_ contact: ContactSummary) async -> ContactFact {
        let isSeen = contact.presence != .unseen && contact.presence != .gone
        return ContactFact(contact, isSeen ? try? await node.explain(contact.user) : nil)
    }

    private func rename(_ name: String, to newName: String, _ peer: some ControlPeer) async throws(Failure) {
        let contact = try await contact(name)
        try await nodeFailure { () async throws(NodeError) in try await node.rename(contact.user, to: newName) }
        let renamed = await node.contacts().first { $0.user == contact.user }
        await peer.take(.renamed(RenamedFact(contact: renamed?.name ?? "", was: contact.name)))
    }

    private func delay(
        _ name: String, arrive: UInt32?, leave: UInt32?, goodbye: UInt32?, isReset: Bool, _ peer: some ControlPeer
    ) async throws(Failure) {
        let contact = try await contact(name)
        var delays = isReset ? ContactDelays() : contact.chosenDelays
        if let arrive { delays.arrive = .seconds(arrive) }
        if let leave { delays.leave = .seconds(leave) }
        if let goodbye { delays.goodbye = .seconds(goodbye) }
        let chosen = delays
        if chosen != contact.chosenDelays {
            try await nodeFailure { () async throws(NodeError) in try await node.setDelays(chosen, of: contact.user) }
        }
        if let changed = await node.contacts().first(where: { $0.user == contact.user }) {
            await peer.take(.contact(await fact(changed)))
        }
    }

    private func remove(_ name: String, _ peer: some ControlPeer) async throws(Failure) {
        let contact = try await contact(name)
        let removal = try await nodeFailure { () async throws(NodeError) in try await node.remove(contact.user) }
        await peer.take(.removed(RemovedFact(contact.name, removal, audiences: await names(of: removal.audiences))))
    }

    // MARK: Visibility

    private func becomeVisible(to audience: ControlRequest.Audience, _ peer: some ControlPeer) async throws(Failure) {
        let visibility: Visibility
        switch audience {
        case .all: visibility = .all
        case .nobody: visibility = .nobody
        case .named(let name): visibility = try await self.visibility(named: name)
        }
        try await nodeFailure { () async throws(NodeError) in try await node.becomeVisible(to: visibility) }
        await peer.take(.visibility(await self.audience(of: visibility)))
    }

    private func audience(of visibility: Visibility) async -> VisibilityFact {
        if case .audience(let id) = visibility {
            let name = await names(of: [id]).first ?? ""
            return VisibilityFact(visibility, name: { _ in "" }, audience: { _ in name })
        }
        guard case .contact(let user) = visibility else { return VisibilityFact(visibility) { _ in "" } }
        let name = await node.contacts().first { $0.user == user }?.name ?? ""
        return VisibilityFact(visibility) { _ in name }
    }

    private func reviewed(_ name: String, _ peer: some ControlPeer) async throws(Failure) {
        let contact = try await contact(name)
        let kept = try await nodeFailure { () async throws(NodeError) in try await node.markReviewed(contact.user) }
        await peer.take(.contact(await fact(kept)))
    }

    private func card(_ peer: some ControlPeer) async throws(Failure) {
        let card = try await nodeFailure { () async throws(NodeError) in try await node.ownCard() }
        await peer.take(
            .card(
                CardFact(
                    name: card.name, id: card.userID.octets.description,
                    card: try ObjectText.encode(.card, card.bytes))))
    }

    /// Adds a contact from a card, or accepts a grant that was sealed for this device.
    private func add(_ text: String, _ peer: some ControlPeer) async throws(Failure) {
        let object = try ObjectText(text)
        switch object.kind {
        case .card:
            let period = try await nodeFailure { () async throws(NodeError) in try await node.period() }
            let card: ContactCard
            do throws(CardError) {
                card = try ContactCard(parsing: object.bytes.span, now: period)
            } catch {
                throw Failure(.badData, "the card is invalid: \(error)")
            }
            // A known contact may have lost its grant, so it gets a new one.
            let known = await node.contacts().first { $0.user == card.userID }
            let contact = try await nodeFailure { () async throws(NodeError) in
                if let known { known } else { try await node.add(card) }
            }
            await peer.take(.contact(await fact(contact)))
            guard !contact.needsReview else {
                throw Failure(
                    .badData, "'\(printable(contact.name))' must be reviewed before anything is granted to it",
                    remedy: .command("To keep it", "recover --reviewed \(contact.user.octets)"))
            }
            // This fails without an accepted time. The contact stays, and adding the card again later creates the
            // grant.
            let grants = try await nodeFailure { () async throws(NodeError) in
                try await node.sealedGrants(for: contact.user)
            }
            try await take(grants, peer)
        case .sealedGrant:
            let contact = try await nodeFailure { () async throws(NodeError) in
                try await node.acceptSealedGrant(object.bytes)
            }
            await peer.take(.contact(await fact(contact)))
        case .invitation: throw .invitationInsteadOfCard
        case .deviceLink:
            throw Failure(
                .badData, "a device link, not a card",
                remedy: "On the new device: inkling device join, with a new home.")
        }
    }

    /// Reports sealed grants.
    func take(_ grants: [[UInt8]], _ peer: some ControlPeer) async throws(Failure) {
        for sealed in grants {
            await peer.take(.sealedGrant(SealedGrantFact(sealedGrant: try ObjectText.encode(.sealedGrant, sealed))))
        }
    }

    // MARK: First contact

    private func invite(_ minutes: UInt64, _ peer: some ControlPeer) async throws(Failure) {
        // Subscribe first, so that no event is missed.
        let events = node.eventsWithoutTexts()
        let port = InvitationPort()
        let opened = try await nodeFailure { () async throws(NodeError) in
            try await node.invite(lasting: .seconds(minutes * 60), portChanged: { port.change(to: $0) }) {
                introduction in await peer.ask(IntroductionFact(introduction))
            }
        }
        port.begin(with: opened.port)
        await peer.take(
            .invitation(
                InvitationFact(port: opened.port, expires: UInt64(opened.invitation.expiryMinute) * 60),
                text: SecretBox(try ObjectText.encode(opened.invitation))))
        if let warning = await node.status().silence.flatMap({ WarningFact($0, port: port.current) }) {
            await peer.take(.warning(warning))
        }
        let warnings = Task {
            for await case .silent(let reason, .lan) in events {
                if let warning = WarningFact(reason, port: port.current) { await peer.take(.warning(warning)) }
            }
        }
        defer { warnings.cancel() }
        let moves = tell(peer, port)
        defer { moves.cancel() }
        // Withdraw the invitation when the command stops waiting.
        let outcome = await withTaskCancellationHandler { () -> Result<ContactSummary, NodeError> in
            do throws(NodeError) { return .success(try await node.invitationOutcome()) } catch {
                return .failure(error)
            }
        } onCancel: {
            Task { await node.withdrawInvitation() }
        }
        let contact = try await nodeFailure { () throws(NodeError) in try outcome.get() }
        await peer.take(.contact(await fact(contact)))
    }

    /// Reports every later port of an open invitation.
    func tell(_ peer: some ControlPeer, _ port: InvitationPort) -> Task<Void, Never> {
        Task { for await next in port.changes { await peer.take(.port(PortFact(port: next))) } }
    }

    private func accept(
        _ text: SecretBox<SecretBytes>?, at address: String?, _ peer: some ControlPeer
    ) async throws(Failure) {
        guard let text else { throw Failure(.usage, "the text of the invitation is missing") }
        let object = try text.value.withBytes { text throws(Failure) in try ObjectText(text) }
        guard object.kind == .invitation else {
            throw Failure(.badData, "not an invitation", remedy: .command("Add a card with", "card add"))
        }
        let minute = await node.minute()
        let invitation: Invitation
        do throws(InvitationError) {
            invitation = try object.content.value.withBytes { bytes throws(InvitationError) in
                try Invitation(parsing: bytes, minute: minute)
            }
        } catch {
            throw Failure(
                .badData, "the invitation is invalid: \(error)",
                remedy: error == .ended ? "Ask for a new one." : nil)
        }
        let hint = try await endpoint(address)
        let contact = try await nodeFailure { () async throws(NodeError) in
            try await node.accept(invitation, at: hint) { introduction in await peer.ask(IntroductionFact(introduction))
            }
        }
        await peer.take(.contact(await fact(contact)))
    }

    // MARK: Recognition

    private func explain(_ name: String) async throws(Failure) -> ExplanationFact {
        let contact = try await contact(name)
        let explanation = try await nodeFailure { () async throws(NodeError) in try await node.explain(contact.user) }
        return ExplanationFact(explanation, of: contact, to: await audience(of: explanation.visibility))
    }

    /// Reports the values, not the keys, that the contacts or, with `own`, this node will show.
    private func predictions(_ epochs: ClosedRange<Epoch>, own: Bool, _ peer: some ControlPeer) async {
        var first: Epoch? = epochs.lowerBound
        while let start = first, start <= epochs.upperBound, !Task.isCancelled {
            // One period at a time, so that a slow reader does not keep alive keys that the node has forgotten.
            let last = min(Epoch(start.period.firstEpoch.number + 3) ?? start, epochs.upperBound)
            for fact in await predictions(start...last, own: own) where !Task.isCancelled {
                await peer.take(.prediction(fact))
            }
            first = last.next
        }
    }

    private func predictions(_ epochs: ClosedRange<Epoch>, own: Bool) async -> [PredictionFact] {
        if own {
            let own = await node.ownPrediction().map { [$0] } ?? []
            return Forecast(of: own).epochs(epochs).flatMap { _, entries in
                entries.map { PredictionFact($0, of: "", own: true) }
            }
        }
        let contacts = await node.recognisableContacts()
        let labels = Dictionary(
            uniqueKeysWithValues: zip(contacts.map(\.predicted.contact), PredictionSource.labels(of: contacts)))
        return Forecast(of: contacts.map(\.predicted)).epochs(epochs).flatMap { _, entries in
            entries.map { PredictionFact($0, of: labels[$0.prediction.contact] ?? "") }
        }
    }

    // MARK: Subscriptions

    /// Reports every contact, and then each contact again when its presence changes, until the node or the peer ends.
    private func followPresence(_ peer: some ControlPeer) async {
        // Subscribe before reading the contacts, so that no change is missed.
        let events = node.eventsWithoutTexts()
        for contact in await node.contacts() { await peer.take(.contact(await fact(contact))) }
        for await event in events {
            guard case .presence(let user, _) = event,
                let contact = await node.contacts().first(where: { $0.user == user })
            else { continue }
            await peer.take(.contact(await fact(contact)))
        }
    }

    /// Reports every event from now on, until the node or the peer ends.
    private func followEvents(_ peer: some ControlPeer) async {
        var names = ContactNames(of: node)
        for await event in node.events { await peer.take(.event(await names.fact(of: event))) }
    }
}

/// The names of a node's contacts and audiences, including removed ones.
struct ContactNames {
    private let node: Node
    private var names: [UserID: String] = [:]
    private var audiences: [AudienceID: String] = [:]

    init(of node: Node) { self.node = node }

    /// Returns the fact of an event that has just happened.
    mutating func fact(of event: NodeEvent) async -> EventFact {
        for contact in await node.contacts() { names[contact.user] = contact.name }
        if case .visibility(.audience) = event {
            for audience in await node.audiences() { audiences[audience.id] = audience.name }
        }
        return EventFact(event, name: { names[$0] ?? "a former contact" }, audience: { audiences[$0] ?? "" })
    }
}

extension WarningFact {
    /// Creates a warning that multicast cannot find the invitation; nil for other reasons for silence.
    fileprivate init?(_ reason: NodeEvent.SilenceReason, port: UInt16) {
        guard case .discovery(let error) = reason else { return nil }
        self.init(
            warning: "multicast does not work here: \(error.sentence); the other side must add --at HOST:\(port)")
    }
}

extension Failure {
    static var invitationInsteadOfCard: Failure {
        Failure(.badData, "an invitation, not a card", remedy: .command("Use it with", "accept"))
    }
}
