package import InklingKeys

/// A cipher key and the number of messages that it has encrypted: CipherState of the Noise specification, section 5.1.
package struct CipherState: ~Copyable, Sendable {
    private let key: SecretBytes
    private var nonce: UInt64

    /// Creates a cipher from a key of 32 bytes that has already encrypted `nonce` messages.
    package init(key: consuming SecretBytes, nonce: UInt64 = 0) {
        self.key = key
        self.nonce = nonce
    }

    /// Returns a cipher with the same key that has encrypted as many messages.
    borrowing func duplicate() -> CipherState { CipherState(key: key.duplicate(), nonce: nonce) }

    /// Calls `body` with the bytes of the key, for known-answer tests.
    package borrowing func withKey<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
        key.withBytes(body)
    }

    /// Encrypts `plaintext` and appends the ciphertext to `output`.
    ///
    /// - Throws: `NoiseError.nonceExhausted` if the key has encrypted 2^64 − 1 messages.
    package mutating func encrypt(
        _ plaintext: Span<UInt8>, associatedData: Span<UInt8>, appendingTo output: inout [UInt8]
    ) throws(NoiseError) {
        let nonce = try nonceBytes()
        do {
            try AuthenticatedCipher.chaCha20Poly1305.seal(
                plaintext, key: key, nonce: nonce.span, associatedData: associatedData, appendingTo: &output)
        } catch {
            // The only possible refusal is that of a key that is not 32 bytes long.
            throw .missingKey
        }
        self.nonce += 1
    }

    /// Decrypts `ciphertext` and returns the plaintext; on failure, the counter does not change.
    ///
    /// - Throws: `NoiseError.decryptionFailed(.payload)` if the ciphertext does not authenticate, `.nonceExhausted`.
    package mutating func decrypt(
        _ ciphertext: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(NoiseError) -> SecretBytes {
        let nonce = try nonceBytes()
        let plaintext: SecretBytes
        do {
            plaintext = try AuthenticatedCipher.chaCha20Poly1305.open(
                ciphertext, key: key, nonce: nonce.span, associatedData: associatedData)
        } catch {
            throw .decryptionFailed(.payload)
        }
        self.nonce += 1
        return plaintext
    }

    /// Returns the nonce: four zero bytes and the counter in little-endian order (section 12.3). The largest counter is
    /// reserved.
    private func nonceBytes() throws(NoiseError) -> InlineArray<12, UInt8> {
        guard nonce < .max else { throw .nonceExhausted }
        return InlineArray { $0 < 4 ? 0 : UInt8(truncatingIfNeeded: nonce >> UInt64(8 * ($0 - 4))) }
    }
}
