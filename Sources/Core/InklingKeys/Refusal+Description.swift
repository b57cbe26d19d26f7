// The reasons why objects are rejected, in words for people; the codes are those of the specification.

extension CardError {
    /// The fault of the card or of the name on it.
    public var description: String {
        switch self {
        case .tooShort, .tooLong: "its length does not fit its content"
        case .nameLength: "the name is longer than \(ContactCard.nameByteLimit) bytes"
        case .unknownVersion: "its version is not supported"
        case .invalidSignature: "its signature is invalid"
        case .zeroGeneration, .zeroSerial: "its generation or serial is 0"
        case .nonCanonicalPresence, .lowOrderPresence: "its presence key is invalid"
        case .certificates(let error): error.description
        case .nameNotUTF8: "the name is not valid UTF-8"
        case .nameControl: "the name contains a control character"
        case .nameBidirectional: "the name contains a character that changes the direction of text"
        }
    }
}

extension CertificateError {
    /// The fault of a list of device certificates.
    public var description: String {
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
    /// The fault of the invitation.
    public var description: String {
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
    /// The fault of the grant.
    public var description: String {
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
        case .certificates(let error): error.description
        case .zeroGeneration: "its generation is 0"
        case .olderGeneration: "a newer one is held already"
        case .generationTooFar: "its generation is too high"
        }
    }
}
