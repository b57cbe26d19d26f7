/// A reader for the fields of a Protocol Buffers message, bounded by the message.
///
/// Only a few messages with a few fields are needed. A library and its generated code would be the largest part of the
/// program and check less: here, one fault rejects the whole message.
struct FieldReader {
    /// A field's value, by wire type.
    enum Value: Equatable {
        case number(UInt64)
        case bytes(Range<Int>)
        /// Four or eight bytes; no message read here uses them.
        case fixed
    }

    /// The largest number of fields per message.
    static let limit = 1024

    private var place: Int
    private let end: Int
    private var count = 0

    /// Creates a reader for a range of the bytes.
    init(_ range: Range<Int>) { (place, end) = (range.lowerBound, range.upperBound) }

    /// Returns the next field and its number; `nil` at the end of the message.
    ///
    /// - Throws: `ESPHomeError.badMessage`.
    mutating func next(of bytes: [UInt8]) throws(ESPHomeError) -> (field: UInt64, value: Value)? {
        guard place < end else { return nil }
        count += 1
        guard count <= Self.limit, end <= bytes.count else { throw .badMessage }
        let key = try number(of: bytes)
        guard key >> 3 > 0 else { throw .badMessage }
        switch key & 7 {
        case 0: return (key >> 3, .number(try number(of: bytes)))
        case 1: return (key >> 3, try fixed(8))
        case 2:
            let length = try number(of: bytes)
            guard length <= UInt64(end - place) else { throw .badMessage }
            let range = place..<place + Int(length)
            place = range.upperBound
            return (key >> 3, .bytes(range))
        case 5: return (key >> 3, try fixed(4))
        default: throw .badMessage
        }
    }

    private mutating func fixed(_ length: Int) throws(ESPHomeError) -> Value {
        guard length <= end - place else { throw .badMessage }
        place += length
        return .fixed
    }

    private mutating func number(of bytes: [UInt8]) throws(ESPHomeError) -> UInt64 {
        guard let (value, next) = Self.number(at: place, before: end, of: bytes) else { throw .badMessage }
        place = next
        return value
    }

    /// Reads a varint: seven bits per byte, least significant first. Returns `nil` if it does not end before `end` or
    /// exceeds 64 bits.
    static func number(at start: Int, before end: Int, of bytes: [UInt8]) -> (value: UInt64, next: Int)? {
        var value: UInt64 = 0
        for (index, place) in (start..<max(start, min(end, bytes.count))).prefix(10).enumerated() {
            let bits = UInt64(bytes[place] & 0x7f)
            guard index < 9 || bits <= 1 else { return nil }
            value |= bits << UInt64(7 * index)
            if bytes[place] & 0x80 == 0 { return (value, place + 1) }
        }
        return nil
    }
}

extension [UInt8] {
    /// Appends a varint: seven bits per byte, least significant first.
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a numeric field.
    mutating func append(field: UInt64, _ value: UInt64) {
        append(number: field << 3)
        append(number: value)
    }

    /// Appends a text field.
    mutating func append(field: UInt64, _ text: String) { append(field: field, [UInt8](text.utf8)) }

    /// Appends a bytes field.
    mutating func append(field: UInt64, _ bytes: [UInt8]) {
        append(number: field << 3 | 2)
        append(number: UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
