public import InklingKeys

/// The secret of a finished handshake from which keys for uses other than records are derived (`Specs/handshake.md`).
///
/// It is derived from both session keys, because the handshake hash alone is public.
public struct Exporter: ~Copyable, Sendable {
    private let secret: SecretBytes

    package init(initiatorKey: Span<UInt8>, responderKey: Span<UInt8>, handshakeHash: Octets32) {
        var salt: [UInt8] = []
        salt.append(DerivationLabel.exportSalt)
        secret = hmacSHA256(key: salt.span) { input in
            input.append(initiatorKey)
            input.append(responderKey)
            input.append(handshakeHash)
        }
    }

    /// Derives the pairwise key of the two parties of a first contact or a device link, 32 bytes. It is the second
    /// pre-shared key of every later confirm handshake between them.
    public borrowing func pairwiseKey() -> SecretBytes { derive(DerivationLabel.pairPSK, from: secret) }

    /// Derives the pre-shared key for one connection of `version` over `transport`, 32 bytes. It must be used only once,
    /// which `EstablishedSession.takeTLSKey` ensures.
    public borrowing func tlsKey(for transport: Transport, version: TLSVersion) -> SecretBytes {
        derive(version.keyLabel, from: secret) { $0.append(u8: transport.rawValue) }
    }

    /// Derives the identity of the pre-shared key `tlsKey(for:version:)`, which is sent in the clear once.
    public borrowing func tlsIdentity(for transport: Transport, version: TLSVersion) -> Octets16 {
        let derived = derive(version.identityLabel, from: secret) { $0.append(u8: transport.rawValue) }
        return derived.withBytes { bytes in
            Octets16(high: bytes.bigEndian(at: 0, count: 8), low: bytes.bigEndian(at: 8, count: 8))
        }
    }

    /// Derives the fingerprint that two people compare after a first contact: 80 bits as four groups of four base32
    /// characters.
    public borrowing func fingerprint() -> String {
        let derived = derive(DerivationLabel.fingerprint, from: secret)
        return derived.withBytes { bytes in
            (0..<2).flatMap { half in
                let bits = bytes.bigEndian(at: 5 * half, count: 5)
                return [bits >> 20, bits & 0xf_ffff]
            }.map(Self.base32Group).joined(separator: " ")
        }
    }

    /// Derives a secret with any label and context, for known-answer tests.
    package borrowing func secret(label: [UInt8], context: [UInt8]) -> SecretBytes {
        derive(label: label, from: secret, context: context)
    }

    /// Derives a secret of 32 bytes for one use.
    borrowing func secret(for label: StaticString, _ context: [UInt8]) -> SecretBytes {
        derive(label, from: secret) { $0.append(context.span) }
    }

    /// Returns twenty bits as four characters of base32 (RFC 4648).
    private static func base32Group(_ bits: UInt64) -> String {
        let digits: [Character] = stride(from: 15, through: 0, by: -5).map { shift in
            let value = UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 31
            let letter = value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26
            return Character(UnicodeScalar(letter))
        }
        return String(digits)
    }
}
