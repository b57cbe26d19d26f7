public import InklingKeys

/// The payload of the two messages of a confirm handshake (`Specs/handshake.md`). It contains nothing personal, because
/// a contact that keeps old keys and later steals a device key can read it.
public struct ConfirmPayload: Hashable, Sendable {
    /// The message that contains the payload; the fields are the same, the padding differs.
    public enum Message: Sendable, CaseIterable {
        /// Message 1, of the initiator; 16 bytes.
        case first
        /// Message 2, of the responder; padded to 64 bytes.
        case second

        /// The length of the payload in bytes.
        public var byteCount: Int { self == .first ? 16 : 64 }
    }

    /// The transports on which the sender can be reached.
    public let transports: TransportSet
    /// The highest generation among the grants of the receiver that the sender holds; 0 for none.
    public let generation: UInt32
    /// The sender's clock in milliseconds since 1970-01-01T00:00:00Z, as a hint: no value is refused.
    public let unixMilliseconds: UInt64

    /// Creates a payload to send.
    public init(transports: TransportSet, generation: UInt32, unixMilliseconds: UInt64) {
        self.transports = transports
        self.generation = generation
        self.unixMilliseconds = unixMilliseconds
    }

    /// Parses the payload of a message.
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

    /// Returns the encoded payload with the padding of a message.
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

/// The reason the payload of a handshake message is refused (`Specs/handshake.md`).
public enum PayloadError: String, Refusal {
    /// The length of the payload is not one that its message can have.
    case wrongLength = "wrong-length"
    /// The version is not 1.
    case unknownVersion = "unknown-version"
    /// The length field of the card is 0, above the limit, or does not match the padded length.
    case badLength = "bad-length"
    /// A byte after the card is not zero.
    case nonzeroPadding = "nonzero-padding"
    /// The card is empty or above the limit; thrown only when a payload is created.
    case outOfRange = "out-of-range"

    public var stage: String { self == .outOfRange ? "arguments" : "payload" }
    public var reason: String { rawValue }
}
