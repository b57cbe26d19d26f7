public import InklingEngine
public import InklingKeys

/// What a person may want to know about a contact.
public struct ContactSummary: Hashable, Sendable {
    /// Who it is.
    public let user: UserID
    /// What the user calls the contact: the pet name, or else the name on the card.
    public let name: String
    /// The name on the card.
    public let cardName: String
    /// The contact's devices on its newest card.
    public let devices: [DeviceIndex]
    /// The last hour in which we can recognise the contact; nil without a grant.
    public let recognisedUntil: Period?
    /// The last hour in which the contact says it can recognise us; nil when it has said so of none.
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

/// What a running node can say of itself.
public struct NodeStatus: Hashable, Sendable {
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
    /// The last hour for which this device's certificate is valid.
    public let certifiedUntil: Period?
}
