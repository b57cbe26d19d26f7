public import InklingEngine
public import InklingKeys
public import InklingVault
public import InklingWire

/// A contact, for a user interface.
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
    /// The last period in which the contact can recognise this node, by the longest grant that was sent; nil if none
    /// was.
    public let recognisesUsUntil: Period?
    /// The progress of the two users in accepting each other.
    public let standing: Standing
    /// Whether a pairwise key comes from a first contact; otherwise there is only the one derived from the two cards.
    public let hasMet: Bool
    /// Whether the user must review the contact before it is granted anything.
    public let needsReview: Bool
    /// The time of the backup that the contact comes from, in Unix seconds; nil if unknown, or if the contact needs no
    /// review.
    public let restoredFrom: UInt64?
    /// Whether the user has blocked the contact.
    public let isBlocked: Bool
    /// The delays that the user has chosen for the contact.
    public let chosenDelays: ContactDelays
    /// The delays in effect for the contact; every member is set.
    public let delays: ContactDelays
    /// The contact's presence state; `.unseen` until the node runs.
    public let presence: PresenceState
    /// Whether a session is open, so that a message can be delivered now.
    public var isReachable: Bool { !reachableOver.isEmpty }
    /// The technologies over which a session is open.
    public let reachableOver: Set<LinkTechnologyID>
}

/// The state after a contact was removed, and the cost of ending what it can still recognise.
public struct Removal: Hashable, Sendable, Codable {
    /// The removed user.
    public let user: UserID
    /// The last period in which the user can recognise this node unless the audiences are renewed; nil if no grant was
    /// sent.
    public let recognisesUsUntil: Period?
    /// The audiences by which the user can do so.
    public let audiences: [AudienceID]
    /// The number of other contacts that hold a grant of these audiences, and need a new one after a renewal.
    public let holdersOfGrants: Int
    /// The number of these holders whom this node recognises, so that they get it at the next meeting. The others need
    /// an invitation or a sealed grant.
    public let holdersWhomWeRecognise: Int
}

/// The state of a node.
public struct NodeStatus: Hashable, Sendable, Codable {
    /// The state of one link technology.
    public struct Technology: Hashable, Sendable, Codable {
        /// The technology.
        public let technology: LinkTechnologyID
        /// The epoch whose identifiers are shown; nil while silent.
        public let showing: Epoch?
        /// The reason why nothing is shown; nil while an epoch is shown.
        public let silence: NodeEvent.SilenceReason?
        /// Whether connections can be made now.
        public let carriesLinks: Bool

        private enum CodingKeys: String, CodingKey {
            case technology
            case showing = "epoch"
            case silence, carriesLinks
        }
    }

    /// The visibility of the node.
    public let visibility: Visibility
    /// The epoch whose identifiers are shown, over any technology; nil while the node is silent.
    public let showing: Epoch?
    /// The reason why the node is silent; nil while it shows an epoch.
    public let silence: NodeEvent.SilenceReason?
    /// The link technologies, the local network first.
    public let technologies: [Technology]
    /// The number of contacts that are present.
    public let present: Int
    /// The number of all contacts.
    public let contacts: Int
    /// The number of contacts that are waiting or half-finished.
    public let unfinished: Int
    /// The number of open sessions.
    public let sessions: Int
    /// The number of first messages refused since the start.
    public let refusedMessages: UInt64
    /// The last period in which this device's certificate is valid; nil without a valid card.
    public let certifiedUntil: Period?
    /// The antennas, in the order in which they were configured.
    public var antennas: [AntennaSummary] = []
    /// The confirmation state of this tag's owner, as far as it knows; nil unless this node is a tag device.
    public var owner: OwnerConfirmation.State?

    private enum CodingKeys: String, CodingKey {
        case visibility
        case showing = "epoch"
        case silence, technologies, present, contacts, unfinished, sessions, refusedMessages, certifiedUntil
        case antennas, owner
    }
}
