public import InklingKeys

/// The secret of a finished handshake from which everything outside the records is derived (`Specs/handshake.md`).
///
/// It needs both session keys, because the handshake hash alone is public.
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

    /// The pairwise key of the two parties of a first contact or a device link: the second pre-shared key of every
    /// later confirm handshake between them. 32 bytes.
    public borrowing func pairwiseKey() -> SecretBytes { derive(DerivationLabel.pairPSK, from: secret) }

    /// The TLS pre-shared key for one connection over `transport`, 32 bytes; used once, which
    /// `EstablishedSession.takeTLSKey` sees to.
    public borrowing func tlsKey(for transport: Transport) -> SecretBytes {
        derive(DerivationLabel.tlsPSK, from: secret) { $0.append(u8: transport.rawValue) }
    }

    /// The TLS pre-shared-key identity that goes with `tlsKey`; shown on the wire once.
    public borrowing func tlsIdentity(for transport: Transport) -> Octets16 {
        let derived = derive(DerivationLabel.tlsPSKIdentity, from: secret) { $0.append(u8: transport.rawValue) }
        return derived.withBytes { bytes in
            Octets16(high: bytes.bigEndian(at: 0, count: 8), low: bytes.bigEndian(at: 8, count: 8))
        }
    }

    /// What two people compare after a first contact: 80 bits as four groups of four base32 letters and digits.
    public borrowing func fingerprint() -> String {
        let derived = derive(DerivationLabel.fingerprint, from: secret)
        return derived.withBytes { bytes in
            (0..<2).flatMap { half in
                let bits = bytes.bigEndian(at: 5 * half, count: 5)
                return [bits >> 20, bits & 0xf_ffff]
            }.map(Self.base32Group).joined(separator: " ")
        }
    }

    /// The secret under any label and context, for known answers.
    package borrowing func secret(label: [UInt8], context: [UInt8]) -> SecretBytes {
        derive(label: label, from: secret, context: context)
    }

    /// Twenty bits as four digits of RFC 4648 base32.
    private static func base32Group(_ bits: UInt64) -> String {
        let digits: [Character] = stride(from: 15, through: 0, by: -5).map { shift in
            let value = UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 31
            let letter = value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26
            return Character(UnicodeScalar(letter))
        }
        return String(digits)
    }
}
