/// A destination to which bytes are appended in order, such as a hash computation or a growing message.
///
/// The methods of the extension follow the notation of `Specs/README.md`: `u8`, `u16` and so on are big-endian.
public protocol ByteSink: ~Copyable {
    /// Appends `bytes` without a length or padding.
    mutating func append(_ bytes: Span<UInt8>)
}

extension ByteSink where Self: ~Copyable {
    /// Appends the ASCII bytes of a label, without a terminator.
    package mutating func append(_ label: StaticString) {
        unsafe append(
            Span(_unsafeElements: UnsafeBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount)))
    }

    /// Appends one byte.
    package mutating func append(u8 value: UInt8) {
        let bytes: InlineArray<1, UInt8> = [value]
        append(bytes.span)
    }

    /// Appends two bytes, most significant first.
    package mutating func append(u16 value: UInt16) {
        let bytes: InlineArray<2, UInt8> = [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
        append(bytes.span)
    }

    /// Appends four bytes, most significant first.
    package mutating func append(u32 value: UInt32) {
        append(u16: UInt16(truncatingIfNeeded: value >> 16))
        append(u16: UInt16(truncatingIfNeeded: value))
    }

    /// Appends eight bytes, most significant first.
    package mutating func append(u64 value: UInt64) {
        append(u32: UInt32(truncatingIfNeeded: value >> 32))
        append(u32: UInt32(truncatingIfNeeded: value))
    }

    /// Appends `value` as ASCII decimal digits, without a sign or leading zeros.
    package mutating func append(decimal value: UInt32) {
        var digits: InlineArray<10, UInt8> = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        var rest = value
        var first = digits.count
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
        append(digits.span.extracting(first...))
    }

    /// Appends `count` zero bytes; none if `count` is negative.
    package mutating func append(zeros count: Int) {
        let block = InlineArray<64, UInt8>(repeating: 0)
        for start in stride(from: 0, to: count, by: block.count) {
            append(block.span.extracting(first: min(block.count, count - start)))
        }
    }
}

extension Array: ByteSink where Element == UInt8 {
    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
