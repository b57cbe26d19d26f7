public import InklingEngine
public import InklingKeys
public import InklingWire

/// What an antenna has heard of one device at one moment (`Specs/antennas.md`).
public struct AntennaSighting: Hashable, Sendable {
    /// The type of a Bluetooth address.
    public enum AddressType: String, Hashable, Sendable, CaseIterable, Codable {
        /// One that the maker has assigned.
        case `public`
        /// One that the device has drawn.
        case random
    }

    /// What the device has sent.
    public enum Content: Hashable, Sendable {
        /// Advertising data, at most ``AntennaSighting/dataLimit`` bytes; a scan response may follow it.
        case data([UInt8])
        /// The members of an iBeacon frame, from an antenna that parses frames itself.
        case beacon(UUID128, major: UInt16, minor: BeaconMinor)
    }

    /// The most bytes of advertising data and scan response together.
    public static let dataLimit = 62
    /// The most bytes of the name of a room.
    public static let roomLimit = 64
    /// The power of a frame whose power is not known.
    public static let unknownPower: Int8 = -127

    /// When it was heard.
    public let observed: ObservedTime
    /// The room in which the antenna stands, if the sighting says so and not the antenna; at most ``roomLimit`` bytes.
    public let room: String?
    /// The address of the device; nil from an antenna that does not report addresses.
    public let address: DeviceAddress?
    /// The type of the address; nil if it is not known.
    public let addressType: AddressType?
    /// The received power in dBm, -127 to 20; -127 if it is not known.
    public let rssi: Int8
    /// What was heard.
    public let content: Content

    /// Creates a sighting; a power outside -127 to 20 counts as not known.
    public init(
        _ content: Content, from address: DeviceAddress?, _ addressType: AddressType? = nil, rssi: Int?,
        observed: ObservedTime, in room: String? = nil
    ) {
        self.content = content
        self.address = address
        self.addressType = addressType
        self.rssi =
            rssi.flatMap { Int8(exactly: $0) }.flatMap { (-127...20).contains($0) ? $0 : nil }
            ?? Self.unknownPower
        self.observed = observed
        self.room = room
    }

    /// Returns the minor of a beacon of the application; nil for anything else, which is a stranger's and is dropped where
    /// it was heard. Devices of the application have private addresses.
    public func minor(in profile: ApplicationProfile) -> BeaconMinor? {
        guard addressType != .public, address?.isPrivate != false else { return nil }
        switch content {
        case .data(let bytes):
            guard bytes.count <= Self.dataLimit, let beacon = try? IBeacon(parsing: bytes.span),
                profile.matches(beacon)
            else { return nil }
            return beacon.minor
        case .beacon(let proximity, let major, let minor):
            // The measured power is not known, and says nothing that the rest does not say.
            let expected = profile.beacon(minor)
            return proximity == expected.proximity && major == expected.major ? minor : nil
        }
    }
}
