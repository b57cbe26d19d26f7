internal import InklingKeys

/// A change of the contents that a user requests. It is stored first and applied in memory afterwards, so that a change
/// that cannot be stored needs no undo.
enum ContentsChange: Sendable {
    case rename(UserID, to: String)
    case setBlocked(UserID, Bool)
    case keepReviewed(UserID)
    case remove(UserID)
    /// Adds a contact, or replaces the card and the pairwise key of a known one.
    case store(UserID, card: [UInt8], pairwiseKey: SecretBox<SecretBytes>, PairwiseKeyOrigin, added: Period)
    case keepGrant(ReceivedGrant, of: UserID)
    /// Reverts a first contact that the other user did not accept.
    case withdraw(UserID, ReplacedKeys?)
    /// Replaces the own audiences, and after a restore the own card.
    case beginGenerations([Audience], SignedCard?)

    /// A card of the user of this node.
    struct SignedCard: Sendable {
        let bytes: [UInt8]
        let serial: UInt32
    }

    /// The fields of a known contact that a first contact replaces. Grants are not among them, so reverting keeps
    /// grants that have arrived since, and does not bring back keys that have been forgotten.
    struct ReplacedKeys: Sendable {
        let card: [UInt8]
        let pairwiseKey: SecretBox<SecretBytes>
        let origin: PairwiseKeyOrigin
        let needsReview: Bool
        let isBlocked: Bool

        init(_ contact: StoredContact) {
            card = contact.card
            pairwiseKey = contact.pairwiseKey
            origin = contact.pairwiseKeyOrigin
            needsReview = contact.needsReview
            isBlocked = contact.isBlocked
        }
    }
}

extension VaultContents {
    /// Returns the position of a user in `contacts`, or nil if there is no such contact.
    func index(of user: UserID) -> Int? { contacts.firstIndex { $0.user == user } }

    /// Returns the contact with this user id.
    func contact(_ user: UserID) -> StoredContact? { contacts.first { $0.user == user } }

    /// Applies a change; a change to a contact that no longer exists has no effect.
    mutating func apply(_ change: ContentsChange) {
        switch change {
        case .rename(let user, let name): update(user) { $0.petname = name }
        case .setBlocked(let user, let isBlocked): update(user) { $0.isBlocked = isBlocked }
        case .keepReviewed(let user): update(user) { $0.needsReview = false }
        case .remove(let user): contacts.removeAll { $0.user == user }
        case .store(let user, let card, let pairwiseKey, let origin, let added):
            if index(of: user) == nil {
                contacts.append(
                    StoredContact(
                        user: user, card: card, petname: "", pairwiseKey: pairwiseKey, pairwiseKeyOrigin: origin,
                        added: added))
            }
            update(user) { contact in
                contact.card = card
                contact.pairwiseKey = pairwiseKey
                contact.pairwiseKeyOrigin = origin
                contact.needsReview = false
                contact.isBlocked = false
            }
        case .keepGrant(let grant, let user): update(user) { $0.keep(grant) }
        case .withdraw(let user, let replaced):
            if let replaced {
                update(user) { contact in
                    contact.card = replaced.card
                    contact.pairwiseKey = replaced.pairwiseKey
                    contact.pairwiseKeyOrigin = replaced.origin
                    contact.needsReview = replaced.needsReview
                    contact.isBlocked = replaced.isBlocked
                }
            } else {
                contacts.removeAll { $0.user == user && $0.grants.isEmpty }
            }
        case .beginGenerations(let audiences, let renewed):
            self.audiences = audiences
            if let renewed {
                card = renewed.bytes
                cardSerial = renewed.serial
            }
            highWaterEpoch = nil
            latestAcceptedTime = nil
            restored = nil
        }
    }

    private mutating func update(_ user: UserID, _ change: (inout StoredContact) -> Void) {
        if let index = index(of: user) { change(&contacts[index]) }
    }
}

extension StoredContact {
    /// The largest number of grants kept per contact. A further grant replaces the one that expires first.
    private static let grantLimit = 8

    /// Whether a grant of these terms would change nothing: one of the same audience, generation and devices is held that
    /// lasts at least as long.
    func holds(_ terms: Grant.Terms) -> Bool {
        grants.contains {
            $0.audience == terms.audience && $0.generation == terms.generation && $0.devices == terms.devices
                && $0.to.number >= terms.to
        }
    }

    /// Stores a grant, replacing an earlier one of the same audience.
    mutating func keep(_ grant: ReceivedGrant) {
        grants.removeAll { $0.audience == grant.audience }
        if grants.count >= Self.grantLimit, let first = grants.indices.min(by: { grants[$0].to < grants[$1].to }) {
            grants.remove(at: first)
        }
        grants.append(grant)
    }
}
