// The values a device shows in one epoch (`Specs/identifiers.md`); `EpochKey` derives them.

/// The mDNS instance name of a device in one epoch: 16 bytes, shown as 32 lowercase hexadecimal digits.
public struct OpaqueServiceName: Hashable, Sendable, CustomStringConvertible {
    /// The sixteen bytes behind the digits; they also bind a handshake to this name.
    public let octets: Octets16

    /// The name of these sixteen bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// Reads a label of exactly 32 lowercase hexadecimal digits; nil for anything else, which is then no name of ours.
    public init?(parsing label: Span<UInt8>) {
        guard let octets = Octets16(lowercaseHex: label) else { return nil }
        self.init(octets)
    }

    /// The 32 digits.
    public var description: String { octets.description }
}

/// The mDNS host name of a device in one epoch, without the domain `local`.
public struct OpaqueHostName: Hashable, Sendable, CustomStringConvertible {
    /// The sixteen bytes behind the digits.
    public let octets: Octets16

    /// The name of these sixteen bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// The 32 digits.
    public var description: String { octets.description }
}

/// The iBeacon minor of a device in one epoch. Sixteen bits collide: it narrows a search and never names a contact.
public struct BeaconMinor: Hashable, Sendable {
    /// 0…65535; every value is legal.
    public let value: UInt16

    /// The minor with this value.
    public init(_ value: UInt16) { self.value = value }
}

/// The 128-bit value that a device's GATT characteristic shows in one epoch.
public struct RecognitionTag: Hashable, Sendable, CustomStringConvertible {
    /// The sixteen bytes.
    public let octets: Octets16

    /// The tag of these sixteen bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// The 32 digits.
    public var description: String { octets.description }
}
