public import InklingKeys

/// A vault's record of the message store beside it (`Specs/message-store.md`).
public struct MessageStoreAnchor: Sendable {
    /// The key from which the keys of the store are derived, 32 random bytes.
    public let key: SecretBox<SecretBytes>
    /// A random number that changes when the vault is adopted as a restored copy.
    public internal(set) var mark: UInt64
    /// The generation of the store when the vault was last saved, or an earlier one; 0 for none.
    public internal(set) var floor: UInt64

    /// Draws the anchor of a new store.
    public static func drawn() -> MessageStoreAnchor {
        var random = SystemRandomNumberGenerator()
        return drawn(from: &random)
    }

    package static func drawn(from random: inout some RandomNumberGenerator) -> MessageStoreAnchor {
        MessageStoreAnchor(
            key: SecretBox(SecretBytes(count: keyByteCount, from: &random)), mark: random.next(), floor: 0)
    }

    /// Records the generation of the store, if it is above the known one.
    package mutating func noteGeneration(_ generation: UInt64) { floor = max(floor, generation) }
}

extension SecretWriter {
    /// Appends the anchor of a vault's message store, or its absence.
    mutating func append(_ anchor: MessageStoreAnchor?) throws(VaultContents.Bound) {
        append(u8: anchor == nil ? 0 : 1)
        guard let anchor else { return }
        try append(key: anchor.key, or: .messageKey)
        append(u64: anchor.mark)
        append(u64: anchor.floor)
    }
}

extension ContentsCursor {
    /// Parses the anchor of a vault's message store; returns nil if there is none.
    mutating func messageStore(of bytes: Span<UInt8>) throws(VaultContentsError) -> MessageStoreAnchor? {
        guard try presence(of: bytes) else { return nil }
        return MessageStoreAnchor(
            key: SecretBox(try key(of: bytes)), mark: try number(of: bytes), floor: try number(of: bytes))
    }
}
