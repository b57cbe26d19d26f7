internal import InklingKeys

/// The payload that sends a card to a new contact (`Specs/handshake.md`), padded so that its length reveals little.
public struct FirstContactPayload: Hashable, Sendable {
    /// The maximum length of a card in bytes.
    public static let cardLimit = 1900
    /// The maximum length of a payload in bytes.
    public static let byteLimit = 2048
    // The version, a reserved byte, the clock and the length.
    private static let headerByteCount = 12

    /// The sender's clock in milliseconds since 1970-01-01T00:00:00Z, as a hint.
    public let unixMilliseconds: UInt64
    /// The encoded card, 1 to `cardLimit` bytes.
    public let card: [UInt8]

    /// Creates a payload to send.
    ///
    /// - Throws: `PayloadError.outOfRange` unless the card has 1 to `cardLimit` bytes.
    public init(unixMilliseconds: UInt64, card: [UInt8]) throws(PayloadError) {
        guard (1...Self.cardLimit).contains(card.count) else { throw .outOfRange }
        self.unixMilliseconds = unixMilliseconds
        self.card = card
    }

    /// Parses a payload.
    ///
    /// - Throws: `PayloadError`, the first row of the table in `Specs/handshake.md` that applies.
    public init(parsing input: Span<UInt8>) throws(PayloadError) {
        guard input.count.isMultiple(of: 256), (256...Self.byteLimit).contains(input.count) else { throw .wrongLength }
        var fields = ByteReader()
        guard let version = fields.u8(of: input), fields.skip(1, of: input) != nil,
            let unixMilliseconds = fields.u64(of: input), let length = fields.u16(of: input)
        else { throw .wrongLength }
        guard version == 1 else { throw .unknownVersion }
        let count = Int(length)
        guard (1...Self.cardLimit).contains(count), Self.byteCount(card: count) == input.count,
            let card = fields.skip(count, of: input)
        else { throw .badLength }
        for index in fields.offset..<input.count where input[index] != 0 { throw .nonzeroPadding }
        self.unixMilliseconds = unixMilliseconds
        self.card = card.map { input[$0] }
    }

    /// Returns the encoded payload, padded to a multiple of 256 bytes.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(u8: 1)
        bytes.append(u8: 0)
        bytes.append(u64: unixMilliseconds)
        bytes.append(u16: UInt16(truncatingIfNeeded: card.count))
        bytes.append(card.span)
        bytes.append(zeros: Self.byteCount(card: card.count) - bytes.count)
        return bytes
    }

    private static func byteCount(card count: Int) -> Int { (headerByteCount + count + 255) / 256 * 256 }
}
