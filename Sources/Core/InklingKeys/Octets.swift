internal import CNameLines

/// Sixteen public bytes, such as an opaque service name, a tag or a user id. Never a secret.
public struct Octets16: Hashable, Sendable, Comparable {
    /// The bytes as two big-endian halves, so that comparing values compares byte strings.
    public let high: UInt64, low: UInt64

    /// Creates the value whose bytes are `high` followed by `low`, each with the most significant byte first.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a value from exactly sixteen bytes; returns nil for any other number of bytes.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: bytes.bigEndianWord(at: 0), low: bytes.bigEndianWord(at: 8))
    }

    /// Creates a value from exactly 32 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) { self.init(lowercaseHex: Array(text.utf8).span) }

    /// Compares the values as byte strings.
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// Thirty-two public bytes, such as a public key or a digest. Never a secret.
public struct Octets32: Hashable, Sendable, Comparable {
    /// The first and the second sixteen bytes.
    public let first: Octets16, second: Octets16

    /// Creates the value whose bytes are `first` followed by `second`.
    public init(first: Octets16, second: Octets16) {
        self.first = first
        self.second = second
    }

    /// Creates a value from exactly thirty-two bytes; returns nil for any other number of bytes.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        first = Octets16(high: bytes.bigEndianWord(at: 0), low: bytes.bigEndianWord(at: 8))
        second = Octets16(high: bytes.bigEndianWord(at: 16), low: bytes.bigEndianWord(at: 24))
    }

    /// Creates a value from exactly 64 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64, let first = Octets16(lowercaseHex: digits.span.extracting(..<32)),
            let second = Octets16(lowercaseHex: digits.span.extracting(32...))
        else { return nil }
        self.init(first: first, second: second)
    }

    /// Creates a value from an array of fixed size.
    public init(_ bytes: InlineArray<32, UInt8>) {
        let view = bytes.span
        first = Octets16(high: view.bigEndianWord(at: 0), low: view.bigEndianWord(at: 8))
        second = Octets16(high: view.bigEndianWord(at: 16), low: view.bigEndianWord(at: 24))
    }

    /// Compares the values as byte strings.
    public static func < (left: Self, right: Self) -> Bool {
        (left.first, left.second) < (right.first, right.second)
    }

    /// Calls `body` with the bytes, which are valid only during the call.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes = InlineArray<32, UInt8>(repeating: 0)
        for index in 0..<32 {
            let half = index < 16 ? first : second
            let word = index % 16 < 8 ? half.high : half.low
            bytes[index] = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
        }
        return try body(bytes.span)
    }
}

extension ByteSink where Self: ~Copyable {
    /// Appends the sixteen bytes of `value`.
    package mutating func append(_ value: Octets16) {
        append(u64: value.high)
        append(u64: value.low)
    }

    /// Appends the thirty-two bytes of `value`.
    package mutating func append(_ value: Octets32) {
        append(value.first)
        append(value.second)
    }
}

extension Octets16: LosslessStringConvertible {
    /// Thirty-two lowercase hexadecimal digits.
    public var description: String { hexDigits(high) + hexDigits(low) }
}

extension Octets32: LosslessStringConvertible {
    /// Sixty-four lowercase hexadecimal digits.
    public var description: String { first.description + second.description }
}

/// Returns the number that a text of exactly `digits` lowercase hexadecimal digits stands for; nil for any other text.
package func number(ofLowercaseHex text: String, digits: Int) -> UInt64? {
    let isLowercaseHex = text.utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    return isLowercaseHex && text.utf8.count == digits ? UInt64(text, radix: 16) : nil
}

/// Parses decimal digits, and nothing else; nil also for a number that is too large for the type.
package func number<Number: FixedWidthInteger>(ofDecimal text: String) -> Number? {
    let areDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return areDigits ? Number(text) : nil
}

func hexDigits(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

extension Span<UInt8> {
    /// Returns the `count` bytes from `offset` as a big-endian unsigned number. The caller has checked that they exist.
    package func bigEndian(at offset: Int, count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<offset + count { value = value << 8 | UInt64(self[index]) }
        return value
    }

    fileprivate func bigEndianWord(at offset: Int) -> UInt64 { bigEndian(at: offset, count: 8) }
}

extension Octets16 {
    /// Creates a value from exactly 32 lowercase hexadecimal digits; returns nil for anything else.
    init?(lowercaseHex digits: Span<UInt8>) {
        guard digits.count == 32 else { return nil }
        // All digits are parsed at once: there may be millions of names, and a loop over digits would cost more than
        // the look-up.
        var numbers: (high: UInt64, low: UInt64) = (0, 0)
        let areDigits = unsafe withUnsafeMutableBytes(of: &numbers) { numbers in
            guard let numbers = numbers.baseAddress else { return false }
            return unsafe digits.withPointer {
                unsafe name_lines_parse($0, numbers.assumingMemoryBound(to: UInt64.self))
            }
        }
        guard areDigits else { return nil }
        self.init(high: numbers.high, low: numbers.low)
    }
}

extension Octets16: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in Octets16(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}

extension Octets32: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in Octets32(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}
