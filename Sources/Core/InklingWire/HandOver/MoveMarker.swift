public import InklingKeys

extension RecordType {
    /// The sender sends nothing more in this session but CLOSE; later records come in another session.
    public static let move = RecordType(rawValue: 0x0a)
    /// The sender has opened the MOVE with this number, and everything before it.
    public static let moved = RecordType(rawValue: 0x0b)
}

/// The marker at the end of one direction of a session that another session continues (`Specs/hand-over.md`).
public struct MoveMarker: Hashable, Sendable {
    /// The number that the sender of the marker has drawn.
    public let number: UInt64

    /// Creates a marker with a number that the caller has drawn.
    public init(number: UInt64) { self.number = number }

    /// Parses the body of MOVE or MOVED.
    ///
    /// - Throws: `MoveError.wrongLength` unless the body is 8 bytes long.
    public init(parsing body: Span<UInt8>) throws(MoveError) {
        var fields = ByteReader()
        guard body.count == 8, let number = fields.u64(of: body) else { throw .wrongLength }
        self.number = number
    }

    /// The last record but CLOSE in the session that is left.
    public var record: Record { Record(.move) { $0.append(u64: number) } }

    /// The reply to the marker, in the session that stays.
    public var acknowledgement: Record { Record(.moved) { $0.append(u64: number) } }
}

/// The reason a MOVE or a MOVED is refused (`Specs/hand-over.md`).
public enum MoveError: String, Refusal {
    /// The body is not 8 bytes long.
    case wrongLength = "wrong-length"

    public var stage: String { "move" }
    public var reason: String { rawValue }
}

/// The reason a side ends a session: the first byte of CLOSE (`Specs/records.md`).
public enum CloseReason: UInt8, Hashable, Sendable, CaseIterable {
    /// A boundary, or no reason in particular.
    case boundary = 0
    /// The session continues over a link that was offered in it.
    case handOver = 1
    /// The device leaves.
    case leaving = 2
    /// Another session of the same two devices has replaced it.
    case replaced = 3

    /// Reads the body of CLOSE. An empty body, and a reason that this version does not know, count as `boundary`.
    public init(parsing body: Span<UInt8>) {
        var fields = ByteReader()
        self = fields.u8(of: body).flatMap(CloseReason.init(rawValue:)) ?? .boundary
    }

    /// The CLOSE record. That of a boundary has no body.
    public var record: Record {
        Record(.close) { writer in if self != .boundary { writer.append(u8: rawValue) } }
    }
}
