internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// An event or a request that a node processes, one at a time, in the order of arrival.
///
/// A step does not suspend. Work that has to wait (connecting, the packets of a handshake, a save, closing a link, a
/// question to the user) is started by a step, runs in its own task without touching the node's state, and posts its
/// result as another input.
enum Input: Sendable {
    case timer(due: Tick)
    case networkChanged
    /// The clock has been set, or the machine has woken.
    case clockChanged
    /// The machine is about to sleep, or has woken, or does not sleep after all.
    case sleep(isNear: Bool)
    /// Every technology is silent, after this many changes of the audience.
    case audienceWithdrawn(round: Int)
    case stop
    /// A report of a link technology's ports.
    case ports(LinkTechnologyID, PortOutcome)
    /// A report of the antenna with this index.
    case antenna(Int, AntennaReport)
    case tableMade(Predictions.Made, number: UInt64, Epoch)
    case saved(VaultError?)
    case handshake(HandshakeInput)
    case packet([UInt8], SessionID)
    case linkEnded(SessionID)
    case request(Request)
    /// An event about a file.
    case file(FileInput)
    /// The invitation has ended, or its name has changed.
    case firstContactNeedsChanged
    /// The outcome of work on the message store.
    case messages(MessageWorkOutcome)
}

/// An event of a handshake in progress.
enum HandshakeInput: Sendable {
    /// A search for the endpoints of a name; the reply is empty if there are none.
    case search(OpaqueServiceName, OpaqueHostName?, Reply<[Endpoint]>)
    /// A tag was read at an address without an attempt, or could not be read.
    case tagRead(DeviceAddress, RecognitionTag)
    case readingFailed(DeviceAddress)
    /// A contact has answered for its name in a pair audience, in this epoch.
    case pairFound(OpaqueServiceName, Epoch)
    /// A call has a link; the reply is the handshake, or nil when the call is no longer needed.
    case connected(call: UInt64, any Link, Reply<Handover<ConfirmInitiator>?>)
    case callSucceeded(UInt64, Handover<EstablishedSession>, PairwiseKeyNumber, any Link)
    case callFailed(UInt64, AttemptFailure)
    /// A call could not be started.
    case callNotMade(Attempt, Call.Cause, AttemptFailure)
    /// A first message has been authenticated; the reply follows when the message has been stored, or is nil.
    case firstMessage(ReceivedFirstMessage, LinkTechnologyID, Reply<ResponseTerms?>)
    /// The initiator has been authenticated; the reply is false if no session can begin.
    case answered(ResponseTerms, Handover<EstablishedSession>, any Link, Reply<Bool>)
    /// An offered link has been made; the reply is the handshake, or nil if the link is no longer needed.
    case offeredLinkMade(HandOvers.Received, any Link, round: Int, Reply<Handover<ConfirmInitiator>?>)
    /// The other side of an offered link has answered.
    case offeredLinkAnswered(
        HandOvers.Received, Handover<EstablishedSession>, PairwiseKeyNumber, any Link, round: Int, start: Tick)
    /// No address of an offer led to a session.
    case offerFailed(HandOvers.Received, isUnreachable: Bool, round: Int)
    /// A joiner's last message; the reply is false if it does not prove that the joiner holds the invitation.
    case joiner(Handover<PendingJoiner>, Packet, any Link, LinkTechnologyID, Reply<Bool>)
    /// This device has sent the last message of a first contact to an inviter.
    case joined(
        Handover<EstablishedSession>, ContactCard, any Link, LinkTechnologyID,
        @Sendable (Introduction) async -> Bool, Answer<ContactSummary>)
    /// The user of this device accepts or refuses a first contact.
    case decided(SessionID, isAccepted: Bool)
    /// The last record of a first contact has been sent, or has timed out.
    case concluded(FirstContacts.Meeting.Waiter, Result<ContactSummary, NodeError>)
    /// An invisible node has waited long enough for the other side's full grant.
    case grantAwaited(SessionID)
    /// A device link of the invitation with this number has ended.
    case deviceLinked(UInt64, Result<ListedDevice, NodeError>)
    /// No caller waits any longer for the first contact that this device joined.
    case abandoned(UserID)
}

/// An authenticated first message.
struct ReceivedFirstMessage: Sendable {
    let peerKey: Octets32
    /// The pairwise key for the reply.
    let key: PairwiseKeyNumber
    /// The epoch of the context whose gate the message had.
    let epoch: Epoch
    /// Whether it came over a link that this device has offered.
    let isOffered: Bool
}

/// The values that a responder needs for its reply to an initiator.
struct ResponseTerms: Sendable {
    let peer: KnownDevice
    let technology: LinkTechnologyID
    let payload: ConfirmPayload
    /// The pairwise key for the reply.
    let key: PairwiseKeyNumber
    let round: Int
    let epoch: Epoch
    let isOffered: Bool
}

/// A request of the user.
enum Request: Sendable {
    case rename(UserID, to: String, Answer<Void>)
    case setBlocked(UserID, Bool, Answer<Void>)
    case setDelays(UserID, ContactDelays, Answer<Void>)
    case becomeVisible(to: Visibility, Answer<Void>)
    case remove(UserID, Answer<Removal>)
    case sealGrants(UserID, Answer<[[UInt8]]>)
    case renewAudiences(Set<AudienceID>?, Answer<Void>)
    case audience(AudienceRequest, Answer<Void>)
    case revoke(UserID, RevocationLevel, DeviceIndex?, Answer<Revocation>)
    case setLapsing(UserID, Bool, Answer<Void>)
    case keepReviewed(UserID, Answer<ContactSummary>)
    case add(ContactCard, Answer<ContactSummary>)
    case acceptSealedGrant([UInt8], Answer<ContactSummary>)
    case beginNewGenerations(Answer<Void>)
    case send(String, to: UserID, Answer<Void>)
    case queue(String, for: UserID, Duration, Answer<TextID>)
    case awaitDelivery(TextID, Duration, Answer<Void>)
    case acknowledge(TextID, from: UserID, Answer<Void>)
    case nextIncoming(IncomingPosition, Reply<(MessagePlace, MessageRow)?>)
    case removeMessage(TextID, Answer<Void>)
    case sendFile(NewFile, Answer<TransferID>)
    case changeFile(TransferID, FileChange, Answer<Void>)
    case files(Reply<[FileTransfer]>)
    case invite(
        InvitationUse, lasting: Duration, portChanged: @Sendable (UInt16) -> Void,
        confirm: @Sendable (Introduction) async -> Bool,
        Answer<(invitation: Invitation, port: UInt16)>)
    case outcome(Answer<ContactSummary>)
    case withdrawInvitation
    case join(Invitation, InvitationUse, Transport, Answer<JoinTerms>)
    case addDevice(key: Octets32, SecretBox<SecretBytes>, Answer<Void>)
    case removeDevice(DeviceIndex, Answer<Void>)
    case linkOutcome(Answer<ListedDevice>)
    case checkInviter(ContactCard, provenKey: Octets32, Answer<Void>)
    case beginSearch(Reply<Void>)
    case prepareSearch(mayWait: Bool, Reply<SearchReadiness>)
    case endSearch
}

/// The values that a joiner needs for its handshake.
struct JoinTerms: Sendable {
    /// The handshake, which is bound to a transport.
    let joiner: Handover<Joiner>
    let period: Period
    let use: InvitationUse
}
