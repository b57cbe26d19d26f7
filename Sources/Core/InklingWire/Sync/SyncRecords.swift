public import InklingKeys

extension RecordType {
    /// A text for the user of the peer.
    public static let message = RecordType(rawValue: 0x10)
    /// The last text that is stored.
    public static let receipt = RecordType(rawValue: 0x11)
    /// The stream in which the sender's texts follow, and the number of the first.
    public static let stream = RecordType(rawValue: 0x12)
}

/// The name of the numbering of texts from one device to another: eight random bytes, never all zero.
public struct StreamID: Hashable, Sendable {
    /// The eight bytes as a big-endian number, not 0.
    public let rawValue: UInt64

    /// Creates an identifier from eight bytes that the caller has drawn; nil if all are zero.
    public init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Draws a stream (INK-SYN-002).
    package static func drawn(using generator: inout some RandomNumberGenerator) -> StreamID {
        while true {
            if let stream = StreamID(rawValue: generator.next()) { return stream }
        }
    }
}

/// The name of one text, whatever its stream and its number: sixteen random bytes, never all zero.
public struct TextID: Hashable, Sendable {
    /// The sixteen bytes, not all zero.
    public let rawValue: Octets16

    /// Creates an identifier from sixteen bytes that the caller has drawn; nil if all are zero.
    public init?(rawValue: Octets16) {
        guard rawValue != Octets16(high: 0, low: 0) else { return nil }
        self.rawValue = rawValue
    }

    /// Draws an identifier (INK-SYN-002).
    package static func drawn(using generator: inout some RandomNumberGenerator) -> TextID {
        while true {
            if let id = TextID(rawValue: Octets16(high: generator.next(), low: generator.next())) { return id }
        }
    }
}

/// The largest number of a text: numbers are 1 to 2^63 - 1, so that the next one always fits.
let largestTextNumber = UInt64.max >> 1

/// A numbered text, or the number of one that has been withdrawn (`Specs/sync.md`).
public struct SyncMessage: Hashable, Sendable {
    /// The maximum length of the text in bytes of UTF-8.
    public static let textLimit = 8192

    /// The number of the text in its stream, 1 to 2^63 - 1.
    public let number: UInt64
    /// The identifier of the text.
    public let id: TextID
    /// The time when the user wrote the text, in Unix seconds by the sender's clock; 0 if unknown.
    public let writtenAt: UInt64
    /// The text, 1 to 8,192 bytes; nil if it was withdrawn before it was received.
    public let text: String?

    /// Creates a message to send.
    ///
    /// - Throws: `SyncError.wrongLength` if the text is empty or longer than `textLimit`; `SyncError.outOfRange` if the
    ///   number is not 1 to 2^63 - 1.
    public init(number: UInt64, id: TextID, writtenAt: UInt64, text: String?) throws(SyncError) {
        guard (1...largestTextNumber).contains(number) else { throw .outOfRange }
        guard text.map({ (1...Self.textLimit).contains($0.utf8.count) }) != false else { throw .wrongLength }
        self.number = number
        self.id = id
        self.writtenAt = writtenAt
        self.text = text
    }

    /// Parses the body of MESSAGE.
    ///
    /// - Throws: `SyncError`, the first row of the table in `Specs/sync.md` that applies.
    public init(parsing body: Span<UInt8>) throws(SyncError) {
        var fields = ByteReader()
        guard body.count <= 32 + Self.textLimit, let number = fields.u64(of: body),
            let id = fields.octets16(of: body), let writtenAt = fields.u64(of: body)
        else { throw .wrongLength }
        guard (1...largestTextNumber).contains(number), let id = TextID(rawValue: id) else { throw .outOfRange }
        guard fields.offset < body.count else {
            self.init(number: number, id: id, writtenAt: writtenAt)
            return
        }
        let bytes = (fields.offset..<body.count).map { body[$0] }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        self.init(number: number, id: id, writtenAt: writtenAt, text)
    }

    /// Creates a message whose fields are known to be within their ranges.
    init(number: UInt64, id: TextID, writtenAt: UInt64, _ text: String? = nil) {
        self.number = number
        self.id = id
        self.writtenAt = writtenAt
        self.text = text
    }

    /// The MESSAGE record.
    public var record: Record {
        Record(.message) { writer in
            writer.append(u64: number)
            writer.append(id.rawValue)
            writer.append(u64: writtenAt)
            let bytes = Array((text ?? "").utf8)
            writer.append(bytes.span)
        }
    }
}

/// The last text that a device has received and stored, and the number of further texts it accepts (`Specs/sync.md`).
public struct SyncReceipt: Hashable, Sendable {
    /// A text in a stream.
    public struct Last: Hashable, Sendable {
        /// The stream.
        public let stream: StreamID
        /// The number of the text in it, 1 to 2^63 - 1.
        public let number: UInt64
        /// The identifier of the text.
        public let id: TextID

        /// Creates the name of a text; nil if the number is not 1 to 2^63 - 1.
        public init?(stream: StreamID, number: UInt64, id: TextID) {
            guard (1...largestTextNumber).contains(number) else { return nil }
            self.stream = stream
            self.number = number
            self.id = id
        }
    }

