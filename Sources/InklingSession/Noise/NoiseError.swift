public import InklingKeys

/// Why a Noise handshake or session ended (`Specs/noise.md`).
public enum NoiseError: Refusal, Hashable {
    /// A part of a message that is encrypted.
    public enum Part: Hashable, Sendable {
        /// The sender's static key.
        case staticKey
        /// What the message carries.
        case payload
    }

    /// The protocol name is not one that this engine implements.
    case unknownProtocol
    /// A key that the pattern needs was not supplied.
    case missingKey
    /// A key that the pattern does not use was supplied.
    case unexpectedKey
    /// A received message is shorter than its keys and tags, or longer than 65,535 bytes.
    case wrongLength
    /// An own message would be longer than 65,535 bytes.
    case tooLong
    /// A part of a message does not authenticate.
    case decryptionFailed(Part)
    /// The result of a Diffie-Hellman step is all zero: the peer's key is a point of small order.
    case lowOrderPoint
    /// The caller does not talk to the holder of the static key that was received.
    case unwelcome
    /// All 2^64 − 1 nonces of a key have been used.
    case nonceExhausted
    /// It is the other party's turn, or the handshake has no more, or still has, messages.
    case outOfTurn

    public var stage: String { "noise" }

    public var reason: String {
        switch self {
        case .unknownProtocol: "unknown-protocol"
        case .missingKey: "missing-key"
        case .unexpectedKey: "unexpected-key"
        case .wrongLength: "wrong-length"
        case .tooLong: "too-long"
        case .decryptionFailed: "decryption-failed"
        case .lowOrderPoint: "low-order-point"
        case .unwelcome: "unwelcome"
        case .nonceExhausted: "nonce-exhausted"
        case .outOfTurn: "out-of-turn"
        }
    }
}
