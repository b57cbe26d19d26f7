public import InklingEngine
public import InklingKeys

/// A contact as a user sees it.
public struct ContactSummary: Hashable, Sendable {
    /// Who it is.
    public let user: UserID
    /// What the user calls the contact: the pet name, or else the name on the card.
    public let name: String
    /// The name on the card.
    public let cardName: String
    /// The contact's devices on its newest card.
    public let devices: [DeviceIndex]
    /// The last period in which this node can recognise the contact; nil without a grant.
    public let recognisedUntil: Period?
    /// The last period in which the contact reports that it can recognise this node; nil when it has reported none.
    public let recognisesUsUntil: Period?
    /// Whether the pairwise key comes from a first contact, and not only from cards.
    public let hasMet: Bool
    /// Whether the user must look at the contact before anything is granted to it.
    public let needsReview: Bool
    /// Whether the user has blocked the contact.
    public let isBlocked: Bool
    /// Presence, as far as a running node knows.
    public let presence: PresenceState
    /// Whether a session is open, so that a message can be delivered now.
    public let isReachable: Bool
}

/// The state of a node.
public struct NodeStatus: Hashable, Sendable, Codable {
    /// The epoch shown, or nil in silence.
    public let showing: Epoch?
    /// Why the node is silent, when it is.
    public let silence: NodeEvent.SilenceReason?
    /// Contacts that are present.
    public let present: Int
    /// Contacts known.
    public let contacts: Int
    /// Open sessions.
    public let sessions: Int
    /// First messages that were refused since the start.
    public let refusedMessages: UInt64
    /// The last period for which this device's certificate is valid.
    public let certifiedUntil: Period?

    private enum CodingKeys: String, CodingKey {
        case showing = "epoch"
        case silence, present, contacts, sessions, refusedMessages, certifiedUntil
    }
}
