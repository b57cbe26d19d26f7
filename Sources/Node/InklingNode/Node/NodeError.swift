public import InklingKeys
public import InklingVault
public import InklingWire

/// The reason why a node cannot carry out a request.
public enum NodeError: Error, Hashable, Sendable {
    /// There is no such contact.
    case unknownContact
    /// No session with the contact is open.
    case notReachable
    /// The contact has not acknowledged a text message in time; it stays queued.
    case notAcknowledged
    /// A text message is empty or longer than this many bytes.
    case badText(limit: Int)
    /// A message can wait for a contact from 1 second to 365 days.
    case badExpiry
    /// Too many messages already wait for the contact.
    case queueFull(SyncMachine.QueueError)
    /// There is no message with this identifier.
    case unknownMessage
    /// The message was not delivered before it expired.
    case expired
    /// Messages cannot be read or stored.
    case messages(MessageStoreError)
    /// A name is longer than 64 bytes or contains control or bidirectional characters.
    case badName
    /// The contents could not be saved; nothing was changed.
    case notSaved(VaultError)
    /// The clock is not accepted, so nothing may be granted.
    case clockNotAccepted
    /// Only the user's primary device can do this: it holds the identity key.
    case notPrimary
    /// The vault is a restored copy and the user has not reviewed this contact yet, so it is granted nothing.
    case needsReview
    /// The contact is blocked, so it is granted nothing and no agreement is made with it.
    case blocked
    /// The contact's grants are not renewed, so it is granted nothing.
    case lapsing
    /// There is no such audience.
    case unknownAudience
    /// The name of an audience is empty, invalid, in use or reserved.
    case badAudienceName
    /// There are already 8 audiences.
    case tooManyAudiences
    /// The audience of all contacts cannot be renamed, removed or left.
    case generalAudience
    /// There is no such device on the card, or it is already revoked.
    case unknownDevice
    /// This device cannot revoke or remove itself.
    case ownDevice
    /// 10,000 former contacts can still recognise this user.
    case tooManyFormerContacts
    /// The user's own card is invalid.
    case ownCard(CardError)
    /// A contact's card is invalid, or no key can be agreed with it.
    case card(CardError)
    /// A card or certificate uses a key that belongs to this user or to another contact.
    case keyOfAnother
    /// A card is not newer than the one held.
    case olderCard
    /// The user of the card is already a contact.
    case knownContact
    /// The limit of 10,000 contacts is reached.
    case tooManyContacts
    /// The grant inside a sealed grant was refused.
    case grant(GrantError)
    /// A sealed grant was made for another device, or its sender is not a contact.
    case sealedGrantForAnother
    /// An invitation is already open, or is being accepted.
    case invitationOpen
    /// The invitation has expired, was withdrawn, or was used up.
    case invitationEnded
    /// The search for the inviter found no device.
    case inviterNotFound
    /// The handshake of a first contact failed: the peer closed the link, stayed silent or sent an invalid message.
    case firstContactFailed(stage: String, reason: String)
    /// One of the two users declined.
    case declined
    /// Another first contact with the same person is in progress.
    case firstContactOpen
    /// Four first contacts with the same person have been agreed to, and none has led to a session yet.
    case tooManyKeys
    /// The contact has not yet accepted, so it is granted nothing.
    case notAccepted
    /// All 16 device indices are in use.
    case tooManyDevices
    /// A file cannot be read.
    case file(FileFault)
    /// This many files are already on their way to contacts.
    case tooManyFiles(limit: Int)
    /// There is no transfer with this id, or it does not wait for the user.
    case unknownTransfer
    /// The node has stopped.
    case stopped
    /// Discovery failed.
    case discovery(DiscoveryError)
    /// A link, or a port to accept links on, could not be opened.
    case links(LinkError)
}

extension NodeError: CustomStringConvertible {
    /// The reason in words; without names, texts and keys.
    public var description: String {
        switch self {
        case .unknownContact: "there is no such contact"
        case .notReachable: "no session with the contact is open"
        case .notAcknowledged: "the contact has not acknowledged the text in time"
        case .badText(let limit): "a text must have 1 to \(limit) bytes"
        case .badExpiry: "a message can wait 1 second to 365 days"
        case .queueFull(.tooManyTexts): "\(SyncMachine.textLimit) messages wait for the contact already"
        case .queueFull(.tooManyBytes): "16 MiB of messages wait for the contact already"
        case .queueFull(let reason): "the message was not queued: \(reason.rawValue)"
        case .unknownMessage: "there is no such message"
        case .expired: "the message expired before it was delivered"
        case .messages(let error): "messages cannot be used: \(error)"
        case .badName: "a name must have at most 64 bytes and no control or bidirectional characters"
        case .notSaved(let error): "the contents were not saved: \(error)"
        case .clockNotAccepted: "the clock is not accepted"
        case .notPrimary: "only the user's primary device can do this"
        case .needsReview: "the contact must be reviewed after a restored copy"
        case .blocked: "the contact is blocked"
        case .lapsing: "the contact's grants are not renewed"
        case .unknownAudience: "there is no such audience"
        case .badAudienceName: "the name of an audience is empty, unfit or in use"
        case .tooManyAudiences: "there are \(VaultContents.maximumAudiences) audiences already"
        case .generalAudience: "the audience of all contacts stays as it is"
        case .unknownDevice: "there is no such device"
        case .ownDevice: "a device cannot remove itself"
        case .tooManyFormerContacts: "too many people who are no contacts any more can still recognise this user"
        case .ownCard(let error): "the own card cannot be used: \(error)"
        case .card(let error): "the card is invalid: \(error)"
        case .keyOfAnother: "the card uses a key of this user or of another contact"
        case .olderCard: "a newer card of the contact is held already"
        case .knownContact: "the user is a contact already"
        case .tooManyContacts: "the limit of \(VaultContents.contactLimit) contacts is reached"
        case .grant(let error): "the grant is invalid: \(error)"
        case .sealedGrantForAnother: "the sealed grant is for another device, or its issuer is not a contact"
        case .invitationOpen: "an invitation is open already"
        case .invitationEnded: "the invitation has ended"
        case .inviterNotFound: "no device answers the invitation"
        case .firstContactFailed(let stage, let reason): "the first contact failed (\(stage): \(reason))"
        case .declined: "one of the two people declined"
        case .firstContactOpen: "another first contact with this person is in progress"
        case .tooManyKeys: "four first contacts with this person wait for a session"
        case .notAccepted: "the contact has not accepted yet"
        case .tooManyDevices: "all 16 device indices are in use"
        case .file(let fault): "the file cannot be used: \(fault)"
        case .tooManyFiles(let limit): "\(limit) files are on their way already"
        case .unknownTransfer: "there is no such transfer"
        case .stopped: "the node has stopped"
        case .discovery(let error): "the local network cannot be used: \(error)"
        case .links(let error): "no link could be made: \(error)"
        }
    }
}
