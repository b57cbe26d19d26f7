internal import CSodium

/// The 32 random bytes from which a user's identity comes; held only by the primary device and its backup.
public struct RootSeed: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// Draws a new seed.
    public init(from generator: inout some RandomNumberGenerator) {
        secret = SecretBytes(count: keyByteCount, from: &generator)
    }

    /// Takes over a stored seed, or returns nil unless it has 32 bytes.
    public init?(_ secret: consuming SecretBytes) {
        guard secret.count == keyByteCount else { return nil }
        self.secret = secret
    }

    /// Lends the seed, for sealing.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// The signing key of the identity with this generation number; numbers start at 1.
    public borrowing func identityKey(generation: UInt32) -> IdentityKey {
        IdentityKey(seed: derived(DerivationLabel.identity, generation))
    }

    /// The presence key of the identity with this generation number.
    public borrowing func presenceKey(generation: UInt32) -> PresenceKey {
        PresenceKey(derived(DerivationLabel.presenceDH, generation))
    }

    private borrowing func derived(_ label: StaticString, _ generation: UInt32) -> SecretBytes {
        let salted = secret.withBytes { extract(salt: DerivationLabel.userRootSalt, from: $0) }
        return derive(label, from: salted) { $0.append(u32: generation) }
    }
}

/// A user's Ed25519 signing key (RFC 8032): signs cards, device certificates and grants.
public struct IdentityKey: ~Copyable, Sendable {
    /// The length of a signature in bytes.
    public static let signatureByteCount = 64

    // libsodium's form: seed and public key, 64 bytes.
    private let secret: SecretBytes
    /// The public half, by which contacts know the user.
    public let publicKey: Octets32

    /// The key pair of a 32-byte seed.
    public init(seed: consuming SecretBytes) {
        sodiumIsReady()
        var publicBytes = InlineArray<32, UInt8>(repeating: 0)
        secret = SecretBytes(count: 64) { output in
            seed.withBytes { seed in
                guard seed.count == keyByteCount else { return }
                var publicView = publicBytes.mutableSpan
                unsafe publicView.withPointer { publicKey in
                    unsafe output.withPointer { secret in
                        unsafe seed.withPointer { _ = unsafe crypto_sign_seed_keypair(publicKey, secret, $0) }
                    }
                }
            }
        }
        publicKey = Octets32(publicBytes)
    }

    /// The detached signature of a message: 64 bytes.
    public borrowing func sign(_ message: Span<UInt8>) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.signatureByteCount)
        var output = signature.mutableSpan
        secret.withBytes { secret in
            unsafe output.withPointer { output in
                unsafe message.withPointer { start in
                    unsafe secret.withPointer {
                        _ = unsafe crypto_sign_detached(output, nil, start, UInt64(message.count), $0)
                    }
                }
            }
        }
        return signature
    }
}

/// Whether `signature` is `publicKey`'s Ed25519 signature of `message`; false for a signature of any wrong length.
package func isValidSignature(_ signature: Span<UInt8>, of message: Span<UInt8>, by publicKey: Octets32) -> Bool {
    guard signature.count == IdentityKey.signatureByteCount else { return false }
    sodiumIsReady()
    return publicKey.withBytes { publicKey in
        unsafe publicKey.withPointer { publicKey in
            unsafe signature.withPointer { signature in
                unsafe message.withPointer { start in
                    unsafe crypto_sign_verify_detached(signature, start, UInt64(message.count), publicKey) == 0
                }
            }
        }
    }
}

/// A user's X25519 key for pair audiences; never used in a handshake.
public struct PresenceKey: ~Copyable, Sendable {
    private let secret: SecretBytes
    /// The public half, as printed on the card.
    public let publicKey: Octets32

    /// Takes over a 32-byte private key.
    public init(_ secret: consuming SecretBytes) {
        publicKey = X25519.publicKey(of: secret)
        self.secret = secret
    }

    borrowing func agree(with peer: Octets32) throws(KeyAgreementError) -> SecretBytes {
        try X25519.agree(secret, with: peer)
    }
}

/// The name of a user inside a program: SHA-256 of the identity key, cut to 16 bytes. Never on the air.
public struct UserID: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The sixteen bytes.
    public let octets: Octets16

    /// The id with these bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// The id that a text of exactly 32 lowercase hexadecimal digits names; nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// The id of the user with this identity key.
    public init(identity: Octets32) {
        octets =
            sha256 { input in
                input.append(DerivationLabel.userID)
                input.append(u8: 0)
                input.append(identity)
            }.first
    }

    /// The 32 digits.
    public var description: String { octets.description }

    public static func < (left: Self, right: Self) -> Bool { left.octets < right.octets }
}

extension UserID: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in UserID(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}
