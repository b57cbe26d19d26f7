import InklingKeys
package import InklingNode
package import InklingTerminal

/// Runs `body` and turns an error of the node into a failure.
package func nodeFailure<Result>(_ body: () async throws(NodeError) -> Result) async throws(Failure) -> Result {
    do { return try await body() } catch { throw Failure(error) }
}

extension Failure {
    /// Creates the failure that describes an error of the node.
    package init(_ error: NodeError) {
        switch error {
        case .unknownContact:
            self.init(.badData, "there is no such contact", remedy: .command("List them with", "contacts list"))
        case .notReachable:
            self.init(
                .unavailable, "the contact is not near now; nothing was sent",
                remedy: .command("A text can be sent to a confirmed contact; see", "status"))
        case .notAcknowledged:
            self.init(.finding, "the contact has not acknowledged the text yet; it waits in the queue")
        case .badText(let limit): self.init(.badData, "a text must have 1 to \(limit) bytes")
        case .badExpiry: self.init(.badData, "a text can wait 1 second to 365 days")
        case .queueFull: self.init(.unavailable, "\(error)", remedy: .command("List what waits with", "messages list"))
        case .unknownMessage:
            self.init(.badData, "there is no such message", remedy: .command("List them with", "messages list"))
        case .expired: self.init(.finding, "the text expired before the contact acknowledged it")
        case .messages(let fault): self.init(fault)
        case .badName:
            self.init(.badData, "a name must have at most 64 bytes and no control or bidirectional characters")
        case .notSaved(let error): self.init(error)
        case .clockNotAccepted:
            self.init(
                .unavailable, "the clock is not accepted, so nothing can be granted",
                remedy: "Synchronise it. If it is right, add --trust-clock here or to inkling run.")
        case .notPrimary: self.init(.unavailable, "only the user's primary device can do this")
        case .blocked:
            self.init(
                .unavailable, "the contact is blocked, so nothing is granted to it or accepted from it",
                remedy: .command("To unblock it", "contacts unblock CONTACT"))
        case .lapsing:
            self.init(
                .unavailable, "the contact's grants are not renewed",
                remedy: .command("To grant it something again", "contacts grant CONTACT"))
        case .unknownAudience:
            self.init(.badData, "there is no such audience", remedy: .command("List them with", "audience list"))
        case .badAudienceName:
            self.init(
                .badData, "an audience cannot have this name",
                remedy: "Choose 1 to 64 bytes that no other audience has, not 'all' and not 'nobody'.")
        case .tooManyAudiences:
            self.init(
                .unavailable, "there are 8 audiences already", remedy: .command("Remove one with", "audience remove"))
        case .generalAudience:
            self.init(.badData, "the audience 'all' has every contact; it cannot be renamed, removed or left")
        case .unknownDevice:
            self.init(
                .badData, "there is no such device, or it is revoked already",
                remedy: .command("List those of a contact with 'contacts show', and your own with", "device list"))
        case .ownDevice:
            self.init(.badData, "this device cannot remove itself: it is the primary device, which signs the card")
        case .tooManyFormerContacts:
            self.init(
                .unavailable, "10000 former contacts can still recognise you",
                remedy: .command("End that first with", "contacts renew"))
        case .needsReview:
            self.init(
                .unavailable,
                "nothing is granted to the contact until it is reviewed, because the vault is a restored copy",
                remedy: .command("Check the contact, then", "recover --reviewed CONTACT"))
        case .ownCard(let error): self.init(.badData, "your own card cannot be used: \(error)")
        case .card(let error): self.init(.badData, "the card is invalid: \(error)")
        case .keyOfAnother:
            self.init(.badData, "the card contains a key of yours or of another contact; it was rejected")
        case .olderCard: self.init(.badData, "you already have a newer card of this contact")
        case .knownContact: self.init(.badData, "this is already a contact")
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
                remedy:
                    "Both devices must be on one network. Without multicast, add --at HOST:PORT with the inviter's address."
            )
        case .firstContactFailed(let stage, let reason):
            let code = RefusalCode(stage: stage, reason: reason)
            self.init(
                .unavailable, "the first contact failed: \(code.firstContactSentence)",
                remedy: code.stage == "link" ? nil : "Ask for a new invitation.", refusal: code.description)
        case .firstContactOpen: self.init(.unavailable, "another first contact with this person is in progress")
        case .tooManyKeys:
            self.init(
                .unavailable, "four first contacts with this person have not led to a session",
                remedy: .command(
                    "Meet on one network while both nodes run, or remove the contact first", "contacts remove"))
        case .notAccepted:
            self.init(.unavailable, "the contact has not accepted you yet, so nothing is granted to it")
        case .declined: self.init(.finding, "one of the two people declined, or did not answer")
        case .tooManyDevices:
            self.init(
                .unavailable, "all 16 device indices are in use", remedy: .command("Remove one with", "device remove"))
        case .file(let fault): self.init(.badData, "the file cannot be sent: \(fault)")
        case .tooManyFiles(let limit):
            self.init(
                .unavailable, "\(limit) files are already in transfer",
                remedy: .command("Cancel one of them with", "files cancel ID"))
        case .unknownTransfer:
            self.init(
                .badData, "this transfer does not wait for a decision",
                remedy: .command("List them with", "files list"))
        case .stopped: self.init(.unavailable, "the node has stopped")
        case .discovery(let error):
            self.init(
                .unavailable, "the local network cannot be used: \(error.sentence)",
                remedy: "Check that an interface other than loopback is up: ip address")
        case .links(let error):
            self.init(
                .unavailable, "no link could be made: \(error.sentence)",
                remedy: "Check the address and the port of the other side, and any firewall in between.")
        }
    }
}

