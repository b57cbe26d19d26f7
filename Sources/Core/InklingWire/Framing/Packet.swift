public import InklingKeys

/// The unit that one side of a link sends: a handshake message or an encrypted record (`Specs/packets.md`).
public struct Packet: Hashable, Sendable {
    /// The maximum length of a packet in bytes, header included.
    public static let byteLimit = 1 + PacketType.record.largestBody
    /// The length in bytes of a packet with a first message, header included; it is the same for all handshakes.
    public static let firstMessageByteCount = 1 + PacketType.confirmFirst.largestBody
    /// The minimum length of a packet in bytes, header included.
    public static let leastByteCount = 1 + PacketType.confirmSecond.largestBody

    /// The type of the body: the first four bits of the header.
    public let type: PacketType
    /// A Noise message, after its gate if it is a first message, or an encrypted record; of a size that the type
    /// allows.
    public let body: [UInt8]

    /// Creates a packet to send.
    ///
    /// - Throws: `PacketError.badLength` if the type does not allow the size of the body.
    public init(_ type: PacketType, body: [UInt8]) throws(PacketError) {
        guard type.allows(bodyCount: body.count) else { throw .badLength }
        self.type = type
        self.body = body
    }

    /// Parses a complete packet, such as the content of a TCP frame.
    ///
    /// - Throws: `PacketError`, the first row of the table in `Specs/packets.md` that applies.
    public init(parsing input: Span<UInt8>) throws(PacketError) {
        var fields = ByteReader()
        guard let first = fields.u8(of: input) else { throw .truncated }
        let header = PacketHeader(first)
        guard let type = header.type else { throw .unknownType }
        guard header.sequence == 0 else { throw .badSequence }
        guard type.allows(bodyCount: fields.remaining(of: input)) else { throw .badLength }
        var body: [UInt8] = []
        body.append(input.extracting(fields.offset...))
        self.type = type
        self.body = body
    }

    /// The number of bytes, header included.
    public var byteCount: Int { 1 + body.count }

    /// Appends the header and the body.
    public func append(to sink: inout some ByteSink & ~Copyable) {
        sink.append(u8: type.rawValue << 4)
        sink.append(body.span)
    }
}

/// The byte before the body of a packet or of a fragment: type << 4 | sequence.
struct PacketHeader {
    let byte: UInt8

    init(_ byte: UInt8) { self.byte = byte }

    init(_ type: PacketType, fragment index: Int, isLast: Bool) {
        byte = type.rawValue << 4 | UInt8(truncatingIfNeeded: index % 8) << 1 | (isLast ? 0 : 1)
    }

    var type: PacketType? { PacketType(rawValue: byte >> 4) }
    var sequence: UInt8 { byte & 0x0f }
    /// The index of a fragment in its packet, modulo 8.
    var index: UInt8 { sequence >> 1 }
    /// Whether this is the last fragment of its packet.
    var isLast: Bool { sequence & 1 == 0 }
}

/// The reason a packet is refused (`Specs/packets.md`).
public enum PacketError: String, Refusal {
    /// The input is empty.
    case truncated = "truncated"
    /// The header does not contain a known type of packet.
    case unknownType = "unknown-type"
    /// The header has the sequence number of a fragment, but a complete packet was expected.
    case badSequence = "bad-sequence"
    /// The body has a size that its type does not allow.
    case badLength = "bad-length"

    public var stage: String { "packet" }
    public var reason: String { rawValue }
}
