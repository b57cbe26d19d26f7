public import InklingKeys

/// An iBeacon frame (`Specs/advertising.md`).
public struct IBeacon: Hashable, Sendable {
    /// The length in bytes of an encoded advertisement: the Flags structure and the frame.
    public static let byteCount = 30
    /// The major of every Inkling beacon.
    public static let commonMajor: UInt16 = 0
    /// The measured power of every Inkling beacon in dBm. It is a constant, so that it does not reveal the hardware.
    public static let commonMeasuredPower: Int8 = -59

    /// The UUID of the application to which the beacon belongs.
    public let proximity: UUID128
    /// 0…65535; 0 on every Inkling beacon.
    public let major: UInt16
    /// The value that identifies the device for one epoch.
    public let minor: BeaconMinor
    /// The received power at a distance of one metre, in dBm.
    public let measuredPower: Int8

    /// Creates a frame. With the default arguments, it is the frame that every Inkling beacon sends with this minor.
    public init(
        proximity: UUID128 = .proximity, major: UInt16 = commonMajor, minor: BeaconMinor,
        measuredPower: Int8 = commonMeasuredPower
    ) {
        self.proximity = proximity
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// Parses the frame in advertising data, at any position.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `ibeacon`.
    public init(parsing input: Span<UInt8>) throws(AdvertisingError) {
        try self.init(in: try ADStructure.list(parsing: input))
    }

    /// Parses the frame in structures of advertising data.
    ///
    /// - Throws: `AdvertisingError` with stage `ibeacon`.
    public init(in structures: [ADStructure]) throws(AdvertisingError) {
        var frames = structures.lazy.filter { $0.begins(with: .iBeacon) }.makeIterator()
        guard let frame = frames.next() else { throw .notIBeacon }
        if let second = frames.next() { throw .repeatedIBeacon(offset: second.offset) }
        let bytes = frame.data.span
        // After Apple's company identifier and the kind of frame.
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

    /// Returns the thirty bytes to advertise: the Flags structure (general discoverable, no BR/EDR), then the frame.
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

    // The number of bytes after the length byte.
    private static let contentCount: UInt8 = 21
}
