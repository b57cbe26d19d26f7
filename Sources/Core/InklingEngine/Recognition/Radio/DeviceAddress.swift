internal import InklingKeys

/// A 48-bit Bluetooth device address. It is random and short-lived, and does not identify a device beyond that.
public struct DeviceAddress: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The address as a number, the most significant byte first.
    public let value: UInt64

    /// Creates the address with this number; nil if it has more than 48 bits.
    public init?(_ value: UInt64) {
        guard value >> 48 == 0 else { return nil }
        self.value = value
    }

    /// Creates an address that stands for the unknown address of a minor. Each minor has its own, because an address
    /// that shows many minors is not believed.
    package init(standingForMinor minor: UInt16) { value = 0x4000_0000_0000 | UInt64(minor) }

    /// Parses exactly twelve lower-case hexadecimal digits; nil for any other text.
    public init?(_ text: String) {
        guard let value = number(ofLowercaseHex: text, digits: 12) else { return nil }
        self.value = value
    }

    /// The address as twelve lower-case hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Whether a random address is private, resolvable or not, rather than static.
    package var isPrivate: Bool { value >> 47 == 0 }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

extension DeviceAddress: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.single { (text: String) in DeviceAddress(text) }
    }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}
