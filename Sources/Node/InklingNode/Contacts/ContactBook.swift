internal import InklingEngine
internal import InklingKeys
internal import InklingVault

/// Values that a node derives from its stored contacts, and facts it has learned about them in this run.
struct ContactBook: Sendable {
    private(set) var roster = Roster()
    /// The contact's device for the Noise key of every valid certificate.
    private(set) var devices: [Octets32: KnownDevice] = [:]
    /// The lead of contacts' clocks over ours at the last handshake, as stated in their messages, in milliseconds.
    var clockOffsets: [UserID: Int64] = [:]
    var reachability: [UserID: Reachability] = [:]
    /// The serials of our card that contacts named in their last HELLO of this run.
    var heldSerials: [UserID: UInt32] = [:]
    /// Contacts' cards whose signatures have been verified.
    private var cards: [UserID: ContactCard] = [:]
    private(set) var claims: KeyClaims
    private var budgets: [UserID: RecordBudget] = [:]
    private(set) var pairs = PairAudiences()

    init(_ contacts: [StoredContact]) {
        claims = KeyClaims(contacts)
        for contact in contacts { roster.enroll(contact.user) }
    }

    /// Returns the engine's number for a user, assigning one if there is none.
    mutating func enroll(_ user: UserID) -> ContactID { roster.enroll(user) }

    /// Drops everything known about a removed contact.
    mutating func remove(_ user: UserID) {
        roster.remove(user)
        cards[user] = nil
        clockOffsets[user] = nil
        reachability[user] = nil
        heldSerials[user] = nil
        budgets[user] = nil
        claims.remove(user)
        pairs.remove(user)
    }

    /// Records the keys of a contact's new card.
    mutating func noteCard(_ card: [UInt8], of user: UserID) { claims.note(card, of: user) }

    /// Records that a session has proven that a contact's device holds a key.
    mutating func prove(_ key: Octets32, by user: UserID) { claims.prove(key, by: user) }

    /// Spends one of the cards and grants that a contact may send; returns false if none is left.
    mutating func spend(of user: UserID, at now: Tick) -> Bool {
        guard roster[user] != nil else { return false }
        return budgets[user, default: RecordBudget()].spend(at: now)
    }

    /// Returns a contact's card. Each version of a card is verified once, so its certificates may have expired since.
    ///
    /// - Throws: `CardError` when the card has not been valid in this run.
    mutating func card(of contact: StoredContact, now: Period) throws(CardError) -> ContactCard {
        if let known = cards[contact.user], known.bytes == contact.card { return known }
        let card = try contact.parsedCard(now: now)
        cards[contact.user] = card
        return card
    }

    /// Rebuilds `devices`. Must be called in every period, because certificates begin and end with periods.
    mutating func indexDevices(of contents: VaultContents, now: Period) {
        devices = [:]
        var proven: Set<Octets32> = []
        for contact in contents.contacts {
            guard let card = try? card(of: contact, now: now) else { continue }
            for certificate in card.certificates where certificate.isValid(in: now) && !contact.isRevoked(certificate) {
                let key = certificate.key
                let isProven = claims.isProven(
                    key, by: contact.user, hasMet: contact.hasMet)
                // If several contacts claim a key, the one that has proven it gets it, else the first.
                guard devices[key] == nil || isProven && !proven.contains(key) else { continue }
                devices[key] = KnownDevice(user: contact.user, device: certificate.index)
                if isProven { proven.insert(key) }
            }
        }
    }

    /// Adds the user's other devices to `devices`, ahead of any contact that claims their keys.
    mutating func add(_ own: [OwnDevices.Device], of user: UserID) {
        for device in own { devices[device.key] = KnownDevice(user: user, device: device.index) }
    }

    /// Derives the missing pair audiences with these contacts.
    mutating func derivePairs(
        _ direction: PairAudiences.Direction, with contacts: some Sequence<StoredContact>, of contents: VaultContents
    ) {
        pairs.derive(direction, with: contacts, of: contents)
    }

    /// Drops the pair audiences, because the node is invisible and looks for nobody.
    mutating func dropPairs() { pairs.drop() }

    /// Returns the input for prediction tables: every contact that the node looks for and that is not excluded in this
    /// period, with the grants held of it and its pair audience, if derived; without revoked devices.
    func predicted(
        _ contents: VaultContents, in period: Period?, lookingFor visibility: Visibility = .all
    ) -> [PredictedContact] {
        contents.contacts.compactMap { contact in
            guard !contact.isExcluded(in: period), contents.shows(visibility, to: contact),
                let id = roster[contact.user]
            else { return nil }
            let certificates = cards[contact.user]?.certificates ?? []
            let revoked = certificates.filter(contact.isRevoked).reduce(UInt16(0)) { $0 | 1 << UInt16($1.index.number) }
            var grants = contact.grants.map { grant in
                HeldGrant(audience: .granted(grant.audience), deviceBitmap: grant.devices & ~revoked, tree: grant.tree)
            }
            if let tree = pairs.tree(.expected, with: contact.user), !certificates.isEmpty {
                let devices = certificates.filter { !contact.isRevoked($0) }.map(\.index)
                grants.append(HeldGrant(audience: .pair, devices: devices, tree: tree))
            }
            return PredictedContact(id, grants: grants)
        }
    }
}

extension ContactBook {
    /// Rejects a card that contains a key of ours or of another contact (INK-CRD-023). Held cards count even if their
    /// certificates have ended.
    ///
    /// - Parameters:
    ///   - card: the new card.
    ///   - proven: the key that was proven by the session in which the card came; nil for a card that came otherwise.
    ///     It is accepted although another contact claims it, unless that contact has proven it too.
    ///   - contents: the contents with the own card and the contacts.
    /// - Throws: `NodeError.keyOfAnother`.
    func checkKeys(of card: ContactCard, proven: Octets32?, in contents: VaultContents) throws(NodeError) {
        let own = ContactCard.keys(ofUnverified: contents.card.span)
        for key in ContactCard.keys(ofUnverified: card.bytes.span) {
            guard !own.contains(key) else { throw .keyOfAnother }
            for claimant in claims.claimants(of: key, except: card.userID) {
                let hasMet = contents.contact(claimant)?.hasMet == true
                guard key == proven, !claims.isProven(key, by: claimant, hasMet: hasMet) else { throw .keyOfAnother }
            }
        }
    }
}
