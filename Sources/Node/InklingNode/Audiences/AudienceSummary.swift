public import InklingKeys

/// A change of the audiences that the user requests.
enum AudienceRequest: Sendable {
    case create(AudienceID, name: String, within: AudienceID?)
    case rename(AudienceID, to: String)
    case remove(AudienceID)
    case assign(UserID, to: AudienceID, isMember: Bool)
}

/// What a user interface shows of an audience of the user (`Specs/audiences.md`).
public struct AudienceSummary: Hashable, Sendable, Codable {
    /// The id, which is part of every grant.
    public let id: AudienceID
    /// The user's own name for it; `all` for that of all contacts. It never leaves the device.
    public let name: String
    /// The audience around it; nil for that of all contacts.
    public let within: AudienceID?
    /// The generation of its keys.
    public let generation: UInt32
    /// The number of contacts that belong to it.
    public let members: Int
    /// The number of people, contacts or not, who can recognise this user by it now.
    public let holders: Int
    /// Whether the node shows it.
    public let isShown: Bool
}

/// Somebody who can recognise this user, or is a contact and cannot.
public struct Recogniser: Hashable, Sendable, Codable {
    /// How the user stands with the person.
    public enum Relation: String, Hashable, Sendable, Codable {
        /// A contact that has not accepted yet.
        case waiting
        /// Both have accepted, and not each is known to hold a grant.
        case halfFinished = "half-finished"
        /// A contact.
        case complete
        /// A contact whose grants are not renewed.
        case lapsing
        /// A blocked contact.
        case blocked
        /// No contact any more.
        case removed
    }

    /// A grant that has left and that can be used now.
    public struct Held: Hashable, Sendable, Codable {
        /// The audience.
        public let audience: AudienceID
        /// The user's own name for the audience.
        public let name: String
        /// The generation of its keys.
        public let generation: UInt32
        /// The last period in which the person can recognise this user by it.
        public let until: Period
        /// Whether the person belongs to the audience, so that the grant is renewed when they meet.
        public let isRenewed: Bool
        /// Whether the node shows this audience now.
        public let isShown: Bool
    }

    /// The person.
    public let user: UserID
    /// The name that the user sees.
    public let name: String
    /// How the user stands with the person.
    public let relation: Relation
    /// The grants by which the person can recognise this user, in the order of the audiences.
    public let grants: [Held]
    /// Whether the node shows itself to this person alone, for which no grant is needed.
    public let isShownPair: Bool
    /// The last period in which this user can recognise the person; nil if the person has granted nothing, or withheld it.
    public let recognisedUntil: Period?
}

/// How far a contact, or one of its devices, is revoked (`Specs/audiences.md`).
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

/// What a revocation changes, and for whom.
public struct Revocation: Hashable, Sendable, Codable {
    /// The contact.
    public let user: UserID
    /// How far it is revoked.
    public let level: RevocationLevel
    /// The device, for R4.
    public let device: DeviceIndex?
    /// The last period in which the contact can recognise this user if nothing is done; nil if it cannot.
    public let recognisesUsUntil: Period?
    /// The same after the revocation; nil if it cannot any more.
    public let recognisesUsAfterwards: Period?
    /// The audiences that begin new generations.
    public let renewed: [AudienceID]
    /// The number of other contacts that hold a grant of these, and recognise nothing until they have a new one.
    public let holdersOfGrants: Int
    /// How many of these this node recognises, so that they receive it at the next meeting.
    public let holdersWhomWeRecognise: Int
    /// Whether the node shows one of these audiences, so that it falls silent and shows other identifiers.
    public let changesIdentifiers: Bool
}
