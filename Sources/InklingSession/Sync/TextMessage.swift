public import InklingKeys

extension RecordType {
    /// A text for the person behind the peer.
    public static let message = RecordType(rawValue: 0x10)
    /// A text has arrived.
    public static let receipt = RecordType(rawValue: 0x11)
}

/// A text on its way to a contact, and the receipt for it (`Specs/records.md`).
public struct TextMessage: Hashable, Sendable {
    /// The longest text in bytes of UTF-8.
    public static let byteLimit = 8192

    /// The sender's number for the text within the session; the receipt repeats it.
    public let number: UInt64
    /// What it says; at least one byte.
    public let text: String

    /// A text to send.
    ///
    /// - Throws: `TextMessageError.wrongLength` for an empty text and above `byteLimit`.
    public init(number: UInt64, text: String) throws(TextMessageError) {
        guard (1...Self.byteLimit).contains(text.utf8.count) else { throw .wrongLength }
        self.number = number
        self.text = text
    }

    /// Reads the body of a record.
    ///
    /// - Throws: `TextMessageError`.
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

    /// The record that carries the text.
    public var record: Record {
        Record(.message) { writer in
            writer.append(u64: number)
            let bytes = Array(text.utf8)
            writer.append(bytes.span)
        }
    }

    /// The record that says that the text with this number has arrived.
    public static func receipt(for number: UInt64) -> Record { Record(.receipt) { $0.append(u64: number) } }

    /// The number in the body of a receipt.
    ///
    /// - Throws: `TextMessageError.wrongLength`.
    public static func receiptNumber(parsing body: Span<UInt8>) throws(TextMessageError) -> UInt64 {
        var fields = ByteReader()
        guard body.count == 8, let number = fields.u64(of: body) else { throw .wrongLength }
        return number
    }
}

/// Why a text or a receipt is refused.
public enum TextMessageError: String, Refusal {
    /// An empty text, one above `TextMessage.byteLimit`, or a receipt that is not 8 bytes.
    case wrongLength = "wrong-length"
    /// The text is not well-formed UTF-8.
    case notUTF8 = "not-utf8"

    public var stage: String { "message" }
    public var reason: String { rawValue }
}
