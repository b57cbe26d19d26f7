internal import CSodium

/// Why an X25519 agreement was refused.
public enum KeyAgreementError: String, Refusal {
    /// The peer's public key is one of the points of small order, so the shared secret would be zero.
    case lowOrderPoint = "low-order-point"

    public var stage: String { "agreement" }
    public var reason: String { rawValue }
}

/// X25519 (RFC 7748) over libsodium.
package enum X25519 {
    /// The public key of a 32-byte private key.
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

    /// The shared secret of a 32-byte private key and a peer's public key.
    ///
    /// - Throws: `KeyAgreementError.lowOrderPoint` when the result would be all zero.
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
    /// What is wrong with a public key that somebody claims.
    enum PublicKeyFault {
        /// A second spelling of a smaller number.
        case nonCanonical
        /// Every agreement with it is zero.
        case lowOrder
    }

    /// The fault of a public key, or nil when it may be kept.
    static func fault(of key: Octets32) -> PublicKeyFault? {
        // Canonical: the little-endian number is below 2^255 − 19.
        let isCanonical = key.withBytes { bytes in
            if bytes[31] < 0x7f { return true }
            if bytes[31] > 0x7f { return false }
            for index in 1..<31 where bytes[index] != 0xff { return true }
            return bytes[0] < 0xed
        }
        guard isCanonical else { return .nonCanonical }
        // One agreement with a fixed scalar tells: a point of small order gives zero for every clamped scalar.
        let probe = SecretBytes(count: keyByteCount) { $0[0] = 8 }
        do { _ = try agree(probe, with: key) } catch { return .lowOrder }
        return nil
    }
}
