public import InklingKeys

/// An X25519 key pair for handshakes: the static key of a device, or the ephemeral key of one handshake.
public struct NoiseKeyPair: ~Copyable, Sendable {
    private let privateKey: SecretBytes
    /// The public key.
    public let publicKey: Octets32

    /// Creates a key pair from a private key; returns nil unless it is 32 bytes long.
    public init?(privateKey: consuming SecretBytes) {
        guard privateKey.count == keyByteCount else { return nil }
        self.init(checked: privateKey)
    }

    /// Creates a random key pair.
    public init(from generator: inout some RandomNumberGenerator) {
        self.init(checked: SecretBytes(count: keyByteCount, from: &generator))
    }

    private init(checked privateKey: consuming SecretBytes) {
        publicKey = X25519.publicKey(of: privateKey)
        self.privateKey = privateKey
    }

    /// Calls `body` with the private key, for sealing; it is valid only during the call.
    public borrowing func withPrivateKey<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try privateKey.withBytes(body)
    }

    /// Derives a key that seals data which this device stores outside its vault.
    package borrowing func key(for label: StaticString) -> SecretBytes { derive(label, from: privateKey) }

    /// Returns a copy of the key pair, which a handshake owns as long as it runs.
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
