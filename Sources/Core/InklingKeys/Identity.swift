internal import CSodium

/// The 32 random bytes from which a user's keys are derived. Only the primary device and its backup hold them.
public struct RootSeed: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// Creates a random seed.
    public init(from generator: inout some RandomNumberGenerator) {
        secret = SecretBytes(count: keyByteCount, from: &generator)
    }

    /// Creates a seed from stored bytes; returns nil unless there are 32.
    public init?(_ secret: consuming SecretBytes) {
        guard secret.count == keyByteCount else { return nil }
        self.secret = secret
    }

    /// Calls `body` with the bytes of the seed, for sealing; they are valid only during the call.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// Derives the identity key of a generation; generations count from 1.
    public borrowing func identityKey(generation: UInt32) -> IdentityKey {
        IdentityKey(seed: derived(DerivationLabel.identity, generation))
    }

    /// Derives the presence key of a generation; generations count from 1.
    public borrowing func presenceKey(generation: UInt32) -> PresenceKey {
        PresenceKey(derived(DerivationLabel.presenceDH, generation))
    }

    private borrowing func derived(_ label: StaticString, _ generation: UInt32) -> SecretBytes {
        let salted = secret.withBytes { extract(salt: DerivationLabel.userRootSalt, from: $0) }
        return derive(label, from: salted) { $0.append(u32: generation) }
    }
}

/// A user's Ed25519 key (RFC 8032), which signs cards, device certificates and grants.
public struct IdentityKey: ~Copyable, Sendable {
    /// The length of a signature in bytes.
    public static let signatureByteCount = 64

    // In the format of libsodium: seed and public key, 64 bytes.
    private let secret: SecretBytes
    /// The public key, by which contacts identify the user.
    public let publicKey: Octets32

    /// Creates the key pair of a seed of 32 bytes.
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

    /// Returns the detached signature of a message, 64 bytes.
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

/// Returns whether `signature` is an Ed25519 signature of `message` by `publicKey`; false unless it is 64 bytes long.
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

/// A user's X25519 key for pair audiences. It is never used in a handshake.
public struct PresenceKey: ~Copyable, Sendable {
    private let secret: SecretBytes
    /// The public key, as it stands in the card.
    public let publicKey: Octets32

    /// Creates a key from a private key of 32 bytes.
    public init(_ secret: consuming SecretBytes) {
        publicKey = X25519.publicKey(of: secret)
        self.secret = secret
    }

    borrowing func agree(with peer: Octets32) throws(KeyAgreementError) -> SecretBytes {
        try X25519.agree(secret, with: peer)
    }
}

/// The id of a user inside sessions and sealed objects: a SHA-256 hash of the identity key, truncated to 16 bytes. It
/// is never sent in the clear.
public struct UserID: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The sixteen bytes.
    public let octets: Octets16

    /// Creates an id from its bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// Creates an id from exactly 32 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// Creates the id of the user with this identity key.
    public init(identity: Octets32) {
        octets =
            sha256 { input in
                input.append(DerivationLabel.userID)
                input.append(u8: 0)
                input.append(identity)
            }.first
    }

    /// The 32 hexadecimal digits.
    public var description: String { octets.description }

    public static func < (left: Self, right: Self) -> Bool { left.octets < right.octets }
}

extension UserID: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in UserID(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}
