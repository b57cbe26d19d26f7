public import InklingEngine
public import InklingKeys
public import InklingWire

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
    /// The last period in which the contact can recognise this node, by the longest grant that has left; nil when none
    /// has.
    public let recognisesUsUntil: Period?
    /// How far the two users have come with each other.
    public let standing: Standing
    /// Whether a pairwise key comes from a first contact; otherwise there is only the one from the two cards.
    public let hasMet: Bool
    /// Whether the user must review the contact before anything is granted to it.
    public let needsReview: Bool
    /// When the backup was made from which the contact comes, in Unix seconds; nil unless it must be reviewed, or when
    /// that is unknown.
    public let restoredFrom: UInt64?
    /// Whether the user has blocked the contact.
    public let isBlocked: Bool
    /// The delays that the user has chosen for the contact.
    public let chosenDelays: ContactDelays
    /// The delays by which the node tells when the contact arrives and leaves; every member is set.
    public let delays: ContactDelays
    /// The contact's presence state; `.unseen` until the node runs.
    public let presence: PresenceState
    /// Whether a session is open, so that a message can be delivered now.
    public var isReachable: Bool { !reachableOver.isEmpty }
    /// The technologies over which a session is open.
    public let reachableOver: Set<LinkTechnologyID>
}

/// What remains when a contact has been removed, and what ending it would cost.
public struct Removal: Hashable, Sendable, Codable {
    /// The removed user.
    public let user: UserID
    /// The last period in which the user can recognise this node unless the audiences are renewed; nil if no grant has
    /// left.
    public let recognisesUsUntil: Period?
    /// The audiences by which the user can.
    public let audiences: [AudienceID]
    /// The number of other contacts that hold a grant of these audiences, and need a new one if the audiences are renewed.
    public let holdersOfGrants: Int
    /// How many of these this node recognises, so that they receive it at the next meeting. The others need an
    /// invitation or a sealed grant.
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
        /// Why nothing is shown; nil while an epoch is shown.
        public let silence: NodeEvent.SilenceReason?
        /// Whether connections can be made now.
        public let carriesLinks: Bool

        private enum CodingKeys: String, CodingKey {
            case technology
            case showing = "epoch"
            case silence, carriesLinks
        }
    }

    /// To whom the node shows itself.
    public let visibility: Visibility
    /// The epoch whose identifiers are shown, over any technology; nil while the node is silent.
    public let showing: Epoch?
    /// Why the node is silent; nil while it shows an epoch.
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
    /// The number of first messages that have been refused since the start.
    public let refusedMessages: UInt64
    /// The last period in which this device's certificate is valid; nil without a valid card.
    public let certifiedUntil: Period?
    /// The antennas, in the order in which they were configured.
    public var antennas: [AntennaSummary] = []
    /// How near the owner of this tag is now, as far as it knows; nil for a node that is no tag device.
    public var owner: OwnerConfirmation.State?

    private enum CodingKeys: String, CodingKey {
        case visibility
        case showing = "epoch"
        case silence, technologies, present, contacts, unfinished, sessions, refusedMessages, certifiedUntil
        case antennas, owner
    }
}
