import InklingEngine
import InklingKeys
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode

private let start = ClockReading(tick: Tick(milliseconds: 1_000_000), unixMilliseconds: 1_785_600_000_000)

private func later(_ seconds: UInt64) -> ClockReading {
    ClockReading(
        tick: start.tick.advanced(byMilliseconds: seconds * 1000),
        unixMilliseconds: start.unixMilliseconds + seconds * 1000)
}

private func address(_ number: UInt64) throws -> DeviceAddress {
    try #require(DeviceAddress(0x4a00_0000_0000 | number))
}

private func sighting(
    _ minor: UInt16, from address: DeviceAddress?, rssi: Int = -60, at now: ClockReading = start, in room: String? = nil
) -> AntennaSighting {
    AntennaSighting(
        .beacon(ApplicationProfile.inkling.proximity, major: 0, minor: BeaconMinor(minor)), from: address, rssi: rssi,
        observed: ObservedTime(at: now), in: room)
}

private func facts(_ name: String, patience: Duration = .seconds(90), canConnect: Bool = false) -> AntennaFacts {
    AntennaFacts(
        name: name, source: .esphome, room: "room of \(name)", clockError: .zero, hasAddresses: true, hasData: true,
        canConnect: canConnect, patience: patience)
}

@Suite struct AntennaSightingTests {
    private let profile = ApplicationProfile.inkling

    /// Covers INK-ANT-002.
    @Test func `a beacon of the profile is found in advertising data, with a scan response behind it`() throws {
        let bytes = profile.beacon(BeaconMinor(7)).encoded()
        for tail: [UInt8] in [[], [0x02, 0x0a, 0x04]] {
            let one = AntennaSighting(
                .data(bytes + tail), from: try address(1), .random, rssi: -61, observed: ObservedTime(at: start))
            #expect(one.minor(in: profile) == BeaconMinor(7))
        }
    }

    /// Covers INK-ANT-002.
    @Test func `frames of strangers and of lasting addresses are dropped`() throws {
        let own = AntennaSighting.Content.data(profile.beacon(BeaconMinor(7)).encoded())
        let other = AntennaSighting.Content.beacon(UUID128.service, major: 0, minor: BeaconMinor(7))
        let major = AntennaSighting.Content.beacon(profile.proximity, major: 1, minor: BeaconMinor(7))
        let lasting = try #require(DeviceAddress(0xc000_0000_0001))
        func minor(
            _ content: AntennaSighting.Content, _ address: DeviceAddress?, _ type: AntennaSighting.AddressType?
        ) -> BeaconMinor? {
            AntennaSighting(content, from: address, type, rssi: nil, observed: ObservedTime(at: start))
                .minor(in: profile)
        }
        #expect(minor(own, try address(1), .random) == BeaconMinor(7))
        #expect(minor(own, nil, nil) == BeaconMinor(7))
        #expect(minor(own, try address(1), .public) == nil)
        #expect(minor(own, lasting, nil) == nil)
        #expect(minor(other, nil, nil) == nil)
        #expect(minor(major, nil, nil) == nil)
        #expect(minor(.data([0x02, 0x01, 0x06]), nil, nil) == nil)
        #expect(minor(.data([0x1a, 0xff, 0x4c]), nil, nil) == nil)
        #expect(minor(.data(Array(repeating: 0, count: 63)), nil, nil) == nil)
    }

    /// Covers INK-ANT-002.
    @Test func `a filter reports every beacon, and of other frames only how many there were`() throws {
        var filter = AntennaFilter(profile)
        let noise = AntennaSighting(.data([0x02, 0x01, 0x06]), from: nil, rssi: nil, observed: ObservedTime(at: start))
        let beacon = sighting(7, from: nil)
        var reports = [filter.report(noise, at: start.tick)]
        for _ in 0..<5 { reports.append(filter.report(noise, at: later(5).tick)) }
        reports.append(filter.report(beacon, at: later(6).tick))
        reports.append(filter.report(noise, at: later(10).tick))
        #expect(
            reports == [.others(1), nil, nil, nil, nil, nil, .heard(BeaconMinor(7), beacon), .others(6)])
    }

    @Test(arguments: [-128, 21, 300])
    func `a power that cannot be is not known`(rssi: Int) {
        let one = AntennaSighting(.data([]), from: nil, rssi: rssi, observed: ObservedTime(at: start))
        #expect(one.rssi == AntennaSighting.unknownPower)
    }
}

