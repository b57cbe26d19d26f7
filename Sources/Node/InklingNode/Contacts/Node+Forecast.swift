public import InklingEngine
public import InklingKeys
internal import InklingVault

/// A contact whose identifiers can be predicted.
public struct RecognisableContact: Sendable {
    /// The contact's user id, from its card.
    public let user: UserID
    /// The user's own name for the contact, or else the name on the card.
    public let name: String
    /// The keys that predict its identifiers. Do not pass them to another process.
    public let predicted: PredictedContact
}

extension Node {
    /// Returns this node's own identifiers in the form of a contact, to tell it from strangers; nil without an
    /// audience. Do not pass it to another process.
    public func ownPrediction() -> PredictedContact? {
        takeWaitingInputs()
        guard let audience = shownAudience() else { return nil }
        let grant = HeldGrant(audience: .granted(0), devices: [contents.device], tree: audience.tree)
        return PredictedContact(ContactID(rawValue: 0), grants: [grant])
    }

    /// Returns the contacts that are not blocked and of which a grant is held, in the order of the contact list.
    ///
    /// Pair audiences are left out: a list of both would match twice as many strangers by chance. The result is a
    /// snapshot, so that a long forecast does not delay the node.
    public func recognisableContacts() -> [RecognisableContact] {
        takeWaitingInputs()
        let predicted = Dictionary(
            uniqueKeysWithValues: book.predicted(contents, in: clockPeriod).map { ($0.contact, $0) })
        return contents.contacts.compactMap { contact in
            guard let id = book.roster[contact.user] else { return nil }
            let grants = predicted[id]?.grants.filter { $0.audience != .pair } ?? []
            guard !grants.isEmpty else { return nil }
            return RecognisableContact(
                user: contact.user, name: summary(contact).name, predicted: PredictedContact(id, grants: grants))
        }
    }
}
