internal import InklingEngine
internal import InklingKeys
public import InklingVault
internal import InklingWire

// The node's visibility, and how it meets contacts with whom it shares no valid grant.
extension Node {
    /// The maximum number of contacts answered without announcement in an epoch.
    private static let unannouncedLimit = 64

    /// Chooses to whom this node shows itself, and stores the choice. Everything shown before is withdrawn at once over
    /// every technology, and the new choice is shown after a fresh quiet period. A stopped node stores the choice.
    ///
    /// - Throws: `NodeError.unknownContact`, `.unknownAudience`, `.blocked`; `.notPrimary` for one contact on a device
    ///   that cannot compute the pair audience; `.notSaved`, after which only a change to `.nobody` has taken effect.
    public func becomeVisible(to visibility: Visibility) async throws(NodeError) {
        try await ask { .becomeVisible(to: visibility, $0) }
    }

    /// Whether the node shows itself to anybody.
    var isVisible: Bool { visibility != .nobody }

    func becomeVisible(to wanted: Visibility, _ answer: Answer<Void>) throws(NodeError) {
        var choice = wanted
        if case .audience(let id) = wanted {
            guard pendingContents.audience(id) != nil else { throw .unknownAudience }
            if id == contents.generalAudience?.id { choice = .all }
        }
        if case .contact(let user) = choice {
            guard let contact = pendingContents.contact(user) else { throw .unknownContact }
            guard !contact.isBlocked else { throw .blocked }
            guard contents.rootSeed != nil || contents.linked.pair(with: user) != nil else { throw .notPrimary }
        }
        // Becoming invisible does not wait for the disk.
        if choice == .nobody { show(.nobody) }
        store(.show(choice), then: .done(answer))
    }

    /// Shows a choice that has been stored, unless a later one is being stored.
    func shown(_ choice: Visibility) {
        let isOutdated = saving.open.contains { if case .change(.show, _) = $0 { true } else { false } }
        if !isOutdated { show(choice) }
    }

    /// Becomes invisible if only this contact, which is removed or blocked, could see the node.
    func withdraw(from user: UserID) {
        if visibility == .contact(user) { show(.nobody) }
    }

    /// Becomes invisible if the node shows this removed audience: what was shown to few must not be shown to more.
    func withdraw(from audience: AudienceID) {
        if visibility == .audience(audience) { show(.nobody) }
    }

    /// Withdraws everything, because what was shown to few must not be shown to more.
    func becomeInvisible() { show(.nobody) }

    /// Returns whether the node recognises, calls and answers a contact now.
    func meets(_ contact: StoredContact) -> Bool {
        !contact.isExcluded(in: clockPeriod) && contents.shows(visibility, to: contact)
    }

    private func show(_ choice: Visibility) {
        guard choice != visibility else { return }
        visibility = choice
        // Keep tables only for contacts that the node looks for.
        dropTables()
        if isVisible { indexDevices() } else { book.dropPairs() }
        feeds.emit(.visibility(choice))
        changeAudience()
    }

    /// Withdraws what is shown, and shows the current choice once every technology is silent: two audiences are never
    /// shown at the same time, even over different technologies.
    func changeAudience() {
        audienceRound += 1
        questions.end()
        guard life == .running, isVisible else { return tell(.visibilityChanged(isVisible)) }
        tell(.audienceWithdrawn)
        spawn { [round = audienceRound] in
            await self.drivers.settled()
            await self.deliver(.audienceWithdrawn(round: round))
        }
    }

    /// Shows the current choice: every technology is silent.
    func audienceWithdrawn(round: Int) {
        if round == audienceRound { tell(.visibilityChanged(isVisible)) }
    }

    /// Returns the shown audience's tree, and the one contact that can recognise it; nil while its keys are missing.
    func shownAudience() -> (tree: SecretBox<AudienceTree>, reader: UserID?)? {
        guard case .contact(let user) = visibility else {
            return (contents.audience(shownBy: visibility) ?? contents.generalAudience).map { ($0.tree, nil) }
        }
        guard let contact = contents.contact(user) else { return nil }
        book.derivePairs(.shown, with: [contact], of: contents)
        return book.pairs.tree(.shown, with: user).map { ($0, user) }
    }

    // MARK: Contacts without valid grants