    /// The largest number of texts that a receipt allows.
    public static let roomLimit = 64

    /// The last text that is stored; nil if there has been none.
    public let last: Last?
    /// The number of texts after the last one that the device accepts, 0 to 64.
    public let room: UInt16

    /// Creates a receipt.
    ///
    /// - Throws: `SyncError.outOfRange` if the room is above `roomLimit`.
    public init(last: Last?, room: UInt16) throws(SyncError) {
        guard room <= Self.roomLimit else { throw .outOfRange }
        self.init(last, room: room)
    }

    init(_ last: Last?, room: UInt16) {
        self.last = last
        self.room = room
    }

    /// Parses the body of RECEIPT.
    ///
    /// - Throws: `SyncError`, the first row of the table in `Specs/sync.md` that applies.
    public init(parsing body: Span<UInt8>) throws(SyncError) {
        var fields = ByteReader()
        guard body.count == 34, let stream = fields.u64(of: body), let number = fields.u64(of: body),
            let id = fields.octets16(of: body), let room = fields.u16(of: body)
        else { throw .wrongLength }
        guard room <= Self.roomLimit, number <= largestTextNumber else { throw .outOfRange }
        if let stream = StreamID(rawValue: stream), let id = TextID(rawValue: id),
            let last = Last(stream: stream, number: number, id: id)
        {
            self.init(last, room: room)
        } else {
            // All three are present, or none is.
            guard stream == 0, number == 0, TextID(rawValue: id) == nil else { throw .incomplete }
            self.init(nil, room: room)
        }
    }

    /// The RECEIPT record.
    public var record: Record {
        Record(.receipt) { writer in
            writer.append(u64: last?.stream.rawValue ?? 0)
            writer.append(u64: last?.number ?? 0)
            writer.append(last?.id.rawValue ?? Octets16(high: 0, low: 0))
            writer.append(u16: room)
        }
    }
}

/// The stream in which texts follow in a session, and the number of the first (`Specs/sync.md`).
public struct SyncStream: Hashable, Sendable {
    /// The stream.
    public let stream: StreamID
    /// The number of the first text that follows, 1 to 2^63 - 1.
    public let first: UInt64

    /// Creates an announcement.
    ///
    /// - Throws: `SyncError.outOfRange` if the number is not 1 to 2^63 - 1.
    public init(stream: StreamID, first: UInt64) throws(SyncError) {
        guard (1...largestTextNumber).contains(first) else { throw .outOfRange }
        self.init(stream, first: first)
    }

    init(_ stream: StreamID, first: UInt64) {
        self.stream = stream
        self.first = first
    }

    /// Parses the body of STREAM.
    ///
    /// - Throws: `SyncError`, the first row of the table in `Specs/sync.md` that applies.
    public init(parsing body: Span<UInt8>) throws(SyncError) {
        var fields = ByteReader()
        guard body.count == 16, let stream = fields.u64(of: body), let first = fields.u64(of: body)
        else { throw .wrongLength }
        guard let stream = StreamID(rawValue: stream) else { throw .outOfRange }
        try self.init(stream: stream, first: first)
    }

    /// The STREAM record.
    public var record: Record {
        Record(.stream) { writer in
            writer.append(u64: stream.rawValue)
            writer.append(u64: first)
        }
    }
}

/// A record of the delivery of texts (`Specs/sync.md`).
public enum SyncRecord: Hashable, Sendable {
    /// A text, or a number whose text was withdrawn.
    case message(SyncMessage)
    /// The last text that the receiver has stored, and its room for more.
    case receipt(SyncReceipt)
    /// The numbering of the texts that follow.
    case stream(SyncStream)

    /// Parses a record; returns nil for a type that does not belong to the delivery of texts.
    ///
    /// - Throws: `SyncError`, the first row of the table in `Specs/sync.md` that applies.
    public init?(parsing record: borrowing Record) throws(SyncError) {
        switch record.type {
        case .message:
            self = .message(try record.withBody { body throws(SyncError) in try SyncMessage(parsing: body) })
        case .receipt:
            self = .receipt(try record.withBody { body throws(SyncError) in try SyncReceipt(parsing: body) })
        case .stream:
            self = .stream(try record.withBody { body throws(SyncError) in try SyncStream(parsing: body) })
        default: return nil
        }
    }

    /// The record to send.
    public var record: Record {
        switch self {
        case .message(let message): message.record
        case .receipt(let receipt): receipt.record
        case .stream(let stream): stream.record
        }
    }
}

/// The reason a record of the delivery of texts is refused (`Specs/sync.md`).
public enum SyncError: String, Refusal {
    /// The body does not have a permitted length.
    case wrongLength = "wrong-length"
    /// A number, a room or an identifier is outside its range.
    case outOfRange = "out-of-range"
    /// A receipt names some of stream, number and identifier, and not all.
    case incomplete = "incomplete"
    /// The text is not well-formed UTF-8.
    case notUTF8 = "not-utf8"

    public var stage: String { "sync" }
    public var reason: String { rawValue }
}
