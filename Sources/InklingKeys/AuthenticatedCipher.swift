internal import CSodium

/// ChaCha20-Poly1305 over libsodium, with a short or a long nonce. The 16-byte tag ends the ciphertext.
///
/// One nonce is used at most once under a key: the short one is counted, the long one may be drawn at random.
package enum AuthenticatedCipher: Sendable, CaseIterable {
    /// ChaCha20-Poly1305 with a nonce of 12 bytes (RFC 8439): the cipher of handshakes and records.
    case chaCha20Poly1305
    /// XChaCha20-Poly1305 with a nonce of 24 bytes (draft-irtf-cfrg-xchacha-03): the cipher of what is stored.
    case xChaCha20Poly1305

    /// The length of the tag in bytes.
    package static let tagByteCount = 16

    /// The length of a nonce in bytes.
    package var nonceByteCount: Int { self == .chaCha20Poly1305 ? 12 : 24 }

    /// Appends the ciphertext of `plaintext`, which is `tagByteCount` bytes longer, to `output`.
    ///
    /// - Throws: `AuthenticatedCipherError` when key or nonce has the wrong length; `output` is then unchanged.
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
                                    // It cannot fail: the only fault libsodium knows here is a length above 2^38.
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

    /// The plaintext of `ciphertext`, as a secret that wipes itself.
    ///
    /// - Throws: `AuthenticatedCipherError`; nothing of the plaintext survives a refusal.
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

/// Why an authenticated cipher refused its input (`Specs/noise.md`).
package enum AuthenticatedCipherError: Refusal, Hashable {
    /// The key has not 32 bytes.
    case wrongKeyLength
    /// The nonce has not `AuthenticatedCipher.nonceByteCount` bytes.
    case wrongNonceLength
    /// The ciphertext is shorter than its tag.
    case truncated
    /// Key, nonce, associated data or ciphertext is not the one that was sealed.
    case notAuthentic

    package var stage: String {
        switch self {
        case .wrongKeyLength, .wrongNonceLength: "arguments"
        case .truncated, .notAuthentic: "open"
        }
    }

    package var reason: String { self == .notAuthentic ? "decryption-failed" : "wrong-length" }
}
