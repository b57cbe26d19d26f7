/// The number of one of a user's devices, 0…15; part of every derivation, so that two devices never show one value.
public struct DeviceIndex: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The most devices one user can have.
    public static let limit: UInt8 = 16

    /// 0…15.
    public let number: UInt8

    /// The device with this number, or nil above 15.
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

    /// The first device, usually the primary one; also the device of an invitation's identifiers.
    public static let first = DeviceIndex(unchecked: 0)

    /// The number.
    public var description: String { String(number) }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

extension DeviceIndex: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (raw: UInt8) in DeviceIndex(raw) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(number) }
}

/// The leaf of an audience tree: everything one period's identifiers come from (`Specs/keys.md`).
public struct PeriodKey: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// Takes over 32 bytes of key.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// Lends the key bytes.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// The four keys of one device in this period.
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
    /// Yields service and host names.
    public let mdns: EpochKey<MDNSUse>
    /// Yields beacon minors.
    public let beacon: EpochKey<BeaconUse>
    /// Yields recognition tags.
    public let gatt: EpochKey<GATTUse>
    /// Yields the pre-shared keys and gate keys of the confirm handshake.
    public let confirm: EpochKey<ConfirmUse>
}
