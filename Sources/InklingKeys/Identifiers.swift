// The values a device shows in one epoch (`Specs/identifiers.md`); `EpochKey` derives them.

/// The mDNS instance name of a device in one epoch: 16 bytes, shown as 32 lowercase hexadecimal digits.
public struct OpaqueServiceName: Hashable, Sendable, LosslessStringConvertible {
    /// The sixteen bytes behind the digits; they also bind a handshake to this name.
    public let octets: Octets16

    /// The name of these sixteen bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// Reads a label of exactly 32 lowercase hexadecimal digits; nil for anything else, which is then no name of ours.
    public init?(parsing label: Span<UInt8>) {
        guard let octets = Octets16(lowercaseHex: label) else { return nil }
        self.init(octets)
    }

    /// The name that a text of exactly 32 lowercase hexadecimal digits shows; nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// The 32 digits.
    public var description: String { octets.description }
}

/// The mDNS host name of a device in one epoch, without the domain `local`.
public struct OpaqueHostName: Hashable, Sendable, LosslessStringConvertible {
    /// The sixteen bytes behind the digits.
    public let octets: Octets16

    /// The name of these sixteen bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// The name that a text of exactly 32 lowercase hexadecimal digits shows; nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// The 32 digits.
    public var description: String { octets.description }
}

/// The iBeacon minor of a device in one epoch. Sixteen bits collide: it narrows a search and never names a contact.
public struct BeaconMinor: Hashable, Sendable, LosslessStringConvertible {
    /// 0…65535; every value is legal.
    public let value: UInt16

    /// The minor with this value.
    public init(_ value: UInt16) { self.value = value }

    /// The minor that a text of decimal digits names; nil for any other text.
    public init?(_ text: String) {
        guard let value: UInt16 = number(ofDecimal: text) else { return nil }
        self.init(value)
    }

    /// The decimal digits.
    public var description: String { String(value) }
}

/// The 128-bit value that a device's GATT characteristic shows in one epoch.
public struct RecognitionTag: Hashable, Sendable, LosslessStringConvertible {
    /// The sixteen bytes.
    public let octets: Octets16

    /// The tag of these sixteen bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// The tag that a text of exactly 32 lowercase hexadecimal digits shows; nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// The 32 digits.
    public var description: String { octets.description }
}

extension OpaqueServiceName: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.single { (text: String) in OpaqueServiceName(text) }
    }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}

extension OpaqueHostName: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.single { (text: String) in OpaqueHostName(text) }
    }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}

extension RecognitionTag: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.single { (text: String) in RecognitionTag(text) }
    }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}

extension BeaconMinor: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (raw: UInt16) in BeaconMinor(raw) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(value) }
}
