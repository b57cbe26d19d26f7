public import InklingKeys

/// A 128-bit UUID.
public struct UUID128: Hashable, Sendable, Comparable {
    /// The sixteen bytes in the order of the text form; advertised lists contain them in reverse order.
    public let octets: Octets16

    /// Creates a UUID from its bytes in the order of the text form.
    public init(_ octets: Octets16) { self.octets = octets }

    /// Creates a UUID from sixteen bytes in the order of the text form; returns nil for any other number of bytes.
    public init?(_ bytes: Span<UInt8>) {
        guard let octets = Octets16(bytes) else { return nil }
        self.octets = octets
    }

    /// Creates the full form of a 16-bit UUID, which replaces 16 bits of the Bluetooth base UUID.
    public init(short: UInt16) {
        octets = Octets16(high: UInt64(short) << 32 | 0x1000, low: 0x8000_0080_5f9b_34fb)
    }

    /// Creates the UUID of this protocol with a name: of version 8 (RFC 9562), from SHA-256 (`Specs/advertising.md`).
    public init(named name: String) {
        let digest = sha256 { input in
            input.append(DerivationLabel.uuid)
            input.append(u8: 0)
            input.append([UInt8](name.utf8).span)
        }.first
        self.init(version8: digest)
    }

    /// Creates the UUID of a part of an application with a name, which has no zero byte (`Specs/profiles.md`).
    init(application name: String, part: String) {
        let digest = sha256 { input in
            input.append(DerivationLabel.profileUUID)
            for text in [name, part] {
                input.append(u8: 0)
                input.append([UInt8](text.utf8).span)
            }
        }.first
        self.init(version8: digest)
    }

    private init(version8 digest: Octets16) {
        octets = Octets16(
            high: digest.high & ~0xf000 | 0x8000,
            low: digest.low & ~(0xc0 << 56) | 0x80 << 56
        )
    }

    /// The proximity UUID of every Inkling beacon.
    public static let proximity = UUID128(named: "proximity")
    /// The GATT service of every Inkling device.
    public static let service = UUID128(named: "service")
    /// The characteristic TAG, which contains the recognition tag.
    public static let tagCharacteristic = UUID128(named: "tag")
    /// The characteristic IN, to which packets are written.
    public static let inCharacteristic = UUID128(named: "in")
    /// The characteristic OUT, from which packets are notified.
    public static let outCharacteristic = UUID128(named: "out")

    public static func < (left: Self, right: Self) -> Bool { left.octets < right.octets }
}

extension UUID128: LosslessStringConvertible {
    /// Creates a UUID from hexadecimal digits in groups of 8, 4, 4, 4 and 12, in either case; returns nil for any other
    /// text.
    public init?(_ text: String) {
        let groups = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12], let octets = Octets16(groups.joined()) else { return nil }
        self.init(octets)
    }

    /// Lowercase hexadecimal digits in groups of 8, 4, 4, 4 and 12.
    public var description: String {
        var text = ""
        for (index, digit) in octets.description.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

extension UUID128: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in UUID128(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}
