public import InklingKeys

/// The public values by which the devices of one application find each other: UUIDs, service type, measured power and the
/// length of an epoch (`Specs/profiles.md`).
///
/// They are the same on all devices of all users of the application. Devices of different profiles do not see each other.
public struct ApplicationProfile: Hashable, Sendable {
    /// The name from which the values that were not chosen follow: 1 to 64 characters of ASCII. It is never shown.
    public let name: String
    /// The proximity UUID of the beacon.
    public let proximity: UUID128
    /// The GATT service, for which phones scan.
    public let service: UUID128
    /// The characteristic TAG.
    public let tag: UUID128
    /// The characteristic IN.
    public let input: UUID128
    /// The characteristic OUT.
    public let output: UUID128
    /// The service type in multicast DNS and Wi-Fi Aware.
    public let serviceType: ServiceType
    /// The received power at a distance of one metre that beacons state, in dBm; -100 to -20.
    public let measuredPower: Int8

    /// The measured powers that a profile may have, in dBm.
    public static let measuredPowers: ClosedRange<Int8> = -100 ... -20
    /// The lifetime of an identifier in seconds. It is the same in every profile, because keys are derived by epochs.
    public static let epochSeconds = 900

    /// The profile of this project.
    public static let inkling = ApplicationProfile(
        name: "inkling",
        uuids: [.proximity, .service, .tagCharacteristic, .inCharacteristic, .outCharacteristic],
        serviceType: .inkling, measuredPower: IBeacon.commonMeasuredPower)

    /// The proximity UUID of a sample that many programs contain. No profile may use it.
    public static let sampleUUID = UUID128(
        Octets16(high: 0xe20a_39f4_73f5_4bc4, low: 0xa12f_17d1_ad07_a961))

    /// Creates the profile of an application. A value that is nil follows from the name.
    ///
    /// - Throws: `ProfileError` for the first value that a profile must not have.
    public init(
        name: String, proximity: UUID128? = nil, service: UUID128? = nil, tag: UUID128? = nil, input: UUID128? = nil,
        output: UUID128? = nil, serviceType: ServiceType? = nil, measuredPower: Int8 = IBeacon.commonMeasuredPower
    ) throws(ProfileError) {
        guard Self.isName(name) else { throw .invalid(.name) }
        guard let serviceType = serviceType ?? ServiceType(application: name) else { throw .invalid(.serviceType) }
        let chosen = [proximity, service, tag, input, output]
        try self.init(
            checking: name,
            zip(chosen, Member.uuids).map { uuid, member in
                uuid ?? UUID128(application: name, part: member.rawValue)
            },
            serviceType, measuredPower: measuredPower)
    }

    /// Creates a profile from values that have the right form.
    init(
        checking name: String, _ uuids: [UUID128], _ serviceType: ServiceType, measuredPower: Int8
    ) throws(ProfileError) {
        for (member, uuid) in zip(Member.uuids, uuids) {
            guard uuid != Self.sampleUUID else { throw .sample(member) }
            guard !uuid.isAssigned else { throw .assigned(member) }
            if member == .service, OverflowBit(of: uuid).hash == Self.setUpHash { throw .setUpBit }
        }
        guard Self.measuredPowers.contains(measuredPower) else { throw .outOfRange(.measuredPower) }
        self.init(name: name, uuids: uuids, serviceType: serviceType, measuredPower: measuredPower)
        if self != .inkling {
            // A device with some of these values would be half in our crowd, and easy to tell from the rest of it.
            let inkling = Self.inkling
            if name == inkling.name { throw .ofInkling(.name) }
            for (member, uuid) in zip(Member.uuids, uuids) where inkling.uuids.contains(uuid) {
                throw .ofInkling(member)
            }
            if serviceType == inkling.serviceType { throw .ofInkling(.serviceType) }
        }
        for (place, member) in Member.uuids.enumerated() where uuids[..<place].contains(uuids[place]) {
            throw .repeated(member)
        }
    }

    /// The five UUIDs are in the order of `Member.uuids`; if there are fewer, `proximity` replaces the missing ones.
    private init(name: String, uuids: [UUID128], serviceType: ServiceType, measuredPower: Int8) {
        func uuid(_ place: Int) -> UUID128 { uuids.indices.contains(place) ? uuids[place] : .proximity }
        self.name = name
        proximity = uuid(0)
        service = uuid(1)
        tag = uuid(2)
        input = uuid(3)
        output = uuid(4)
        self.serviceType = serviceType
        self.measuredPower = measuredPower
    }

    /// The UUIDs in the order of `Member.uuids`.
    var uuids: [UUID128] { [proximity, service, tag, input, output] }

    /// Returns the beacon that a device of the application sends with a minor.
    public func beacon(_ minor: BeaconMinor) -> IBeacon {
        IBeacon(proximity: proximity, minor: minor, measuredPower: measuredPower)
    }

    /// Whether a beacon is of the application; its measured power is ignored, because some radios misreport it.
    public func matches(_ beacon: IBeacon) -> Bool {
        beacon.proximity == proximity && beacon.major == IBeacon.commonMajor
    }

    /// Whether a text consists of 1 to 64 visible characters of ASCII, with spaces between them.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (1...64).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7e).contains($0) } && bytes.first != 0x20
            && bytes.last != 0x20
    }

    /// The overflow bit of an Apple service that makes phones very near show a dialogue.
    private static let setUpHash = 66
}

extension UUID128 {
    /// Whether it is a form of a UUID of 16 or 32 bits, or all zeros.
    fileprivate var isAssigned: Bool {
        octets == Octets16(high: 0, low: 0)
            || octets.low == UUID128(short: 0).octets.low && octets.high & 0xffff_ffff == 0x1000
    }
}
