internal import InklingKeys
internal import InklingVault

/// The pair audiences of this user and the contacts (`Specs/pair-audiences.md`), as trees over all periods.
///
/// Each costs one key agreement, repeated when the contact's card has another presence key. The private presence key is
/// derived from the root seed for it, and is not kept here.
struct PairAudiences: Sendable {
    enum Direction: Hashable, Sendable {
        /// This user shows itself to the contact.
        case shown
        /// The contact shows itself to this user.
        case expected
    }

    private struct Key: Hashable, Sendable {
        let user: UserID
        let direction: Direction
    }

    private struct Derived: Sendable {
        /// The contact's public key from which the tree was derived.
        let presence: Octets32
        let tree: SecretBox<AudienceTree>
    }

    private var derived: [Key: Derived] = [:]

    /// Derives the missing audiences with these contacts; without the root seed, which only the primary device has,
    /// takes those that the primary has derived.
    mutating func derive(
        _ direction: Direction, with contacts: some Sequence<StoredContact>, of contents: VaultContents
    ) {
        guard let seed = contents.rootSeed else { return copy(direction, with: contacts, from: contents.linked) }
        let missing = contacts.compactMap { contact -> (Key, Octets32)? in
            let key = Key(user: contact.user, direction: direction)
            guard let presence = ContactCard.presence(ofUnverified: contact.card.span) else { return nil }
            return derived[key]?.presence == presence ? nil : (key, presence)
        }
        guard !missing.isEmpty else { return }
        let own = seed.value.presenceKey(generation: contents.identityGeneration)
        for (key, presence) in missing {
            derived[key] = nil
            // Cards with a key of small order are rejected before they are stored.
            guard let root = try? PairAudience.root(own: own, peer: presence, advertising: direction == .shown) else {
                continue
            }
            derived[key] = Derived(presence: presence, tree: SecretBox(AudienceTree(root: root)))
        }
    }

    /// Copies the audiences that the primary device has derived for this one.
    private mutating func copy(
        _ direction: Direction, with contacts: some Sequence<StoredContact>, from linked: LinkedState
    ) {
        let pairs = Dictionary(linked.pairs.map { ($0.user, $0) }, uniquingKeysWith: { first, _ in first })
        for contact in contacts {
            guard let pair = pairs[contact.user],
                let presence = ContactCard.presence(ofUnverified: contact.card.span)
            else { continue }
            derived[Key(user: contact.user, direction: direction)] = Derived(
                presence: presence, tree: direction == .shown ? pair.shown : pair.expected)
        }
    }

    /// Returns the tree of an audience that has been derived.
    func tree(_ direction: Direction, with user: UserID) -> SecretBox<AudienceTree>? {
        derived[Key(user: user, direction: direction)]?.tree
    }

    /// Drops the audiences with a contact.
    mutating func remove(_ user: UserID) {
        for direction in [Direction.shown, .expected] { derived[Key(user: user, direction: direction)] = nil }
    }

    /// Drops every audience.
    mutating func drop() { derived = [:] }
}
