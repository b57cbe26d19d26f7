// Text as bytes, for many lines: a `String` for each would cost more than its contents.

extension [UInt8] {
    /// Appends ASCII text.
    mutating func append(text: StaticString) { text.withUTF8Buffer { unsafe append(contentsOf: $0) } }

    /// Appends a number of at least 0 in decimal digits.
    mutating func append(decimal number: Int) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = number
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for place in first..<20 { append(digits[place]) }
    }

    /// Appends sixteen lowercase hexadecimal digits.
    mutating func append(hexadecimal number: UInt64) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number &>> shift & 15)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }
}
