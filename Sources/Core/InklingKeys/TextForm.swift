/// The text form of objects, which people copy, paste and scan: `INKLING:`, a letter for the kind, a colon, and base32
/// with a check (`Specs/invitations.md`).
public enum TextForm {
    /// The kind of object in a text.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// `I`: an invitation to become contacts.
        case invitation = 0x49
        /// `L`: an invitation for a new device of the same user.
        case deviceLink = 0x4c
        /// `C`: a contact card, which is not secret.
        case card = 0x43
        /// `G`: a grant sealed for one device.
        case sealedGrant = 0x47
    }

    /// The maximum length of the content in bytes.
    public static let contentLimit = 4096
    /// The maximum length of a text in bytes: prefix, kind, colon, and the base32 of content and check.
    public static let textLimit = 6570
    private static let checkByteCount = 4
    private static let prefix: StaticString = "INKLING:"

    /// Returns the text form of an object, in upper case, so that a QR code can use its alphanumeric mode.
    ///
    /// - Throws: `TextFormError.tooLong` if the content is longer than `contentLimit` bytes.
    public static func encode(_ kind: Kind, _ content: Span<UInt8>) throws(TextFormError) -> String {
        guard content.count <= contentLimit else { throw .tooLong }
        return text(kind, content)
    }

    /// Returns the text form of a secret object, such as an invitation, as ASCII in memory that is wiped.
    ///
    /// - Throws: `TextFormError.tooLong` if the content is longer than `contentLimit` bytes.
    public static func secretText(_ kind: Kind, _ content: Span<UInt8>) throws(TextFormError) -> SecretBytes {
        guard content.count <= contentLimit else { throw .tooLong }
        return ascii(kind, content)
    }

    /// Returns the text form of content that is known to be within the limit.
    static func text(_ kind: Kind, _ content: Span<UInt8>) -> String {
        ascii(kind, content).withBytes { ascii in
            var text = ""
            for index in ascii.indices { text.unicodeScalars.append(UnicodeScalar(ascii[index])) }
            return text
        }
    }

    private static func ascii(_ kind: Kind, _ content: Span<UInt8>) -> SecretBytes {
        var checked = SecretWriter(capacity: content.count + checkByteCount)
        checked.append(content)
        checked.append(u32: check(kind, content))
        var text = SecretWriter(capacity: prefix.utf8CodeUnitCount + 2 + (checked.count * 8 + 4) / 5)
        text.append(prefix)
        text.append(u8: kind.rawValue)
        text.append(u8: UInt8(ascii: ":"))
        checked.withBytes { appendBase32(of: $0, to: &text) }
        return text.finish()
    }

    /// Parses a text and returns its kind and content.
    ///
    /// The text is UTF-8 without surrounding white space; its ASCII letters can be in either case. The content is
    /// returned as a secret, because an invitation is one.
    /// - Throws: `TextFormError`, the first row of the table in `Specs/invitations.md` that applies.
    public static func decode(_ text: Span<UInt8>) throws(TextFormError) -> TextFormContent {
        guard text.count <= textLimit else { throw .tooLong }
        let prefixCount = prefix.utf8CodeUnitCount
        guard text.count >= prefixCount, startsWithPrefix(text) else { throw .unknownPrefix }
        guard text.count > prefixCount, let kind = Kind(rawValue: upperCase(text[prefixCount])) else {
            throw .unknownKind
        }
        guard text.count > prefixCount + 1, text[prefixCount + 1] == UInt8(ascii: ":") else { throw .noSeparator }
        let content = try decodeBase32(text.extracting(droppingFirst: prefixCount + 2))
        let count = content.count - checkByteCount
        guard count > 0 else { throw .tooShort }
        let matches = content.withBytes { bytes in
            var fields = ByteReader(at: count)
            return fields.u32(of: bytes) == check(kind, bytes.extracting(first: count))
        }
        guard matches else { throw .checkMismatch }
        return TextFormContent(
            kind: kind, bytes: content.withBytes { SecretBytes(copying: $0.extracting(first: count)) })
    }

    private static func check(_ kind: Kind, _ content: Span<UInt8>) -> UInt32 {
        let digest = sha256 { input in
            input.append(DerivationLabel.text)
            input.append(u8: 0)
            input.append(u8: kind.rawValue)
            input.append(u8: 0)
            input.append(content)
        }
        return UInt32(truncatingIfNeeded: digest.first.high >> 32)
    }

    // Only ASCII letters: with Unicode case folding, the same content would have several texts.
    private static func upperCase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
    }

    private static func startsWithPrefix(_ text: Span<UInt8>) -> Bool {
        var expected: [UInt8] = []
        expected.append(prefix)
        return expected.indices.allSatisfy { upperCase(text[$0]) == expected[$0] }
    }

    private static func appendBase32(of bytes: Span<UInt8>, to text: inout SecretWriter) {
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for index in bytes.indices {
            bits = bits << 8 | UInt32(bytes[index])
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(u8: base32Digit(bits >> bitCount))
            }
            bits &= 1 << bitCount - 1
        }
        if bitCount > 0 { text.append(u8: base32Digit(bits << (5 - bitCount))) }
    }

    private static func base32Digit(_ bits: UInt32) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: bits & 31)
        return digit < 26 ? UInt8(ascii: "A") + digit : UInt8(ascii: "2") + digit - 26
    }

    private static func decodeBase32(_ digits: Span<UInt8>) throws(TextFormError) -> SecretBytes {
        for index in digits.indices where base32Value(digits[index]) == nil { throw .notBase32 }
        guard ![1, 3, 6].contains(digits.count % 8) else { throw .impossibleLength }
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        let bytes = SecretBytes(count: digits.count * 5 / 8) { output in
            var filled = 0
            for index in digits.indices {
                bits = bits << 5 | UInt32(base32Value(digits[index]) ?? 0)
                bitCount += 5
                if bitCount >= 8 {
                    bitCount -= 8
                    output[filled] = UInt8(truncatingIfNeeded: bits >> bitCount)
                    filled += 1
                }
                bits &= 1 << bitCount - 1
            }
        }
        guard bits == 0 else { throw .paddingNotZero }
        return bytes
    }

    private static func base32Value(_ byte: UInt8) -> UInt8? {
        switch upperCase(byte) {
        case let letter where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter): letter - UInt8(ascii: "A")
        case let digit where (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(digit): digit - UInt8(ascii: "2") + 26
        default: nil
        }
    }
}

