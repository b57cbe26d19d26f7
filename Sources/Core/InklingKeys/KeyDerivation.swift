/// Returns the pseudorandom key that HKDF-Extract (RFC 5869, section 2.2) yields for a public salt and secret material.
package func extract(salt: StaticString, from material: Span<UInt8>) -> SecretBytes {
    var saltBytes: [UInt8] = []
    saltBytes.append(salt)
    return hmacSHA256(key: saltBytes.span) { $0.append(material) }
}

/// Derives a 32-byte key from `key` for a label and a context (`Specs/keys.md`).
///
/// `Derive(K, label, ctx)` is HKDF-Expand (RFC 5869, section 2.3) with info = prefix, 0, label, 0, context. For 32
/// bytes of output, that is a single HMAC over the info and a final byte 1.
package func derive(
    _ label: StaticString,
    from key: borrowing SecretBytes,
    context: (inout HashInput) -> Void = { _ in }
) -> SecretBytes {
    key.withBytes { key in
        hmacSHA256(key: key) { $0.append(derivation: label, context: context) }
    }
}

/// Derives a key with a label that need not be in the table, for known-answer tests of the function.
package func derive(label: [UInt8], from key: borrowing SecretBytes, context: [UInt8]) -> SecretBytes {
    var rest: [UInt8] = []
    rest.append(DerivationLabel.prefix)
    rest.append(u8: 0)
    rest += label
    rest.append(u8: 0)
    rest += context
    rest.append(u8: 1)
    return key.withBytes { key in hmacSHA256(key: key) { $0.append(rest.span) } }
}

/// Returns `count` bytes of HKDF-SHA256 (RFC 5869), for known-answer tests; the protocol itself needs only one block.
///
/// Returns nil if `count` is above 255 · 32, which RFC 5869 forbids.
package func hkdfSHA256(
    inputKeyMaterial: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
) -> SecretBytes? {
    guard (0...255 * keyByteCount).contains(count) else { return nil }
    let key = hmacSHA256(key: salt) { $0.append(inputKeyMaterial) }
    return SecretBytes(count: count) { output in
        var previous = SecretBytes(count: 0) { _ in }
        var filled = 0
        var counter: UInt8 = 1
        while filled < count {
            let block = key.withBytes { key in
                hmacSHA256(key: key) { input in
                    previous.withBytes { input.append($0) }
                    input.append(info)
                    input.append(u8: counter)
                }
            }
            let take = min(keyByteCount, count - filled)
            block.withBytes { for index in 0..<take { output[filled + index] = $0[index] } }
            previous = block
            filled += take
            counter &+= 1
        }
    }
}
