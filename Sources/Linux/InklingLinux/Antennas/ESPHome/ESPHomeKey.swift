public import InklingKeys

/// The API key of an ESPHome device.
public enum ESPHomeKey {
    /// The length of a key in bytes.
    public static let byteCount = 32

    /// Parses a base64 key, as ESPHome and Home Assistant show it, with surrounding white space; `nil` for anything
    /// else.
    ///
    /// Constant time: no step depends on a digit's value, only on whether it is valid.
    public static func parse(_ text: Span<UInt8>) -> SecretBytes? {
        var (start, end) = (0, text.count)
        while start < end, isSpace(text[start]) { start += 1 }
        while start < end, isSpace(text[end - 1]) { end -= 1 }
        guard end - start == 44, text[end - 1] == UInt8(ascii: "=") else { return nil }
        var isValid = true
        let key = SecretBytes(count: byteCount) { key in
            for group in 0..<11 {
                var bits: UInt32 = 0
                for place in 0..<4 {
                    let index = start + 4 * group + place
                    let digit = index == end - 1 ? 0 : value(of: text[index])
                    if digit < 0 { isValid = false }
                    bits = bits << 6 | UInt32(truncatingIfNeeded: digit & 0x3f)
                }
                for place in 0..<3 where 3 * group + place < byteCount {
                    key[3 * group + place] = UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * place))
                }
                // The last digit has two unused bits.
                if group == 10, bits & 0xff != 0 { isValid = false }
            }
        }
        guard isValid else { return nil }
        return key
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    /// Returns the value of a digit, 0 to 63, or -1 for any other byte. Each range adds its part without a branch.
    private static func value(of byte: UInt8) -> Int32 {
        let byte = Int32(byte)
        func within(_ low: Int32, _ high: Int32) -> Int32 { ((low - 1 - byte) & (byte - high - 1)) >> 31 }
        return -1 + (within(65, 90) & (byte - 64)) + (within(97, 122) & (byte - 70)) + (within(48, 57) & (byte + 5))
            + (within(43, 43) & 63) + (within(47, 47) & 64)
    }
}
