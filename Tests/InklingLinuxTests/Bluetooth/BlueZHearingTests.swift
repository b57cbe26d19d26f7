#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import Testing

    @testable import InklingLinux

    private func beacon(_ minor: UInt16) -> BusValue {
        SimulatedBlueZ.apple(Array(IBeacon(minor: BeaconMinor(minor)).encoded().dropFirst(7)))
    }

    private func path(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        let text = String(repeating: "0", count: 12 - digits.count) + digits
        var path = "/org/bluez/hci0/dev"
        for (index, digit) in text.uppercased().enumerated() { path += index % 2 == 0 ? "_\(digit)" : "\(digit)" }
        return path
    }

    /// The properties of a device with a random address that is listed for the first time.
    private func new(_ properties: [String: BusValue]) -> [String: BusValue] {
        properties.merging(["AddressType": .string("random")]) { $1 }
    }

    private func reading(_ milliseconds: UInt64) -> ClockReading {
        ClockReading(tick: Tick(milliseconds: milliseconds), unixMilliseconds: 1_800_000_000_000 + milliseconds)
    }

    private func sighting(_ minor: UInt16, _ number: UInt64, rssi: Int8, at milliseconds: UInt64) throws -> RadioReport
    {
        .heard(
            BeaconSighting(
                BeaconMinor(minor), from: try #require(DeviceAddress(number)), rssi: rssi,
                observed: ObservedTime(at: reading(milliseconds))))
    }

    @Suite struct BlueZHearingTests {
        private var hearing = BlueZHearing(adapter: "/org/bluez/hci0")

        @Test mutating func `a change of power alone is heard as the frame that is known`() throws {
            #expect(
                hearing.heard(
                    path(0xc0ffee), new(["ManufacturerData": beacon(7), "RSSI": .int16(-40)]), at: reading(1))
                    == (try sighting(7, 0xc0ffee, rssi: -40, at: 1)))
            #expect(
                hearing.heard(path(0xc0ffee), ["RSSI": .int16(-70)], at: reading(2))
                    == (try sighting(7, 0xc0ffee, rssi: -70, at: 2)))
            #expect(
                hearing.heard(path(0xc0ffee), ["ManufacturerData": beacon(7)], at: reading(3))
                    == (try sighting(7, 0xc0ffee, rssi: -70, at: 3)))
        }

        @Test(arguments: [127, 21, -128, 300, -32_768] as [Int16])
        mutating func `a power that cannot be is the lowest`(power: Int16) throws {
            #expect(
                hearing.heard(path(1), new(["ManufacturerData": beacon(7), "RSSI": .int16(power)]), at: reading(1))
                    == (try sighting(7, 1, rssi: -127, at: 1)))
        }

        /// Covers INK-PRF-001.
        @Test func `what is shown and heard over Bluetooth has the values of the profile`() throws {
            let profile = try ApplicationProfile(name: "Example", measuredPower: -65)
            var other = BlueZHearing(adapter: "/org/bluez/hci0", profile: profile)
            var own = BlueZHearing(adapter: "/org/bluez/hci0")
            let publication = RadioPublication(
                minor: BeaconMinor(7), tag: RecognitionTag(Octets16(high: 1, low: 2)))
            let sets = BlueZAdvertiser.sets(of: publication, layout: .links, profile: profile)
            #expect(sets.map(\.services) == [[], [profile.service.description]])
            let frame = SimulatedBlueZ.apple(sets[0].appleData)
            #expect(other.heard(path(1), new(["ManufacturerData": frame]), at: reading(1)) != nil)
            #expect(own.heard(path(1), new(["ManufacturerData": frame]), at: reading(1)) == nil)
            #expect(other.heard(path(2), new(["ManufacturerData": beacon(7)]), at: reading(1)) == nil)
            let uuids = GATTApplication.objects(of: profile) { _ in }.flatMap { object in
                object.interfaces.values.compactMap { $0["UUID"]?.asString }
            }
            #expect(uuids == [profile.service, profile.tag, profile.input, profile.output].map(\.description))
        }

        @Test mutating func `a change of other properties is not heard`() {
            _ = hearing.heard(path(1), new(["ManufacturerData": beacon(7)]), at: reading(1))
            #expect(hearing.heard(path(1), ["ServicesResolved": .bool(false)], at: reading(2)) == nil)
        }

        @Test mutating func `a device that is still listed is reported again, with the time as uncertain as it is`()
            throws
        {
            _ = hearing.heard(path(1), new(["ManufacturerData": beacon(7), "RSSI": .int16(-40)]), at: reading(100_000))
            #expect(hearing.repeated(at: reading(109_999)) == [])
            let expected = RadioReport.heard(
                BeaconSighting(
                    BeaconMinor(7), from: try #require(DeviceAddress(1)), rssi: -40,
                    observed: ObservedTime(
                        unixMilliseconds: reading(110_000).unixMilliseconds - 15_000, uncertainty: .seconds(15))))
            #expect(hearing.repeated(at: reading(110_000)) == [expected])
            #expect(hearing.repeated(at: reading(110_001)) == [])
            hearing.removed(path(1))
            #expect(hearing.repeated(at: reading(130_000)) == [])
        }

        @Test mutating func `a device that is found again is reported with that time, once a second at most`() throws {
            #expect(hearing.found(path(1), at: reading(1)) == nil)
            _ = hearing.heard(path(1), new(["ManufacturerData": beacon(7), "RSSI": .int16(-40)]), at: reading(100_000))
            #expect(hearing.found(path(1), at: reading(100_999)) == nil)
            #expect(hearing.found(path(1), at: reading(101_000)) == (try sighting(7, 1, rssi: -40, at: 101_000)))
            #expect(hearing.found(path(1), at: reading(101_500)) == nil)
            // A device that is found need not be guessed.
            #expect(hearing.repeated(at: reading(110_000)) == [])
            hearing.removed(path(1))
            #expect(hearing.found(path(1), at: reading(120_000)) == nil)
        }

        @Test mutating func `a device that was listed before is reported as such`() {
            hearing.listed(path(1), new(["ManufacturerData": beacon(7)]))
            #expect(hearing.repeated(at: reading(100_000)).count == 1)
        }

        @Test mutating func `a device that is paired, connected or listed for ever is no evidence`() {
            hearing.listed(path(1), new(["ManufacturerData": beacon(7), "Paired": .bool(true)]))
            hearing.listed(path(2), new(["ManufacturerData": beacon(7)]))
            _ = hearing.heard(path(2), ["Connected": .bool(true)], at: reading(1))
            #expect(hearing.repeated(at: reading(100_000)) == [])
            for duration in [Duration.zero, .seconds(121), .seconds(Int(UInt32.max))] {
                var lasting = BlueZHearing(adapter: "/org/bluez/hci0", listedFor: duration)
                lasting.listed(path(1), new(["ManufacturerData": beacon(7)]))
                #expect(lasting.repeated(at: reading(100_000)) == [])
            }
        }

        @Test mutating func `a crowd of addresses does not grow the table, and its frames are still heard`() {
            for number in 0..<10_000 {
                #expect(hearing.heard(path(number), new(["ManufacturerData": beacon(7)]), at: reading(1)) != nil)
            }
            #expect(hearing.count == BlueZHearing.limit)
            #expect(hearing.addressCount == BlueZHearing.addressLimit)
            for number in 0..<10_000 { hearing.removed(path(number)) }
            #expect(hearing.addressCount == 0)
        }

        @Test mutating func `frames of others take no room`() {
            for number in 0..<100 {
                #expect(
                    hearing.heard(
                        path(number), new(["ManufacturerData": SimulatedBlueZ.apple([0x10, 5, 1])]), at: reading(1))
                        == nil)
            }
            #expect(hearing.count == 0)
        }

        @Test mutating func `a device whose frame changes to another is forgotten`() {
            _ = hearing.heard(path(1), new(["ManufacturerData": beacon(7)]), at: reading(1))
            #expect(hearing.heard(path(1), ["ManufacturerData": SimulatedBlueZ.apple([0x10])], at: reading(2)) == nil)
            #expect(hearing.count == 0)
        }

        @Test(arguments: [
            "/org/bluez/hci1/dev_00_00_00_00_00_01", "/org/bluez/hci0", "/org/bluez/hci0/dev_00_00_00_00_00_0G",
            "/org/bluez/hci0/dev_00_00_00_00_00_01/service1", "/org/bluez/hci0/dev_00_00_00_00_00", "",
        ])
        mutating func `a path that is no device of this adapter is ignored`(path: String) {
            #expect(hearing.heard(path, new(["ManufacturerData": beacon(7)]), at: reading(1)) == nil)
        }

        /// Covers INK-BLE-042.
        @Test(arguments: [
            (0x00c0_ffee_0001, "public"), (0x40c0_ffee_0001, "public"), (0xc0c0_ffee_0001, "random"),
            (0x80c0_ffee_0001, "random"), (0xffff_ffff_ffff, "random"), (0x40c0_ffee_0001, ""),
        ])
        mutating func `nothing of a device with a public or a static address is kept or reported`(
            address: Int, type: String
        ) {
            let properties = ["ManufacturerData": beacon(7), "AddressType": .string(type), "RSSI": .int16(-40)]
            hearing.listed(path(address), properties)
            #expect(hearing.heard(path(address), properties, at: reading(1)) == nil)
            #expect(
                hearing.heard(path(address), ["ManufacturerData": beacon(7), "RSSI": .int16(-41)], at: reading(2))
                    == nil)
            #expect(hearing.repeated(at: reading(100_000)) == [])
            #expect(hearing.count == 0 && hearing.addressCount == 0)
        }

        /// Covers INK-BLE-042.
        @Test(arguments: [0x00c0_ffee_0001, 0x40c0_ffee_0001])
        mutating func `a private address is heard in each frame, also when another came first`(address: Int) throws {
            #expect(
                hearing.heard(
                    path(address), new(["ManufacturerData": SimulatedBlueZ.apple([0x10])]), at: reading(1)) == nil)
            #expect(
                hearing.heard(path(address), ["ManufacturerData": beacon(7)], at: reading(2))
                    == (try sighting(7, UInt64(address), rssi: -127, at: 2)))
            hearing.keepOnly([])
            #expect(hearing.heard(path(address), ["ManufacturerData": beacon(7)], at: reading(3)) == nil)
        }

        @Test mutating func `after a loss only what is still listed is kept`() {
            for number in 0..<10 { hearing.listed(path(number), new(["ManufacturerData": beacon(7)])) }
            hearing.keepOnly([path(3), path(99)])
            #expect(hearing.count == 1)
        }
    }
#endif
