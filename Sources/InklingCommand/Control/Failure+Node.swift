import InklingKeys
import InklingNode

/// Runs `body` and turns a node's error into a failure with its exit code.
func nodeFailure<Result>(_ body: () async throws(NodeError) -> Result) async throws(Failure) -> Result {
    do { return try await body() } catch { throw Failure(error) }
}

extension Failure {
    /// Creates the failure of a node's error: what went wrong, why, and what to do.
    init(_ error: NodeError) {
        switch error {
        case .unknownContact:
            self.init(.badData, "there is no such contact", remedy: .command("List them with", "contacts list"))
        case .notReachable:
            self.init(
                .unavailable, "the contact is not here now; nothing was sent",
                remedy: .command("A text needs a confirmed contact", "status"))
        case .notAcknowledged:
            self.init(.finding, "the contact has not acknowledged the text; it may or may not have arrived")
        case .badText(let limit): self.init(.badData, "a text must have 1 to \(limit) bytes")
        case .badName:
            self.init(.badData, "a name must have at most 64 bytes and no control or bidirectional characters")
        case .notSaved(let error): self.init(error)
        case .clockNotAccepted:
            self.init(
                .unavailable, "the clock is not accepted, so nothing may be granted",
                remedy: "Synchronise it, or if it is right, give --trust-clock here or to inkling run.")
        case .notPrimary: self.init(.unavailable, "only the user's primary device can do this")
        case .blocked: self.init(.unavailable, "the contact is blocked, so nothing is granted to it")
        case .needsReview:
            self.init(
                .unavailable, "the contact must be reviewed after a restored copy, so nothing is granted to it",
                remedy: .command("Look at it, then", "recover --reviewed CONTACT"))
        case .ownCard(let error): self.init(.badData, "the own card cannot be used: \(error)")
        case .card(let error): self.init(.badData, "the card is invalid: \(error)")
        case .keyOfAnother:
            self.init(.badData, "the card claims a key that is ours or another contact's; it was rejected")
        case .olderCard: self.init(.badData, "a newer card of this contact is held already")
        case .knownContact: self.init(.badData, "this is a contact already")
        case .tooManyContacts: self.init(.unavailable, "the limit of 10000 contacts is reached")
        case .grant(let error): self.init(.badData, "the grant is invalid: \(error)")
        case .sealedGrantForAnother:
            self.init(
                .badData, "the sealed grant does not open",
                remedy: "It was made for another device, or its issuer is not a contact: add the issuer's card first.")
        case .invitationOpen:
            self.init(.unavailable, "an invitation is open already", remedy: "End that command with Ctrl-C first.")
        case .invitationEnded:
            self.init(
                .unavailable, "the invitation expired unused", remedy: .command("Create a new one with", "invite"))
        case .inviterNotFound:
            self.init(
                .unavailable, "no answer to this invitation on the local network",
                remedy: "Both must be on one network; on one without multicast, give --at HOST:PORT as the other shows."
            )
        case .firstContactFailed(stage: "link", _):
            self.init(.unavailable, "the first contact failed: the other side closed the connection or did not answer")
        case .firstContactFailed(let stage, let reason):
            self.init(.unavailable, "the first contact failed: the other side broke the protocol (\(stage): \(reason))")
        case .declined: self.init(.finding, "declined, or the other person did not answer")
        case .stopped: self.init(.unavailable, "the node has stopped")
        case .discovery(let error):
            self.init(
                .unavailable, "the local network cannot be used: \(error.sentence)",
                remedy: "Check that an interface other than loopback is up: ip address")
        case .links(let error):
            self.init(
                .unavailable, "no link could be made: \(error.sentence)",
                remedy: "Check the address and port that the other side shows, and firewalls between.")
        }
    }
}
