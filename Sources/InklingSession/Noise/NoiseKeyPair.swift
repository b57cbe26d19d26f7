public import InklingKeys

/// An X25519 key pair for handshakes: a device's static key, or the ephemeral key of one handshake.
public struct NoiseKeyPair: ~Copyable, Sendable {
    private let privateKey: SecretBytes
    /// The public half.
    public let publicKey: Octets32

    /// Takes over a private key, or returns nil unless it has 32 bytes.
    public init?(privateKey: consuming SecretBytes) {
        guard privateKey.count == keyByteCount else { return nil }
        self.init(checked: privateKey)
    }

    /// Draws a new pair.
    public init(from generator: inout some RandomNumberGenerator) {
        self.init(checked: SecretBytes(count: keyByteCount, from: &generator))
    }

    private init(checked privateKey: consuming SecretBytes) {
        publicKey = X25519.publicKey(of: privateKey)
        self.privateKey = privateKey
    }

    /// Lends the private key, for sealing.
    public borrowing func withPrivateKey<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try privateKey.withBytes(body)
    }

    /// A second owner of the same key: a handshake keeps one for its own lifetime.
    public borrowing func duplicate() -> NoiseKeyPair {
        NoiseKeyPair(privateKey: privateKey.duplicate(), publicKey: publicKey)
    }

    private init(privateKey: consuming SecretBytes, publicKey: Octets32) {
        self.privateKey = privateKey
        self.publicKey = publicKey
    }

    borrowing func agree(with peer: Octets32) throws(NoiseError) -> SecretBytes {
        do {
            return try X25519.agree(privateKey, with: peer)
        } catch {
            throw .lowOrderPoint
        }
    }
}
