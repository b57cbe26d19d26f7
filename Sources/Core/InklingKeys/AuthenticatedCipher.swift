internal import CSodium

/// ChaCha20-Poly1305 by libsodium, with a short or a long nonce. The ciphertext ends with a tag of 16 bytes.
///
/// A nonce must not be used twice under the same key: the short nonce is a counter, and the long one can be random.
package enum AuthenticatedCipher: Sendable, CaseIterable {
    /// ChaCha20-Poly1305 with a nonce of 12 bytes (RFC 8439): the cipher of handshakes and records.
    case chaCha20Poly1305
    /// XChaCha20-Poly1305 with a nonce of 24 bytes (draft-irtf-cfrg-xchacha-03): the cipher of stored data.
    case xChaCha20Poly1305

    /// The length of the tag in bytes.
    package static let tagByteCount = 16

    /// The length of a nonce in bytes.
    package var nonceByteCount: Int { self == .chaCha20Poly1305 ? 12 : 24 }

    /// Encrypts `plaintext` and appends the ciphertext, which is `tagByteCount` bytes longer, to `output`.
    ///
    /// - Throws: `AuthenticatedCipherError` if the key or the nonce has the wrong length; `output` is then unchanged.
    package func seal(
        _ plaintext: Span<UInt8>,
        key: borrowing SecretBytes,
        nonce: Span<UInt8>,
        associatedData: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(AuthenticatedCipherError) {
        try check(key, nonce)
        let count = plaintext.count + Self.tagByteCount
        let seal =
            unsafe self == .chaCha20Poly1305
            ? crypto_aead_chacha20poly1305_ietf_encrypt : crypto_aead_xchacha20poly1305_ietf_encrypt
        key.withBytes { key in
            output.append(addingCapacity: count) { ciphertext in
                unsafe ciphertext.withUnsafeMutableBufferPointer { ciphertext, initialised in
                    guard let output = ciphertext.baseAddress else { return }
                    unsafe plaintext.withPointer { start in
                        unsafe associatedData.withPointer { data in
                            unsafe nonce.withPointer { nonce in
                                unsafe key.withPointer { key in
                                    // This cannot fail: libsodium refuses only plaintexts longer than about 2^38 bytes.
                                    _ = unsafe seal(
                                        output, nil, start, UInt64(plaintext.count),
                                        data, UInt64(associatedData.count), nil, nonce, key)
                                }
                            }
                        }
                    }
                    initialised = count
                }
            }
        }
    }

    /// Decrypts `ciphertext` and returns the plaintext as a secret.
    ///
    /// - Throws: `AuthenticatedCipherError`; no part of the plaintext is then left in memory.
    package func open(
        _ ciphertext: Span<UInt8>,
        key: borrowing SecretBytes,
        nonce: Span<UInt8>,
        associatedData: Span<UInt8>
    ) throws(AuthenticatedCipherError) -> SecretBytes {
        try check(key, nonce)
        guard ciphertext.count >= Self.tagByteCount else { throw .truncated }
        let open =
            unsafe self == .chaCha20Poly1305
            ? crypto_aead_chacha20poly1305_ietf_decrypt : crypto_aead_xchacha20poly1305_ietf_decrypt
        let count = ciphertext.count - Self.tagByteCount
        return try key.withBytes { key throws(AuthenticatedCipherError) in
            try SecretBytes(count: count) { plaintext throws(AuthenticatedCipherError) in
                let status = unsafe plaintext.withPointer { plaintext in
                    unsafe ciphertext.withPointer { start in
                        unsafe associatedData.withPointer { data in
                            unsafe nonce.withPointer { nonce in
                                unsafe key.withPointer { key in
                                    unsafe open(
                                        plaintext, nil, nil, start, UInt64(ciphertext.count),
                                        data, UInt64(associatedData.count), nonce, key)
                                }
                            }
                        }
                    }
                }
                guard status == 0 else { throw .notAuthentic }
            }
        }
    }

    private func check(_ key: borrowing SecretBytes, _ nonce: Span<UInt8>) throws(AuthenticatedCipherError) {
        sodiumIsReady()
        guard key.count == keyByteCount else { throw .wrongKeyLength }
        guard nonce.count == nonceByteCount else { throw .wrongNonceLength }
    }
}

/// The reason an authenticated cipher refuses its input (`Specs/noise.md`).
package enum AuthenticatedCipherError: Refusal, Hashable {
    /// The key is not 32 bytes long.
    case wrongKeyLength
    /// The nonce is not `AuthenticatedCipher.nonceByteCount` bytes long.
    case wrongNonceLength
    /// The ciphertext is shorter than its tag.
    case truncated
    /// The key, the nonce, the associated data or the ciphertext differs from what was sealed.
    case notAuthentic

    package var stage: String {
        switch self {
        case .wrongKeyLength, .wrongNonceLength: "arguments"
        case .truncated, .notAuthentic: "open"
        }
    }

    package var reason: String { self == .notAuthentic ? "decryption-failed" : "wrong-length" }
}
