public import InklingEngine
public import InklingKeys

/// A contact whose values can be predicted.
public struct RecognisableContact: Sendable {
    /// Who it is.
    public let user: UserID
    /// What the user calls the contact: the pet name, or else the name on the card.
    public let name: String
    /// What its values are predicted from; the keys in it stay in this process.
    public let predicted: PredictedContact
}

extension Node {
    /// Every contact that we hold a grant of and that is not blocked, in the order of the contact list.
    ///
    /// A snapshot: whoever computes long forecasts from it does not hold up the node.
    public func recognisableContacts() -> [RecognisableContact] {
        takeWaitingInputs()
        let predicted = Dictionary(uniqueKeysWithValues: book.predicted(contents).map { ($0.contact, $0) })
        return contents.contacts.compactMap { contact in
            guard let id = book.roster[contact.user], let prediction = predicted[id], !prediction.grants.isEmpty else {
                return nil
            }
            return RecognisableContact(user: contact.user, name: summary(contact).name, predicted: prediction)
        }
    }
}
