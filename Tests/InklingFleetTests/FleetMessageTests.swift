import InklingFleet
import InklingJSON
import Testing

private func parse<Message: FleetMessage>(_ type: Message.Type, _ text: String) throws(FleetMessageError) -> Message {
    try Message(parsing: Array(text.utf8))
}

private let id = #""source":"hall-0011223344556677","sequence":12,"base":9"#

@Suite struct FleetMessageTests {
    @Test func `what is written reads the same`() throws {
        let sighting = try parse(
            SightingMessage.self,
            "{\(id),\"age\":5,\"time\":1785600000000,\"uncertainty\":1000,\"minor\":63941,\"device\":1,\"rssi\":-61,\"room\":\"hall\"}"
        )
        #expect(sighting.beacon.minor == 63941 && sighting.id.base == 9)
        #expect(try SightingMessage(parsing: sighting.payload) == sighting)
        let match = try parse(
            MatchMessage.self, "{\(id),\"age\":0,\"contact\":\"Bo\",\"device\":0,\"rssi\":-61,\"other\":[1]}")
        #expect(try MatchMessage(parsing: match.payload) == match && match.room == nil)
        let lease = LeaseMessage(fence: Fence(3, holder: "8899aabbccddeeff"), beat: 7, seconds: 6)
        #expect(try LeaseMessage(parsing: lease.payload) == lease)
        for fence in [nil, Fence(3, holder: "a")] {
            let acknowledgement = Acknowledgement(fence: fence, sequences: [1, 5])
            #expect(try Acknowledgement(parsing: acknowledgement.payload) == acknowledgement)
        }
        var book = PresenceBook()
        _ = book.hear(ContactRecord("Bo", fence: lease.fence))
        let record = try #require(book.contacts.first)
        #expect(try ContactRecord(parsing: record.payload) == record)
    }

    /// Covers INK-FLT-011.
    @Test func `a match has no minor and no address`() throws {
        let match = MatchMessage(
            id: SightingID(source: "hall-0011223344556677", sequence: 12, base: 9), age: 0, contact: "Bo", device: 0,
            rssi: -61, room: "hall")
        #expect(match.object.names == ["source", "sequence", "base", "age", "contact", "device", "rssi", "room"])
    }

    @Test(arguments: [
        ("{", FleetMessageError.notJSON), ("[]", .notAnObject), ("{}", .badSource),
        (#"{"source":"hall","sequence":1,"base":1}"#, .badSource),
        (#"{"source":"Hall-0011223344556677","sequence":1,"base":1}"#, .badSource),
        (#"{"source":"hall-0011223344556677","sequence":1,"base":2}"#, .badNumber),
        (#"{"source":"hall-0011223344556677","sequence":0,"base":0}"#, .badNumber),
        ("{\(id),\"age\":120001}", .badNumber), ("{\(id),\"age\":0,\"minor\":65536}", .badMinor),
        ("{\(id),\"age\":0,\"minor\":7,\"time\":0,\"uncertainty\":0,\"rssi\":21}", .badPower),
        ("{\(id),\"age\":0,\"minor\":7,\"time\":0,\"uncertainty\":0,\"rssi\":-60,\"room\":\"\"}", .badText),
        (String(repeating: " ", count: 1025), .tooLong),
    ])
    func `a sighting with a fault is refused with the first one`(text: String, fault: FleetMessageError) {
        #expect(throws: fault) { try parse(SightingMessage.self, text) }
    }

    @Test(arguments: [
        (#"{"holder":"a","beat":1,"seconds":6}"#, FleetMessageError.badFence),
        (#"{"number":1,"holder":"","beat":1,"seconds":6}"#, .badFence),
        (#"{"number":9007199254740993,"holder":"a","beat":1,"seconds":6}"#, .badFence),
        (#"{"number":1,"holder":"a","beat":-1,"seconds":6}"#, .badNumber),
        (#"{"number":1,"holder":"a","beat":1,"seconds":3601}"#, .badNumber),
    ])
    func `a lease with a fault is refused with the first one`(text: String, fault: FleetMessageError) {
        #expect(throws: fault) { try parse(LeaseMessage.self, text) }
    }

    @Test func `topics have the names of the fleet and of sources alone`() throws {
        let topics = try #require(FleetTopics(fleet: "office"))
        #expect(topics.sharedSightings == "$share/inkling-office/inkling/fleet/office/sighting")
        let fence = Fence(3, holder: "8899aabbccddeeff")
        #expect(
            topics.contact("Bo", fence) == "inkling/fleet/office/contact/e52e1ceda3c73b49/3-8899aabbccddeeff")
        #expect(topics.isContact(topics.contact("Bo", fence)) && !topics.isContact(topics.lease(fence)))
        for name in ["", "Office", "a/b", "a+", String(repeating: "a", count: 33)] {
            #expect(FleetTopics(fleet: name) == nil)
        }
    }
}
