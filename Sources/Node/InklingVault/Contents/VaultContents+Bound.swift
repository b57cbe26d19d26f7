extension VaultContents {
    /// A limit of the stored contents; the error for contents that exceed it.
    public enum Bound: String, Error, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The display name has at most 64 bytes.
        case displayName
        /// The device key has 32 bytes.
        case noiseKey
        /// A card has at most 2,048 bytes.
        case card
        /// There are at most 8 audiences.
        case audiences
        /// There are at most 10,000 contacts.
        case contacts
        /// Each contact occurs once.
        case duplicateContact
        /// The user's own name for a contact has at most 64 bytes.
        case petname
        /// A pairwise key has 32 bytes.
        case pairwiseKey
        /// A contact has 1 to 4 pairwise keys, those that its agreement names.
        case pairwiseKeys
        /// At most 8 grants are stored for a contact.
        case grants
        /// A contact reports at most 8 grants.
        case reported
        /// A tree has 1 to 38 nodes.
        case tree
        /// The one contact to which the node shows itself exists.
        case visibility
        /// The one audience to which the node shows itself exists, and is not that of all contacts.
        case shownAudience
        /// The name of an audience has at most 64 bytes.
        case audienceName
        /// An audience comes after its enclosing one, which is not that of all contacts.
        case audienceOrder
        /// A contact is assigned to audiences of the user, each once, and not to that of all contacts.
        case assigned
        /// At most one grant of each audience is recorded as sent, and at least one for a former contact.
        case issued
        /// At most 16 devices of a contact are revoked.
        case revokedDevices
        /// There are at most 10,000 former contacts.
        case formerContacts
        /// There are at most 8,192 answered messages.
        case answeredMessages
        /// Only vouches known to this version are set.
        case vouches
        /// There are at most 80,000 grants to pass on and 10,000 pair audiences, and none is too long.
        case linked
        /// There are at most 15 other devices and 64 generations that they may show.
        case ownDevices
        /// The key of the counter has 32 bytes.
        case counterKey
        /// The key of the message store has 32 bytes.
        case messageKey
        /// The whole vault has at most 64 MiB.
        case total

        /// The violated rule, in words.
        public var description: String {
            switch self {
            case .displayName: "the display name is longer than 64 bytes"
            case .noiseKey: "the device key must be 32 bytes"
            case .card: "a card is longer than 2,048 bytes"
            case .audiences: "there are more than 8 audiences"
            case .contacts: "there are more than 10,000 contacts"
            case .duplicateContact: "a contact occurs twice"
            case .petname: "a name is longer than 64 bytes"
            case .pairwiseKey: "a pairwise key must be 32 bytes"
            case .pairwiseKeys: "a contact must have the 1 to 4 pairwise keys of its agreement"
            case .grants: "there are more than 8 grants of a contact"
            case .reported: "a contact reports more than 8 grants"
            case .tree: "a tree must have 1 to 38 nodes"
            case .visibility: "the node is visible to one contact that is none"
            case .shownAudience: "the node is visible to an audience that is none"
            case .audienceName: "the name of an audience is longer than 64 bytes"
            case .audienceOrder: "an audience must come after the one around it"
            case .assigned: "a contact is assigned to an audience that is none"
            case .issued: "at most one grant of each audience can have left"
            case .revokedDevices: "more than 16 devices of a contact are revoked"
            case .formerContacts: "there are more than 10,000 former contacts"
            case .answeredMessages: "there are more than 8,192 answered messages"
            case .vouches: "the operator vouches for something unknown"
            case .linked: "there are too many grants to pass on or pair audiences, or one is too long"
            case .ownDevices: "there are too many other devices, or generations that they may show"
            case .counterKey: "the key of the counter must be 32 bytes"
            case .messageKey: "the key of the message store must be 32 bytes"
            case .total: "the vault would be longer than 64 MiB"
            }
        }
    }
}
