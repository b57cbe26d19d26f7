import InklingKeys
import Testing

@testable import InklingWire

@Suite struct ApplicationProfileTests {
    private let watch = UUID128("9aa4730f-b25c-4cc3-b821-c931559fc196")

    /// Covers INK-PRF-001.
    @Test func `the profile of Inkling has the constants of the pages`() {
        let profile = ApplicationProfile.inkling
        #expect(profile.proximity == .proximity)
        #expect(profile.service == .service)
        #expect(profile.tag == .tagCharacteristic)
        #expect(profile.input == .inCharacteristic)
        #expect(profile.output == .outCharacteristic)
        #expect(profile.serviceType.description == "_inkling._tcp")
        #expect(profile.beacon(BeaconMinor(7)) == IBeacon(minor: BeaconMinor(7)))
        #expect(ApplicationProfile.epochSeconds == Int(Epoch.seconds))
    }

    @Test func `the same name gives the same values, and another name none of them`() throws {
        let one = try ApplicationProfile(name: "Example")
        #expect(try ApplicationProfile(name: "Example") == one)
        let other = try ApplicationProfile(name: "Example 2")
        #expect(Set(one.uuids).isDisjoint(with: other.uuids))
        #expect(Set(one.uuids).isDisjoint(with: ApplicationProfile.inkling.uuids))
        #expect(one.serviceType != other.serviceType)
    }

    @Test func `its members read back as the same profile`() throws {
        let profile = try ApplicationProfile(
            name: "Example", tag: watch, serviceType: ServiceType("_other._tcp"), measuredPower: -70)
        #expect(try ApplicationProfile(profile.members) == profile)
        #expect(try ApplicationProfile(ApplicationProfile.inkling.members) == .inkling)
    }

    /// Covers INK-PRF-006.
    @Test func `the sample that circulates is refused wherever it stands, with the reason`() throws {
        let sample = ApplicationProfile.sampleUUID
        #expect(sample.description == "e20a39f4-73f5-4bc4-a12f-17d1ad07a961")
        #expect(throws: ProfileError.sample(.proximity)) { try ApplicationProfile(name: "a", proximity: sample) }
        #expect(throws: ProfileError.sample(.output)) { try ApplicationProfile(name: "a", output: sample) }
        #expect(ProfileError.sample(.proximity).description.contains("many programs"))
    }

    @Test func `values that would hurt are refused by their members`() throws {
        #expect(throws: ProfileError.setUpBit) { try ApplicationProfile(name: "a", service: watch) }
        #expect(throws: ProfileError.assigned(.service)) {
            try ApplicationProfile(name: "a", service: UUID128(short: 0x180f))
        }
        #expect(throws: ProfileError.ofInkling(.tag)) { try ApplicationProfile(name: "a", tag: .proximity) }
        #expect(throws: ProfileError.ofInkling(.serviceType)) { try ApplicationProfile(name: "INKLING") }
        #expect(throws: ProfileError.repeated(.input)) { try ApplicationProfile(name: "a", tag: watch, input: watch) }
        #expect(throws: ProfileError.outOfRange(.measuredPower)) { try ApplicationProfile(name: "a", measuredPower: 0) }
        #expect(throws: ProfileError.invalid(.name)) { try ApplicationProfile(name: "a\u{0}b") }
        #expect(throws: ProfileError.invalid(.serviceType)) { try ApplicationProfile(name: "org.example.long.name") }
    }

    /// Covers INK-PRF-008.
    @Test func `no profile chooses how long an epoch lasts`() throws {
        for seconds in [60, 1800, 3600] as [Int64] {
            let members = try ApplicationProfile(name: "a").members.map { member in
                member.name == "epochSeconds" ? (name: member.name, value: .integer(seconds)) : member
            }
            #expect(throws: ProfileError.outOfRange(.epochSeconds)) { try ApplicationProfile(members) }
        }
        #expect(ProfileError.outOfRange(.epochSeconds).description.contains("900"))
    }

    @Test(arguments: [
        ("Example", "_example._tcp"), ("Example Chat", "_example-chat._tcp"), ("--A  b!", "_a-b._tcp"),
        ("4 you", "_4-you._tcp"), ("abcdefghijklmno", "_abcdefghijklmno._tcp"),
    ])
    func `a name gives a service type`(name: String, type: String) {
        #expect(ServiceType(application: name)?.description == type)
    }

    @Test(arguments: ["", "_", "_a", "_a._udp", "a._tcp", "_-a._tcp", "_a-._tcp", "_a--b._tcp", "_1._tcp", "_A._tcp"])
    func `other service types are refused`(text: String) { #expect(ServiceType(text) == nil) }

    /// Covers INK-PRF-001.
    @Test func `packets of one service type say nothing to a reader of another`() throws {
        let service = try ApplicationProfile(name: "Example").serviceType
        let instance = ServiceInstance(
            name: OpaqueServiceName(Octets16(high: 1, low: 2)), host: OpaqueHostName(Octets16(high: 3, low: 4)),
            port: 4000)
        let packet = ServicePacket.response(instance, isAnnounced: true, addresses: [], of: service)
        #expect(try MDNSMessage(parsing: packet.span, of: service).records.count == 3)
        #expect(try MDNSMessage(parsing: packet.span).records.isEmpty)
        let query = ServicePacket.browseQuery(of: service)
        #expect(try MDNSMessage(parsing: query.span, of: service).questions.map(\.name) == [.serviceType])
        #expect(try MDNSMessage(parsing: query.span).questions.isEmpty)
        #expect(String(decoding: query, as: UTF8.self).contains("\u{8}_example\u{4}_tcp"))
    }
}
