package import InklingKeys
package import InklingWire

/// A change of the contents, requested by the user. It is stored before it is applied in memory, so that a change that
/// cannot be stored needs no undo.
package enum ContentsChange: Sendable {
    case rename(UserID, to: String)
    case setBlocked(UserID, Bool)
    case setDelays(UserID, ContactDelays)
    case keepReviewed(UserID)
    case remove(UserID)
    /// Replaces the agreement with a user, and stores a user who is not yet a contact. Keys that the agreement does not
    /// name are dropped.
    case agree(UserID, Agreement, [Consent])
    case keepGrant(ReceivedGrant, of: UserID)
    /// Replaces the own audiences, and after a restore the own card.
    case beginGenerations([Audience], SignedCard?)
    /// Stores the visibility that the user has chosen.
    case show(Visibility)
    /// Replaces the own card because a device was added or removed, and with audiences also the own audiences.
    case listDevices(SignedCard, [Audience]?)
    /// Replaces the own card because a device was linked, and records grants that are signed ahead for it.
    case linkDevice(SignedCard, OwnDevices.Device, [UserID: [IssuedGrant]])
    /// Records what another device of the user is about to be sent.
    case prepareState(DeviceIndex, [UserID: [IssuedGrant]])
    /// Records that another device of the user has stored the current state.
    case noteHeld(DeviceIndex)
    /// Takes over the state that the primary device has sent.
    case takeState(PassedState)
    /// Begins new generations of some audiences, and keeps everything else.
    case renew([Audience])
    /// Adds an audience.
    case createAudience(Audience)
    case renameAudience(AudienceID, to: String)
    case removeAudience(AudienceID)
    /// Adds a contact to an audience, or removes it from one.
    case assign(UserID, to: AudienceID, isMember: Bool)
    /// Records grants that are about to be sent.
    case noteIssued(UserID, [IssuedGrant])
    /// Stops or resumes the renewal of a contact's grants.
    case setLapsing(UserID, Bool)
    /// Blocks a contact, and begins new generations of the audiences by which it recognises this user.
    case blind(UserID, [Audience])
    /// Revokes the device of a contact that has this key, and begins new generations of the audiences that it knows.
    case revokeDevice(Octets32, of: UserID, [Audience])

    /// A card of this node's user.
    package struct SignedCard: Sendable {
        package let bytes: [UInt8]
        package let serial: UInt32
        package let device: DeviceIndex

        /// Creates a card from its encoded form, its serial, and the index of this device on it.
        package init(bytes: [UInt8], serial: UInt32, device: DeviceIndex) {
            self.bytes = bytes
            self.serial = serial
            self.device = device
        }
    }

    /// The additions of this user's consent to a first contact, or to a card.
    package struct Consent: Sendable {
        package let card: [UInt8]
        package let key: StoredPairwiseKey
        package let added: Period

        /// Creates the additions of a consent: the user's card, the pairwise key, and the period of the consent.
        package init(card: [UInt8], key: StoredPairwiseKey, added: Period) {
            self.card = card
            self.key = key
            self.added = added
        }
    }
}

extension VaultContents {
    /// Applies a change; a change to a contact that no longer exists has no effect.
    package mutating func apply(_ change: ContentsChange) {
        switch change {
        case .rename(let user, let name): update(user) { $0.petname = name }
        case .setBlocked(let user, let isBlocked):
            update(user) { $0.isBlocked = isBlocked }
            if isBlocked { withdraw(from: user) }
        case .setDelays(let user, let delays): update(user) { $0.delays = delays }
        case .keepReviewed(let user): update(user) { $0.needsReview = false }
        case .remove(let user): remove(user)
        case .createAudience(let audience): audiences.append(audience)
        case .renameAudience(let id, let name):
            if let index = audiences.firstIndex(where: { $0.id == id }) { audiences[index].name = name }
        case .removeAudience(let id): removeAudience(id)
        case .assign(let user, let id, let isMember): assign(user, to: id, isMember: isMember)
        case .noteIssued(let user, let grants): update(user) { $0.noteIssued(grants) }
        case .setLapsing(let user, let isLapsing): update(user) { $0.isLapsing = isLapsing }
        case .blind(let user, let generations):
            update(user) { $0.isBlocked = true }
            withdraw(from: user)
            begin(generations)
        case .revokeDevice(let key, let user, let generations):
            update(user) { if !$0.revokedDevices.contains(key) { $0.revokedDevices.append(key) } }
            begin(generations)
        case .show(let choice): visibility = choice
        case .agree(let user, let agreement, let consents): agree(agreement, with: user, consents)
        case .keepGrant(let grant, let user): update(user) { $0.keep(grant) }
        case .renew(let audiences): begin(audiences)
        case .listDevices(let renewed, let audiences):
            card = renewed.bytes
            cardSerial = renewed.serial
            own.keep(otherDevices)
            if let audiences { begin(audiences) }
        case .linkDevice(let renewed, let device, let grants):
            card = renewed.bytes
            cardSerial = renewed.serial
            noteSignedAhead(grants)
            own.add(device, holding: audiences)
        case .prepareState(let device, let grants):
            noteSignedAhead(grants)
            own.noteSent(to: device, audiences)
        case .noteHeld(let device): own.noteHeld(by: device, audiences)
        case .takeState(let state): take(state)
        case .beginGenerations(let audiences, let renewed):
            // The primary device's state replaces generations that another device has begun.
            own.forgetMark()
            // They were counted by the clock that is discarded.
            own.forgetMeetings()
            // The devices of the original are not those of a copy.
            if renewed != nil { own = OwnDevices() }
            begin(audiences)
            if let renewed {
                card = renewed.bytes
                cardSerial = renewed.serial
                device = renewed.device
            }
            highWaterEpoch = nil
            latestAcceptedTime = nil
            restored = nil
        }
    }

    private mutating func agree(_ agreement: Agreement, with user: UserID, _ consents: [ContentsChange.Consent]) {
        guard agreement.standing != .none else { return remove(user) }
        if index(of: user) == nil {
            guard let consent = consents.first else { return }
            var contact = StoredContact(
                user: user, card: consent.card, petname: "", agreement: Agreement(), pairwiseKeys: [],
                added: consent.added)
            contact.granted = takeFormer(user)
            contacts.append(contact)
        }
        let member = contact(user).map(audiences(of:)) ?? []
        update(user) { contact in
            // A later end than before means that grants are about to be sent.
            if let end = agreement.grantedUntil, contact.agreement.grantedUntil.map({ $0 < end }) != false {
                contact.noteIssued(member.map { IssuedGrant(audience: $0.id, generation: $0.generation, to: end) })
            }
            contact.agreement = agreement
            for consent in consents where contact.key(consent.key.number) == nil {
                // A newer card may have arrived in a session while the user decided.
                if ContactCard.serial(ofUnverified: consent.card.span) ?? 0 >= contact.cardSerial {
                    contact.card = consent.card
                }
                contact.pairwiseKeys.append(consent.key)
                // The user has just decided about this contact.
                contact.needsReview = false
                contact.isLapsing = false
            }
            contact.pairwiseKeys.removeAll { !agreement.keys.contains($0.number) }
        }
    }

    private mutating func remove(_ user: UserID) {
        removeContact(user)
        withdraw(from: user)
    }

    /// Becomes invisible if the node was visible to this contact only.
    mutating func withdraw(from user: UserID) {
        if visibility == .contact(user) { visibility = .nobody }
    }

    private mutating func update(_ user: UserID, _ change: (inout StoredContact) -> Void) {
        if let index = index(of: user) { change(&contacts[index]) }
    }
}
