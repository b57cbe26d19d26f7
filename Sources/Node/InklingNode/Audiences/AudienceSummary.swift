public import InklingKeys

/// A change to the audiences, requested by the user.
enum AudienceRequest: Sendable {
    case create(AudienceID, name: String, within: AudienceID?)
    case rename(AudienceID, to: String)
    case remove(AudienceID)
    case assign(UserID, to: AudienceID, isMember: Bool)
}

/// An audience of the user, for a user interface (`Specs/audiences.md`).
public struct AudienceSummary: Hashable, Sendable, Codable {
    /// The id, which is part of every grant.
    public let id: AudienceID
    /// The user's own name for the audience; `all` for the audience of all contacts. It never leaves the device.
    public let name: String
    /// The enclosing audience; nil for the audience of all contacts.
    public let within: AudienceID?
    /// The generation of its keys.
    public let generation: UInt32
    /// The number of contacts that belong to it.
    public let members: Int
    /// The number of people, contacts or not, who can recognise this user by the audience now.
    public let holders: Int
    /// Whether the node shows it.
    public let isShown: Bool
}

/// A person who can recognise this user, or a contact who cannot.
public struct Recogniser: Hashable, Sendable, Codable {
    /// The relation of the user to the person.
    public enum Relation: String, Hashable, Sendable, Codable {
        /// A contact that has not accepted yet.
        case waiting
        /// Both have accepted, but not both are known to hold a grant.
        case halfFinished = "half-finished"
        /// A contact.
        case complete
        /// A contact whose grants are not renewed.
        case lapsing
        /// A blocked contact.
        case blocked
        /// No longer a contact.
        case removed
    }

    /// A grant that was sent and is usable now.
    public struct Held: Hashable, Sendable, Codable {
        /// The audience.
        public let audience: AudienceID
        /// The user's own name for the audience.
        public let name: String
        /// The generation of its keys.
        public let generation: UInt32
        /// The last period in which the person can recognise this user by it.
        public let until: Period
        /// Whether the person is a member, so that the grant is renewed when they meet.
        public let isRenewed: Bool
        /// Whether the node shows this audience now.
        public let isShown: Bool
    }

    /// The person.
    public let user: UserID
    /// The name that the user sees.
    public let name: String
    /// The relation of the user to the person.
    public let relation: Relation
    /// The grants by which the person can recognise this user, in the order of the audiences.
    public let grants: [Held]
    /// Whether the node shows itself to this person only, which needs no grant.
    public let isShownPair: Bool
    /// The last period in which this user can recognise the person; nil without a grant from the person.
    public let recognisedUntil: Period?
}

/// The level to which a contact, or one of its devices, is revoked (`Specs/audiences.md`).
public enum RevocationLevel: String, Hashable, Sendable, Codable, CaseIterable {
    /// R1: answers end.
    case block = "R1"
    /// R2: grants are not renewed.
    case lapse = "R2"
    /// R3: answers end, and the audiences begin new generations.
    case blind = "R3"
    /// R4: a device is revoked, and the audiences begin new generations.
    case device = "R4"
}

/// The effects of a revocation.
public struct Revocation: Hashable, Sendable, Codable {
    /// The contact.
    public let user: UserID
    /// The level of the revocation.
    public let level: RevocationLevel
    /// The device, for R4.
    public let device: DeviceIndex?
    /// The last period in which the contact can recognise this user without the revocation; nil if it cannot.
    public let recognisesUsUntil: Period?
    /// The same with the revocation; nil if it no longer can.
    public let recognisesUsAfterwards: Period?
    /// The audiences that begin new generations.
    public let renewed: [AudienceID]
    /// The number of other contacts that hold a grant of these audiences, and need a new one to recognise anything.
    public let holdersOfGrants: Int
    /// The number of these holders whom this node recognises, so that they get it at the next meeting.
    public let holdersWhomWeRecognise: Int
    /// Whether the node shows one of these audiences, so that it goes silent and then shows other identifiers.
    public let changesIdentifiers: Bool
}
