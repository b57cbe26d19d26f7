internal import InklingEngine
internal import InklingKeys
internal import InklingWire

// What the node shows to whom, and how it meets contacts with whom it shares no valid grant.
extension Node {
    /// How many contacts are answered without announcement in an epoch.
    private static let unannouncedLimit = 64

    /// Chooses to whom this node shows itself, and stores the choice. What was shown before is withdrawn at once over every
    /// technology, and what is chosen is shown after a fresh silent gap. A node that is not running stores the choice.
    ///
    /// - Throws: `NodeError.unknownContact`, `.unknownAudience`, `.blocked`; `.notPrimary` for one contact on a device that cannot compute the
    ///   pair audience; `.notSaved`, with which only a change to `.nobody` has taken effect.
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
        // Who wants to be seen by nobody does not wait for a disk.
        if choice == .nobody { show(.nobody) }
        store(.show(choice), then: .done(answer))
    }

    /// Shows a choice that has been stored, unless a later one is being stored.
    func shown(_ choice: Visibility) {
        let isOutdated = saving.open.contains { if case .change(.show, _) = $0 { true } else { false } }
        if !isOutdated { show(choice) }
    }

    /// Withdraws what is shown to a contact that is removed or blocked: from then on it is shown to nobody.
    func withdraw(from user: UserID) {
        if visibility == .contact(user) { show(.nobody) }
    }

    /// Withdraws what is shown to an audience that is removed: what was shown to few is not shown to more.
    func withdraw(from audience: AudienceID) {
        if visibility == .audience(audience) { show(.nobody) }
    }

    /// Withdraws everything, because what was shown to few must not be shown to more.
    func becomeInvisible() { show(.nobody) }

    /// Whether the node recognises, calls and answers a contact now.
    func meets(_ contact: StoredContact) -> Bool {
        !contact.isExcluded(in: clockPeriod) && contents.shows(visibility, to: contact)
    }

    private func show(_ choice: Visibility) {
        guard choice != visibility else { return }
        visibility = choice
        // Tables are of those contacts alone for which the node looks.
        dropTables()
        if isVisible { indexDevices() } else { book.dropPairs() }
        feeds.emit(.visibility(choice))
        changeAudience()
    }

    /// Withdraws what is shown, and shows what is chosen now when every technology is silent: no two audiences are shown at
    /// the same time, over whatever technologies.
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

    /// Every technology is silent.
    func audienceWithdrawn(round: Int) {
        if round == audienceRound { tell(.visibilityChanged(isVisible)) }
    }

    /// The audience that is shown: its tree, and the one contact that can recognise it; nil while its keys are missing.
    func shownAudience() -> (tree: SecretBox<AudienceTree>, reader: UserID?)? {
        guard case .contact(let user) = visibility else {
            return (contents.audience(shownBy: visibility) ?? contents.generalAudience).map { ($0.tree, nil) }
        }
        guard let contact = contents.contact(user) else { return nil }
        book.derivePairs(.shown, with: [contact], of: contents)
        return book.pairs.tree(.shown, with: user).map { ($0, user) }
    }

    // MARK: Contacts without valid grants

    /// Derives what is answered without announcement in an epoch: for contacts that have reported no valid grant of ours,
    /// the pair audience in which they alone recognise this node.
    func answerUnannounced(in epoch: Epoch) {
        guard contents.audience(shownBy: visibility) != nil else { return tell(.unannounced([], in: epoch), to: .lan) }
        let owed = contents.contacts.filter { isOwed($0, in: epoch.period) }
        // Where there are more, they take turns.
        let count = min(owed.count, Self.unannouncedLimit)
        let start = owed.isEmpty ? 0 : Int(epoch.number) * Self.unannouncedLimit % owed.count
        let chosen = (start..<start + count).map { owed[$0 % owed.count] }
        book.derivePairs(.shown, with: chosen, of: contents)
        let values = chosen.compactMap { contact in
            book.pairs.tree(.shown, with: contact.user).flatMap { tree in
                OwnEpoch(epoch, device: contents.device, of: tree.value, transport: .tcp, reader: contact.user)
            }
        }
        tell(.unannounced(values, in: epoch), to: .lan)
    }

    /// Answers without announcement as the contacts are now, in the epoch that is shown and in those prepared; and asks for
    /// a contact that has just been added.
    func unannouncedChanged(adding user: UserID? = nil) {
        guard life == .running, let lan = technologies.first(where: { $0.id == .lan }) else { return }
        let now = ports.clock.read()
        for epoch in lan.ownEpochs.map(\.epoch) where epoch.end > now.unixSeconds { answerUnannounced(in: epoch) }
        if let user, contents.audience(shownBy: visibility) != nil, isMissed(user) {
            questions.plan(user, at: now.tick, using: &randomness)
        }
    }

    /// Plans the questions of an epoch that the local network shows from now on.
    func planQuestions(in epoch: Epoch) {
        guard contents.audience(shownBy: visibility) != nil, mayCallContacts(over: .lan) else { return }
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
                let endpoints = await self.search(for: name, at: host, over: .lan)
                if !endpoints.isEmpty { await self.deliver(.handshake(.pairFound(name, epoch))) }
            }
        }
    }

    /// A contact has answered for its name in this epoch.
    func pairFound(_ name: OpaqueServiceName, in epoch: Epoch) {
        guard questions.epoch == epoch else { return }
        let now = ports.clock.read()
        recognise(.nameAppeared(name, observed: ObservedTime(at: now)), at: now)
    }

    /// Whether a contact may be near and unable to recognise this node, or this node unable to recognise it.
    private func isMissed(_ user: UserID) -> Bool {
        guard let contact = contents.contact(user), let period = currentPeriod,
            sessions.technologies(with: user).isEmpty, meets(contact)
        else { return false }
        return isOwed(contact, in: period) || contact.isWithoutGrant(in: period)
    }

    /// Whether a contact to which the node shows itself has not reported to hold a grant of the audience that is shown,
    /// valid in this period. One whose grants are not renewed is owed none.
    private func isOwed(_ contact: StoredContact, in period: Period) -> Bool {
        guard let shown = contents.audience(shownBy: visibility), meets(contact), !contact.isLapsing else {
            return false
        }
        return !contact.reported.contains {
            $0.audience == shown.id && $0.generation == shown.generation && $0.to >= period
        }
    }

    /// The name and the host that the primary device of a contact answers for in its pair audience.
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

extension StoredContact {
    /// Whether no grant of the contact is held that is valid in this period.
    func isWithoutGrant(in period: Period) -> Bool {
        !grants.contains { $0.from <= period && period <= $0.to }
    }
}
