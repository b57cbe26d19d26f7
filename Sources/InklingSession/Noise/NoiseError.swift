public import InklingKeys

/// Why a Noise handshake or session ended (`Specs/noise.md`).
public enum NoiseError: String, Refusal {
    /// The protocol name is not one that this engine implements.
    case unknownProtocol = "unknown-protocol"
    /// A key that the pattern needs was not supplied.
    case missingKey = "missing-key"
    /// A key that the pattern does not use was supplied.
    case unexpectedKey = "unexpected-key"
    /// A received message is shorter than its keys and tags, or longer than 65,535 bytes.
    case wrongLength = "wrong-length"
    /// An own message would be longer than 65,535 bytes.
    case tooLong = "too-long"
    /// A static key or a payload does not authenticate.
    case decryptionFailed = "decryption-failed"
    /// The result of a Diffie-Hellman step is all zero: the peer's key is a point of small order.
    case lowOrderPoint = "low-order-point"
    /// All 2^64 − 1 nonces of a key have been used.
    case nonceExhausted = "nonce-exhausted"
    /// It is the other party's turn, or the handshake has no more, or still has, messages.
    case outOfTurn = "out-of-turn"

    public var stage: String { "noise" }
    public var reason: String { rawValue }
}
