internal import InklingEngine
internal import InklingKeys

/// What a node derives from its stored contacts, and what it has learnt about them in this run.
struct ContactBook: Sendable {
    /// The most contacts that a vault can hold.
    static let limit = 10_000

    /// Which number of the engine stands for which user.
    private(set) var roster = Roster()
    /// Whose device a Noise key is, for every valid certificate of every contact.
    private(set) var devices: [Octets32: KnownDevice] = [:]
    /// By how many milliseconds contacts' clocks were ahead of ours at the last handshake, by their own account.
    var clockOffsets: [UserID: Int64] = [:]
    var reachability: [UserID: Reachability] = [:]
    /// Contacts' cards whose signatures have been checked.
    private var cards: [UserID: ContactCard] = [:]

    init(_ contacts: [StoredContact]) { for contact in contacts { roster.enroll(contact.user) } }

    /// Returns the engine's number of a user, given now if there was none.
    mutating func enroll(_ user: UserID) -> ContactID { roster.enroll(user) }

    /// Forgets a contact that was removed.
    mutating func remove(_ user: UserID) {
        roster.remove(user)
        cards[user] = nil
        clockOffsets[user] = nil
        reachability[user] = nil
    }

    /// Returns a contact's card; its signatures are checked once for each version of it. Certificates on it may have
    /// ended.
    ///
    /// - Throws: `CardError`, when it was never valid in this run.
    mutating func card(of contact: StoredContact, now: Period) throws(CardError) -> ContactCard {
        if let known = cards[contact.user], known.bytes == contact.card { return known }
        let card = try contact.parsedCard(now: now)
        cards[contact.user] = card
        return card
    }

    /// Notes again whose device each certified key is: certificates begin and end with the periods.
    mutating func indexDevices(of contents: VaultContents, now: Period) {
        devices = [:]
        for contact in contents.contacts {
            guard let card = try? card(of: contact, now: now) else { continue }
            for certificate in card.certificates where certificate.isValid(in: now) {
                devices[certificate.key] = KnownDevice(user: contact.user, device: certificate.index)
            }
        }
    }

    /// What the tables are made of: every contact that is not blocked, with the grants we hold of it.
    func predicted(_ contents: VaultContents) -> [PredictedContact] {
        contents.contacts.compactMap { contact in
            guard !contact.isBlocked, let id = roster[contact.user] else { return nil }
            return PredictedContact(
                id,
                grants: contact.grants.map { grant in
                    HeldGrant(audience: .granted(grant.audience), deviceBitmap: grant.devices, tree: grant.tree)
                })
        }
    }
}

extension VaultContents {
    /// Rejects a card that claims a key of ours or of another contact.
    ///
    /// - Throws: `NodeError.keyOfAnother`.
    func checkKeys(of card: ContactCard, now: Period) throws(NodeError) {
        let keys = Set([card.identity, card.presence] + card.certificates.map(\.key))
        let others = contacts.filter { $0.user != card.userID }.map(\.card) + [self.card]
        for bytes in others {
            guard let other = try? ContactCard(parsing: bytes.span, now: now) else { continue }
            guard keys.isDisjoint(with: [other.identity, other.presence] + other.certificates.map(\.key)) else {
                throw .keyOfAnother
            }
        }
    }

    /// Parses a grant of a contact, without the periods that are over.
    ///
    /// - Throws: `GrantError`.
    func parseGrant(
        _ bytes: Span<UInt8>, from contact: StoredContact, card: ContactCard, grantee: UserID, now: Period
    ) throws(GrantError) -> ReceivedGrant {
        // The audience is read first because what is held of it decides about the generation.
        let audience = Grant.audience(in: bytes)
        let held = contact.grants.first { $0.audience == audience?.value }
        let grant = try Grant(
            parsing: bytes, issuer: card.identity, grantee: grantee, now: now, heldGeneration: held?.generation ?? 0)
        let listed = Set(card.certificates.map(\.index))
        let devices = grant.certificates.reduce(UInt16(0)) { map, certificate in
            listed.contains(certificate.index) ? map | 1 << UInt16(certificate.index.number) : map
        }
        let from = max(grant.from, now.previous ?? now)
        guard let rest = grant.tree.value.constrained(from: from, to: grant.to) else { throw .notHeld }
        return ReceivedGrant(
            audience: grant.audience.value, generation: grant.generation, from: from, to: grant.to, devices: devices,
            tree: SecretBox(rest))
    }

    /// Makes a grant of an audience to a contact from this period on, as long as a grant may be.
    func grant(of audience: OwnedAudience, to user: UserID, now: Period) -> Grant? {
        guard let rootSeed, let card = try? ownCard(now: now) else { return nil }
        let to = Period(now.number + Grant.longestSpan - 1) ?? .last
        return try? Grant(
            issuer: rootSeed.value.identityKey(generation: identityGeneration), audience: AudienceID(audience.id),
            generation: audience.generation, of: audience.tree.value, from: now, to: to,
            certificates: card.certificates, grantee: user)
    }
}