/// The kind and content of a parsed text.
public struct TextFormContent: ~Copyable, Sendable {
    /// The kind of object.
    public let kind: TextForm.Kind
    /// The encoded object.
    public let bytes: SecretBytes
}

/// The reason a text is refused (`Specs/invitations.md`).
public enum TextFormError: Refusal, Hashable {
    /// The text is longer than `TextForm.textLimit`, or the content is longer than `TextForm.contentLimit`.
    case tooLong
    /// The text does not begin with `INKLING:`.
    case unknownPrefix
    /// The letter after the prefix is missing or stands for no kind.
    case unknownKind
    /// No colon follows the kind.
    case noSeparator
    /// A character is not in the base32 alphabet; white space and `=` are not in it.
    case notBase32
    /// No number of bytes has a base32 form with this number of characters.
    case impossibleLength
    /// The unused bits of the last character are not zero.
    case paddingNotZero
    /// There are too few bytes for a check and at least one byte of content.
    case tooShort
    /// The check does not match the kind and the content: a character is wrong or missing.
    case checkMismatch

    public var stage: String {
        switch self {
        case .tooLong: "length"
        case .unknownPrefix: "prefix"
        case .unknownKind, .noSeparator: "kind"
        case .notBase32: "alphabet"
        case .impossibleLength, .paddingNotZero: "padding-bits"
        case .tooShort, .checkMismatch: "check"
        }
    }

    public var reason: String {
        switch self {
        case .tooLong: "too-long"
        case .unknownPrefix, .unknownKind: "unknown"
        case .noSeparator: "no-separator"
        case .notBase32: "not-base32"
        case .impossibleLength: "impossible-length"
        case .paddingNotZero: "not-zero"
        case .tooShort: "too-short"
        case .checkMismatch: "mismatch"
        }
    }
}
