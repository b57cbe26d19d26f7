public import InklingKeys

extension RecordType {
    /// A text message for the user of the peer.
    public static let message = RecordType(rawValue: 0x10)
    /// The receipt for a text message.
    public static let receipt = RecordType(rawValue: 0x11)
}

/// A text message to a contact, and the receipt for it (`Specs/records.md`).
public struct TextMessage: Hashable, Sendable {
    /// The maximum length of the text in bytes of UTF-8.
    public static let byteLimit = 8192

    /// The number that the sender gives the message within the session; the receipt repeats it.
    public let number: UInt64
    /// The text, at least one byte.
    public let text: String

    /// Creates a text message to send.
    ///
    /// - Throws: `TextMessageError.wrongLength` if the text is empty or longer than `byteLimit`.
    public init(number: UInt64, text: String) throws(TextMessageError) {
        guard (1...Self.byteLimit).contains(text.utf8.count) else { throw .wrongLength }
        self.number = number
        self.text = text
    }

    /// Parses the body of a text message record.
    ///
    /// - Throws: `TextMessageError.wrongLength`, or `.notUTF8`.
    public init(parsing body: Span<UInt8>) throws(TextMessageError) {
        guard (9...8 + Self.byteLimit).contains(body.count) else { throw .wrongLength }
        var fields = ByteReader()
        guard let number = fields.u64(of: body) else { throw .wrongLength }
        guard let text = String(validating: (fields.offset..<body.count).map { body[$0] }, as: UTF8.self) else {
            throw .notUTF8
        }
        self.number = number
        self.text = text
    }

    /// The record to send.
    public var record: Record {
        Record(.message) { writer in
            writer.append(u64: number)
            let bytes = Array(text.utf8)
            writer.append(bytes.span)
        }
    }

    /// Creates the receipt for the text message with a number.
    public static func receipt(for number: UInt64) -> Record { Record(.receipt) { $0.append(u64: number) } }

    /// Parses the body of a receipt and returns the number of the text message.
    ///
    /// - Throws: `TextMessageError.wrongLength` unless the body is 8 bytes long.
    public static func receiptNumber(parsing body: Span<UInt8>) throws(TextMessageError) -> UInt64 {
        var fields = ByteReader()
        guard body.count == 8, let number = fields.u64(of: body) else { throw .wrongLength }
        return number
    }
}

/// Why a text message or a receipt is refused (`Specs/records.md`).
public enum TextMessageError: String, Refusal {
    /// The text is empty or longer than `TextMessage.byteLimit`, or a receipt is not 8 bytes long.
    case wrongLength = "wrong-length"
    /// The text is not well-formed UTF-8.
    case notUTF8 = "not-utf8"

    public var stage: String { "message" }
    public var reason: String { rawValue }
}
