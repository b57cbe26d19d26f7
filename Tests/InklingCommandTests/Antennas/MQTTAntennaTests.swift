import InklingEngine
import InklingKeys
import InklingNode
import InklingWire
import Testing

@testable import InklingCommand

private let observed = ObservedTime(unixMilliseconds: 1_785_600_000_000, uncertainty: .seconds(5))
private let uuid = ApplicationProfile.inkling.proximity.description

private func espresense(
    _ payload: String, _ topic: String = "espresense/devices/iBeacon:\(uuid)-0-63941/kitchen"
) throws -> AntennaSighting {
    try BrokerSighting.parse(
        topic: topic, payload: Array(payload.utf8), .espresense, below: "espresense", observed: observed)
}

private func gateway(
    _ payload: String, _ topic: String = "home/hall/BTtoMQTT/4A0B1C2D3E4F"
) throws -> AntennaSighting {
    try BrokerSighting.parse(
        topic: topic, payload: Array(payload.utf8), .openmqttgateway, below: "home", observed: observed)
}

@Suite struct MQTTAntennaTests {
    /// The payload is one of ESPresense 4 for a beacon.
    ///
    /// Covers INK-ANT-042.
    @Test func `a beacon of ESPresense has its frame in the topic, and its room`() throws {
        let heard = try espresense(
            #"{"mac":"4a0b1c2d3e4f","id":"iBeacon:\#(uuid)-0-63941","disc":"iBeacon","idType":160,"rssi@1m":-59,"#
                + #""rssi":-72.35,"rxAdj":20,"rssiVar":1.84,"distance":3.42,"var":0.21,"int":1032}"#)
        #expect(
            heard
                == AntennaSighting(
                    .beacon(ApplicationProfile.inkling.proximity, major: 0, minor: BeaconMinor(63941)),
                    from: DeviceAddress(0x4a0b_1c2d_3e4f), rssi: -72, observed: observed, in: "kitchen"))
        #expect(heard.minor(in: .inkling) == BeaconMinor(63941))
        let shouted = try espresense(
            "{}", "espresense/devices/iBeacon:\(uuid.uppercased())-0-7/Salle de séjour")
        #expect(shouted.minor(in: .inkling) == BeaconMinor(7))
        #expect(shouted.room == "Salle de séjour" && shouted.address == nil)
    }

    /// Covers INK-ANT-002.
    @Test(arguments: [
        "espresense/devices/apple:1005:9-24/kitchen", "espresense/devices/phone:ada/kitchen",
        "espresense/devices/iBeacon:00000000-0000-0000-0000-000000000000-0-63941/kitchen",
        "espresense/devices/iBeacon:\(uuid)-1-63941/kitchen",
    ])
    func `a device of ESPresense that is no beacon of the profile is one of others`(topic: String) throws {
        #expect(try espresense(#"{"mac":"4a0b1c2d3e4f","rssi":-60}"#, topic).minor(in: .inkling) == nil)
    }