@Suite struct AntennaBoardTests {
    /// Covers INK-ANT-001, INK-ANT-004, INK-ANT-005.
    @Test func `a beacon is heard as one that cannot be reached, and the own one not at all`() throws {
        var board = AntennaBoard([facts("hall")])
        _ = board.handle(.listening, from: 0, own: [], at: start)
        let heard = sighting(7, from: try address(1))
        let expected = BeaconSighting(
            BeaconMinor(7), from: try address(1), rssi: -60, observed: ObservedTime(at: start), isReachable: false)
        let taken = board.handle(.heard(BeaconMinor(7), heard), from: 0, own: [], at: start)
        #expect(taken == [.heard(expected, room: "room of hall")])
        let own = board.handle(.heard(BeaconMinor(7), heard), from: 0, own: [BeaconMinor(7)], at: start)
        let unknown = board.handle(.heard(BeaconMinor(7), heard), from: 1, own: [], at: start)
        #expect(own.isEmpty && unknown.isEmpty)
    }

    /// Covers INK-ANT-006.
    @Test func `a minor without an address gets the one with which it was heard in this epoch, or one of its own`()
        throws
    {
        var board = AntennaBoard([facts("hall"), facts("attic")])
        func place(_ minor: UInt16, _ address: DeviceAddress?, at now: ClockReading) -> DeviceAddress? {
            let effects = board.handle(
                .heard(BeaconMinor(minor), sighting(minor, from: address, at: now)), from: 0, own: [], at: now)
            return effects.compactMap {
                if case .heard(let sighting, _) = $0 { sighting.address } else { nil }
            }.first
        }
        let alone = place(1, nil, at: start)
        let other = place(2, nil, at: start)
        #expect(alone != nil && alone != other && alone?.isPrivate == true)
        #expect(place(3, try address(3), at: start) == (try address(3)))
        #expect(place(3, nil, at: later(60)) == (try address(3)))
        // In the next epoch the device has another address.
        #expect(place(3, nil, at: later(900)) != (try address(3)))
    }

    /// Covers INK-ANT-037.
    @Test
    func `a device is called through the listening antenna that hears it best, in the epoch in which it was heard`()
        throws
    {
        var board = AntennaBoard([
            facts("hall", canConnect: true), facts("attic", canConnect: true), facts("porch"),
        ])
        for index in 0...2 { _ = board.handle(.listening, from: index, own: [], at: start) }
        let device = try address(1)
        /// Hears the device through an antenna; returns whether it can be called.
        func hear(_ index: Int, _ rssi: Int, _ address: DeviceAddress? = device, at seconds: UInt64 = 0) -> Bool {
            let heard = sighting(7, from: address, rssi: rssi, at: later(seconds))
            let effects = board.handle(.heard(BeaconMinor(7), heard), from: index, own: [], at: later(seconds))
            return effects.contains { if case .heard(let one, _) = $0 { one.isReachable } else { false } }
        }
        let porch = hear(2, -20)
        #expect(!porch && board.caller(of: device) == nil, "it makes no connections")
        let nameless = hear(0, -20, nil)
        #expect(!nameless)
        let hall = hear(0, -70)
        #expect(hall && board.caller(of: device) == 0)
        let attic = hear(1, -60, at: 1)
        #expect(attic && board.caller(of: device) == 1, "it is nearer")
        _ = hear(0, -61, at: 2)
        #expect(board.caller(of: device) == 1)
        // The attic has not heard it for half a minute.
        _ = hear(0, -80, at: 31)
        #expect(board.caller(of: device) == 0)
        _ = hear(1, -60, at: 32)
        _ = board.handle(.failed(.timedOut), from: 1, own: [], at: later(33))
        #expect(board.caller(of: device) == nil)
        _ = hear(0, -80, at: 34)
        #expect(board.caller(of: device) == 0)
        _ = hear(0, -80, try address(2), at: 900)
        #expect(board.caller(of: device) == nil, "in another epoch it has another address")
    }

