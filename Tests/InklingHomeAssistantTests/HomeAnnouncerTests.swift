import InklingHomeAssistant
import InklingJSON
import InklingKeys
import InklingTesting
import Testing

private let node = OpaqueID(0x0011_2233_4455_6677)
private let ada = OpaqueID(0x1111_1111_1111_1111)
private let bo = OpaqueID(0x2222_2222_2222_2222)
private let adaTopic = "inkling/0011223344556677/1111111111111111"
private let discovery = "homeassistant/device/inkling_0011223344556677/config"

private func report(
    _ id: OpaqueID, _ name: String = "Ada", isHome: Bool = false, confidence: Int = 0, lastSeen: String? = nil,
    room: String? = nil, isWatched: Bool = true
) -> ContactReport {
    ContactReport(
        id: id, name: name, isHome: isHome, confidence: confidence, lastSeen: lastSeen, room: room,
        isWatched: isWatched)
}

private func broker(
    _ reports: [ContactReport] = [report(ada)], retained: [String: String] = [:], seed: UInt64 = 1,
    hasRooms: Bool = false
) -> Broker {
    var settings = HomeSettings(version: "0.1.0")
    settings.hasRooms = hasRooms
    var broker = Broker(HomeAnnouncer(node: node, settings), retained: retained, seed: seed)
    broker.take(.reports(reports))
    broker.take(.connected)
    return broker
}

extension [HomeMessage] {
    fileprivate var topics: [String] { map(\.topic) }
}

