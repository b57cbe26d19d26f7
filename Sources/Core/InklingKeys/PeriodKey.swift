/// The index of one of a user's devices, 0…15. It is part of every derivation, so that no two devices show the same
/// identifier.
public struct DeviceIndex: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The maximum number of devices of a user.
    public static let limit: UInt8 = 16

    /// The index as a number, 0…15.
    public let number: UInt8

    /// Creates the index with this number; returns nil above 15.
    public init?(_ number: UInt8) {
        guard number < Self.limit else { return nil }
        self.number = number
    }

    /// Creates the device whose number a text of decimal digits names; nil for any other text.
    public init?(_ text: String) {
        guard let value: UInt8 = InklingKeys.number(ofDecimal: text) else { return nil }
        self.init(value)
    }

    private init(unchecked number: UInt8) { self.number = number }

    /// Index 0: usually the primary device, and always the device in the identifiers of an invitation.
    public static let first = DeviceIndex(unchecked: 0)

    /// The number in decimal.
    public var description: String { String(number) }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

extension DeviceIndex: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (raw: UInt8) in DeviceIndex(raw) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(number) }
}

/// The key of one period, a leaf of an audience tree, from which all identifiers of the period are derived
/// (`Specs/keys.md`).
public struct PeriodKey: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// Creates a period key from 32 bytes.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// Calls `body` with the 32 bytes of the key, which are valid only during the call.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// Derives the four keys of a device in this period.
    public borrowing func deviceKeys(_ device: DeviceIndex) -> DeviceKeys {
        DeviceKeys(
            mdns: EpochKey(derive(DerivationLabel.mdnsKey, from: secret) { $0.append(u8: device.number) }),
            beacon: EpochKey(derive(DerivationLabel.beaconKey, from: secret) { $0.append(u8: device.number) }),
            gatt: EpochKey(derive(DerivationLabel.gattKey, from: secret) { $0.append(u8: device.number) }),
            confirm: EpochKey(derive(DerivationLabel.confirmKey, from: secret) { $0.append(u8: device.number) })
        )
    }
}

/// The keys of one device in one period, one for each kind of identifier.
public struct DeviceKeys: ~Copyable, Sendable {
    /// The key of service and host names.
    public let mdns: EpochKey<MDNSUse>
    /// The key of beacon minors.
    public let beacon: EpochKey<BeaconUse>
    /// The key of recognition tags.
    public let gatt: EpochKey<GATTUse>
    /// The key of the pre-shared keys and gate keys of the confirm handshake.
    public let confirm: EpochKey<ConfirmUse>
}
