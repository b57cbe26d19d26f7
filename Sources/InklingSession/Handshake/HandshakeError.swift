public import InklingKeys

/// Why a handshake ended (`Specs/handshake.md`). A peer never learns it: towards the peer every refusal is the same
/// silence.
public enum HandshakeError: Refusal, Hashable {
    /// The packet is not of the type that comes next.
    case unexpectedPacket
    /// The sender of a first message knows no current secret of ours.
    case gateMismatch
    /// The first message has been seen before.
    case replayed
    /// The memory of first messages is full of authenticated ones.
    case replayCacheFull
    /// Too many first messages passed the gate lately.
    case overBudget
    /// Too many first messages of this contact's device lately.
    case contactOverBudget
    /// The static key belongs to nobody who may call.
    case unknownContact
    /// The handshake message with this number, counted from 1, cannot be processed.
    case noise(message: Int, NoiseError)
    /// What the message carries is malformed.
    case payload(PayloadError)
    /// The card is malformed.
    case card(CardError)
    /// The card is not the one that the invitation announced.
    case commitmentMismatch
    /// The card has no valid certificate of the key that the handshake proved.
    case uncertifiedKey
    /// The invitation has ended.
    case invitationExpired
    /// The invitation has been used, or has been tried too often.
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
