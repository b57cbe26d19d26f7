internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// The open invitation, the number of searches for inviters, and the first contacts in progress.
struct FirstContacts: Sendable {
    /// A first contact after its last message, until its outcome is known and its link has closed.
    struct Meeting: Sendable {
        /// Who waits for the outcome.
        enum Waiter: Sendable {
            /// The invitation with this number.
            case invitation(UInt64)
            /// The request that accepted an invitation.
            case request(Answer<ContactSummary>)
        }

        let device: KnownDevice
        let card: ContactCard
        let technology: LinkTechnologyID
        let role: Role
        let peerKey: Octets32
        let route: LinkRoute
        /// The pairwise key of this first contact.
        let key: SecretBox<SecretBytes>
        /// The period in which it began.
        let began: Period
        let introduction: Introduction
        let confirm: @Sendable (Introduction) async -> Bool
        /// Nil when the outcome has been sent.
        var waiter: Waiter?

        var user: UserID { device.user }
    }

    /// The invitation, from when it is opened until its outcome has been delivered.
    private(set) var invitation: OpenInvitation?
    /// How many searches for inviters are in progress; they keep a discovery server open.
    private(set) var searches = 0
    /// What was heard of the inviters that are searched for.
    private var inviterSearches: [UInt64: InviterSearch] = [:]
    private var searchCount: UInt64 = 0
    private var invitationCount: UInt64 = 0
    private(set) var meetings: [SessionID: Meeting] = [:]
    /// What the user's consent adds to the contents, until it has been stored.
    private var consents: [UserID: [ContentsChange.Consent]] = [:]
    /// First contacts that are complete and wait a moment for the other's full grant.
    private var lateGrants: Set<SessionID> = []
    /// Links that are being closed and whose outcome has not been sent.
    private var closing: [SessionID: Reply<Void>] = [:]
    /// Links of first contacts whose last message has not been processed.
    private var earlyLinks: [UInt64: (technology: LinkTechnologyID, link: any Link)] = [:]
    private var linkCount: UInt64 = 0
    private var sealing: [SessionID: (user: UserID, answer: Answer<[[UInt8]]>)] = [:]

    var isInviting: Bool { invitation?.isOpen == true }

    /// Returns what first contacts need from the link technologies at this time.
    func needs(at unixSeconds: UInt64) -> FirstContactNeeds {
        var needs = FirstContactNeeds(isSearching: searches > 0)
        if let invitation, invitation.isOpen {
            needs.isInviting = true
            needs.answered = invitation.names(at: unixSeconds)
            needs.shownByRadio = invitation.shownByRadio(at: unixSeconds)
        }
        return needs
    }

    /// Opens an invitation. It replaces a concluded one whose outcome has not been requested.
    mutating func open(
        _ invitation: Invitation, for use: InvitationUse = .firstContact, ownCard: ContactCard,
        lasting life: Duration? = nil, answer: Answer<(invitation: Invitation, port: UInt16)>,
        portChanged: @escaping @Sendable (UInt16) -> Void,
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) {
        invitationCount += 1
        self.invitation = OpenInvitation(
            invitation, for: use, number: invitationCount, ownCard: ownCard, lasting: life, answer: answer,
            portChanged: portChanged, confirm: confirm)
    }

    /// Calls `body` with the invitation, and drops the invitation when its outcome has been delivered. Returns nil
    /// without an invitation.
    mutating func withInvitation<Result: ~Copyable, Failure: Error>(
        _ body: (inout OpenInvitation) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard var open = invitation else { return nil }
        defer { invitation = open.isTaken ? nil : open }
        return try body(&open)
    }

    /// Concludes the invitation with this number, unless a later one has replaced it.
    mutating func conclude(
        _ number: UInt64, _ outcome: Result<ContactSummary, NodeError>
    ) -> [OpenInvitation.Effect] {
        guard invitation?.number == number else { return [] }
        return withInvitation { $0.conclude(outcome) } ?? []
    }

    /// Ends the open invitation without a contact.
    mutating func end(_ error: NodeError) -> [OpenInvitation.Effect] {
        withInvitation { $0.conclude(.failure(error)) } ?? []
    }

    mutating func beginSearch() { searches += 1 }
    mutating func endSearch() { searches -= 1 }

    // MARK: Searches

    /// Begins a search for an inviter that shows one of these tags by radio; returns its number.
    mutating func beginInviterSearch(_ shown: [FirstContactNeeds.ShownByRadio]) -> UInt64 {
        searchCount += 1
        inviterSearches[searchCount] = InviterSearch(shown)
        return searchCount
    }

    /// The minors of the invitations whose inviters are looked for.
    var soughtMinors: Set<BeaconMinor> { inviterSearches.values.reduce(into: []) { $0.formUnion($1.minors) } }

    mutating func heard(_ sighting: BeaconSighting, at now: Tick) {
        for number in inviterSearches.keys { inviterSearches[number]?.hear(sighting, at: now) }
    }

