public import InklingEngine
public import InklingKeys

/// What a user interface shows of a contact.
public struct ContactSummary: Hashable, Sendable {
    /// The contact's user id.
    public let user: UserID
    /// The user's own name for the contact, or else the name on the card.
    public let name: String
    /// The name on the card.
    public let cardName: String
    /// The devices on the contact's newest card.
    public let devices: [DeviceIndex]
    /// The last period in which this node can recognise the contact; nil without a grant.
    public let recognisedUntil: Period?
    /// The last period in which the contact reports that it can recognise this node; nil when it has reported none.
    public let recognisesUsUntil: Period?
    /// Whether the pairwise key comes from a first contact; otherwise it comes from the two cards.
    public let hasMet: Bool
    /// Whether the user must review the contact before anything is granted to it.
    public let needsReview: Bool
    /// Whether the user has blocked the contact.
    public let isBlocked: Bool
    /// The contact's presence state; `.unseen` until the node runs.
    public let presence: PresenceState
    /// Whether a session is open, so that a message can be delivered now.
    public let isReachable: Bool
}

/// The state of a node.
public struct NodeStatus: Hashable, Sendable, Codable {
    /// The epoch whose identifiers are shown; nil while the node is silent.
    public let showing: Epoch?
    /// Why the node is silent; nil while it shows an epoch.
    public let silence: NodeEvent.SilenceReason?
    /// The number of contacts that are present.
    public let present: Int
    /// The number of all contacts.
    public let contacts: Int
    /// The number of open sessions.
    public let sessions: Int
    /// The number of first messages that have been refused since the start.
    public let refusedMessages: UInt64
    /// The last period in which this device's certificate is valid; nil without a valid card.
    public let certifiedUntil: Period?

    private enum CodingKeys: String, CodingKey {
        case showing = "epoch"
        case silence, present, contacts, sessions, refusedMessages, certifiedUntil
    }
}
