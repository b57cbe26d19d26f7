public import InklingKeys

/// The reason a handshake has ended (`Specs/handshake.md`). A peer never learns the reason: after every refusal it
/// receives nothing.
public enum HandshakeError: Refusal, Hashable {
    /// The packet is not of the type that is expected next.
    case unexpectedPacket
    /// The gate of a first message does not match: its sender does not know a current secret of the receiver.
    case gateMismatch
    /// The first message has been received before.
    case replayed
    /// The replay cache is full of authenticated first messages.
    case replayCacheFull
    /// Too many first messages have recently passed the gate.
    case overBudget
    /// Too many first messages have recently come from this device of a contact.
    case contactOverBudget
    /// The static key belongs to no contact.
    case unknownContact
    /// The handshake message with this number, counted from 1, cannot be processed.
    case noise(message: Int, NoiseError)
    /// The payload of a message is malformed.
    case payload(PayloadError)
    /// The card in the payload is refused.
    case card(CardError)
    /// The card does not match the commitment in the invitation.
    case commitmentMismatch
    /// The card has no valid certificate for the static key of the handshake.
    case uncertifiedKey
    /// The invitation has ended.
    case invitationExpired
    /// The invitation has been used, or too many first messages have authenticated with its keys.
    case invitationSpent

    public var stage: String {
        switch self {
        case .unexpectedPacket: "length"
        case .gateMismatch: "gate"
        case .replayed, .replayCacheFull: "replay"
        case .overBudget, .contactOverBudget: "budget"
        case .unknownContact: "contact"
        case .noise(_, .lowOrderPoint): "agreement"
        case .noise(_, .decryptionFailed(.staticKey)): "static"
        case .noise(_, .decryptionFailed(.payload)): "payload"
        case .noise(let message, _): "message-\(message)"
        case .payload(let error): error.stage
        case .card(let error): error.stage
        case .commitmentMismatch: "commitment"
        case .uncertifiedKey: "certificates"
        case .invitationExpired, .invitationSpent: "invitation"
        }
    }

    public var reason: String {
        switch self {
        case .unexpectedPacket: "bad-length"
        case .gateMismatch, .commitmentMismatch: "mismatch"
        case .replayed: "seen"
        case .replayCacheFull: "full"
        case .overBudget: "exhausted"
        case .contactOverBudget: "contact-exhausted"
        case .unknownContact: "unknown"
        case .noise(_, let error): error.reason
        case .payload(let error): error.reason
        case .card(let error): error.reason
        case .uncertifiedKey: "no-valid-certificate"
        case .invitationExpired: "ended"
        case .invitationSpent: "spent"
        }
    }
}