    /// Returns an address at which the inviter may be, each once.
    mutating func nextAddress(in search: UInt64, at now: Tick) -> DeviceAddress? {
        inviterSearches[search]?.nextAddress(at: now)
    }

    /// Whether this tag is the inviter's.
    func isTag(_ tag: RecognitionTag, in search: UInt64) -> Bool {
        inviterSearches[search]?.tags.contains(tag) ?? false
    }

    /// Reserves a search for a link over which cards are exchanged; returns false while another link has it, and when the
    /// search has ended.
    mutating func claim(_ search: UInt64) -> Bool {
        guard inviterSearches[search]?.isClaimed == false else { return false }
        inviterSearches[search]?.isClaimed = true
        return true
    }

    /// Goes on with a search after a link that led to nobody.
    mutating func release(_ search: UInt64) { inviterSearches[search]?.isClaimed = false }

    mutating func endInviterSearch(_ search: UInt64) { inviterSearches[search] = nil }

    func isOpen(_ search: UInt64) -> Bool { inviterSearches[search] != nil }

    // MARK: Meetings

    mutating func begin(_ meeting: Meeting, in id: SessionID) { meetings[id] = meeting }
    mutating func endMeeting(with user: UserID) {
        for (id, meeting) in meetings where meeting.user == user {
            meetings[id] = nil
            closing[id] = nil
        }
    }

    /// Returns who waits for the outcome of a first contact; nil when it has been taken before.
    mutating func takeWaiter(in id: SessionID) -> Meeting.Waiter? {
        defer { meetings[id]?.waiter = nil }
        return meetings[id]?.waiter
    }

    /// Returns the session and the state of the first contact with a user.
    func meeting(with user: UserID) -> (id: SessionID, meeting: Meeting)? {
        meetings.first { $0.value.user == user }.map { ($0.key, $0.value) }
    }

    /// Notes what the user's consent adds, until it has been stored or dropped.
    mutating func consented(_ consent: ContentsChange.Consent, with user: UserID) {
        // The number of a key that was not stored is used again.
        consents[user, default: []].removeAll { $0.key.number == consent.key.number }
        consents[user, default: []].append(consent)
    }

    /// Returns what consent adds to the contents with this agreement, and forgets what the agreement does not name.
    mutating func consents(with user: UserID, for agreement: Agreement) -> [ContentsChange.Consent] {
        let kept = (consents[user] ?? []).filter { agreement.keys.contains($0.key.number) }
        consents[user] = kept.isEmpty ? nil : kept
        return kept
    }

    /// Forgets what an agreement does not name.
    mutating func keepConsents(with user: UserID, for agreement: Agreement) {
        _ = consents(with: user, for: agreement)
    }

    /// Forgets what has been stored.
    mutating func forget(_ stored: [ContentsChange.Consent], with user: UserID) {
        let rest = (consents[user] ?? []).filter { one in !stored.contains { $0.key.key === one.key.key } }
        consents[user] = rest.isEmpty ? nil : rest
    }

    /// Waits for the other's full grant.
    mutating func awaitGrant(in id: SessionID) { lateGrants.insert(id) }

    /// Returns whether the full grant was awaited, once.
    mutating func stopAwaitingGrant(in id: SessionID) -> Bool { lateGrants.remove(id) != nil }

    /// Notes that a link is being closed; the reply is sent when everything has left.
    mutating func beginClosing(_ id: SessionID) -> Reply<Void> {
        let isClosed = Reply<Void>()
        closing[id] = isClosed
        return isClosed
    }

    /// Returns when a link that is being closed has sent everything; nil if none is, or it was returned before.
    mutating func takeClosing(_ id: SessionID) -> Reply<Void>? { closing.removeValue(forKey: id) }

    // MARK: Sealed grants

    /// Notes a request for sealed grants that waits until their end has been stored.
    mutating func beginSealing(for user: UserID, _ answer: Answer<[[UInt8]]>, as id: SessionID) {
        sealing[id] = (user, answer)
    }

    /// Returns a request for sealed grants, once.
    mutating func takeSealing(_ id: SessionID) -> Answer<[[UInt8]]>? { sealing.removeValue(forKey: id)?.answer }

    // MARK: Links before the last message

    /// Notes a link, so that a boundary can close it; returns its number.
    mutating func opened(_ link: any Link, over technology: LinkTechnologyID) -> UInt64 {
        linkCount += 1
        earlyLinks[linkCount] = (technology, link)
        return linkCount
    }

    /// Forgets a link; returns false when a boundary has closed it.
    mutating func closed(_ number: UInt64) -> Bool { earlyLinks.removeValue(forKey: number) != nil }

    /// Forgets every link of a technology, and returns them for the caller to close.
    mutating func endRound(of technology: LinkTechnologyID) -> [any Link] {
        let ended = earlyLinks.filter { $0.value.technology == technology }.sorted { $0.key < $1.key }
        for (number, _) in ended { earlyLinks[number] = nil }
        return ended.map(\.value.link)
    }
}
