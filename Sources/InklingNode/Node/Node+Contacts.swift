internal import InklingEngine
public import InklingKeys
internal import InklingSession

// What a person does with contacts.
extension Node {
    /// Every contact, by name.
    public func contacts() -> [ContactSummary] {
        contents.contacts.map(summary).sorted { ($0.name, $0.user) < ($1.name, $1.user) }
    }

    /// What the node can say of itself.
    public func status() -> NodeStatus {
        let now = Epoch(containing: ports.clock.read().unixSeconds)?.period
        let certificate = now.flatMap { try? contents.ownCard(now: $0) }?.certificates.first {
            $0.index == contents.device
        }
        return NodeStatus(
            showing: visibleEpoch, silence: visibleEpoch == nil ? silence : nil,
            present: roster.ids.count { recognition.state(of: $0)?.isPresent == true },
            contacts: contents.contacts.count, sessions: sessions.count, refusedMessages: refusedMessages,
            certifiedUntil: certificate?.to)
    }

    /// The own card, to be given to others.
    ///
    /// - Throws: `NodeError.ownCard` when its certificates have ended.
    public func ownCard() throws(NodeError) -> ContactCard {
        guard let now = Epoch(containing: ports.clock.read().unixSeconds)?.period else { throw .clockNotAccepted }
        do throws(CardError) { return try contents.ownCard(now: now) } catch { throw .ownCard(error) }
    }

    /// Gives a contact a name of the user's own; an empty one brings back the name on the card.
    ///
    /// - Throws: `NodeError.unknownContact`, `.badName`, `.notSaved`.
    public func rename(_ user: UserID, to name: String) async throws(NodeError) {
        guard let index = contents.contacts.firstIndex(where: { $0.user == user }) else { throw .unknownContact }
        guard ContactCard.isFitName(name) else { throw .badName }
        let before = contents.contacts[index].petname
        contents.contacts[index].petname = name
        try await save { contents in
            if let index = contents.contacts.firstIndex(where: { $0.user == user }) {
                contents.contacts[index].petname = before
            }
        }
    }

    /// Removes a contact: no session, no recognition either way from now on.
    ///
    /// What the contact was granted stays valid until it ends or the audience is renewed.
    /// - Throws: `NodeError.unknownContact`, `.notSaved`.
    public func remove(_ user: UserID) async throws(NodeError) {
        guard let index = contents.contacts.firstIndex(where: { $0.user == user }) else { throw .unknownContact }
        let removed = contents.contacts.remove(at: index)
        try await save { $0.contacts.append(removed) }
        endSessions(with: user)
        if let contact = roster[user] { recognise(.contactRemoved(contact), at: ports.clock.read()) }
        roster.remove(user)
        cards[user] = nil
        clockOffsets[user] = nil
        reachability[user] = nil
        indexDevices()
        contactsChanged()
    }

    /// Adds a contact from its card; the two can then begin with a sealed grant, or meet by an invitation.
    ///
    /// - Throws: `NodeError.knownContact`, `.notPrimary`, `.keyOfAnother`, `.tooManyContacts`, `.card` when no key can be
    ///   agreed, `.clockNotAccepted`, `.notSaved`.
    @discardableResult
    public func add(_ card: ContactCard) async throws(NodeError) -> ContactSummary {
        let user = card.userID
        guard !contents.contacts.contains(where: { $0.user == user }) else { throw .knownContact }
        guard let rootSeed = contents.rootSeed else { throw .notPrimary }
        let presence = rootSeed.value.presenceKey(generation: contents.identityGeneration)
        let pairwise: SecretBytes
        do throws(KeyAgreementError) {
            pairwise = try PairAudience.staticPairwiseKey(own: presence, peer: card.presence)
        } catch {
            throw .card(.lowOrderPresence)
        }
        return try await store(card, pairwiseKey: SecretBox(pairwise), origin: .cards)
    }

    /// Keeps a contact whose card and pairwise key are known; replaces what a mere card had claimed.
    func store(
        _ card: ContactCard, pairwiseKey: SecretBox<SecretBytes>, origin: PairwiseKeyOrigin
    ) async throws(NodeError) -> ContactSummary {
        let user = card.userID
        guard let now = Epoch(containing: ports.clock.read().unixSeconds)?.period else { throw .clockNotAccepted }
        try checkKeys(of: card)
        let before = contents.contacts.first { $0.user == user }
        if let index = contents.contacts.firstIndex(where: { $0.user == user }) {
            contents.contacts[index].card = card.bytes
            contents.contacts[index].pairwiseKey = pairwiseKey
            contents.contacts[index].pairwiseKeyOrigin = origin
            contents.contacts[index].needsReview = false
            contents.contacts[index].isBlocked = false
        } else {
            guard contents.contacts.count < 10_000 else { throw .tooManyContacts }
            contents.contacts.append(
                StoredContact(
                    user: user, card: card.bytes, petname: "", pairwiseKey: pairwiseKey, pairwiseKeyOrigin: origin,
                    added: now))
        }
        try await save { contents in
            contents.contacts.removeAll { $0.user == user }
            if let before { contents.contacts.append(before) }
        }
        recognise(.contactAdded(roster.enroll(user)), at: ports.clock.read())
        indexDevices()
        contactsChanged()
        return summary(contents.contacts.first { $0.user == user } ?? contents.contacts[contents.contacts.count - 1])
    }

