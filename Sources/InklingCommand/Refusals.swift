import InklingKeys

// Why objects are rejected, in words for people.

/// The code of a refusal: the stage and the reason of a row of a refusal table in `Specs/`.
struct RefusalCode: Hashable, CustomStringConvertible {
    let stage: String
    let reason: String

    var description: String { "\(stage)/\(reason)" }

    /// Why a card or a grant was rejected.
    var objectSentence: String { cardSentence ?? grantSentence ?? "it is malformed" }

    /// Why a first contact failed on this side.
    var firstContactSentence: String {
        switch (stage, reason) {
        case ("link", _): "the other side closed the connection or did not answer"
        case ("commitment", _): "the other side has another card than the one that the invitation names"
        case ("certificates", "no-valid-certificate"):
            "the card of the other side does not certify its device now; compare the clocks of both devices"
        case ("invitation", "ended"): "the invitation has expired"
        case ("invitation", _): "the invitation was used already, or was tried too often"
        case (_, "decryption-failed"), ("agreement", _), ("message-2", _), ("message-3", _):
            "the other side did not prove that it holds the keys of this invitation"
        default:
            cardSentence.map { "the card of the other side is invalid: \($0)" }
                ?? "the other side sent an invalid message; it may have another version"
        }
    }

    private var cardSentence: String? {
        CardError.all.first { $0.stage == stage && $0.reason == reason }?.sentence
    }

    private var grantSentence: String? {
        GrantError.all.first { $0.stage == stage && $0.reason == reason }?.sentence
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

extension CardError {
    /// What is wrong with the card or the name on it.
    var sentence: String {
        switch self {
        case .tooShort, .tooLong: "its length does not fit its content"
        case .nameLength: "the name is longer than \(ContactCard.nameByteLimit) bytes"
        case .unknownVersion: "its version is not supported"
        case .invalidSignature: "its signature is invalid"
        case .zeroGeneration, .zeroSerial: "its generation or serial is 0"
        case .nonCanonicalPresence, .lowOrderPresence: "its presence key is invalid"
        case .certificates(let error): error.sentence
        case .nameNotUTF8: "the name is not valid UTF-8"
        case .nameControl: "the name contains a control character"
        case .nameBidirectional: "the name contains a character that changes the direction of text"
        }
    }
}

extension CertificateError {
    /// What is wrong with a list of device certificates.
    var sentence: String {
        switch self {
        case .emptyBitmap: "it names no device"
        case .deviceIndex: "its devices are not in order"
        case .nonCanonicalKey, .lowOrderKey: "a device key is invalid"
        case .interval: "the dates of a certificate are invalid"
        case .reservedFlag: "a certificate has a flag that is not supported"
        case .invalidSignature: "the signature of a certificate is invalid"
        case .duplicateKey: "two devices have the same key"
        case .twoPrimaries: "two devices claim to be the primary device"
        case .allEnded: "all its certificates have expired; ask for a new one"
        }
    }
}

extension InvitationError {
    /// What is wrong with the invitation.
    var sentence: String {
        switch self {
        case .tooShort, .tooLong: "its length is wrong"
        case .unknownVersion: "its version is not supported"
        case .noTransport: "it names no transport that this version supports"
        case .ended: "it has expired"
        case .tooFar: "it is valid for more than 13 minutes from now; compare the clocks of both devices"
        }
    }
}

extension GrantError {
    /// What is wrong with the grant.
    var sentence: String {
        switch self {
        case .tooShort, .nodeCount, .tooLongInput: "its length does not fit its content"
        case .unknownVersion: "its version is not supported"
        case .unknownIssuer: "it was not issued by this contact"
        case .invalidSignature: "its signature is invalid"
        case .notOurs: "it was made for another user"
        case .reversed, .tooLong, .outOfTree, .notHeld: "its dates are invalid"
        case .notYet: "it begins more than 24 hours from now"
        case .ended: "it has expired"
        case .notCanonical: "its keys do not fit its dates"
        case .certificates(let error): error.sentence
        case .zeroGeneration: "its generation is 0"
        case .olderGeneration: "a newer one is held already"
        case .generationTooFar: "its generation is too high"
        }
    }
}
