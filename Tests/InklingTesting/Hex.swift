/// Returns the bytes of hexadecimal digits; all other characters are ignored, and an odd number of digits traps.
public func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    precondition(digits.count % 2 == 0, "odd number of hexadecimal digits")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Returns the lowercase hexadecimal digits of bytes.
public func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}

/// Returns the lowercase hexadecimal digits of bytes.
public func hex(_ bytes: Span<UInt8>) -> String {
    hex(bytes.indices.map { bytes[$0] })
}
