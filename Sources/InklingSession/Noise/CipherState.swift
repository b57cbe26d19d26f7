package import InklingKeys

/// A cipher key and the counter of the messages it has protected: CipherState of the Noise specification, section 5.1.
package struct CipherState: ~Copyable, Sendable {
    private let key: SecretBytes
    private var nonce: UInt64

    /// Takes over a key of 32 bytes; `nonce` is the number of messages it has already protected.
    package init(key: consuming SecretBytes, nonce: UInt64 = 0) {
        self.key = key
        self.nonce = nonce
    }

    /// Lends the key bytes, for known answers and for the exporter.
    package borrowing func withKey<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
        key.withBytes(body)
    }

    /// Appends the ciphertext of `plaintext` to `output`.
    ///
    /// - Throws: `NoiseError.nonceExhausted`.
    package mutating func encrypt(
        _ plaintext: Span<UInt8>, associatedData: Span<UInt8>, appendingTo output: inout [UInt8]
    ) throws(NoiseError) {
        let nonce = try nonceBytes()
        do {
            try AuthenticatedCipher.chaCha20Poly1305.seal(
                plaintext, key: key, nonce: nonce.span, associatedData: associatedData, appendingTo: &output)
        } catch {
            // Only a key that has not 32 bytes can be refused.
            throw .missingKey
        }
        self.nonce += 1
    }

    /// The plaintext of `ciphertext`; the counter stays where it is when that fails.
    ///
    /// - Throws: `NoiseError.decryptionFailed(.payload)`, `.nonceExhausted`.
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

    /// Four zero bytes and the counter, least significant byte first (section 12.3). The largest counter is reserved.
    private func nonceBytes() throws(NoiseError) -> InlineArray<12, UInt8> {
        guard nonce < .max else { throw .nonceExhausted }
        return InlineArray { $0 < 4 ? 0 : UInt8(truncatingIfNeeded: nonce >> UInt64(8 * ($0 - 4))) }
    }
}