    /// The payloads are those of OpenMQTTGateway with Theengs' decoder, and without it.
    @Test(arguments: [
        #"{"id":"4A:0B:1C:2D:3E:4F","mac_type":1,"adv_type":3,"rssi":-71,"brand":"GENERIC","model":"iBeacon","#
            + #""model_id":"IBEACON","type":"RMAC","mfid":"4c00","uuid":"UUID","major":0,"minor":63941,"txpower":-59}"#,
        #"{"id":"4A:0B:1C:2D:3E:4F","mac_type":1,"adv_type":3,"manufacturerdata":"4c000215UUID0000f9c5c5","rssi":-71}"#,
    ])
    func `a beacon of a gateway has its frame in the payload, decoded or not`(payload: String) throws {
        let digits = uuid.replacing("-", with: "")
        let heard = try gateway(payload.replacing("UUID", with: digits))
        #expect(
            heard
                == AntennaSighting(
                    .beacon(ApplicationProfile.inkling.proximity, major: 0, minor: BeaconMinor(63941)),
                    from: DeviceAddress(0x4a0b_1c2d_3e4f), .random, rssi: -71, observed: observed, in: "hall"))
        let hyphens = try gateway(payload.replacing("UUID", with: digits), "home/hall/BTtoMQTT")
        #expect(hyphens == heard)
    }

    @Test func `a gateway that uses UUIDs as ids gives the address beside it, or none`() throws {
        let alone = try gateway(#"{"id":"\#(uuid)","major":0,"minor":7,"rssi":-60}"#)
        #expect(alone.minor(in: .inkling) == BeaconMinor(7) && alone.address == nil)
        let beside = try gateway(#"{"id":"\#(uuid)","mac":"4A:0B:1C:2D:3E:4F","major":0,"minor":7}"#)
        #expect(beside.address == DeviceAddress(0x4a0b_1c2d_3e4f))
    }

    /// Covers INK-ANT-002.
    @Test(arguments: [
        #"{"id":"A4:C1:38:00:00:01","mac_type":0,"rssi":-60,"model":"LYWSD03MMC","tempc":21.4,"hum":48}"#,
        #"{"id":"4A:0B:1C:2D:3E:4F","mac_type":1,"manufacturerdata":"4c001005431c3ba1d2","rssi":-60}"#,
        #"{"id":"4A:0B:1C:2D:3E:4F","mac_type":0,"uuid":"UUID","major":0,"minor":7}"#,
        #"{"id":"4A:0B:1C:2D:3E:4F","mac_type":1,"uuid":"UUID","major":1,"minor":7}"#,
        #"{"id":"CA:0B:1C:2D:3E:4F","mac_type":1,"uuid":"UUID","major":0,"minor":7}"#,
    ])
    func `a device of a gateway that is no beacon of the profile is one of others`(payload: String) throws {
        #expect(try gateway(payload.replacing("UUID", with: uuid)).minor(in: .inkling) == nil)
    }

    /// Covers INK-ANT-043.
    @Test(arguments: [
        ("{}", "espresense/rooms/kitchen/telemetry", BrokerSightingError.badTopic),
        ("{}", "other/devices/iBeacon:x/kitchen", .badTopic), ("{}", "espresense/devices/x/kitchen/y", .badTopic),
        ("{", "espresense/devices/x/kitchen", .notJSON), ("7", "espresense/devices/x/kitchen", .notAnObject),
        ("{", "espresense/devices/x/", .badRoom),
        ("{}", "espresense/devices/iBeacon:/kitchen", .badUUID),
        ("{}", "espresense/devices/iBeacon:\(uuid)-0/kitchen", .badUUID),
        ("{}", "espresense/devices/iBeacon:\(uuid)-65536-7/kitchen", .badMajor),
        ("{}", "espresense/devices/iBeacon:\(uuid)-0-+7/kitchen", .badMinor),
        (#"{"mac":"4a0b1c2d3e"}"#, "espresense/devices/x/kitchen", .badAddress),
        (#"{"rssi":"-60"}"#, "espresense/devices/x/kitchen", .badRSSI),
        (#"{"rssi":-1e9}"#, "espresense/devices/x/kitchen", .badRSSI),
    ])
    func `a message of ESPresense with a fault is refused with the first one`(
        payload: String, topic: String, fault: BrokerSightingError
    ) {
        #expect(throws: fault) { try espresense(payload, topic) }
    }

    /// Covers INK-ANT-043.
    @Test(arguments: [
        (#"{"manufacturerdata":"4c0"}"#, BrokerSightingError.badData), (#"{"manufacturerdata":7}"#, .badData),
        (#"{"uuid":"x","minor":7,"major":0}"#, .badUUID), (#"{"uuid":"UUID","minor":7}"#, .badMajor),
        (#"{"uuid":"UUID","minor":70000,"major":0}"#, .badMinor), (#"{"id":"x"}"#, .badAddress),
        (#"{"id":7}"#, .badAddress), (#"{"mac":"x"}"#, .badAddress),
        (#"{"id":"4A:0B:1C:2D:3E:4F","mac_type":4}"#, .badAddressType), (#"{"rssi":21}"#, .badRSSI),
        ("[]", .notAnObject),
    ])
    func `a message of a gateway with a fault is refused with the first one`(
        payload: String, fault: BrokerSightingError
    ) {
        #expect(throws: fault) { try gateway(payload.replacing("UUID", with: uuid)) }
    }

    @Test func `a topic has at most 512 bytes and a payload 4096`() throws {
        let filler = String(repeating: "x", count: BrokerSighting.payloadLimit - #"{"f":""}"#.utf8.count)
        #expect(try gateway(#"{"f":"\#(filler)"}"#).room == "hall")
        #expect(throws: BrokerSightingError.tooLong) { try gateway(#"{"f":"\#(filler)x"}"#) }
        let below = "home/hall/BTtoMQTT/"
        let level = String(repeating: "x", count: BrokerSighting.topicLimit - below.utf8.count)
        #expect(try gateway("{}", below + level).room == "hall")
        #expect(throws: BrokerSightingError.tooLong) { try gateway("{}", below + level + "x") }
    }
}
