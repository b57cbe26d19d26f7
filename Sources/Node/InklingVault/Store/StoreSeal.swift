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

/// The seal of a message store's rows and head under keys from the vault (`Specs/message-store.md`).
package struct StoreSeal: Sendable {
    /// A sealed row as stored.
    package struct Row: Hashable, Sendable {
        /// The name of the row, which hides its place.
        package let name: Octets16
        /// Nonce, ciphertext and tag.
        package let sealed: [UInt8]

        package init(name: Octets16, sealed: [UInt8]) {
            self.name = name
            self.sealed = sealed
        }
    }

    /// The maximum length of a row's body, in bytes.
    package static let bodyLimit = 65_536
    /// The difference in length between a sealed row and its body, in bytes.
    package static let overhead = cipher.nonceByteCount + MessagePlace.byteCount + AuthenticatedCipher.tagByteCount

    private static let cipher = AuthenticatedCipher.xChaCha20Poly1305
    private static let headMagic: InlineArray<8, UInt8> = [0x89, 0x49, 0x4e, 0x4b, 0x53, 0x0d, 0x0a, 0x1a]
    /// The length of a head file in bytes.
    package static let headFileByteCount = 80

    private let sealKey: SecretBox<SecretBytes>
    private let placeKey: SecretBox<SecretBytes>
    private let headKey: SecretBox<SecretBytes>

    /// Derives the keys of the store from the key in the vault.
    package init(_ anchor: MessageStoreAnchor) {
        sealKey = SecretBox(derive(DerivationLabel.storeSeal, from: anchor.key.value))
        placeKey = SecretBox(derive(DerivationLabel.storePlace, from: anchor.key.value))
        headKey = SecretBox(derive(DerivationLabel.storeHead, from: anchor.key.value))
    }

    // MARK: Rows

    /// Returns the name of the row at a place.
    package func name(of place: MessagePlace) -> Octets16 {
        placeKey.value.withBytes { key in
            hmacSHA256(key: key) { input in
                input.append(u8: 0)
                place.append(to: &input)
            }
        }
        .withBytes { code in
            Octets16(high: code.bigEndian(at: 0, count: 8), low: code.bigEndian(at: 8, count: 8))
        }
    }

    /// Seals a body for its place, which is bound by its name in the additional data and is part of the sealed text.
    ///
    /// - Throws: `bodyTooLarge`.
    package func seal(
        _ body: [UInt8], at place: MessagePlace, from random: inout some RandomNumberGenerator
    ) throws(MessageStoreError.Fault) -> Row {
        guard body.count <= Self.bodyLimit else { throw .bodyTooLarge(bytes: body.count, limit: Self.bodyLimit) }
        let name = name(of: place)
        var plaintext: [UInt8] = []
        place.append(to: &plaintext)
        plaintext += body
        return Row(name: name, sealed: try seal(plaintext, as: name, from: &random))
    }

    /// Opens a row; returns nil if it was changed or moved.
    package func open(_ row: Row) -> (place: MessagePlace, body: [UInt8])? {
        guard let plaintext = open(row.sealed, as: row.name), plaintext.count >= MessagePlace.byteCount,
            let place = MessagePlace(parsing: plaintext.span.extracting(first: MessagePlace.byteCount)),
            name(of: place) == row.name
        else { return nil }
        return (place, Array(plaintext.dropFirst(MessagePlace.byteCount)))
    }

    /// Returns the share of a row in the sum over all rows, which depends on its name, its nonce and its tag.
    package func share(of row: Row) -> Octets32 {
        let code = placeKey.value.withBytes { key in
            hmacSHA256(key: key) { input in
                input.append(u8: 1)
                input.append(row.name)
                input.append(row.sealed.span.extracting(first: Self.cipher.nonceByteCount))
                input.append(row.sealed.span.extracting(last: AuthenticatedCipher.tagByteCount))
            }
        }
        return code.withBytes { octets32($0) }
    }

    // MARK: Head

    /// Seals the head of the store.
    package func seal(
        _ head: StoreHead, from random: inout some RandomNumberGenerator
    ) throws(MessageStoreError.Fault) -> [UInt8] {
        try seal(head.bytes, as: Octets16(high: 0, low: 0), from: &random)
    }

    /// Opens the head of the store; returns nil if it was changed.
    package func openHead(_ sealed: [UInt8]) -> StoreHead? {
        open(sealed, as: Octets16(high: 0, low: 0)).flatMap { StoreHead(parsing: $0.span) }
    }

    /// Returns the head file for a head: its generation, authenticated, and a code of the whole head.
    package func headFile(of head: StoreHead) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(Self.headMagic.span)
        bytes.append(u64: head.generation)
        let stated = bytes
        let whole = head.bytes
        headKey.value.withBytes { key in
            hmacSHA256(key: key) { $0.append(stated.span) }.withBytes { bytes.append($0) }
            hmacSHA256(key: key) { $0.append(whole.span) }.withBytes { bytes.append($0) }
        }
        return bytes
    }

    /// Returns the generation in a head file; nil if the file does not verify.
    package func generation(ofHeadFile bytes: [UInt8]) -> UInt64? {
        guard bytes.count == Self.headFileByteCount else { return nil }
        let generation = bytes.span.bigEndian(at: 8, count: 8)
        var expected: [UInt8] = []
        expected.append(Self.headMagic.span)
        expected.append(u64: generation)
        let stated = expected
        headKey.value.withBytes { key in
            hmacSHA256(key: key) { $0.append(stated.span) }.withBytes { expected.append($0) }
        }
        return constantTimeEquals(expected.span, bytes.span.extracting(first: expected.count)) ? generation : nil
    }

    // MARK: Sealing

    private func seal(
        _ plaintext: [UInt8], as name: Octets16, from random: inout some RandomNumberGenerator
    ) throws(MessageStoreError.Fault) -> [UInt8] {
        // Draw eight bytes at once: each number from the system is a system call.
        var sealed: [UInt8] = []
        while sealed.count < Self.cipher.nonceByteCount { sealed.append(u64: random.next()) }
        let nonce = sealed
        do throws(AuthenticatedCipherError) {
            try Self.cipher.seal(
                plaintext.span, key: sealKey.value, nonce: nonce.span, associatedData: context(name).span,
                appendingTo: &sealed)
        } catch {
            throw .damaged
        }
        return sealed
    }

    private func open(_ sealed: [UInt8], as name: Octets16) -> [UInt8]? {
        guard sealed.count >= Self.cipher.nonceByteCount + AuthenticatedCipher.tagByteCount,
            let plaintext = try? Self.cipher.open(
                sealed.span.extracting(droppingFirst: Self.cipher.nonceByteCount), key: sealKey.value,
                nonce: sealed.span.extracting(first: Self.cipher.nonceByteCount), associatedData: context(name).span)
        else { return nil }
        var bytes: [UInt8] = []
        plaintext.withBytes { bytes.append($0) }
        return bytes
    }

    private func context(_ name: Octets16) -> [UInt8] {
        var context: [UInt8] = []
        context.append(DerivationLabel.storeSeal)
        context.append(u8: 0)
        context.append(name)
        return context
    }
}

private func octets32(_ bytes: Span<UInt8>) -> Octets32 {
    Octets32(bytes) ?? Octets32(first: Octets16(high: 0, low: 0), second: Octets16(high: 0, low: 0))
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
