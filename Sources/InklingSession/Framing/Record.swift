public import InklingKeys

/// What a record is (`Specs/records.md`). Every value can arrive; the ones without a name here are ignored.
public struct RecordType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What a side holds of the other; the first record of each side.
    public static let hello = RecordType(rawValue: 0x01)
    /// One card.
    public static let card = RecordType(rawValue: 0x02)
    /// One grant.
    public static let grant = RecordType(rawValue: 0x03)
    /// The end of the session.
    public static let close = RecordType(rawValue: 0x04)
    /// Another transport on which the sender can be reached.
    public static let offer = RecordType(rawValue: 0x05)
    /// What a primary device passes on to the user's other devices.
    public static let state = RecordType(rawValue: 0x06)

    /// Whether the record belongs to message synchronisation.
    public var isSynchronisation: Bool { (0x10...0x1f).contains(rawValue) }
}

/// One statement inside a session (`Specs/records.md`). The body can carry keys, so it is a secret.
public struct Record: ~Copyable, Sendable {
    /// The longest body in bytes.
    public static let bodyLimit = 16_384
    /// The longest plaintext in bytes: a full body, padded.
    public static let plaintextLimit = 16_640

    /// What the body is.
    public let type: RecordType
    private let body: SecretBytes

    /// A record to send.
    ///
    /// - Throws: `RecordError.tooLong` above `bodyLimit` bytes.
    public init(_ type: RecordType, body: consuming SecretBytes) throws(RecordError) {
        guard body.count <= Self.bodyLimit else { throw .tooLong }
        self.type = type
        self.body = body
    }

    /// A record whose body is short enough by construction.
    init(_ type: RecordType, writing body: (inout SecretWriter) -> Void = { _ in }) {
        var writer = SecretWriter()
        body(&writer)
        self.type = type
        self.body = writer.finish()
    }

    /// The record that ends a session.
    public static var close: Record { Record(.close) }

    /// Reads the plaintext of a record.
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
        // A peer chose these bytes, so nothing is lost when the search ends early.
        for index in fields.offset..<plaintext.count where plaintext[index] != 0 { throw .nonzeroPadding }
        self.type = RecordType(rawValue: type)
        body = SecretBytes(copying: plaintext.extracting(content))
    }

    /// The length in bytes of the plaintext whose body has `count` bytes.
    public static func paddedCount(ofBody count: Int) -> Int {
        3 + count <= 96 ? 96 : (3 + count + 255) / 256 * 256
    }

    /// Lends the body.
    public borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.body.withBytes(body)
    }

    /// The plaintext: type, length, body, and zeros up to the smallest permitted size.
    public borrowing func encoded() -> SecretBytes {
        var writer = SecretWriter(capacity: Self.paddedCount(ofBody: body.count))
        writer.append(u8: type.rawValue)
        writer.append(u16: UInt16(truncatingIfNeeded: body.count))
        body.withBytes { writer.append($0) }
        writer.append(zeros: Self.paddedCount(ofBody: body.count) - 3 - body.count)
        return writer.finish()
    }
}

/// Why a record is refused (`Specs/records.md`), or cannot be made.
public enum RecordError: String, Refusal {
    /// The plaintext has no size to which records are padded.
    case wrongLength = "wrong-length"
    /// The length inside is above the limit, or belongs to another padded size.
    case badLength = "bad-length"
    /// Bytes after the body are not zero.
    case nonzeroPadding = "nonzero-padding"
    /// The caller's body is above the limit; no reader meets this.
    case tooLong = "too-long"

    public var stage: String { self == .tooLong ? "arguments" : "record" }
    public var reason: String { rawValue }
}
