internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// The open invitation, the number of searches for inviters, and the first contacts whose grants are being exchanged.
struct FirstContacts: Sendable {
    /// A first contact that the user of this device has accepted and whose session is open.
    struct Meeting: Sendable {
        let user: UserID
        /// The fields that it replaced if the contact was known before.
        let replaced: ContentsChange.ReplacedKeys?
        let answer: Answer<ContactSummary>
    }

    /// The invitation, from when it is opened until its outcome has been delivered.
    private(set) var invitation: OpenInvitation?
    /// How many searches for inviters are in progress; they keep a discovery server open.
    private(set) var searches = 0
    private var invitationCount: UInt64 = 0
    private var meetings: [SessionID: Meeting] = [:]

    var isInviting: Bool { invitation?.isOpen == true }

    /// Returns what first contacts need from the link technologies at this time.
    func needs(at unixSeconds: UInt64) -> FirstContactNeeds {
        var needs = FirstContactNeeds(isSearching: searches > 0)
        if let invitation, invitation.isOpen {
            needs.isInviting = true
            needs.answered = invitation.names(at: unixSeconds)
        }
        return needs
    }

    /// Opens an invitation. It replaces a concluded one whose outcome has not been requested.
    mutating func open(
        _ invitation: Invitation, ownCard: ContactCard, answer: Answer<(invitation: Invitation, port: UInt16)>,
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) {
        invitationCount += 1
        self.invitation = OpenInvitation(
            invitation, number: invitationCount, ownCard: ownCard, answer: answer, confirm: confirm)
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

    mutating func begin(_ meeting: Meeting, in session: SessionID) { meetings[session] = meeting }
    mutating func endMeeting(in session: SessionID) -> Meeting? { meetings.removeValue(forKey: session) }
}
