public import InklingKeys

/// The reason a Noise handshake or session has ended (`Specs/noise.md`).
public enum NoiseError: Refusal, Hashable {
    /// An encrypted part of a message.
    public enum Part: Hashable, Sendable {
        /// The static key of the sender.
        case staticKey
        /// The payload.
        case payload
    }

    /// The protocol name is not one that this module implements.
    case unknownProtocol
    /// A key that the pattern uses is missing.
    case missingKey
    /// A key was given that the pattern does not use.
    case unexpectedKey
    /// A received message is shorter than its keys and tags, or longer than 65,535 bytes.
    case wrongLength
    /// A message to send would be longer than 65,535 bytes.
    case tooLong
    /// A part of a message does not authenticate.
    case decryptionFailed(Part)
    /// The result of a Diffie-Hellman step is zero: the key of the peer is a point of small order.
    case lowOrderPoint
    /// The caller does not accept the static key that was received.
    case unwelcome
    /// All 2^64 − 1 nonces of a key have been used.
    case nonceExhausted
    /// The step is not the next one: it is the other party's turn, or the handshake is complete, or it is not complete
    /// yet.
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
