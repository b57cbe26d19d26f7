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
        guard bytes.count > Layout.length else { throw .truncatedIBeacon(offset: frame.offset) }
        let length = bytes[Layout.length]
        guard length == Layout.contentCount else { throw .iBeaconLength(offset: frame.offset, got: length) }
        guard bytes.count >= Layout.end else { throw .truncatedIBeacon(offset: frame.offset) }
        guard bytes.count == Layout.end else { throw .trailingBytes(offset: frame.offset) }
        proximity = UUID128(
            Octets16(
                high: bytes.bigEndian(at: Layout.proximity, count: 8),
                low: bytes.bigEndian(at: Layout.proximity + 8, count: 8)))
        major = UInt16(truncatingIfNeeded: bytes.bigEndian(at: Layout.major, count: 2))
        minor = BeaconMinor(UInt16(truncatingIfNeeded: bytes.bigEndian(at: Layout.minor, count: 2)))
        measuredPower = Int8(bitPattern: bytes[Layout.measuredPower])
    }

    /// The thirty bytes to advertise: Flags (general discoverable, no BR/EDR), then the frame.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = [0x02, 0x01, 0x06, 0x1a, ADType.manufacturerData, 0x4c, 0x00]
        bytes.append(u8: ADStructure.AppleFrame.iBeacon.rawValue)
        bytes.append(u8: Layout.contentCount)
        bytes.append(proximity.octets)
        bytes.append(u16: major)
        bytes.append(u16: minor.value)
        bytes.append(u8: UInt8(bitPattern: measuredPower))
        return bytes
    }

    // Offsets in the data of the structure, which begins with Apple's company number.
    private enum Layout {
        static let length = 3
        static let proximity = 4
        static let major = 20
        static let minor = 22
        static let measuredPower = 24
        static let end = 25
        static let contentCount: UInt8 = 21
    }
}
