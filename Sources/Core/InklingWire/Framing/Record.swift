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

/// One message in a session (`Specs/records.md`). The body can contain keys, so it is a secret.
///
/// A record holds its plaintext as it is encrypted, so that neither sealing nor opening copies the body.
public struct Record: ~Copyable, Sendable {
    /// The maximum length of a body in bytes.
    public static let bodyLimit = 16_384
    /// The maximum length of a plaintext in bytes: a body of maximum length, padded.
    public static let plaintextLimit = 16_640
    /// The length in bytes of the type and of the length field.
    private static let headerByteCount = 3

    /// The type of the record.
    public let type: RecordType
    /// Type, length, body, and zeros up to the smallest permitted length.
    private let plaintext: SecretBytes
    private let bodyCount: Int

    /// Creates a record to send.
    ///
    /// - Throws: `RecordError.tooLong` if the body is longer than `bodyLimit` bytes.
    public init(_ type: RecordType, body: borrowing SecretBytes) throws(RecordError) {
        self = try body.withBytes { body throws(RecordError) in try Record(type, copying: body) }
    }

    /// Creates a record to send with a copy of `body`.
    ///
    /// - Throws: `RecordError.tooLong` if the body is longer than `bodyLimit` bytes.
    public init(_ type: RecordType, copying body: Span<UInt8>) throws(RecordError) {
        guard body.count <= Self.bodyLimit else { throw .tooLong }
        self.init(type, withinLimit: body)
    }

    /// Creates a record whose body is known to be within the limit: what the closure writes, then `rest`, copied once.
    init(
        _ type: RecordType, followedBy rest: Span<UInt8> = Span(), writing body: (inout SecretWriter) -> Void = { _ in }
    ) {
        var writer = SecretWriter()
        body(&writer)
        self = writer.withBytes { Record(type, withinLimit: $0, followedBy: rest) }
    }

    private init(_ type: RecordType, withinLimit body: Span<UInt8>, followedBy rest: Span<UInt8> = Span()) {
        let count = body.count + rest.count
        self.type = type
        bodyCount = count
        plaintext = SecretBytes(count: Self.paddedCount(ofBody: count)) { plaintext in
            plaintext[0] = type.rawValue
            plaintext[1] = UInt8(truncatingIfNeeded: count >> 8)
            plaintext[2] = UInt8(truncatingIfNeeded: count)
            plaintext.copy(body, at: Self.headerByteCount)
            plaintext.copy(rest, at: Self.headerByteCount + body.count)
        }
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
        try self.init(parsing: SecretBytes(copying: plaintext))
    }

    /// Parses the plaintext of a record, which the record keeps.
    ///
    /// - Throws: `RecordError`, as above; the plaintext is then wiped.
    init(parsing plaintext: consuming SecretBytes) throws(RecordError) {
        let (type, bodyCount) = try plaintext.withBytes { plaintext throws(RecordError) in
            try Self.header(of: plaintext)
        }
        self.type = type
        self.bodyCount = bodyCount
        self.plaintext = plaintext
    }

    /// Returns the type and the length of the body of a well-formed plaintext.
    private static func header(of plaintext: Span<UInt8>) throws(RecordError) -> (RecordType, bodyCount: Int) {
        let isPadded = plaintext.count.isMultiple(of: 256) && (256...plaintextLimit).contains(plaintext.count)
        guard plaintext.count == 96 || isPadded else { throw .wrongLength }
        var fields = ByteReader()
        guard let type = fields.u8(of: plaintext), let count = fields.u16(of: plaintext),
            count <= bodyLimit, paddedCount(ofBody: Int(count)) == plaintext.count,
            fields.skip(Int(count), of: plaintext) != nil
        else { throw .badLength }
        // The peer knows these bytes, so the search need not take constant time.
        guard plaintext.extracting(fields.offset...).isZero else { throw .nonzeroPadding }
        return (RecordType(rawValue: type), Int(count))
    }

    /// Returns the length in bytes of the plaintext of a record whose body has `count` bytes.
    public static func paddedCount(ofBody count: Int) -> Int {
        headerByteCount + count <= 96 ? 96 : (headerByteCount + count + 255) / 256 * 256
    }

    /// Calls `body` with the body of the record, which is valid only during the call.
    public borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let range = Self.headerByteCount..<Self.headerByteCount + bodyCount
        return try plaintext.withBytes { bytes throws(Failure) in try body(bytes.extracting(range)) }
    }

    /// Calls `body` with the plaintext: type, length, body, and zeros up to the smallest permitted length.
    borrowing func withPlaintext<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try plaintext.withBytes(body)
    }

    /// Returns a copy of the plaintext: type, length, body, and zeros up to the smallest permitted length.
    public borrowing func encoded() -> SecretBytes { plaintext.duplicate() }
}

/// The reason a record is refused (`Specs/records.md`) or cannot be created.
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
