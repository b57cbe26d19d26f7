/// A position in bytes that are read from left to right; the counterpart of `ByteSink`.
///
/// Each method takes the bytes as an argument, because a value cannot store a `Span`. Reading past the end returns nil
/// and leaves the position unchanged. Numbers are big-endian.
package struct ByteReader: Sendable {
    /// The index of the next byte.
    package private(set) var offset: Int

    /// Creates a reader at an index of the bytes, which may be past their end; a negative index counts as 0.
    package init(at offset: Int = 0) { self.offset = max(offset, 0) }

    /// Returns the number of bytes that are left.
    package func remaining(of input: Span<UInt8>) -> Int { max(input.count - offset, 0) }

    /// Returns the range of the next `count` bytes and moves past them.
    package mutating func skip(_ count: Int, of input: Span<UInt8>) -> Range<Int>? {
        guard count >= 0, count <= remaining(of: input), offset <= input.count else { return nil }
        defer { offset += count }
        return offset..<offset + count
    }

    /// Reads one byte.
    package mutating func u8(of input: Span<UInt8>) -> UInt8? { skip(1, of: input).map { input[$0.lowerBound] } }

    /// Reads two bytes.
    package mutating func u16(of input: Span<UInt8>) -> UInt16? { number(of: input) }

    /// Reads four bytes.
    package mutating func u32(of input: Span<UInt8>) -> UInt32? { number(of: input) }

    /// Reads eight bytes.
    package mutating func u64(of input: Span<UInt8>) -> UInt64? { number(of: input) }

    /// Reads sixteen bytes.
    package mutating func octets16(of input: Span<UInt8>) -> Octets16? {
        skip(16, of: input).flatMap { Octets16(input.extracting($0)) }
    }

    /// Reads thirty-two bytes.
    package mutating func octets32(of input: Span<UInt8>) -> Octets32? {
        skip(32, of: input).flatMap { Octets32(input.extracting($0)) }
    }

    /// Reads a number of the size of its type.
    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(of input: Span<UInt8>) -> Number? {
        guard let place = skip(Number.bitWidth / 8, of: input) else { return nil }
        return Number(truncatingIfNeeded: input.bigEndian(at: place.lowerBound, count: place.count))
    }
}