extension DiscoveryError {
    /// The reason why multicast DNS cannot be used, in words.
    package var sentence: String {
        switch self {
        case .noNetwork: "there is no network interface to use"
        case .server(let code): "multicast DNS does not start (error \(code)); trying again"
        }
    }
}

extension LinkError {
    /// The reason why a link failed, in words.
    package var sentence: String {
        switch self {
        case .unreachable(let code): systemMessage(code)
        case .closed: "the other side closed it"
        case .timedOut: "no answer in time"
        case .oversized(let announced, let limit): "a packet must have at most \(limit) bytes, got \(announced)"
        }
    }
}

/// The code of a refusal: the stage and the reason of a row of a refusal table in `Specs/`.
package struct RefusalCode: Hashable, CustomStringConvertible {
    package let stage: String
    package let reason: String

    package init(stage: String, reason: String) { (self.stage, self.reason) = (stage, reason) }

    package var description: String { "\(stage)/\(reason)" }

    /// The reason why a card or a grant was rejected.
    package var objectSentence: String { cardSentence ?? grantSentence ?? "it is malformed" }

    /// The reason why a first contact failed on this side.
    package var firstContactSentence: String {
        switch (stage, reason) {
        case ("link", _): "the other side closed the connection or did not answer"
        case ("commitment", _): "the other side has another card than the one that the invitation names"
        case ("certificates", "no-valid-certificate"):
            "the other side's card does not certify its device at this time; compare the clocks of both devices"
        case ("invitation", "ended"): "the invitation has expired"
        case ("invitation", _): "the invitation was used already, or was tried too often"
        case (_, "decryption-failed"), ("agreement", _), ("message-2", _), ("message-3", _):
            "the other side did not prove that it holds the keys of this invitation"
        default:
            cardSentence.map { "the card of the other side is invalid: \($0)" }
                ?? "the other side sent an invalid message; it may run a different version"
        }
    }

    private var cardSentence: String? {
        CardError.all.first { $0.stage == stage && $0.reason == reason }?.description
    }

    private var grantSentence: String? {
        GrantError.all.first { $0.stage == stage && $0.reason == reason }?.description
    }
}

extension CardError {
    fileprivate static let all: [CardError] =
        [
            .tooShort, .nameLength, .tooLong, .unknownVersion, .invalidSignature, .zeroGeneration, .zeroSerial,
            .nonCanonicalPresence, .lowOrderPresence, .nameNotUTF8, .nameControl, .nameBidirectional,
        ] + CertificateError.allCases.map { .certificates($0) }
}

extension GrantError {
    // The errors about certificates are those of a card.
    fileprivate static let all: [GrantError] = [
        .tooShort, .nodeCount, .tooLongInput, .unknownVersion, .unknownIssuer, .invalidSignature, .notOurs, .reversed,
        .tooLong, .outOfTree, .notYet, .ended, .notCanonical, .zeroGeneration, .olderGeneration, .generationTooFar,
        .notHeld,
    ]
}
