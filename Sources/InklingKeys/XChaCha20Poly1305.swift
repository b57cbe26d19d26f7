internal import CSodium

/// Why bytes could not be sealed or opened.
public enum XChaCha20Poly1305Error: Error, Hashable, Sendable {
    /// The key has another length than 32 bytes.
    case keyLength(Int)
    /// The nonce has another length than 24 bytes.
    case nonceLength(Int)
    /// There are fewer bytes than a tag.
    case tooShort(Int)
    /// The tag does not belong to this key, nonce, associated data and ciphertext.
    case notAuthentic
}

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) over libsodium: what is kept at rest is sealed with it.
///
/// The nonce is long enough to be drawn at random for every message under one key.
public enum XChaCha20Poly1305 {
    /// The length of a key in bytes.
    public static let keyByteCount = 32
    /// The length of a nonce in bytes.
    public static let nonceByteCount = 24
    /// How many bytes longer the sealed form is.
    public static let tagByteCount = 16

    /// The ciphertext of `plaintext` and behind it the tag, which also covers `associatedData`.
    ///
    /// - Throws: `keyLength` or `nonceLength`. The caller sees to it that a nonce is never used twice under a key.
    public static func seal(
        _ plaintext: Span<UInt8>, key: borrowing SecretBytes, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(XChaCha20Poly1305Error) -> [UInt8] {
        try check(key: key, nonce: nonce)
        var sealed = [UInt8](repeating: 0, count: plaintext.count + tagByteCount)
        var output = sealed.mutableSpan
        key.withBytes { key in
            unsafe output.withPointer { output in
                unsafe plaintext.withPointer { message in
                    unsafe associatedData.withPointer { data in
                        unsafe nonce.withPointer { nonce in
                            unsafe key.withPointer { key in
                                // Fails only for messages of more than 2^38 bytes, which no memory holds.
                                _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                                    output, nil, message, UInt64(plaintext.count), data,
                                    UInt64(associatedData.count), nil, nonce, key)
                            }
                        }
                    }
                }
            }
        }
        return sealed
    }

    /// The plaintext of bytes that `seal` made with the same key, nonce and associated data.
    ///
    /// - Throws: `notAuthentic` when any of the four differs, after work that depends only on the lengths.
    public static func open(
        _ sealed: Span<UInt8>, key: borrowing SecretBytes, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(XChaCha20Poly1305Error) -> SecretBytes {
        try check(key: key, nonce: nonce)
        guard sealed.count >= tagByteCount else { throw .tooShort(sealed.count) }
        return try SecretBytes(count: sealed.count - tagByteCount) { output throws(XChaCha20Poly1305Error) in
            let status = key.withBytes { key in
                unsafe output.withPointer { output in
                    unsafe sealed.withPointer { message in
                        unsafe associatedData.withPointer { data in
                            unsafe nonce.withPointer { nonce in
                                unsafe key.withPointer { key in
                                    unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                                        output, nil, nil, message, UInt64(sealed.count), data,
                                        UInt64(associatedData.count), nonce, key)
                                }
                            }
                        }
                    }
                }
            }
            guard status == 0 else { throw .notAuthentic }
        }
    }

    private static func check(
        key: borrowing SecretBytes, nonce: Span<UInt8>
    ) throws(XChaCha20Poly1305Error) {
        guard key.count == keyByteCount else { throw .keyLength(key.count) }
        guard nonce.count == nonceByteCount else { throw .nonceLength(nonce.count) }
        sodiumIsReady()
    }
}
