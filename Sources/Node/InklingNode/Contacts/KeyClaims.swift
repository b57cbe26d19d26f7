internal import InklingKeys
internal import InklingVault

/// An index of the keys on contacts' cards, so that comparing a card with all others takes one look-up per key
/// (INK-CRD-023).
///
/// All held cards count, even if their certificates have ended: a key does not become free with time.
struct KeyClaims: Sendable {
    private var claimants: [Octets32: [UserID]] = [:]
    private var keys: [UserID: [Octets32]] = [:]
    /// The user who has proven in a session of this run to hold the key.
    private var proofs: [Octets32: UserID] = [:]

    init(_ contacts: [StoredContact]) { for contact in contacts { note(contact.card, of: contact.user) } }

    /// Records the keys on a contact's card, replacing those on its earlier card.
    mutating func note(_ card: [UInt8], of user: UserID) {
        let found = ContactCard.keys(ofUnverified: card.span)
        // A key on both cards stays proven.
        let proven = found.filter { proofs[$0] == user }
        remove(user)
        for key in proven { proofs[key] = user }
        keys[user] = found
        for key in found { claimants[key, default: []].append(user) }
    }

    /// Drops the claims of a contact.
    mutating func remove(_ user: UserID) {
        for key in keys.removeValue(forKey: user) ?? [] {
            claimants[key]?.removeAll { $0 == user }
            if claimants[key]?.isEmpty == true { claimants[key] = nil }
            if proofs[key] == user { proofs[key] = nil }
        }
    }

    /// Records that a session has just proven that a user holds a key.
    mutating func prove(_ key: Octets32, by user: UserID) { proofs[key] = user }

    /// Returns whether a session has proven that a contact holds a key on its card. A contact that was met has proven
    /// the key of one device; its other keys count as proven too, since they came with it.
    func isProven(_ key: Octets32, by user: UserID, hasMet: Bool) -> Bool { proofs[key] == user || hasMet }

    /// Returns the contacts, other than `user`, whose cards contain a key.
    func claimants(of key: Octets32, except user: UserID) -> [UserID] {
        (claimants[key] ?? []).filter { $0 != user }
    }
}
