// The identifiers that a device shows in an epoch (`Specs/identifiers.md`); `EpochKey` derives them.

/// The mDNS instance name of a device in an epoch: 16 bytes, shown as 32 lowercase hexadecimal digits.
public struct OpaqueServiceName: Hashable, Sendable, LosslessStringConvertible {
    /// The sixteen bytes that the digits stand for; a handshake is bound to them.
    public let octets: Octets16

    /// Creates a name from its bytes.
    @inlinable
    public init(_ octets: Octets16) { self.octets = octets }

    /// Parses a DNS label; returns nil unless it is exactly 32 lowercase hexadecimal digits.
    public init?(parsing label: Span<UInt8>) {
        guard let octets = Octets16(lowercaseHex: label) else { return nil }
        self.init(octets)
    }

    /// Creates a name from exactly 32 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// The 32 hexadecimal digits.
    public var description: String { octets.description }
}

/// The mDNS host name of a device in an epoch, without the domain `local`.
public struct OpaqueHostName: Hashable, Sendable, LosslessStringConvertible {
    /// The sixteen bytes that the digits stand for.
    public let octets: Octets16

    /// Creates a name from its bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// Creates a name from exactly 32 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// The 32 hexadecimal digits.
    public var description: String { octets.description }
}

/// The iBeacon minor of a device in an epoch. Values of sixteen bits collide, so a minor narrows a search and never
/// identifies a contact.
public struct BeaconMinor: Hashable, Sendable, LosslessStringConvertible {
    /// 0…65535; every value is valid.
    public let value: UInt16

    /// Creates the minor with this value.
    public init(_ value: UInt16) { self.value = value }

    /// Creates a minor from decimal digits; returns nil for any other text.
    public init?(_ text: String) {
        guard let value: UInt16 = number(ofDecimal: text) else { return nil }
        self.init(value)
    }

    /// The value in decimal.
    public var description: String { String(value) }
}

/// The 128-bit value of a device's GATT characteristic TAG in an epoch.
public struct RecognitionTag: Hashable, Sendable, LosslessStringConvertible {
    /// The sixteen bytes.
    public let octets: Octets16

    /// Creates a tag from its bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// Creates a tag from exactly 32 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(octets)
    }

    /// The 32 hexadecimal digits.
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
