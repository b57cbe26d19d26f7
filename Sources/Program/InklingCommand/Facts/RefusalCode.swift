import InklingKeys

/// The code of a refusal: the stage and the reason of a row of a refusal table in `Specs/`.
struct RefusalCode: Hashable, CustomStringConvertible {
    let stage: String
    let reason: String

    var description: String { "\(stage)/\(reason)" }

    /// The reason why a card or a grant was rejected.
    var objectSentence: String { cardSentence ?? grantSentence ?? "it is malformed" }

    /// The reason why a first contact failed on this side.
    var firstContactSentence: String {
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