@Suite struct `What a node publishes for Home Assistant` {
    /// Covers INK-HAS-002, INK-HAS-003, INK-HAS-010, INK-HAS-013.
    @Test func `a connection begins with the description, and then each state`() {
        let broker = broker([
            report(bo, "Bo"), report(ada, isHome: true, confidence: 100, lastSeen: "2026-11-24T12:00:00Z"),
        ])
        expectEqual(broker.published.first?.topic, discovery)
        #expect(broker.published.allSatisfy { $0.isRetained })
        #expect(
            broker.retained.filter { $0.key != discovery } == [
                "inkling/0011223344556677/availability": "online", "\(adaTopic)/availability": "online",
                "\(adaTopic)/presence": "ON", "\(adaTopic)/tracker": #"{"in_zones":["zone.home"]}"#,
                "\(adaTopic)/facts": #"{"confidence":100,"last_seen":"2026-11-24T12:00:00Z"}"#,
                "inkling/0011223344556677/2222222222222222/availability": "online",
                "inkling/0011223344556677/2222222222222222/presence": "OFF",
                "inkling/0011223344556677/2222222222222222/tracker": #"{"in_zones":[]}"#,
                "inkling/0011223344556677/2222222222222222/facts": #"{"confidence":0,"last_seen":null}"#,
            ])
        expectEqual(broker.components(of: node).names.count, 13)
        expectEqual(
            broker.subscriptions,
            [
                "homeassistant/status", discovery, "inkling/0011223344556677/+/+",
            ])
    }

    /// Covers INK-HAS-011.
    @Test func `the example of the page is what is published`() throws {
        var settings = HomeSettings(version: "0.1.0")
        settings.deviceName = "Inkling hall"
        settings.hasRooms = true
        var broker = Broker(HomeAnnouncer(node: node, settings))
        broker.take(.reports([report(ada)]))
        broker.take(.connected)
        let payload = try JSON(parsing: Array(try #require(broker.retained[discovery]).utf8))
        #expect(try examples().contains(payload))
    }

    /// The values of the JSON blocks of the page.
    private func examples() throws -> [JSON] {
        let page = String(decoding: try VectorFolder.bytes("../Specs/home-assistant.md"), as: UTF8.self)
        return try page.split(separator: "```json\n").dropFirst().map { block in
            try JSON(parsing: Array((block.split(separator: "\n```").first ?? "").utf8))
        }
    }

    /// Covers INK-HAS-012, INK-HAS-021.
    @Test func `an arrival and a departure are published once each, as states and as events`() {
        var broker = broker()
        let arrival = broker.take(.arrived(ada))
        expectEqual(arrival.topics, ["presence", "tracker", "facts", "event"].map { "\(adaTopic)/\($0)" })
        #expect(arrival.last == HomeMessage("\(adaTopic)/event", #"{"event_type":"arrived"}"#, isRetained: false))
        #expect(broker.take(.arrived(ada)).isEmpty)
        #expect(broker.take(.reports([report(ada, isHome: true)])).isEmpty)
        let departure = broker.take(.left(ada))
        expectEqual(departure.first, HomeMessage("\(adaTopic)/presence", "OFF"))
        #expect(departure.last?.payload == #"{"event_type":"left"}"#)
        #expect(broker.take(.left(ada)).isEmpty)
        #expect(broker.take(.left(bo)).isEmpty)
    }

    /// Covers INK-HAS-021.
    @Test func `a transition that the node did not report is found in its next report`() {
        var broker = broker()
        let arrival = broker.take(.reports([report(ada, isHome: true, confidence: 100)]))
        #expect(arrival.last?.payload == #"{"event_type":"arrived"}"#)
        #expect(broker.take(.arrived(ada)).isEmpty)
    }

    /// Covers INK-HAS-022.
    @Test func `without a connection nothing is published, and the event of that time is not made up for`() {
        var broker = broker()
        broker.lose()
        expectEqual(broker.retained["inkling/0011223344556677/availability"], "offline")
        #expect(broker.take(.arrived(ada)).isEmpty)
        expectEqual(broker.announcer.wake, nil)
        let again = broker.take(.connected)
        #expect(again.contains(HomeMessage("\(adaTopic)/presence", "ON")))
        #expect(again.contains(HomeMessage("inkling/0011223344556677/availability", "online")))
        #expect(!again.topics.contains("\(adaTopic)/event"))
    }

    /// Covers INK-HAS-020, INK-HAS-023.
    @Test func `what does not change is not published, except in time before it expires`() throws {
        var broker = broker([report(ada, confidence: 50)])
        #expect(broker.take(.reports([report(ada, confidence: 59)])).isEmpty)
        expectEqual(broker.take(.reports([report(ada, confidence: 60)])).topics, ["\(adaTopic)/facts"])
        expectEqual(broker.take(.reports([report(ada, confidence: 50)])).topics, ["\(adaTopic)/facts"])
        // The end of the sweep publishes nothing.
        #expect(broker.wake().isEmpty)
        let start = broker.now
        let refresh = broker.wake()
        expectEqual(refresh.topics, ["\(adaTopic)/presence", "\(adaTopic)/facts"])
        #expect(start.duration(to: broker.now) <= .seconds(200))
        let second = broker.now
        expectEqual(broker.wake().topics, refresh.topics)
        expectEqual(second.duration(to: broker.now), .seconds(200))
    }

    /// Covers INK-HAS-017, INK-HAS-026.
    @Test func `with antennas, a room is published when it changes, and only then`() {
        var broker = broker([report(ada, isHome: true, room: "kitchen")], hasRooms: true)
        let topic = "\(adaTopic)/room"
        #expect(broker.retained[topic] == #"{"room":"kitchen"}"#)
        expectEqual(broker.components(of: node)["1111111111111111_room"]?.object?["state_topic"], .text(topic))
        #expect(broker.take(.reports([report(ada, isHome: true, room: "kitchen")])).isEmpty)
        let moved = broker.take(.reports([report(ada, isHome: true, room: "“hall”\n{{ 1 }}")]))
        #expect(moved == [HomeMessage(topic, #"{"room":"“hall”\n{{ 1 }}"}"#)])
        // Neither the end of the sweep nor a refresh repeats it.
        for _ in 0..<3 { #expect(!broker.wake().topics.contains(topic)) }
        #expect(broker.take(.reports([report(ada, isHome: true)])) == [HomeMessage(topic, #"{"room":null}"#)])
        broker.lose()
        #expect(broker.take(.reports([report(ada, isHome: true, room: "hall")])).isEmpty)
        #expect(broker.take(.connected).contains(HomeMessage(topic, #"{"room":"hall"}"#)))
        broker.take(.reports([]))
        expectEqual(broker.retained[topic], nil)
    }

    /// Covers INK-HAS-018.
    @Test func `a node that has no antennas any more takes the rooms away, and publishes none`() {
        let before = broker([report(ada, room: "kitchen"), report(bo, "Bo")], hasRooms: true)
        #expect(before.retained["\(adaTopic)/room"] != nil)
        var after = broker([report(ada, room: "kitchen"), report(bo, "Bo")], retained: before.retained)
        #expect(!after.retained.keys.contains { $0.hasSuffix("/room") })
        expectEqual(after.components(of: node)["1111111111111111_room"]?.object, ["platform": "sensor"])
        #expect(after.take(.reports([report(ada, room: "hall"), report(bo, "Bo")])).isEmpty)
        expectEqual(after.retained["\(adaTopic)/presence"], "OFF")
    }

    /// Covers INK-HAS-024.
    @Test(arguments: UInt64(1)...8)
    func `a start of Home Assistant is answered once, within ten seconds, by everything`(seed: UInt64) {
        var broker = broker(seed: seed)
        broker.wake()
        let start = broker.now
        for _ in 0..<3 {
            broker.take(.received(topic: "homeassistant/status", payload: Array("online".utf8), isRetained: false))
        }
        let everything = broker.wake()
        #expect(start.duration(to: broker.now) <= .seconds(10))
        expectEqual(everything.first?.topic, discovery)
        expectEqual(everything.count, 6)
        expectEqual(broker.wake().topics, ["\(adaTopic)/presence", "\(adaTopic)/facts"])
        broker.take(.received(topic: "homeassistant/status", payload: Array("offline".utf8), isRetained: false))
        expectEqual(broker.wake().topics, ["\(adaTopic)/presence", "\(adaTopic)/facts"])
    }

    /// Covers INK-HAS-030.
    @Test func `a removed contact is described no more, and nothing of it is kept`() {
        var broker = broker([report(ada), report(bo, "Bo")])
        broker.take(.reports([report(bo, "Bo")]))
        #expect(!broker.retained.keys.contains { $0.hasPrefix(adaTopic) })
        let components = broker.components(of: node)
        expectEqual(components["1111111111111111_presence"]?.object, ["platform": "binary_sensor"])
        #expect(components["2222222222222222_presence"]?.object?["unique_id"] != nil)
        expectEqual(broker.retained[discovery]?.contains("Ada"), false)
        // It can come back.
        broker.take(.reports([report(ada), report(bo, "Bo")]))
        expectEqual(broker.components(of: node)["1111111111111111_presence"]?.object?["name"], "Ada")
        expectEqual(broker.retained["\(adaTopic)/presence"], "OFF")
    }

    /// Covers INK-HAS-031.
    @Test func `what was kept of a contact that was removed meanwhile goes away`() {
        let before = broker([report(ada), report(bo, "Bo")])
        let after = broker([report(bo, "Bo")], retained: before.retained)
        #expect(!after.retained.keys.contains { $0.hasPrefix(adaTopic) })
        expectEqual(after.components(of: node)["1111111111111111_visits"]?.object, ["platform": "event"])
        expectEqual(after.retained[discovery]?.contains("Ada"), false)
        // And the next node still says so to a Home Assistant that was off.
        let next = broker([report(bo, "Bo")], retained: after.retained)
        expectEqual(next.components(of: node)["1111111111111111_visits"]?.object, ["platform": "event"])
    }

    /// Covers INK-HAS-031, INK-HAS-032.
    @Test func `topics of others, and payloads that are no description, change nothing`() {
        let strange = [
            "inkling/ffffffffffffffff/1111111111111111/presence": "ON", "inkling/0011223344556677/ada/presence": "ON",
            "inkling/0011223344556677/1111111111111111/other": "ON", "homeassistant/status": "online",
        ]
        let broker = broker([report(bo, "Bo")], retained: strange.merging([discovery: "{"]) { $1 })
        for (topic, payload) in strange { expectEqual(broker.retained[topic], payload) }
        expectEqual(broker.components(of: node).names.count, 7)
    }

    @Test func `a description that is too long, or not of this form, is not read`() {
        let start = #"{"components":{"1111111111111111_presence":{}"#
        for payload in [
            start + #"},"x":""# + String(repeating: "x", count: 2 << 20) + "\"}", "[]", "{}", #"{"components":[]}"#,
            #"{"components":{"_presence":{},"1111111111111111_x":{},"11_presence":{}}}"#, start, "\u{0}",
        ] {
            let broker = broker([report(bo, "Bo")], retained: [discovery: payload])
            expectEqual(broker.components(of: node).names.count, 7)
        }
        let broker = broker([report(bo, "Bo")], retained: [discovery: start + "}}"])
        expectEqual(broker.components(of: node).names.count, 13)
    }

    /// Covers INK-HAS-030.
    @Test func `only so many removed contacts are remembered`() {
        let many = (1...40).map { report(OpaqueID($0), "x") }
        var broker = broker(many)
        broker.take(.reports([]))
        let components = broker.components(of: node)
        expectEqual(components.names.count, 1 + 32 * 6)
        #expect(components["0000000000000028_presence"] != nil)
        expectEqual(components["0000000000000001_presence"], nil)
        expectEqual(broker.retained.count, 2)
    }

    /// Covers INK-HAS-014.
    @Test func `a contact that the node cannot notice is unavailable, and not away`() {
        var broker = broker([report(ada, isHome: true)])
        let silent = broker.take(.reports([report(ada, isHome: true, isWatched: false)]))
        expectEqual(silent, [HomeMessage("\(adaTopic)/availability", "offline")])
        expectEqual(broker.retained["\(adaTopic)/presence"], "ON")
    }

    /// Covers INK-HAS-015.
    @Test func `a new name changes the description and no topic`() {
        var broker = broker()
        let renamed = broker.take(.reports([report(ada, "Ada \"L\"\n{{ 1 }}")]))
        expectEqual(renamed.topics, [discovery])
        expectEqual(broker.components(of: node)["1111111111111111_presence"]?.object?["name"], "Ada \"L\"\n{{ 1 }}")
        for publication in broker.published { #expect(!publication.topic.contains("Ada")) }
    }

    /// Covers INK-HAS-025.
    @Test func `a node that stops says so`() {
        var broker = broker()
        expectEqual(broker.take(.stopping), [HomeMessage("inkling/0011223344556677/availability", "offline")])
        #expect(broker.take(.arrived(ada)).isEmpty)
    }

    /// Covers INK-HAS-016.
    @Test func `contacts beyond the limit are left out`() {
        let many = (1...502).map { report(OpaqueID($0), "x") }
        var generator = SeededGenerator(seed: 16)
        let broker = broker(many.shuffled(using: &generator))
        expectEqual(broker.components(of: node).names.count, 1 + 500 * 6)
        expectEqual(broker.retained["inkling/0011223344556677/00000000000001f5/presence"], nil)
    }

    @Test(arguments: UInt64(1)...60)
    func `in any order of events, the broker keeps what is true, and arrivals and departures take turns`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ids = (1...4).map { OpaqueID($0) }
        var world: [OpaqueID: Bool] = [:]
        var broker = Broker(HomeAnnouncer(node: node, HomeSettings(version: "0.1.0")), seed: seed)
        broker.take(.reports([]))
        var isConnected = false
        var steps: [String] = []
        var last: [OpaqueID: String] = [:]
        func reports() -> [ContactReport] { world.map { report($0.key, "\($0.key)", isHome: $0.value) } }
        for _ in 0..<200 {
            let id = ids.randomElement(using: &generator) ?? OpaqueID(1)
            let count = broker.published.count
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                steps.append("add \(id)")
                world[id] = world[id] ?? false
                broker.take(.reports(reports()))
            case 1:
                steps.append("remove \(id)")
                (world[id], last[id]) = (nil, nil)
                broker.take(.reports(reports()))
            case 2, 3:
                guard let isHome = world[id] else { continue }
                steps.append("move \(id)")
                world[id] = !isHome
                broker.take(isHome ? .left(id) : .arrived(id))
            case 4:
                guard let isHome = world[id] else { continue }
                steps.append("move \(id) silently")
                world[id] = !isHome
                broker.take(.reports(reports()))
            case 5:
                steps.append(isConnected ? "lose" : "connect")
                last = [:]
                isConnected.toggle()
                if isConnected { broker.take(.connected) } else { broker.lose() }
            case 6:
                steps.append("restart")
                broker.take(
                    .received(topic: "homeassistant/status", payload: Array("online".utf8), isRetained: false))
            default:
                steps.append("wake")
                #expect(isConnected || broker.announcer.wake == nil)
                broker.wake()
            }
            for publication in broker.published[count...] where publication.topic.hasSuffix("/event") {
                #expect(isConnected && !publication.isRetained)
                let contact = publication.topic.split(separator: "/").dropLast().last.flatMap { OpaqueID(String($0)) }
                if let contact {
                    #expect(last[contact] != publication.payload, "seed \(seed): \(steps)")
                    last[contact] = publication.payload
                }
            }
            guard isConnected else { continue }
            let kept = broker.retained.filter { $0.key.hasSuffix("/presence") }
            let wanted = world.map { ("inkling/\(node)/\($0.key)/presence", $0.value ? "ON" : "OFF") }
            expectEqual(kept, Dictionary(uniqueKeysWithValues: wanted), "seed \(seed): \(steps)")
        }
    }
}

@Suite struct `Ids for a broker` {
    /// Covers INK-HAS-001.
    @Test func `ids follow from the key alone, and from another key there are others`() {
        func ids(_ byte: UInt8) -> OpaqueIDs {
            OpaqueIDs(key: SecretBytes(copying: [UInt8](repeating: byte, count: 32).span))
        }
        let user = UserID(Octets16(high: 1, low: 2))
        expectEqual(ids(7).node.description, "fdd716d598c266c3")
        expectEqual(ids(7).contact(user).description, "b7ed9ed00f8cf1bb")
        #expect(ids(8).node != ids(7).node)
        expectEqual(OpaqueID("fdd716d598c266c3"), ids(7).node)
        for text in ["", "FDD716D598C266C3", "fdd716d598c266c", "fdd716d598c266c30", "gdd716d598c266c3"] {
            expectEqual(OpaqueID(text), nil)
        }
    }
}
