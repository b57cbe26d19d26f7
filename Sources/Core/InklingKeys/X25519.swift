internal import CSodium

/// The reason an X25519 key agreement is refused.
public enum KeyAgreementError: String, Refusal {
    /// The public key of the peer is a point of small order, which would make the shared secret zero.
    case lowOrderPoint = "low-order-point"

    public var stage: String { "agreement" }
    public var reason: String { rawValue }
}

/// X25519 (RFC 7748) over libsodium.
package enum X25519 {
    /// Returns the public key of a 32-byte private key; zero for a key of another length.
    package static func publicKey(of privateKey: borrowing SecretBytes) -> Octets32 {
        sodiumIsReady()
        var result = InlineArray<32, UInt8>(repeating: 0)
        var output = result.mutableSpan
        privateKey.withBytes { privateKey in
            guard privateKey.count == keyByteCount else { return }
            unsafe output.withPointer { output in
                unsafe privateKey.withPointer { _ = unsafe crypto_scalarmult_base(output, $0) }
            }
        }
        return Octets32(result)
    }

    /// Returns the shared secret of a 32-byte private key and the public key of a peer.
    ///
    /// - Throws: `KeyAgreementError.lowOrderPoint` if the result would be zero.
    package static func agree(
        _ privateKey: borrowing SecretBytes, with peer: Octets32
    ) throws(KeyAgreementError) -> SecretBytes {
        sodiumIsReady()
        return try SecretBytes(count: 32) { output throws(KeyAgreementError) in
            let status = peer.withBytes { peer in
                privateKey.withBytes { privateKey -> Int32 in
                    guard privateKey.count == keyByteCount else { return -1 }
                    return unsafe output.withPointer { output in
                        unsafe peer.withPointer { point in
                            unsafe privateKey.withPointer { unsafe crypto_scalarmult(output, $0, point) }
                        }
                    }
                }
            }
            guard status == 0 else { throw .lowOrderPoint }
        }
    }
}

extension X25519 {
    /// The reason a received public key is invalid.
    enum PublicKeyFault {
        /// The key encodes a number that is not below 2^255 − 19, and so has a second encoding.
        case nonCanonical
        /// The key is a point of small order, which makes every shared secret zero.
        case lowOrder
    }

    /// Returns the reason a public key is invalid; nil if it is valid.
    static func fault(of key: Octets32) -> PublicKeyFault? {
        // Canonical: the little-endian number is below 2^255 − 19.
        let isCanonical = key.withBytes { bytes in
            if bytes[31] < 0x7f { return true }
            if bytes[31] > 0x7f { return false }
            for index in 1..<31 where bytes[index] != 0xff { return true }
            return bytes[0] < 0xed
        }
        guard isCanonical else { return .nonCanonical }
        // One agreement with a fixed scalar is enough: a point of small order yields zero for every clamped scalar.
        let probe = SecretBytes(count: keyByteCount) { $0[0] = 8 }
        do { _ = try agree(probe, with: key) } catch { return .lowOrder }
        return nil
    }
}
