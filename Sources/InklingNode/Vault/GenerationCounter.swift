internal import InklingKeys

/// The number of the last save, kept in a file of its own so that an old copy of the vault is noticed.
///
/// The code is made with a key out of the vault: an edit of the number without that key makes it unreadable, and a
/// counter of another vault does not fit.
enum GenerationCounter {
    static let byteCount = 48
    private static let magic: InlineArray<8, UInt8> = [0x89, 0x49, 0x4e, 0x4b, 0x47, 0x0d, 0x0a, 0x1a]

    static func bytes(_ generation: UInt64, dataKey: borrowing SecretBytes) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(magic.span)
        bytes.append(u64: generation)
        let key = derive(DerivationLabel.vaultCounter, from: dataKey)
        let code = key.withBytes { key in
            let stated = bytes
            return hmacSHA256(key: key) { $0.append(stated.span) }
        }
        code.withBytes { bytes.append($0) }
        return bytes
    }

    /// The number in a counter file of this vault, or nil when the bytes are not what this vault wrote.
    static func generation(parsing input: Span<UInt8>, dataKey: borrowing SecretBytes) -> UInt64? {
        guard input.count == byteCount else { return nil }
        let generation = input.bigEndian(at: 8, count: 8)
        let expected = bytes(generation, dataKey: dataKey)
        return constantTimeEquals(expected.span, input) ? generation : nil
    }
}
