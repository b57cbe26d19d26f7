/// Why a Noise handshake or session ended (`Specs/noise.md`). Numbers only: never bytes of a peer or of a key.
public enum NoiseError: Error, Hashable, Sendable {
    /// The protocol name is not one that this engine implements.
    case unknownProtocol
    /// A key that the pattern needs was not supplied.
    case missingKey
    /// A key that the pattern does not use was supplied.
    case unexpectedKey
    /// A received message has this many bytes: fewer than its keys and tags, or more than 65,535.
    case wrongLength(Int)
    /// An own message would have this many bytes, more than 65,535.
    case tooLong(Int)
    /// A static key or a payload does not authenticate.
    case decryptionFailed
    /// The result of a Diffie-Hellman step is all zero: the peer's key is a point of small order.
    case lowOrderPoint
    /// All 2^64 − 1 nonces of a key have been used.
    case nonceExhausted
    /// It is the other party's turn, or the handshake has no more, or still has, messages.
    case outOfTurn
}
