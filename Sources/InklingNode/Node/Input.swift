internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// Everything that can happen to a node, taken one at a time and to the end, in the order in which it came.
///
/// A step never waits. Work that does (a connection, the packets of a handshake, a save, closing a link, a question to
/// the user) is started from a step, runs beside the inputs, touches no state, and comes back as another input.
enum Input: Sendable {
    case timer(due: Tick)
    case networkChanged
    case visibility(Bool)
    case stop
    /// What a link technology's ports report.
    case ports(LinkTechnologyID, PortOutcome)
    case tableMade(Predictions.Made, number: UInt64, Epoch)
    case saved(VaultError?)
    case handshake(HandshakeInput)
    case packet([UInt8], SessionID)
    case linkEnded(SessionID)
    case request(Request)
    /// An invitation has ended, or its name has changed.
    case firstContactNeedsChanged
}

/// What happens in the handshakes under way.
enum HandshakeInput: Sendable {
    /// Where can a name be reached? Nowhere when nobody answers.
    case search(OpaqueServiceName, LinkTechnologyID, Reply<[Endpoint]>)
    /// A call has a link; the answer is the handshake, or nil when the call is not wanted any more.
    case connected(call: UInt64, any Link, Reply<Handover<ConfirmInitiator>?>)
    case callSucceeded(UInt64, Handover<EstablishedSession>, any Link)
    case callFailed(UInt64, AttemptFailure)
    /// A call was not made.
    case unmade(Attempt, Call.Cause, AttemptFailure)
    /// A first message has authenticated; the answer comes when it is noted for good, or nil.
    case firstMessage(peerKey: Octets32, LinkTechnologyID, Reply<ResponseTerms?>)
    /// The caller has proven itself; false when there is no place for the session.
    case answered(ResponseTerms, Handover<EstablishedSession>, any Link, Reply<Bool>)
    /// A joiner's last message.
    case joiner(Handover<PendingJoiner>, Packet, Reply<ProvenJoiner?>)
    /// The user of this device agrees to a first contact.
    case agreed(FirstContact, Answer<ContactSummary>)
    /// What became of an open invitation.
    case concluded(invitation: UInt64, Result<ContactSummary, NodeError>)
}

/// How a caller is answered.
struct ResponseTerms: Sendable {
    let peer: KnownDevice
    let technology: LinkTechnologyID
    let payload: ConfirmPayload
    let round: Int
}

/// A joiner that has proven to hold the invitation, and what is shown to the user.
struct ProvenJoiner: Sendable {
    let invitation: UInt64
    let card: ContactCard
    let introduction: Introduction
    let confirm: @Sendable (Introduction) async -> Bool
    let session: Handover<EstablishedSession>
}

/// A first contact to which the user of this device has agreed.
struct FirstContact: Sendable {
    let card: ContactCard
    let session: Handover<EstablishedSession>
    let link: any Link
    let technology: LinkTechnologyID
}

/// What a user asks for.
enum Request: Sendable {
    case rename(UserID, to: String, Answer<Void>)
    case setBlocked(UserID, Bool, Answer<Void>)
    case remove(UserID, Answer<Void>)
    case keepReviewed(UserID, Answer<ContactSummary>)
    case add(ContactCard, Answer<ContactSummary>)
    case acceptSealedGrant([UInt8], Answer<ContactSummary>)
    case beginNewGenerations(Answer<Void>)
    case send(String, to: UserID, Answer<Void>)
    case invite(
        lasting: Duration, confirm: @Sendable (Introduction) async -> Bool,
        Answer<(invitation: Invitation, port: UInt16)>)
    case outcome(Answer<ContactSummary>)
    case withdrawInvitation
    case join(Invitation, Answer<JoinTerms>)
    case beginSearch(Reply<Void>)
    case prepareSearch(mayWait: Bool, Reply<SearchReadiness>)
    case endSearch
}

/// What a joiner needs for its handshake.
struct JoinTerms: Sendable {
    let joiner: Handover<InvitationJoiner>
    let period: Period
}
