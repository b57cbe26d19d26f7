internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// The open invitation, the searches for inviters, and the first contacts in which grants are still to be exchanged.
struct FirstContacts: Sendable {
    /// A first contact to which the user of this device has agreed, and whose session is open.
    struct Meeting: Sendable {
        let user: UserID
        /// What it replaced of a contact that was known before.
        let replaced: ContentsChange.ReplacedKeys?
        let answer: Answer<ContactSummary>
    }

    /// From opening until its outcome was taken.
    private(set) var invitation: OpenInvitation?
    /// How many invitations of others are being accepted, for which a server may be open too.
    private(set) var searches = 0
    private var invitationCount: UInt64 = 0
    private var meetings: [SessionID: Meeting] = [:]

    var isInviting: Bool { invitation?.isOpen == true }

    /// Returns what first contacts need of the link technologies at a moment.
    func needs(at unixSeconds: UInt64) -> FirstContactNeeds {
        var needs = FirstContactNeeds(isSearching: searches > 0)
        if let invitation, invitation.isOpen {
            needs.isInviting = true
            needs.answered = invitation.names(at: unixSeconds)
        }
        return needs
    }

    /// Opens an invitation, in the place of one whose outcome nobody took.
    mutating func open(
        _ invitation: Invitation, ownCard: ContactCard, answer: Answer<(invitation: Invitation, port: UInt16)>,
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) {
        invitationCount += 1
        self.invitation = OpenInvitation(
            invitation, number: invitationCount, ownCard: ownCard, answer: answer, confirm: confirm)
    }

    /// Gives the invitation something to do, and lets go of it when its outcome has been taken.
    mutating func withInvitation<Result: ~Copyable, Failure: Error>(
        _ body: (inout OpenInvitation) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard var open = invitation else { return nil }
        defer { invitation = open.isTaken ? nil : open }
        return try body(&open)
    }

    /// Concludes the invitation with this number, unless another one has taken its place.
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
