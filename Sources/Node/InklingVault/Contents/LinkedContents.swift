package import InklingKeys
package import InklingWire

/// The contents of a new device, as they arrive from the primary device.
package struct LinkedContents: Sendable {
    private let now: Period
    private let noiseKey: SecretBox<SecretBytes>
    private var card: ContactCard
    private var certificate: [UInt8]?
    private var audiences: [Audience] = []
    private var contacts: [StoredContact] = []
    private var places: [Octets32: Int] = [:]
    private var linked = LinkedState()
    private var mark: UInt64 = 0
    private var blocked: Set<UserID> = []
    private var kept: Set<UserID> = []

    /// The maximum number of grants to pass on, and of decisions about contacts without other state.
    private static let grantLimit = 80_000

    /// Begins with the card that the primary device showed in the handshake, or with the stored own card.
    package init(_ card: ContactCard, noiseKey: SecretBox<SecretBytes>, now: Period) {
        self.card = card
        self.noiseKey = noiseKey
        self.now = now
    }

    /// Adds a record of the primary device; other types are ignored.
    ///
    /// - Throws: the reason for refusing the record; the device is then not linked.
    package mutating func take(_ record: borrowing Record) throws {
        switch record.type {
        case .card:
            let newer = try record.withBody { body throws(CardError) in try ContactCard(parsing: body, now: now) }
            guard newer.identity == card.identity, newer.serial >= card.serial else { throw CardError.invalidSignature }
            card = newer
        case .state:
            try take(try record.withBody { body throws(OwnStateError) in try OwnState(parsing: body) })
        default: break
        }
    }

    private mutating func take(_ state: OwnState) throws {
        switch state {
        case .certificate(let bytes): certificate = bytes
        case .audience(let id, let generation, let tree):
            guard audiences.count < Int(VaultContents.maximumAudiences), audiences.allSatisfy({ $0.id != id }) else {
                throw OwnStateError.outOfRange
            }
            audiences.append(Audience(id: id, generation: generation, tree: tree))
        case .contact(let key, let shown, let expected, let bytes):
            let theirs = try ContactCard(parsing: bytes.span, now: now)
            guard contacts.count < VaultContents.contactLimit, places[theirs.identity] == nil,
                theirs.identity != card.identity
            else { throw OwnStateError.outOfRange }
            let first = PairwiseKeyNumber(rawValue: 1)
            var agreement = Agreement()
            agreement.standing = .complete
            agreement.keys = [first]
            agreement.shared = first
            places[theirs.identity] = contacts.count
            contacts.append(
                StoredContact(
                    user: theirs.userID, card: bytes, petname: "", agreement: agreement,
                    pairwiseKeys: [StoredPairwiseKey(number: first, origin: .firstContact, key: key)], added: now))
            linked.pairs.append(LinkedState.Pair(user: theirs.userID, shown: shown, expected: expected))
        case .receivedGrant(let issuer, let terms, let tree):
            guard let place = places[issuer], let interval = tree.value.interval,
                let from = Period(interval.lowerBound), interval.upperBound == terms.to.number
            else { throw OwnStateError.outOfRange }
            contacts[place].keep(
                ReceivedGrant(
                    audience: terms.audience, generation: terms.generation, from: from, to: terms.to,
                    devices: terms.devices, tree: tree))
        case .grant(let bytes):
            // It follows the contact that it is for.
            guard let place = contacts.indices.last else { throw OwnStateError.outOfRange }
            let user = contacts[place].user
            guard linked.grants.count < Self.grantLimit else { throw OwnStateError.outOfRange }
            let grant = try bytes.value.withBytes { bytes throws(GrantError) in
                try Grant(parsing: bytes, issuer: card.identity, grantee: user, now: now, heldGeneration: 0)
            }
            linked.grants.append(
                LinkedState.SignedGrant(
                    user: user, audience: grant.audience, generation: grant.generation, to: grant.to, bytes: bytes))
            contacts[place].agreement.grantedUntil = max(
                contacts[place].agreement.grantedUntil ?? grant.to, grant.to)
            guard let position = audiences.firstIndex(where: { $0.id == grant.audience }) else {
                throw OwnStateError.outOfRange
            }
            contacts[place].noteIssued([
                IssuedGrant(audience: grant.audience, generation: grant.generation, to: grant.to)
            ])
            // A contact that is sent a grant of an audience belongs to it.
            if position > 0, !contacts[place].assigned.contains(grant.audience) {
                contacts[place].assigned.append(grant.audience)
            }
        case .standing(let identity, let decision):
            if let place = places[identity] {
                contacts[place].isLapsing = decision.isLapsing
                contacts[place].revokedDevices = decision.revokedDevices
            } else {
                guard blocked.count + kept.count < VaultContents.contactLimit else { throw OwnStateError.outOfRange }
                let user = UserID(identity: identity)
                if decision.isBlocked { blocked.insert(user) } else { kept.insert(user) }
            }
        case .mark(let mark): self.mark = mark
        case .more: break
        }
    }

    /// Returns the complete state.
    ///
    /// - Throws: as `contents`.
    package func state(from primary: OwnDevices.Device) throws(CardError) -> PassedState {
        PassedState(contents: try contents(linkedWith: primary), mark: mark, kept: kept)
    }

    /// Returns the vault contents of this device, linked with the primary one.
    ///
    /// - Throws: `CardError.invalidSignature` if the card does not certify this device as STATE says.
    package func contents(linkedWith primary: OwnDevices.Device) throws(CardError) -> VaultContents {
        var contents = VaultContents(
            displayName: card.name, rootSeed: nil, identityGeneration: card.generation, device: .first,
            noiseKey: noiseKey, card: card.bytes, cardSerial: card.serial)
        guard let own = card.certificate(ofKey: contents.ownKey, in: now), !own.isPrimary else {
            throw .invalidSignature
        }
        var encoded: [UInt8] = []
        own.append(to: &encoded)
        guard encoded == certificate else { throw .invalidSignature }
        contents.device = own.index
        contents.audiences = audiences
        contents.contacts = contacts
        contents.linked = linked
        contents.own.add(primary, holding: audiences)
        contents.own.noteStored(mark, blocked: blocked)
        return contents
    }
}
