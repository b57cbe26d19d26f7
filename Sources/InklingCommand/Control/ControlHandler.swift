import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode

/// The other end of one request: takes facts, and answers questions that only a person can answer.
protocol ControlPeer: Sendable {
    /// One more fact of the answer.
    func take(_ fact: JSONObject) async
    /// Shows something to a person, who says yes or no; no when nobody is there.
    func ask(_ question: JSONObject) async -> Bool
}

/// Carries out requests on a node, whether they come from this process or through the control socket.
struct ControlHandler: Sendable {
    let node: Node

    /// Carries out one request.
    ///
    /// - Throws: `Failure`, with what the person can do about it.
    func handle(_ request: JSONObject, for peer: some ControlPeer) async throws(Failure) {
        switch request["do"]?.text {
        case "status": await peer.take(await node.status().facts)
        case "contacts": for contact in await node.contacts() { await peer.take(contact.facts) }
        case "contact": await peer.take(try await contact(request).facts)
        case "rename": try await rename(request, peer)
        case "remove": try await remove(request, peer)
        case "reviewed": try await reviewed(request, peer)
        case "card": try await card(peer)
        case "add": try await add(request, peer)
        case "invite": try await invite(request, peer)
        case "accept": try await accept(request, peer)
        case "send": try await send(request, peer)
        case "explain": await peer.take(try await explain(request))
        case "predictions": try await predictions(request, peer)
        default: throw Failure(.usage, "the node does not know this request; it is of another version")
        }
    }

    // MARK: Contacts

    private func contact(_ request: JSONObject) async throws(Failure) -> ContactSummary {
        let wanted = request["contact"]?.text ?? ""
        let all = await node.contacts()
        let exact = all.filter { $0.name == wanted || $0.user.octets.description == wanted }
        let matches =
            exact.isEmpty && wanted.utf8.count >= 8
            ? all.filter { $0.user.octets.description.hasPrefix(wanted) } : exact
        guard let match = matches.first else {
            throw Failure(.badData, "there is no contact '\(printable(wanted))'", remedy: "See: inkling contacts list")
        }
        guard matches.count == 1 else {
            throw Failure(
                .badData, "\(matches.count) contacts are called '\(printable(wanted))'",
                remedy: "Name one by its id: inkling contacts list --json")
        }
        return match
    }

    private func rename(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        let contact = try await contact(request)
        try await nodeFailure { () async throws(NodeError) in
            try await node.rename(contact.user, to: request["name"]?.text ?? "")
        }
        let renamed = await node.contacts().first { $0.user == contact.user }
        await peer.take(["contact": .text(renamed?.name ?? ""), "was": .text(contact.name)])
    }

    private func remove(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        let contact = try await contact(request)
        try await nodeFailure { () async throws(NodeError) in try await node.remove(contact.user) }
        await peer.take(["removed": .text(contact.name)])
    }

    private func reviewed(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        let contact = try await contact(request)
        let kept = try await nodeFailure { () async throws(NodeError) in try await node.keepReviewed(contact.user) }
        await peer.take(kept.facts)
    }

    private func card(_ peer: some ControlPeer) async throws(Failure) {
        let card = try await nodeFailure { () async throws(NodeError) in try await node.ownCard() }
        await peer.take([
            "name": .text(card.name), "id": .text(card.userID.octets.description),
            "card": .text(try text(.card, card.bytes)),
        ])
    }

    /// Adds a contact from a card, or takes a grant that was sealed for us.
    private func add(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        let bytes = Array((request["text"]?.text ?? "").utf8)
        let (kind, content) = try decode(bytes)
        switch kind {
        case .card:
            let period = try await nodeFailure { () async throws(NodeError) in try await node.period() }
            let card: ContactCard
            do throws(CardError) {
                card = try ContactCard(parsing: content.span, now: period)
            } catch {
                throw Failure(.badData, "the card is refused: \(error.stage), \(error.reason)")
            }
            // Somebody who is a contact already may have lost the grant: it is made again.
            let known = await node.contacts().first { $0.user == card.userID }
            let contact = try await nodeFailure { () async throws(NodeError) in
                if let known { known } else { try await node.add(card) }
            }
            await peer.take(contact.facts)
            guard !contact.needsReview else {
                throw Failure(
                    .badData, "'\(printable(contact.name))' must be looked at before anything is granted to it",
                    remedy: "If you want to keep it: inkling recover --reviewed \(contact.user.octets)")
            }
            // Without an accepted clock this fails; the contact is there all the same, and adding the card again later
            // makes the grant.
            let grants = try await nodeFailure { () async throws(NodeError) in
                try await node.sealedGrants(for: contact.user)
            }
            for sealed in grants { await peer.take(["sealedGrant": .text(try text(.sealedGrant, sealed))]) }
        case .sealedGrant:
            let contact = try await nodeFailure { () async throws(NodeError) in try await node.takeSealedGrant(content)
            }
            await peer.take(contact.facts)
        case .invitation:
            throw Failure(.badData, "this is an invitation", remedy: "Use it with: inkling accept")
        case .deviceLink:
            throw Failure(.badData, "this is a device link, which this version does not use")
        }
    }

