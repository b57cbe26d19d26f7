package import InklingKeys
package import InklingWire

/// The user's complete state, sent by the primary device to another one (`Specs/devices.md`).
package struct PassedState: Sendable {
    /// The contents with which a new device would begin.
    package let contents: VaultContents
    /// The primary device's number for the state.
    package let mark: UInt64
    /// Contacts of which nothing is passed on now; they stay as they are.
    package let kept: Set<UserID>
}

// The sending side: the primary device.
extension VaultContents {
    /// Returns whether a contact's keys are passed on to other devices.
    private func isPassedOn(_ contact: StoredContact) -> Bool {
        contact.agreement.standing == .complete && !contact.isBlocked && !contact.needsReview
    }

    /// Returns the state that the primary device sends to another device: nothing of the past, and only the decision
    /// about contacts that are blocked, need review, or are not complete.
    package func state(for certificate: DeviceCertificate, now: Period) -> [OwnState] {
        guard let rootSeed else { return [] }
        var encoded: [UInt8] = []
        certificate.append(to: &encoded)
        var state: [OwnState] = [.certificate(encoded)]
        for audience in audiences {
            guard let tree = audience.tree.value.constrained(from: now, to: .last) else { continue }
            state.append(.audience(audience.id, generation: audience.generation, tree: SecretBox(tree)))
        }
        let presence = rootSeed.value.presenceKey(generation: identityGeneration)
        func pair(_ peer: Octets32, isShown: Bool) -> SecretBox<AudienceTree>? {
            guard let root = try? PairAudience.root(own: presence, peer: peer, advertising: isShown),
                let tree = AudienceTree(root: root).constrained(
                    from: isShown ? now : now.previous ?? now, to: .last)
            else { return nil }
            return SecretBox(tree)
        }
        for contact in contacts {
            guard let identity = ContactCard.identity(ofUnverified: contact.card.span) else { continue }
            let decision = OwnState.Decision(
                isBlocked: contact.isBlocked, isLapsing: contact.isLapsing, revokedDevices: contact.revokedDevices)
            guard isPassedOn(contact), let theirs = try? contact.parsedCard(now: now), let key = contact.likelyKey,
                let shown = pair(theirs.presence, isShown: true), let expected = pair(theirs.presence, isShown: false)
            else {
                state.append(.standing(identity: identity, decision))
                continue
            }
            state.append(.contact(pairwiseKey: key.key, shown: shown, expected: expected, card: theirs.bytes))
            for grant in contact.grants {
                let terms = OwnState.ReceivedTerms(
                    audience: grant.audience, generation: grant.generation, to: grant.to, devices: grant.devices)
                state.append(.receivedGrant(issuer: theirs.identity, terms, tree: grant.tree))
            }
            for audience in contact.isLapsing ? [] : audiences(of: contact) {
                guard let end = usable(contact.granted, in: now).first(where: { $0.audience == audience.id })?.to,
                    let grant = grant(of: audience, to: contact.user, now: now, until: end)
                else { continue }
                let signed = grant.signed(by: rootSeed.value.identityKey(generation: identityGeneration))
                state.append(.grant(SecretBox(signed)))
            }
            if contact.isLapsing || !contact.revokedDevices.isEmpty {
                state.append(.standing(identity: identity, decision))
            }
        }
        return state
    }

    /// The number of the current state: it changes with everything that is sent, except the first periods, which depend
    /// on the time of sending.
    package var stateMark: UInt64 {
        let digest = sha256 { output in
            output.append(DerivationLabel.ownState)
            output.append(u8: 0)
            output.append(card.span)
            for audience in audiences {
                output.append(u64: audience.id.value)
                output.append(u32: audience.generation)
            }
            for contact in contacts {
                output.append(contact.user.octets)
                output.append(u8: (isPassedOn(contact) ? 1 : 0) | (contact.isBlocked ? 2 : 0))
                output.append(u8: contact.isLapsing ? 1 : 0)
                output.append(u32: contact.likelyKey?.number.rawValue ?? 0)
                output.append(u32: UInt32(contact.card.count))
                output.append(contact.card.span)
                output.append(u8: UInt8(truncatingIfNeeded: contact.grants.count))
                for grant in contact.grants {
                    output.append(u64: grant.audience.value)
                    output.append(u32: grant.generation)
                    output.append(u32: grant.to.number)
                    output.append(u16: grant.devices)
                }
                output.append(u8: UInt8(truncatingIfNeeded: contact.granted.count))
                for grant in contact.granted {
                    output.append(u64: grant.audience.value)
                    output.append(u32: grant.generation)
                    output.append(u32: grant.to.number)
                }
                output.append(u8: UInt8(truncatingIfNeeded: contact.assigned.count))
                for audience in contact.assigned { output.append(u64: audience.value) }
                for key in contact.revokedDevices { output.append(key) }
            }
        }
        // 0 stands for no state.
        return max(1, digest.first.high)
    }

