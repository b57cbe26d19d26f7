public import InklingKeys

/// What the parties of a confirm handshake tell each other (`Specs/handshake.md`). Nothing in it is personal: a contact
/// that keeps old keys and steals a device key later can read it.
public struct ConfirmPayload: Hashable, Sendable {
    /// Which of the two messages carries it; they have the same fields and different padding.
    public enum Message: Sendable, CaseIterable {
        /// The caller's, 16 bytes.
        case first
        /// The answer, padded to 64 bytes.
        case second

        /// The length of the payload in bytes.
        public var byteCount: Int { self == .first ? 16 : 64 }
    }

    /// The transports on which the sender can be reached.
    public let transports: TransportSet
    /// The highest generation of the receiver's grants that the sender holds; 0 for none.
    public let generation: UInt32
    /// The sender's clock in milliseconds since 1970-01-01T00:00:00Z. Only a hint: nothing is refused for it.
    public let unixMilliseconds: UInt64

    /// A payload to send.
    public init(transports: TransportSet, generation: UInt32, unixMilliseconds: UInt64) {
        self.transports = transports
        self.generation = generation
        self.unixMilliseconds = unixMilliseconds
    }

    /// Reads the payload of a message.
    ///
    /// - Throws: `PayloadError.wrongLength`, `.unknownVersion`.
    public init(parsing input: Span<UInt8>, of message: Message) throws(PayloadError) {
        guard input.count == message.byteCount else { throw .wrongLength }
        var fields = ByteReader()
        guard let version = fields.u8(of: input), fields.skip(1, of: input) != nil,
            let transports = fields.u16(of: input), let generation = fields.u32(of: input),
            let unixMilliseconds = fields.u64(of: input)
        else { throw .wrongLength }
        guard version == 1 else { throw .unknownVersion }
        self.init(
            transports: TransportSet(rawValue: transports), generation: generation, unixMilliseconds: unixMilliseconds)
    }

    /// The bytes for a message.
    public func encoded(for message: Message) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(u8: 1)
        bytes.append(u8: 0)
        bytes.append(u16: transports.rawValue)
        bytes.append(u32: generation)
        bytes.append(u64: unixMilliseconds)
        bytes.append(zeros: message.byteCount - bytes.count)
        return bytes
    }
}

/// Why the payload of a handshake message is refused (`Specs/handshake.md`).
public enum PayloadError: String, Refusal {
    /// The payload has none of the sizes that its message can have.
    case wrongLength = "wrong-length"
    /// The version is not 1.
    case unknownVersion = "unknown-version"
    /// The length of the card inside is 0, above the limit, or belongs to another padded size.
    case badLength = "bad-length"
    /// Bytes after the content are not zero.
    case nonzeroPadding = "nonzero-padding"
    /// The caller's card is empty or above the limit; no reader meets this.
    case outOfRange = "out-of-range"

    public var stage: String { self == .outOfRange ? "arguments" : "payload" }
    public var reason: String { rawValue }
}