    /// Derives what the node answers without announcement in an epoch: the pair audiences of contacts that have
    /// reported no valid grant of ours, in which they alone recognise this node.
    func answerUnannounced(in epoch: Epoch) {
        guard contents.audience(shownBy: visibility) != nil else {
            return tell(.unannounced([], in: epoch), to: .searched)
        }
        let owed = contents.contacts.filter { isOwed($0, in: epoch.period) }
        // Contacts beyond the limit take turns.
        let count = min(owed.count, Self.unannouncedLimit)
        let start = owed.isEmpty ? 0 : Int(epoch.number) * Self.unannouncedLimit % owed.count
        let chosen = (start..<start + count).map { owed[$0 % owed.count] }
        book.derivePairs(.shown, with: chosen, of: contents)
        let values = chosen.compactMap { contact in
            book.pairs.tree(.shown, with: contact.user).flatMap { tree in
                OwnEpoch(epoch, device: contents.device, of: tree.value, transport: .tcp, reader: contact.user)
            }
        }
        tell(.unannounced(values, in: epoch), to: .searched)
    }

    /// Updates the unannounced answers for the current contacts, in the shown epoch and the prepared ones, and asks for
    /// a contact that was just added.
    func unannouncedChanged(adding user: UserID? = nil) {
        guard life == .running, let searched = technologies.first(where: { $0.id == .searched }) else { return }
        let now = ports.clock.read()
        for epoch in searched.ownEpochs.map(\.epoch) where epoch.end > now.unixSeconds { answerUnannounced(in: epoch) }
        if let user, contents.audience(shownBy: visibility) != nil, isMissed(user) {
            questions.plan(user, at: now.tick, using: &randomness)
        }
    }

    /// Plans the questions of the epoch that the local network now shows.
    func planQuestions(in epoch: Epoch) {
        guard contents.audience(shownBy: visibility) != nil, mayCallContacts(over: .searched) else { return }
        questions.begin(
            epoch, about: contents.contacts.map(\.user).filter(isMissed), at: ports.clock.read().tick,
            using: &randomness)
    }

    /// Asks the local network for the contacts whose questions are due.
    func askDueQuestions(at now: Tick) {
        let epoch = questions.epoch
        for user in questions.takeDue(at: now, where: isMissed) {
            guard let epoch, let (name, host) = pairNames(of: user, in: epoch) else { continue }
            spawn {
                let endpoints = await self.search(for: name, at: host)
                if !endpoints.isEmpty { await self.deliver(.handshake(.pairFound(name, epoch))) }
            }
        }
    }

    /// Handles a contact's answer for its name in this epoch.
    func pairFound(_ name: OpaqueServiceName, in epoch: Epoch) {
        guard questions.epoch == epoch else { return }
        let now = ports.clock.read()
        recognise(.nameAppeared(name, observed: ObservedTime(at: now)), at: now)
    }

    /// Returns whether a contact may be near although one side cannot recognise the other.
    private func isMissed(_ user: UserID) -> Bool {
        guard let contact = contents.contact(user), let period = currentPeriod,
            sessions.technologies(with: user).isEmpty, meets(contact)
        else { return false }
        return isOwed(contact, in: period) || contact.isWithoutGrant(in: period)
    }

    /// Returns whether a contact to which the node shows itself has yet to report a grant of the shown audience that is
    /// valid in this period. A contact whose grants are not renewed is owed none.
    private func isOwed(_ contact: StoredContact, in period: Period) -> Bool {
        guard let shown = contents.audience(shownBy: visibility), meets(contact), !contact.isLapsing else {
            return false
        }
        return !contact.reported.contains {
            $0.audience == shown.id && $0.generation == shown.generation && $0.to >= period
        }
    }

    /// Returns the name and the host for which a contact's primary device answers in its pair audience.
    private func pairNames(of user: UserID, in epoch: Epoch) -> (OpaqueServiceName, OpaqueHostName)? {
        guard let contact = contents.contact(user), let card = try? book.card(of: contact, now: epoch.period),
            let tree = book.pairs.tree(.expected, with: user), let leaf = tree.value.periodKey(epoch.period)
        else { return nil }
        let valid = card.certificates.filter { $0.isValid(in: epoch.period) }
        guard let device = (valid.first(where: \.isPrimary) ?? valid.first)?.index else { return nil }
        let keys = leaf.deviceKeys(device)
        return (keys.mdns.serviceName(epoch), keys.mdns.hostName(epoch))
    }
}
