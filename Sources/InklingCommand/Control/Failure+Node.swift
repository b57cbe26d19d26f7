import InklingKeys
import InklingNode

/// Runs `body` and turns what a node refuses into a failure with its exit code.
func nodeFailure<Result>(_ body: () async throws(NodeError) -> Result) async throws(Failure) -> Result {
    do { return try await body() } catch { throw Failure(error) }
}

extension Failure {
    /// What a node refused, why, and what to do.
    init(_ error: NodeError) {
        switch error {
        case .unknownContact: self.init(.badData, "there is no such contact", remedy: "See: inkling contacts list")
        case .notReachable:
            self.init(
                .unavailable, "the contact is not here now; nothing was sent",
                remedy: "A text is delivered only while the contact is confirmed: inkling status")
        case .notAcknowledged:
            self.init(.finding, "the contact has not confirmed the text; it may or may not have arrived")
        case .badText(let limit): self.init(.badData, "a text has 1 to \(limit) bytes")
        case .badName:
            self.init(.badData, "a name has at most 64 bytes and no control or bidirectional characters")
        case .notSaved(let error): self.init(error)
        case .clockNotAccepted:
            self.init(
                .unavailable, "the clock is not accepted, so nothing may be granted",
                remedy: "Synchronise it, or when you know that it is right, say --trust-clock here, or to inkling run.")
        case .notPrimary: self.init(.unavailable, "only the user's primary device can do this")
        case .blocked: self.init(.unavailable, "the contact is blocked, so nothing is granted to it")
        case .needsReview:
            self.init(
                .unavailable, "the contact is to be reviewed after a restored copy, so nothing is granted to it",
                remedy: "Look at it, then: inkling recover --reviewed CONTACT")
        case .ownCard(let error):
            self.init(.badData, "the own card cannot be used: \(error.stage), \(error.reason)")
        case .card(let error): self.init(.badData, "the card is refused: \(error.stage), \(error.reason)")
        case .keyOfAnother:
            self.init(.badData, "the card claims a key that is ours or another contact's; it was refused")
        case .olderCard: self.init(.badData, "a newer card of this contact is here already")
        case .knownContact: self.init(.badData, "this is a contact already")
        case .tooManyContacts: self.init(.unavailable, "there are as many contacts as there may be")
        case .grant(let error): self.init(.badData, "the grant is refused: \(error.stage), \(error.reason)")
        case .sealedGrantForAnother:
            self.init(
                .badData, "the sealed grant does not open",
                remedy: "It was made for another device, or its issuer is no contact: add the issuer's card first.")
        case .invitationOpen:
            self.init(.unavailable, "an invitation is open already", remedy: "End that command with Ctrl-C first.")
        case .invitationEnded:
            self.init(.unavailable, "the invitation has ended unused", remedy: "Make a new one: inkling invite")
        case .inviterNotFound:
            self.init(
                .unavailable, "nobody answers to this invitation on the local network",
                remedy: "Both must be on one network; on one without multicast, give --at HOST:PORT as the other shows."
            )
        case .firstContactFailed(let stage, let reason):
            self.init(.unavailable, "the first contact failed: \(stage), \(reason)")
        case .declined: self.init(.finding, "declined, or the other person did not answer")
        case .stopped: self.init(.unavailable, "the node has stopped")
        case .discovery:
            self.init(
                .unavailable, "the local network cannot be used",
                remedy: "Look whether an interface other than loopback is up: ip address")
        case .links(let error):
            self.init(
                .unavailable, "no link could be made: \(error.sentence)",
                remedy: "Look at the address and port that the other side shows, and at firewalls between.")
        }
    }
}