    // MARK: Sealed grants

    /// A grant for a contact that is not here, sealed for each of its devices.
    ///
    /// - Throws: `NodeError.unknownContact`, `.needsReview`, `.notPrimary`, `.card`, `.clockNotAccepted`.
    public func sealedGrants(for user: UserID) throws(NodeError) -> [[UInt8]] {
        guard let contact = contents.contacts.first(where: { $0.user == user }) else { throw .unknownContact }
        guard contents.restored == nil, !contact.needsReview, !contact.isBlocked else { throw .needsReview }
        guard let rootSeed = contents.rootSeed else { throw .notPrimary }
        guard let now = currentPeriod else { throw .clockNotAccepted }
        let card: ContactCard
        do throws(CardError) { card = try self.card(of: contact, now: now) } catch {
            throw .card(error)
        }
        var sealed: [[UInt8]] = []
        for audience in contents.audiences {
            guard let grant = grant(of: audience, to: user) else { continue }
            let bytes = grant.signed(by: rootSeed.value.identityKey(generation: contents.identityGeneration))
            for certificate in card.certificates where certificate.isValid(in: now) {
                let one = bytes.withBytes { bytes in
                    try? SealedGrant.seal(
                        bytes, deviceKey: deviceKey.value, recipient: certificate.key,
                        pairwiseKey: contact.pairwiseKey.value, ephemeral: NoiseKeyPair(from: &randomness))
                }
                if let one { sealed.append(one) }
            }
        }
        return sealed
    }

    /// Takes a grant that a contact sealed for this device.
    ///
    /// - Throws: `NodeError.sealedGrantForSomebodyElse`, `.grant`, `.clockNotAccepted`, `.notSaved`.
    @discardableResult
    public func takeSealedGrant(_ sealed: [UInt8]) async throws(NodeError) -> ContactSummary {
        guard let now = currentPeriod else { throw .clockNotAccepted }
        for contact in contents.contacts {
            guard let card = try? card(of: contact, now: now) else { continue }
            for certificate in card.certificates where certificate.isValid(in: now) {
                guard
                    let bytes = try? SealedGrant.open(
                        sealed.span, deviceKey: deviceKey.value, sender: certificate.key,
                        pairwiseKey: contact.pairwiseKey.value)
                else { continue }
                let (user, before) = (contact.user, contact.grants)
                do throws(GrantError) {
                    try bytes.withBytes { bytes throws(GrantError) in try storeGrant(bytes, from: contact.user) }
                } catch {
                    throw .grant(error)
                }
                try await save { contents in
                    if let index = contents.contacts.firstIndex(where: { $0.user == user }) {
                        contents.contacts[index].grants = before
                    }
                }
                contactsChanged()
                return summary(contents.contacts.first { $0.user == contact.user } ?? contact)
            }
        }
        throw .sealedGrantForSomebodyElse
    }

    // MARK: What arrives from contacts

    /// Keeps a grant of a contact, without the hours that are over.
    func storeGrant(_ bytes: Span<UInt8>, from user: UserID) throws(GrantError) {
        guard let now = currentPeriod, let index = contents.contacts.firstIndex(where: { $0.user == user }),
            let card = try? card(of: contents.contacts[index], now: now), let own = try? contents.ownCard(now: now)
        else { throw .unknownIssuer }
        // The audience is read first because what is held of it decides about the generation.
        let audience = Grant.audience(ofUnverified: bytes)
        let held = contents.contacts[index].grants.first { $0.audience == audience }
        let grant = try Grant(
            parsing: bytes, issuer: card.identity, grantee: own.userID, now: now,
            heldGeneration: held?.generation ?? 0)
        let listed = Set(card.certificates.map(\.index))
        let devices = grant.certificates.reduce(UInt16(0)) { map, certificate in
            listed.contains(certificate.index) ? map | 1 << UInt16(certificate.index.number) : map
        }
        let from = max(grant.from, now.previous ?? now)
        guard let rest = grant.tree.value.constrained(from: from, to: grant.to) else { throw .notHeld }
        var grants = contents.contacts[index].grants.filter { $0.audience != audience }
        if grants.count >= 8, let first = grants.indices.min(by: { grants[$0].to < grants[$1].to }) {
            grants.remove(at: first)
        }
        grants.append(
            ReceivedGrant(
                audience: grant.audience, generation: grant.generation, from: from, to: grant.to, devices: devices,
                tree: SecretBox(rest)))
        contents.contacts[index].grants = grants
    }

