public import InklingKeys

/// The type of a record (`Specs/records.md`). A peer can send any value; types that are not defined here are ignored.
public struct RecordType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The cards and grants that the sender holds; the first record of each side.
    public static let hello = RecordType(rawValue: 0x01)
    /// A card.
    public static let card = RecordType(rawValue: 0x02)
    /// A grant.
    public static let grant = RecordType(rawValue: 0x03)
    /// The end of the session.
    public static let close = RecordType(rawValue: 0x04)
    /// Another transport on which the sender can be reached.
    public static let offer = RecordType(rawValue: 0x05)
    /// State that the primary device sends to the user's other devices.
    public static let state = RecordType(rawValue: 0x06)

    /// The sender accepts a first contact.
    public static let accept = RecordType(rawValue: 0x08)
    /// The sender declines a first contact.
    public static let decline = RecordType(rawValue: 0x09)

    /// Whether the type belongs to message synchronisation.
    public var isSynchronisation: Bool { (0x10...0x1f).contains(rawValue) }
}

/// The plaintext of one message in a session (`Specs/records.md`). The body can contain keys, so it is a secret.
public struct Record: ~Copyable, Sendable {
    /// The maximum length of a body in bytes.
    public static let bodyLimit = 16_384
    /// The maximum length of a plaintext in bytes: a body of maximum length, padded.
    public static let plaintextLimit = 16_640

    /// The type of the record.
    public let type: RecordType
    private let body: SecretBytes

    /// Creates a record to send.
    ///
    /// - Throws: `RecordError.tooLong` if the body is longer than `bodyLimit` bytes.
    public init(_ type: RecordType, body: consuming SecretBytes) throws(RecordError) {
        guard body.count <= Self.bodyLimit else { throw .tooLong }
        self.type = type
        self.body = body
    }

    /// Creates a record whose body, written by the closure, is known to be within the limit.
    init(_ type: RecordType, writing body: (inout SecretWriter) -> Void = { _ in }) {
        var writer = SecretWriter()
        body(&writer)
        self.type = type
        self.body = writer.finish()
    }

    /// The CLOSE record, which ends a session.
    public static var close: Record { Record(.close) }
    /// The ACCEPT record of a first contact.
    public static var accept: Record { Record(.accept) }
    /// The DECLINE record of a first contact.
    public static var decline: Record { Record(.decline) }

    /// Parses the plaintext of a record.
    ///
    /// - Throws: `RecordError`, the first row of the table in `Specs/records.md` that applies.
    public init(parsing plaintext: Span<UInt8>) throws(RecordError) {
        let isPadded = plaintext.count.isMultiple(of: 256) && (256...Self.plaintextLimit).contains(plaintext.count)
        guard plaintext.count == 96 || isPadded else { throw .wrongLength }
        var fields = ByteReader()
        guard let type = fields.u8(of: plaintext), let count = fields.u16(of: plaintext),
            count <= Self.bodyLimit, Self.paddedCount(ofBody: Int(count)) == plaintext.count,
            let content = fields.skip(Int(count), of: plaintext)
        else { throw .badLength }
        // The peer knows these bytes, so the search need not take constant time.
        for index in fields.offset..<plaintext.count where plaintext[index] != 0 { throw .nonzeroPadding }
        self.type = RecordType(rawValue: type)
        body = SecretBytes(copying: plaintext.extracting(content))
    }

    /// Returns the length in bytes of the plaintext of a record whose body has `count` bytes.
    public static func paddedCount(ofBody count: Int) -> Int {
        3 + count <= 96 ? 96 : (3 + count + 255) / 256 * 256
    }

    /// Calls `body` with the body of the record, which is valid only during the call.
    public borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.body.withBytes(body)
    }

    /// Returns the plaintext: type, length, body, and zeros up to the smallest permitted length.
    public borrowing func encoded() -> SecretBytes {
        var writer = SecretWriter(capacity: Self.paddedCount(ofBody: body.count))
        writer.append(u8: type.rawValue)
        writer.append(u16: UInt16(truncatingIfNeeded: body.count))
        body.withBytes { writer.append($0) }
        writer.append(zeros: Self.paddedCount(ofBody: body.count) - 3 - body.count)
        return writer.finish()
    }
}

/// Why a record is refused (`Specs/records.md`) or cannot be created.
public enum RecordError: String, Refusal {
    /// The length of the plaintext is not one to which records are padded.
    case wrongLength = "wrong-length"
    /// The length field is above the limit, or does not match the padded length.
    case badLength = "bad-length"
    /// A byte after the body is not zero.
    case nonzeroPadding = "nonzero-padding"
    /// The body is above the limit; thrown only when a record is created.
    case tooLong = "too-long"

    public var stage: String { self == .tooLong ? "arguments" : "record" }
    public var reason: String { rawValue }
}