    /// Returns, by contact, the grants to sign for other devices to pass on: those that would end at least a day later
    /// than the ones sent. They must be recorded in the store before they are sent.
    package func signedAhead(from now: Period) -> [UserID: [IssuedGrant]] {
        guard rootSeed != nil, restored == nil else { return [:] }
        let end = FirstContactMachine.Span.full.end(from: now)
        var ahead: [UserID: [IssuedGrant]] = [:]
        for contact in contacts where isPassedOn(contact) && !contact.isLapsing {
            let grants = audiences(of: contact).filter { audience in
                usable(contact.granted, in: now).first { $0.audience == audience.id }
                    .map { end.number >= $0.to.number + GrantComparison.renewalGain } != false
            }
            guard !grants.isEmpty else { continue }
            ahead[contact.user] = grants.map { IssuedGrant(audience: $0.id, generation: $0.generation, to: end) }
        }
        return ahead
    }

    mutating func noteSignedAhead(_ grants: [UserID: [IssuedGrant]]) {
        for index in contacts.indices {
            guard let ahead = grants[contacts[index].user] else { continue }
            contacts[index].noteIssued(ahead)
            contacts[index].agreement.grantedUntil = contacts[index].granted.map(\.to).max()
        }
    }
}

// The receiving side: another device.
extension VaultContents {
    /// Takes over the primary device's state: audiences, contacts, grants and decisions become those of the primary.
    ///
    /// The user's own names for contacts, blocks on this device, and later grants of a contact to this device stay. A
    /// contact that the primary no longer names is removed.
    mutating func take(_ state: PassedState) {
        let fresh = state.contents
        card = fresh.card
        cardSerial = fresh.cardSerial
        displayName = fresh.displayName
        take(fresh.audiences)
        let blocked = fresh.own.blockedThere
        for contact in fresh.contacts {
            if let index = index(of: contact.user) {
                contacts[index].take(contact)
                // A block that the user made on this device only stays.
                if own.blockedThere.contains(contact.user) { contacts[index].isBlocked = false }
            } else if contacts.count < VaultContents.contactLimit {
                var added = contact
                added.granted += takeFormer(contact.user).filter { former in
                    !contact.granted.contains { $0.audience == former.audience }
                }
                contacts.append(added)
            }
        }
        let named = Set(fresh.contacts.map(\.user)).union(blocked).union(state.kept)
        for user in contacts.map(\.user) {
            if !named.contains(user) {
                removeContact(user)
                withdraw(from: user)
            } else if blocked.contains(user), let index = index(of: user) {
                contacts[index].isBlocked = true
                withdraw(from: user)
            }
        }
        let earlier = linked
        linked = fresh.linked
        linked.grants += earlier.grants.filter { state.kept.contains($0.user) }
        linked.pairs += earlier.pairs.filter { state.kept.contains($0.user) }
        for device in own.devices { own.noteHeld(by: device.index, audiences) }
        own.noteStored(state.mark, blocked: blocked)
    }

    private mutating func take(_ fresh: [Audience]) {
        for audience in audiences where !fresh.contains(where: { $0.id == audience.id }) { removeAudience(audience.id) }
        let renewed = fresh.compactMap { audience -> Audience? in
            guard let held = self.audience(audience.id), held.generation != audience.generation else { return nil }
            var renewed = audience
            (renewed.name, renewed.within) = (held.name, held.within)
            return renewed
        }
        begin(renewed)
        for audience in fresh where self.audience(audience.id) == nil { audiences.append(audience) }
        let order = fresh.map(\.id)
        audiences.sort { (order.firstIndex(of: $0.id) ?? 0) < (order.firstIndex(of: $1.id) ?? 0) }
    }
}

extension StoredContact {
    /// Takes over the primary device's state of the contact.
    fileprivate mutating func take(_ fresh: StoredContact) {
        if fresh.cardSerial >= cardSerial { card = fresh.card }
        if let key = fresh.pairwiseKeys.first?.key,
            !pairwiseKeys.contains(where: { $0.key.value.equals(key.value) })
        {
            let number = PairwiseKeyNumber(rawValue: (pairwiseKeys.map(\.number.rawValue).max() ?? 0) + 1)
            pairwiseKeys = [StoredPairwiseKey(number: number, origin: .firstContact, key: key)]
            agreement.keys = [number]
            agreement.shared = number
            agreement.turn = 0
        }
        agreement.standing = .complete
        for grant in fresh.grants {
            if let held = grants.first(where: { $0.audience == grant.audience }),
                (held.generation, held.to.number) > (grant.generation, grant.to.number)
            {
                continue
            }
            keep(grant)
        }
        noteIssued(fresh.granted)
        agreement.grantedUntil = granted.map(\.to).max()
        assigned = fresh.assigned
        isLapsing = fresh.isLapsing
        revokedDevices = fresh.revokedDevices
        needsReview = false
    }
}

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
