public import InklingKeys

/// Why a node cannot do what it was asked for.
public enum NodeError: Error, Hashable, Sendable {
    /// There is no such contact.
    case unknownContact
    /// No session with the contact is open.
    case notReachable
    /// The contact has not acknowledged a text in time.
    case notAcknowledged
    /// A text is empty or longer than this many bytes.
    case badText(limit: Int)
    /// A name is longer than 64 bytes or contains control or bidirectional characters.
    case badName
    /// The contents could not be saved; nothing was changed.
    case notSaved(VaultError)
    /// The clock is not accepted, so nothing may be granted.
    case clockNotAccepted
    /// Only the user's primary device can do this: it holds the identity key.
    case notPrimary
    /// After a restored copy the user has not looked at this contact yet, so nothing is granted to it.
    case needsReview
    /// The contact is blocked, so nothing is granted to it.
    case blocked
    /// The own card cannot be used.
    case ownCard(CardError)
    /// A card was refused.
    case card(CardError)
    /// A card or certificate uses a key that belongs to somebody else: to us, or to another contact.
    case keyOfAnother
    /// A card is not newer than the one held.
    case olderCard
    /// The user is a contact already.
    case knownContact
    /// There are as many contacts as there may be.
    case tooManyContacts
    /// A grant was refused.
    case grant(GrantError)
    /// A sealed grant was made for somebody else, or by nobody who is a contact.
    case sealedGrantForSomebodyElse
    /// An invitation is open already, or one is being accepted.
    case invitationOpen
    /// The invitation has ended unused, or was used up.
    case invitationEnded
    /// Nobody answers the invitation.
    case inviterNotFound
    /// The other side of a first contact went away or broke the rules.
    case firstContactFailed(stage: String, reason: String)
    /// One of the two people declined.
    case declined
    /// The node has stopped.
    case stopped
    /// The network cannot be used.
    case discovery(DiscoveryError)
    /// The network cannot be used.
    case links(LinkError)
}