    // MARK: First contact

    private func invite(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        let minutes = UInt64(max(1, request["minutes"]?.integer ?? 10))
        let opened = try await nodeFailure { () async throws(NodeError) in
            try await node.invite(lasting: .seconds(minutes * 60)) { introduction in await peer.ask(introduction.facts)
            }
        }
        let bytes = opened.invitation.encoded().withBytes { bytes in bytes.indices.map { bytes[$0] } }
        await peer.take([
            "invitation": .text(try text(.invitation, bytes)), "port": .integer(opened.port),
            "expires": .integer(UInt64(opened.invitation.expiryMinute) * 60),
        ])
        // Whoever gives up waiting takes the invitation back.
        let outcome = await withTaskCancellationHandler { () -> Result<ContactSummary, NodeError> in
            do throws(NodeError) { return .success(try await node.outcome()) } catch { return .failure(error) }
        } onCancel: {
            Task { await node.withdrawInvitation() }
        }
        let contact = try await nodeFailure { () throws(NodeError) in try outcome.get() }
        await peer.take(contact.facts)
    }

    private func accept(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        let (kind, content) = try decode(Array((request["text"]?.text ?? "").utf8))
        guard kind == .invitation else {
            throw Failure(.badData, "this is no invitation", remedy: "A card is added with: inkling card add")
        }
        let minute = await node.minute()
        let invitation: Invitation
        do throws(InvitationError) {
            invitation = try Invitation(parsing: content.span, minute: minute)
        } catch {
            throw Failure(
                .badData, "the invitation is refused: \(error.stage), \(error.reason)",
                remedy: error == .ended ? "It has expired: ask for a new one." : nil)
        }
        let hint = try endpoint(request["at"]?.text)
        let contact = try await nodeFailure { () async throws(NodeError) in
            try await node.accept(invitation, at: hint) { introduction in await peer.ask(introduction.facts) }
        }
        await peer.take(contact.facts)
    }

    private func send(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        let contact = try await contact(request)
        try await nodeFailure { () async throws(NodeError) in
            try await node.send(request["text"]?.text ?? "", to: contact.user)
        }
        await peer.take(["delivered": .flag(true), "contact": .text(contact.name)])
    }

    /// Why a contact is in its state.
    private func explain(_ request: JSONObject) async throws(Failure) -> JSONObject {
        let contact = try await contact(request)
        let explanation = try await nodeFailure { () async throws(NodeError) in try await node.explain(contact.user) }
        return explanation.facts(name: contact.name)
    }

    /// What the contacts will show: values, and no keys.
    private func predictions(_ request: JSONObject, _ peer: some ControlPeer) async throws(Failure) {
        func epoch(_ name: String) -> Epoch? {
            request[name]?.integer.flatMap { UInt32(exactly: $0) }.flatMap { Epoch($0) }
        }
        guard let from = epoch("from"), let to = epoch("to"), from <= to,
            to.number - from.number < PredictionSource.requestLimit
        else { throw Failure(.usage, "the node predicts 1 to \(PredictionSource.requestLimit) epochs at once") }
        let contacts = await node.recognisableContacts()
        let labels = Dictionary(
            uniqueKeysWithValues: zip(contacts.map(\.predicted.contact), PredictionSource.labels(of: contacts)))
        for (_, entries) in Forecast(of: contacts.map(\.predicted)).epochs(from...to) {
            for entry in entries where !Task.isCancelled {
                let label = labels[entry.prediction.contact] ?? ""
                await peer.take(PredictedRow(entry).facts(of: ("contact", .text(label))))
            }
        }
    }

    // MARK: Texts

    private func text(_ kind: TextForm.Kind, _ bytes: [UInt8]) throws(Failure) -> String {
        do throws(TextFormError) { return try TextForm.encode(kind, bytes.span) } catch {
            throw Failure(.badData, "too long for the text form")
        }
    }

    private func decode(_ text: [UInt8]) throws(Failure) -> (kind: TextForm.Kind, bytes: [UInt8]) {
        do throws(TextFormError) {
            let content = try TextForm.decode(text.span)
            return (content.kind, content.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        } catch {
            throw Failure(
                .badData, "the text is refused: \(error.stage), \(error.reason)",
                remedy: error == .checkMismatch ? "A character was lost or changed: copy it again." : nil)
        }
    }
}

extension Introduction {
    fileprivate var facts: JSONObject {
        ["name": .text(name), "fingerprint": .text(fingerprint), "known": .flag(isKnown)]
    }
}