    /// Covers INK-ANT-007.
    @Test func `an antenna that hears nothing is deaf once, subscribes again twice, and then rests`() throws {
        var board = AntennaBoard([facts("hall"), facts("attic")])
        for index in 0...1 { _ = board.handle(.listening, from: index, own: [], at: start) }
        var told: [UInt64: [AntennaBoard.Effect]] = [:]
        for second in stride(from: UInt64(30), through: 1200, by: 30) {
            _ = board.handle(.others(1), from: 1, own: [], at: later(second))
            let effects = board.timerFired(at: later(second).tick)
            if !effects.isEmpty { told[second] = effects }
        }
        #expect(
            told == [
                90: [.trouble(AntennaTrouble("hall", .deaf)), .listenAgain(0)], 180: [.listenAgain(0)],
                1170: [.listenAgain(0)],
            ])
        #expect(board.summaries(at: later(1200)).map(\.state) == [.deaf, .listening])
        _ = board.handle(.others(1), from: 0, own: [], at: later(1201))
        #expect(board.summaries(at: later(1201)).map(\.state) == [.listening, .listening])
    }

    /// Covers INK-ANT-008.
    @Test func `an antenna that fails is reported once for each reason, and is not deaf meanwhile`() throws {
        var board = AntennaBoard([facts("hall")])
        _ = board.handle(.listening, from: 0, own: [], at: start)
        let told = [
            board.handle(.failed(.timedOut), from: 0, own: [], at: start),
            board.handle(.failed(.timedOut), from: 0, own: [], at: later(60)),
            board.handle(.failed(.wrongKey), from: 0, own: [], at: later(120)),
            board.timerFired(at: later(2000).tick), board.handle(.ended, from: 0, own: [], at: later(2000)),
        ]
        #expect(
            told == [
                [.trouble(AntennaTrouble("hall", .failed(.timedOut)))], [],
                [.trouble(AntennaTrouble("hall", .failed(.wrongKey)))], [],
                [.trouble(AntennaTrouble("hall", .ended))],
            ])
        #expect(board.summaries(at: later(2000)).map(\.state) == [.ended])
    }
}

@Suite struct RoomChoiceTests {
    /// A mutating call cannot stand in `#expect`.
    private func expect(_ expected: Bool, _ found: Bool, at line: SourceLocation = #_sourceLocation) {
        #expect(found == expected, sourceLocation: line)
    }

    private func tick(_ seconds: UInt64) -> Tick { later(seconds).tick }

    /// Covers INK-ANT-020, INK-ANT-021.
    @Test func `a contact between two rooms stays where it is until the other room is clearly stronger`() {
        var choice = RoomChoice()
        expect(true, choice.hear(in: "kitchen", rssi: -60, at: tick(0)))
        #expect(choice.room(at: tick(0)) == "kitchen")
        // Five dB more are not enough, however often.
        for second: UInt64 in 1...20 {
            expect(false, choice.hear(in: "hall", rssi: -55, at: tick(second)))
            expect(false, choice.hear(in: "kitchen", rssi: -60, at: tick(second)))
        }
        var changed: [UInt64] = []
        for second: UInt64 in 21...40 {
            if choice.hear(in: "hall", rssi: -40, at: tick(second)) { changed.append(second) }
            if choice.hear(in: "kitchen", rssi: -60, at: tick(second)) { changed.append(second) }
        }
        #expect(changed == [21])
        #expect(choice.room(at: tick(40)) == "hall")
    }

    /// Covers INK-ANT-021.
    @Test func `a room that has fallen silent gives way to a weaker one after thirty seconds`() {
        var choice = RoomChoice()
        choice.hear(in: "kitchen", rssi: -50, at: tick(0))
        expect(false, choice.hear(in: "attic", rssi: -90, at: tick(30)))
        expect(true, choice.hear(in: "attic", rssi: -90, at: tick(31)))
        #expect(choice.room(at: tick(31)) == "attic")
    }

    /// Covers INK-ANT-022.
    @Test func `a room is forgotten two minutes after it was heard`() {
        var choice = RoomChoice()
        choice.hear(in: "kitchen", rssi: -50, at: tick(0))
        #expect(choice.room(at: tick(120)) == "kitchen")
        #expect(choice.room(at: tick(121)) == nil)
        expect(true, choice.hear(in: "kitchen", rssi: -90, at: tick(300)))
    }

    /// Covers INK-ANT-021.
    @Test func `of two equal rooms the first by name is chosen, in either order`() {
        for rooms in [["attic", "hall"], ["hall", "attic"]] {
            var choice = RoomChoice()
            choice.hear(in: "kitchen", rssi: -50, at: tick(0))
            for room in rooms { choice.hear(in: room, rssi: -70, at: tick(29)) }
            choice.hear(in: rooms[0], rssi: -70, at: tick(31))
            #expect(choice.room(at: tick(31)) == "attic")
        }
    }

    @Test func `the rooms of a contact are bounded`() {
        var choice = RoomChoice()
        for number in 0..<1000 { choice.hear(in: "room \(number)", rssi: -50, at: tick(1)) }
        #expect(choice.levels.count == RoomChoice.limit)
    }
}
