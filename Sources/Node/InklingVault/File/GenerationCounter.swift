internal import InklingKeys

/// The file with the number of the last save, by which an old copy of the vault is detected.
///
/// It ends with an authentication code under a key from the vault: an edited number, or another vault's counter, does
/// not verify.
enum GenerationCounter {
    static let byteCount = 48
    private static let magic: InlineArray<8, UInt8> = [0x89, 0x49, 0x4e, 0x4b, 0x47, 0x0d, 0x0a, 0x1a]

    /// Returns the key that authenticates the counter of a vault with this data key.
    static func key(of dataKey: borrowing SecretBytes) -> SecretBytes {
        derive(DerivationLabel.vaultCounter, from: dataKey)
    }

    static func bytes(_ generation: UInt64, dataKey: borrowing SecretBytes) -> [UInt8] {
        bytes(generation, key: key(of: dataKey))
    }

    private static func bytes(_ generation: UInt64, key: borrowing SecretBytes) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(magic.span)
        bytes.append(u64: generation)
        let code = key.withBytes { key in
            let stated = bytes
            return hmacSHA256(key: key) { $0.append(stated.span) }
        }
        code.withBytes { bytes.append($0) }
        return bytes
    }

    /// Parses a counter file; returns nil if it does not verify under this vault's key.
    static func generation(parsing input: Span<UInt8>, dataKey: borrowing SecretBytes) -> UInt64? {
        generation(parsing: input, key: key(of: dataKey))
    }

    /// Parses a counter file; returns nil if it does not verify under this counter key.
    static func generation(parsing input: Span<UInt8>, key: borrowing SecretBytes) -> UInt64? {
        guard input.count == byteCount else { return nil }
        let generation = input.bigEndian(at: 8, count: 8)
        let expected = bytes(generation, key: key)
        return constantTimeEquals(expected.span, input) ? generation : nil
    }
}
