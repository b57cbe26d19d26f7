internal import InklingKeys

/// Why stored contents cannot be read.
public struct VaultContentsError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Bytes before the field that is wrong.
    public let offset: Int
    /// What is wrong with it.
    public let reason: Reason

    /// What can be wrong with a field.
    public enum Reason: Hashable, Sendable, Codable {
        /// The contents end before it does.
        case truncated
        /// It lies behind the last field.
        case trailing
        /// The contents have this version, which is not known.
        case version(UInt16)
        /// It has an unknown tag, or a reserved bit set.
        case tag
        /// It is a count or a number out of bounds.
        case count
        /// It is not UTF-8.
        case text
        /// The nodes are not a tree, or do not follow each other.
        case tree
        /// It occurred before, and may occur once.
        case duplicate

        private enum VersionCodingKeys: String, CodingKey { case _0 = "version" }
    }

    /// What, and where.
    public var description: String { "\(reason) at byte \(offset)" }
}

/// The place up to which contents have been read; every read checks that the bytes are there.
struct ContentsCursor {
    private(set) var offset = 0

    /// An error about the field that ends here and had `count` bytes.
    func fault(_ reason: VaultContentsError.Reason, back count: Int = 0) -> VaultContentsError {
        VaultContentsError(offset: offset - count, reason: reason)
    }

    /// The next `count` bytes as a range.
    mutating func take(_ count: Int, of bytes: Span<UInt8>) throws(VaultContentsError) -> Range<Int> {
        guard count <= bytes.count - offset else { throw fault(.truncated) }
        defer { offset += count }
        return offset..<offset + count
    }

    /// An unsigned number of as many bytes as its type.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Number {
        let width = Number.bitWidth / 8
        let place = try take(width, of: bytes)
        return Number(truncatingIfNeeded: bytes.bigEndian(at: place.lowerBound, count: width))
    }

    /// A number within bounds.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ bounds: ClosedRange<Number>, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Number {
        let value = try number(Number.self, of: bytes)
        guard bounds.contains(value) else { throw fault(.count, back: Number.bitWidth / 8) }
        return value
    }

    /// Whether an optional field follows.
    mutating func presence(of bytes: Span<UInt8>) throws(VaultContentsError) -> Bool {
        let tag = try number(UInt8.self, of: bytes)
        guard tag <= 1 else { throw fault(.tag, back: 1) }
        return tag == 1
    }

    /// Bits, of which only those in `known` may be set.
    mutating func flags(known: UInt8, of bytes: Span<UInt8>) throws(VaultContentsError) -> UInt8 {
        let flags = try number(UInt8.self, of: bytes)
        guard flags & ~known == 0 else { throw fault(.tag, back: 1) }
        return flags
    }

    /// A secret of 32 bytes.
    mutating func key(of bytes: Span<UInt8>) throws(VaultContentsError) -> SecretBytes {
        SecretBytes(copying: bytes.extracting(try take(keyByteCount, of: bytes)))
    }

    /// Sixteen public bytes.
    mutating func octets16(of bytes: Span<UInt8>) throws(VaultContentsError) -> Octets16 {
        let high = try number(UInt64.self, of: bytes)
        return Octets16(high: high, low: try number(UInt64.self, of: bytes))
    }

    /// Thirty-two public bytes.
    mutating func octets32(of bytes: Span<UInt8>) throws(VaultContentsError) -> Octets32 {
        let first = try octets16(of: bytes)
        return Octets32(first: first, second: try octets16(of: bytes))
    }

    /// Public bytes behind a length of two bytes, at most `limit`.
    mutating func block(limit: UInt16, of bytes: Span<UInt8>) throws(VaultContentsError) -> [UInt8] {
        let count = try number(0...limit, of: bytes)
        var block: [UInt8] = []
        block.append(bytes.extracting(try take(Int(count), of: bytes)))
        return block
    }

    /// Text behind a length of one byte, at most `limit` bytes of UTF-8.
    mutating func text(limit: UInt8, of bytes: Span<UInt8>) throws(VaultContentsError) -> String {
        let count = try number(0...limit, of: bytes)
        var block: [UInt8] = []
        block.append(bytes.extracting(try take(Int(count), of: bytes)))
        guard let text = String(validating: block, as: UTF8.self) else { throw fault(.text, back: block.count) }
        return text
    }
}
