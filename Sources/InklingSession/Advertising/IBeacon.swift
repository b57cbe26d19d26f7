public import InklingKeys

/// An iBeacon frame (`Specs/advertising.md`).
public struct IBeacon: Hashable, Sendable {
    /// The length in bytes of an encoded advertisement: Flags and frame.
    public static let byteCount = 30
    /// The major of every Inkling beacon.
    public static let commonMajor: UInt16 = 0
    /// The measured power of every Inkling beacon in dBm, so that hardware does not show through it.
    public static let commonMeasuredPower: Int8 = -59

    /// The UUID that says which application the beacon belongs to.
    public let proximity: UUID128
    /// 0…65535; 0 on every Inkling beacon.
    public let major: UInt16
    /// The value that changes every epoch.
    public let minor: BeaconMinor
    /// Signal strength at one metre in dBm.
    public let measuredPower: Int8

    /// A frame; without further arguments it is the one that every Inkling beacon sends with this minor.
    public init(
        proximity: UUID128 = .proximity, major: UInt16 = commonMajor, minor: BeaconMinor,
        measuredPower: Int8 = commonMeasuredPower
    ) {
        self.proximity = proximity
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// Finds the frame in advertising data, wherever it stands.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `ibeacon`.
    public init(parsing input: Span<UInt8>) throws(AdvertisingError) {
        try self.init(in: try ADStructure.list(parsing: input))
    }

    /// Finds the frame among structures that were read before.
    ///
    /// - Throws: `AdvertisingError` with stage `ibeacon`.
    public init(in structures: [ADStructure]) throws(AdvertisingError) {
        var frames = structures.lazy.filter { $0.begins(with: .iBeacon) }.makeIterator()
        guard let frame = frames.next() else { throw .notIBeacon }
        if let second = frames.next() { throw .repeatedIBeacon(offset: second.offset) }
        let bytes = frame.data.span
        // Behind Apple's company number and the kind of frame.
        var fields = ByteReader(at: 3)
        guard let length = fields.u8(of: bytes) else { throw .truncatedIBeacon(offset: frame.offset) }
        guard length == Self.contentCount else { throw .iBeaconLength(offset: frame.offset, got: length) }
        guard let proximity = fields.octets16(of: bytes), let major = fields.u16(of: bytes),
            let minor = fields.u16(of: bytes), let measuredPower = fields.u8(of: bytes)
        else { throw .truncatedIBeacon(offset: frame.offset) }
        guard fields.remaining(of: bytes) == 0 else { throw .trailingBytes(offset: frame.offset) }
        self.proximity = UUID128(proximity)
        self.major = major
        self.minor = BeaconMinor(minor)
        self.measuredPower = Int8(bitPattern: measuredPower)
    }

    /// The thirty bytes to advertise: Flags (general discoverable, no BR/EDR), then the frame.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = [0x02, 0x01, 0x06, 0x1a, ADType.manufacturerData, 0x4c, 0x00]
        bytes.append(u8: ADStructure.AppleFrame.iBeacon.rawValue)
        bytes.append(u8: Self.contentCount)
        bytes.append(proximity.octets)
        bytes.append(u16: major)
        bytes.append(u16: minor.value)
        bytes.append(u8: UInt8(bitPattern: measuredPower))
        return bytes
    }

    // The bytes behind the length byte.
    private static let contentCount: UInt8 = 21
}
