internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// The open invitation, the searches for inviters, and the first contacts in progress with their decisions.
struct FirstContacts: Sendable {
    /// A first contact after its last message, until its outcome is known and its link has closed.
    struct Meeting: Sendable {
        /// The recipient of the outcome.
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
        /// The recipient of the outcome; nil once the outcome has been sent.
        var waiter: Waiter?

        var user: UserID { device.user }
    }

    /// The invitation, from when it is opened until its outcome has been delivered.
    private(set) var invitation: OpenInvitation?
    /// The number of searches for inviters in progress; they keep a discovery server open.
    private(set) var searches = 0
    /// The sightings of the inviters that are searched for.
    private var inviterSearches: [UInt64: InviterSearch] = [:]
    private var searchCount: UInt64 = 0
    private var invitationCount: UInt64 = 0
    /// The outcome of a device link, whose invitation is the open one.
    var deviceLinks = DeviceLinks()
    private(set) var meetings: [SessionID: Meeting] = [:]
    /// The machines in progress; those of other users are created from what is stored.
    private var machines: [UserID: FirstContactMachine] = [:]
    /// The additions that the user's consent makes to the contents, until they are stored.
    private var consents: [UserID: [ContentsChange.Consent]] = [:]
    /// Complete first contacts that wait briefly for the other side's full grant.
    private var lateGrants: Set<SessionID> = []
    /// Links that are being closed and whose outcome has not been sent.
    private var closing: [SessionID: Reply<Void>] = [:]
    /// Links of first contacts whose last message has not been handled.
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

    /// Opens an invitation, replacing a concluded one whose outcome was not requested.
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

    /// Calls `body` with the invitation, which is dropped once its outcome has been delivered. Returns nil without an
    /// invitation.
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

    /// Ends the invitation with an error.
    mutating func end(_ error: NodeError) -> [OpenInvitation.Effect] {
        withInvitation { $0.conclude(.failure(error)) } ?? []
    }

    // MARK: Decisions

    /// The number of machines in progress.
    var machineCount: Int { machines.count }

    /// The time at which the next decision is due.
    var due: Tick? { machines.values.compactMap(\.due).min() }

    /// Returns the users about whom a decision is due, in ascending order.
    func due(at now: Tick) -> [UserID] { machines.keys.sorted().filter { machines[$0]?.due.map { $0 <= now } == true } }

    /// Returns the machine of a user: the one in progress, or a new one from the stored agreement.
    func machine(of user: UserID, stored: Agreement?) -> FirstContactMachine {
        machines[user] ?? FirstContactMachine(stored ?? Agreement())
    }

    /// Returns the agreement with a user as it is decided; nil without a machine in progress.
    func agreement(with user: UserID) -> Agreement? { machines[user]?.agreement }

    /// Reports an event to the machine of a user, and returns the effects to carry out.
    mutating func handle(
        _ event: FirstContactMachine.Event, with user: UserID, stored: Agreement?, at now: Tick
    ) -> [FirstContactMachine.Effect] {
        var machine = machine(of: user, stored: stored)
        let linkKey = machine.linkKey
        let effects = machine.handle(event, at: now)
        if case .agreed = event, linkKey == nil, let key = machine.linkKey, let (_, meeting) = meeting(with: user) {
            consented(
                ContentsChange.Consent(
                    card: meeting.card.bytes,
                    key: StoredPairwiseKey(number: key, origin: .firstContact, key: meeting.key), added: meeting.began),
                with: user)
        }
        machines[user] = machine.isIdle ? nil : machine
        return effects
    }

    /// Applies new generations of audiences; `remaining` is the last period of the longest grant to a user that is left.
    mutating func generationsBegan(remaining: (UserID) -> Period?) {
        for user in machines.keys { machines[user]?.generationsBegan(remaining: remaining(user)) }
    }

    /// Drops what is in progress with a user whose key is no longer kept.
    mutating func dropMachine(of user: UserID) { machines[user] = nil }

    // MARK: Searches

    mutating func beginSearch() { searches += 1 }
    mutating func endSearch() { searches -= 1 }

    /// Begins a search for an inviter that shows one of these tags by radio; returns the number of the search.
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

    /// Returns an address where the inviter may be, each only once.
    mutating func nextAddress(in search: UInt64, at now: Tick) -> DeviceAddress? {
        inviterSearches[search]?.nextAddress(at: now)
    }

