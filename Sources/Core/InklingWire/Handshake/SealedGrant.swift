public import InklingKeys

/// A grant sealed for one device of a contact, to be delivered without a session (`Specs/handshake.md`).
///
/// It is not forward-secret: an attacker that steals the reader's device key and the pairwise key can open it.
public enum SealedGrant {
    // The version, the ephemeral key and the tag.
    private static let overhead = 49
    private static let version: UInt8 = 1

    /// Seals an encoded grant for the device with the static key `recipient`, and returns the sealed grant.
    ///
    /// `deviceKey` is the key of the issuer's device, and `pairwiseKey` is the current pairwise key of the two users.
    /// - Throws: `SealedGrantError.outOfRange` unless the grant has 1 to `Grant.byteLimit` bytes; `.lowOrderPoint` if
    ///   `recipient` is a point of small order.
    public static func seal(
        _ grant: Span<UInt8>, deviceKey: borrowing NoiseKeyPair, recipient: Octets32,
        pairwiseKey: borrowing SecretBytes, ephemeral: consuming NoiseKeyPair
    ) throws(SealedGrantError) -> [UInt8] {
        guard (1...Grant.byteLimit).contains(grant.count) else { throw .outOfRange }
        let secret = SecretBox(pairwiseKey.duplicate())
        var sealed: [UInt8] = [version]
        do {
            let state = try handshake(.initiator, deviceKey, recipient, ephemeral)
            _ = try state.write(grant, appendingTo: &sealed, presharedKeys: { _, _ in secret.value.duplicate() })
        } catch {
            throw .lowOrderPoint
        }
        return sealed
    }

    /// Opens a grant that the issuer's device with the static key `sender` sealed for this device, and returns the
    /// encoded grant.
    ///
    /// - Throws: `SealedGrantError`, the first row of the table in `Specs/handshake.md` that applies.
    public static func open(
        _ sealed: Span<UInt8>, deviceKey: borrowing NoiseKeyPair, sender: Octets32, pairwiseKey: borrowing SecretBytes
    ) throws(SealedGrantError) -> SecretBytes {
        guard (overhead + 1...overhead + Grant.byteLimit).contains(sealed.count) else { throw .wrongLength }
        var fields = ByteReader()
        guard fields.u8(of: sealed) == version else { throw .unknownVersion }
        let secret = SecretBox(pairwiseKey.duplicate())
        var grant = SecretBytes(count: 0) { _ in }
        do {
            let state = try handshake(.responder, deviceKey, sender, nil)
            _ = try state.read(sealed.extracting(fields.offset...), into: &grant) { _, _ in secret.value.duplicate() }
        } catch {
            throw error == .lowOrderPoint ? .lowOrderPoint : .decryptionFailed
        }
        return grant
    }

    private static func handshake(
        _ role: Role, _ deviceKey: borrowing NoiseKeyPair, _ peer: Octets32,
        _ ephemeral: consuming NoiseKeyPair?
    ) throws(NoiseError) -> HandshakeState {
        try HandshakeState(
            .sealedGrant, role: role, prologue: HandshakePrologue.sealedGrant().span,
            localStatic: deviceKey.duplicate(),
            remoteStatic: peer, ephemeral: ephemeral)
    }
}

/// The reason a sealed grant is refused (`Specs/handshake.md`) or cannot be created.
public enum SealedGrantError: String, Refusal {
    /// The length of the input is not one that a sealed grant can have.
    case wrongLength = "wrong-length"
    /// The version is not 1.
    case unknownVersion = "unknown-version"
    /// A key is a point of small order, which makes every shared secret zero.
    case lowOrderPoint = "low-order-point"
    /// The grant was sealed by another device, for another device or with another pairwise key, or it was changed.
    case decryptionFailed = "decryption-failed"
    /// The grant is empty or above the limit; thrown only when a grant is sealed.
    case outOfRange = "out-of-range"

    public var stage: String {
        switch self {
        case .wrongLength, .unknownVersion, .decryptionFailed: "sealed-grant"
        case .lowOrderPoint: "agreement"
        case .outOfRange: "arguments"
        }
    }
    public var reason: String { rawValue }
}
