internal import InklingKeys

/// The reason why stored contents cannot be parsed.
public struct VaultContentsError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The offset of the invalid field, in bytes.
    public let offset: Int
    /// The fault of the field.
    public let reason: Reason

    /// The possible faults of a field.
    public enum Reason: Hashable, Sendable, Codable {
        /// The contents end before the end of the field.
        case truncated
        /// There are bytes after the last field.
        case trailing
        /// The version of the contents is unknown.
        case version(UInt16)
        /// The field has an unknown tag, or a reserved bit is set.
        case tag
        /// A count or a number is out of range.
        case count
        /// The text is not UTF-8.
        case text
        /// The nodes do not form a cover, or are not in order.
        case tree
        /// An element that may occur once occurs twice.
        case duplicate

        private enum VersionCodingKeys: String, CodingKey { case _0 = "version" }
    }

    /// The reason and the offset.
    public var description: String { "\(reason) at byte \(offset)" }
}

/// A position in stored contents. Every read checks that enough bytes are left and moves the position past them.
struct ContentsCursor {
    private(set) var offset = 0

    /// Returns an error about the field of `count` bytes that ends here.
    func fault(_ reason: VaultContentsError.Reason, back count: Int = 0) -> VaultContentsError {
        VaultContentsError(offset: offset - count, reason: reason)
    }

    /// Skips `count` bytes and returns their range.
    mutating func take(_ count: Int, of bytes: Span<UInt8>) throws(VaultContentsError) -> Range<Int> {
        guard count <= bytes.count - offset else { throw fault(.truncated) }
        defer { offset += count }
        return offset..<offset + count
    }

    /// Reads an unsigned big-endian number with the width of its type.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Number {
        let width = Number.bitWidth / 8
        let place = try take(width, of: bytes)
        return Number(truncatingIfNeeded: bytes.bigEndian(at: place.lowerBound, count: width))
    }

    /// Reads a number, and rejects one outside `bounds`.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ bounds: ClosedRange<Number>, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Number {
        let value = try number(Number.self, of: bytes)
        guard bounds.contains(value) else { throw fault(.count, back: Number.bitWidth / 8) }
        return value
    }

    /// Reads the byte that tells whether an optional field follows.
    mutating func presence(of bytes: Span<UInt8>) throws(VaultContentsError) -> Bool {
        let tag = try number(UInt8.self, of: bytes)
        guard tag <= 1 else { throw fault(.tag, back: 1) }
        return tag == 1
    }

    /// Reads a byte of flags, and rejects one with a bit outside `known`.
    mutating func flags(known: UInt8, of bytes: Span<UInt8>) throws(VaultContentsError) -> UInt8 {
        let flags = try number(UInt8.self, of: bytes)
        guard flags & ~known == 0 else { throw fault(.tag, back: 1) }
        return flags
    }

    /// Reads a secret of 32 bytes.
    mutating func key(of bytes: Span<UInt8>) throws(VaultContentsError) -> SecretBytes {
        SecretBytes(copying: bytes.extracting(try take(keyByteCount, of: bytes)))
    }

    /// Reads 16 public bytes.
    mutating func octets16(of bytes: Span<UInt8>) throws(VaultContentsError) -> Octets16 {
        let high = try number(UInt64.self, of: bytes)
        return Octets16(high: high, low: try number(UInt64.self, of: bytes))
    }

    /// Reads 32 public bytes.
    mutating func octets32(of bytes: Span<UInt8>) throws(VaultContentsError) -> Octets32 {
        let first = try octets16(of: bytes)
        return Octets32(first: first, second: try octets16(of: bytes))
    }

    /// Reads at most `limit` public bytes after a length of two bytes.
    mutating func block(limit: UInt16, of bytes: Span<UInt8>) throws(VaultContentsError) -> [UInt8] {
        let count = try number(0...limit, of: bytes)
        var block: [UInt8] = []
        block.append(bytes.extracting(try take(Int(count), of: bytes)))
        return block
    }

    /// Reads at most `limit` bytes of UTF-8 text after a length of one byte.
    mutating func text(limit: UInt8, of bytes: Span<UInt8>) throws(VaultContentsError) -> String {
        let count = try number(0...limit, of: bytes)
        var block: [UInt8] = []
        block.append(bytes.extracting(try take(Int(count), of: bytes)))
        guard let text = String(validating: block, as: UTF8.self) else { throw fault(.text, back: block.count) }
        return text
    }
}