    /// Returns whether a tag is the inviter's.
    func isTag(_ tag: RecognitionTag, in search: UInt64) -> Bool {
        inviterSearches[search]?.tags.contains(tag) ?? false
    }

    /// Claims a search for a link over which cards are exchanged; returns false while another link holds it, and once
    /// the search has ended.
    mutating func claim(_ search: UInt64) -> Bool {
        guard inviterSearches[search]?.isClaimed == false else { return false }
        inviterSearches[search]?.isClaimed = true
        return true
    }

    /// Resumes a search after a link that did not lead to the inviter.
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

    /// Returns the recipient of a first contact's outcome, once; then nil.
    mutating func takeWaiter(in id: SessionID) -> Meeting.Waiter? {
        defer { meetings[id]?.waiter = nil }
        return meetings[id]?.waiter
    }

    /// Returns the session and the state of the first contact with a user.
    func meeting(with user: UserID) -> (id: SessionID, meeting: Meeting)? {
        meetings.first { $0.value.user == user }.map { ($0.key, $0.value) }
    }

    /// Keeps the additions of the user's consent until they are stored or dropped.
    private mutating func consented(_ consent: ContentsChange.Consent, with user: UserID) {
        // The number of a key that was not stored is reused.
        consents[user, default: []].removeAll { $0.key.number == consent.key.number }
        consents[user, default: []].append(consent)
    }

    /// Returns the additions of a user's consent for this agreement, and drops those whose keys it does not name.
    mutating func consents(with user: UserID, for agreement: Agreement) -> [ContentsChange.Consent] {
        let kept = (consents[user] ?? []).filter { agreement.keys.contains($0.key.number) }
        consents[user] = kept.isEmpty ? nil : kept
        return kept
    }

    /// Drops the additions whose keys an agreement does not name.
    mutating func keepConsents(with user: UserID, for agreement: Agreement) {
        _ = consents(with: user, for: agreement)
    }

    /// Drops the additions that have been stored.
    mutating func forget(_ stored: [ContentsChange.Consent], with user: UserID) {
        let rest = (consents[user] ?? []).filter { one in !stored.contains { $0.key.key === one.key.key } }
        consents[user] = rest.isEmpty ? nil : rest
    }

    /// Starts waiting for the other side's full grant.
    mutating func awaitGrant(in id: SessionID) { lateGrants.insert(id) }

    /// Returns, once, whether the full grant was awaited.
    mutating func stopAwaitingGrant(in id: SessionID) -> Bool { lateGrants.remove(id) != nil }

    /// Records that a link is being closed; the reply is sent when all data has been sent.
    mutating func beginClosing(_ id: SessionID) -> Reply<Void> {
        let isClosed = Reply<Void>()
        closing[id] = isClosed
        return isClosed
    }

    /// Returns, once, the reply of a link that is being closed; nil if there is none.
    mutating func takeClosing(_ id: SessionID) -> Reply<Void>? { closing.removeValue(forKey: id) }

    // MARK: Sealed grants

    /// Keeps a request for sealed grants until their end has been stored.
    mutating func beginSealing(for user: UserID, _ answer: Answer<[[UInt8]]>, as id: SessionID) {
        sealing[id] = (user, answer)
    }

    /// Returns a request for sealed grants, once; then nil.
    mutating func takeSealing(_ id: SessionID) -> Answer<[[UInt8]]>? { sealing.removeValue(forKey: id)?.answer }

    // MARK: Links before the last message

    /// Records a link, so that a boundary can close it; returns its number.
    mutating func opened(_ link: any Link, over technology: LinkTechnologyID) -> UInt64 {
        linkCount += 1
        earlyLinks[linkCount] = (technology, link)
        return linkCount
    }

    /// Drops a link; returns false if a boundary has closed it.
    mutating func closed(_ number: UInt64) -> Bool { earlyLinks.removeValue(forKey: number) != nil }

    /// Drops every link of a technology, and returns them for the caller to close.
    mutating func endRound(of technology: LinkTechnologyID) -> [any Link] {
        let ended = earlyLinks.filter { $0.value.technology == technology }.sorted { $0.key < $1.key }
        for (number, _) in ended { earlyLinks[number] = nil }
        return ended.map(\.value.link)
    }
}
