internal import InklingKeys

/// The six bytes that stand for a service name in Wi-Fi Aware (`Specs/wifi-aware.md`). They are the same on every
/// device and never change.
public struct WiFiAwareServiceID: Hashable, Sendable {
    /// The length of an identifier in bytes.
    static let byteCount = 6

    /// The bytes as a big-endian number below 2^48.
    public let value: UInt64

    /// Creates an identifier from the low 48 bits of a number.
    public init(_ value: UInt64) { self.value = value & 0xffff_ffff_ffff }

    /// Creates the identifier of a service name: the first six bytes of the SHA-256 of the name in lowercase ASCII.
    public init(of name: String) {
        let digest = sha256 { input in
            for byte in name.utf8 {
                input.append(u8: (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
            }
        }.first
        value = digest.high >> 16
    }

    /// The service name of every Inkling device, for `WiFiAwareServices` in the property list of an app on iOS and for
    /// `PublishConfig.Builder.setServiceName` on Android.
    public static let inklingName = "_inkling._tcp"
    /// The identifier of `inklingName`.
    public static let inkling = WiFiAwareServiceID(of: inklingName)

    /// Appends the identifier.
    func append(to sink: inout [UInt8]) {
        sink.append(u16: UInt16(truncatingIfNeeded: value >> 32))
        sink.append(u32: UInt32(truncatingIfNeeded: value))
    }
}

extension WiFiAwareServiceID: LosslessStringConvertible {
    /// Creates the identifier that a text of exactly twelve lowercase hexadecimal digits names; nil for any other text.
    public init?(_ text: String) {
        guard let value = number(ofLowercaseHex: text, digits: 12) else { return nil }
        self.init(value)
    }

    /// The twelve hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }
}

extension WiFiAwareServiceID: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.single { (text: String) in WiFiAwareServiceID(text) }
    }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}