    /// Puts a contact's newer card in place of the one held.
    func replaceCard(of user: UserID, with card: ContactCard, now: Period) throws(NodeError) {
        guard let index = contents.contacts.firstIndex(where: { $0.user == user }), card.userID == user else {
            throw .unknownContact
        }
        guard card.serial > contents.contacts[index].cardSerial else { throw .olderCard }
        try checkKeys(of: card)
        contents.contacts[index].card = card.bytes
    }

    /// Refuses a card that claims a key of ours or of another contact.
    private func checkKeys(of card: ContactCard) throws(NodeError) {
        guard let now = Epoch(containing: ports.clock.read().unixSeconds)?.period else { throw .clockNotAccepted }
        let keys = Set([card.identity, card.presence] + card.certificates.map(\.key))
        let others = contents.contacts.filter { $0.user != card.userID }.map(\.card) + [contents.card]
        for bytes in others {
            guard let other = try? ContactCard(parsing: bytes.span, now: now) else { continue }
            guard keys.isDisjoint(with: [other.identity, other.presence] + other.certificates.map(\.key)) else {
                throw .keyOfAnother
            }
        }
    }

    /// Saves a change, or undoes it; `undo` touches nothing else, because other things can have changed meanwhile.
    private func save(orUndo undo: (inout VaultContents) -> Void) async throws(NodeError) {
        do throws(VaultError) { try await persist() } catch {
            undo(&contents)
            throw .notSaved(error)
        }
    }

    /// A contact's card; its signatures are checked once for each version of it. Certificates on it may have ended.
    ///
    /// - Throws: `CardError`, when it was never valid in this run.
    func card(of contact: StoredContact, now: Period) throws(CardError) -> ContactCard {
        if let known = cards[contact.user], known.bytes == contact.card { return known }
        let card = try contact.parsedCard(now: now)
        cards[contact.user] = card
        return card
    }

    func summary(_ contact: StoredContact) -> ContactSummary {
        let now = Epoch(containing: ports.clock.read().unixSeconds)?.period
        let card = now.flatMap { try? self.card(of: contact, now: $0) }
        let cardName = card?.name ?? ""
        let id = roster[contact.user]
        return ContactSummary(
            user: contact.user, name: contact.petname.isEmpty ? cardName : contact.petname, cardName: cardName,
            devices: card?.certificates.map(\.index) ?? [], recognisedUntil: contact.grants.map(\.to).max(),
            recognisesUsUntil: contact.reported.map(\.to).max(), hasMet: contact.pairwiseKeyOrigin == .firstContact,
            needsReview: contact.needsReview, presence: id.flatMap { recognition.state(of: $0) } ?? .unseen,
            isReachable: sessions.values.contains { $0.peer.user == contact.user && $0.hasHeard })
    }
}

// After a restored copy or a false clock.
extension Node {
    /// Starts a new generation of every audience and forgets the high-water marks, because the operator says that
    /// what is stored is not to be believed. Not for a node that runs.
    ///
    /// - Throws: `NodeError.notSaved`, `.clockNotAccepted` after August 2089.
    public func beginNewGenerations() async throws(NodeError) {
        let now = try period()
        let before = contents
        contents.audiences = contents.audiences.map { audience in
            // Never behind what contacts hold, whatever the restored copy forgot: the hour is part of the number.
            Audience(
                id: audience.id, generation: max(audience.generation &+ 1, now.number), from: now, using: &randomness)
        }
        contents.highWaterEpoch = nil
        contents.latestAcceptedTime = nil
        contents.restored = nil
        // The node is at rest, so that nothing else can have changed meanwhile.
        try await save { $0 = before }
    }

    /// The user has looked at a contact after a restore and keeps it.
    ///
    /// - Throws: `NodeError.unknownContact`, `.notSaved`.
    @discardableResult
    public func keepReviewed(_ user: UserID) async throws(NodeError) -> ContactSummary {
        guard let index = contents.contacts.firstIndex(where: { $0.user == user }) else { throw .unknownContact }
        contents.contacts[index].needsReview = false
        try await save { $0.review(user, isNeeded: true) }
        return try contact(user)
    }

    private func contact(_ user: UserID) throws(NodeError) -> ContactSummary {
        guard let contact = contents.contacts.first(where: { $0.user == user }) else { throw .unknownContact }
        return summary(contact)
    }
}

extension Node {
    /// The current hour by the node's clock, accepted or not.
    ///
    /// - Throws: `NodeError.clockNotAccepted` after August 2089.
    public func period() throws(NodeError) -> Period {
        guard let now = Epoch(containing: ports.clock.read().unixSeconds)?.period else { throw .clockNotAccepted }
        return now
    }

    /// The current minute by the node's clock.
    public func minute() -> UInt32 { UInt32(clamping: ports.clock.read().unixSeconds / 60) }
}

extension VaultContents {
    fileprivate mutating func review(_ user: UserID, isNeeded: Bool) {
        if let index = contacts.firstIndex(where: { $0.user == user }) { contacts[index].needsReview = isNeeded }
    }
}
