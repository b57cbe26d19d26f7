#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import Synchronization
    import Testing

    @testable import InklingLinux

    /// Sets, their rotation, and the settings under which they are shown.
    @Suite(.hangDetector) struct LinuxBluetoothTests {
        /// Covers INK-ADV-004, INK-ADV-012.
        @Test func `a beacon shows one set with its frame and nothing else, to which nobody can connect`() async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await LinuxBluetooth.kept(by: bus).open(.epoch(0xf9c5))
            #expect(
                daemon.shown.map(\.properties) == [["Type": .string("broadcast"), "ManufacturerData": .beacon(0xf9c5)]])
            #expect(!session.carriesLinks)
            await session.close()
            #expect(daemon.shown == [])
            #expect(!daemon.isScanning)
        }

        /// Covers INK-ADV-003, INK-ADV-010, INK-BLE-013.
        @Test func `links show the frame in one connectable set and the service in a second one`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linking = LinuxBluetooth.over(bus) {
                $0.mode = .links
                $0.daemon = { .forLinks }
            }
            let session = try await linking.open(.epoch(7))
            #expect(
                daemon.shown.map(\.properties) == [
                    ["Type": .string("peripheral"), "ManufacturerData": .beacon(7)],
                    [
                        "Type": .string("peripheral"),
                        "ServiceUUIDs": .strings(["1a356f5b-2e00-8d8d-b35a-edd2584c4da4"]),
                    ],
                ])
            await session.close()
            #expect(daemon.shown == [])
        }

        /// Covers INK-ADV-011, INK-BLE-003, INK-BLE-005, INK-BLE-010.
        @Test func `at a rotation every set of one epoch ends before one of the next begins, as a new object`()
            async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linking = LinuxBluetooth.over(bus) {
                $0.mode = .links
                $0.daemon = { .forLinks }
            }
            var paths: Set<String> = []
            for minor in 1...3 as ClosedRange<UInt16> {
                let session = try await linking.open(.epoch(minor))
                #expect(daemon.shown.map(\.minor) == [minor, nil])
                paths.formUnion(daemon.shown.map(\.path))
                await session.close()
            }
            #expect(paths.count == 6)
            let epoch = [
                "RegisterAdvertisement", "RegisterAdvertisement", "RegisterMonitor", "UnregisterMonitor",
                "UnregisterAdvertisement", "UnregisterAdvertisement",
            ]
            #expect(daemon.log == epoch + epoch + epoch)
        }

        @Test func `a set that is refused is an error, and nothing stays on the air`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus)
            daemon.refuse("RegisterAdvertisement", BlueZName.failed)
            await #expect(throws: RadioError.refused) { try await linux.open(.epoch(1)) }
            #expect(daemon.shown == [])
            let session = try await linux.open(.epoch(2))
            #expect(daemon.shown.map(\.minor) == [2])
            await session.close()
        }

        @Test func `when the second set is refused, the first ends`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linking = LinuxBluetooth.over(bus) {
                $0.mode = .links
                $0.daemon = { .forLinks }
            }
            daemon.refuse("RegisterAdvertisement", BlueZName.failed, after: 1)
            await #expect(throws: RadioError.refused) { try await linking.open(.epoch(2)) }
            #expect(daemon.shown == [])
            #expect(
                daemon.log.prefix(3) == ["RegisterAdvertisement", "RegisterAdvertisement", "UnregisterAdvertisement"])
        }

        @Test func `frames of the project are reported, with address and power, and no others`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await LinuxBluetooth.kept(by: bus).open(.epoch(1))
            #expect(
                daemon.patterns
                    == [[0x4c, 0, 2, 0x15], [0x4c, 0, 1]].map {
                        .structure([.byte(0), .byte(0xff), .bytes($0)])
                    })
            daemon.hear("40:00:00:00:00:01", ["RSSI": .int16(-50), "ManufacturerData": .beacon(5, major: 1)])
            daemon.hear("40:00:00:00:00:02", ["RSSI": .int16(-50), "Name": .string("other")])
            daemon.hear("40:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": .beacon(0xbeef)])
            let report = try await session.first { if case .heard = $0 { true } else { false } }
            guard case .heard(let sighting) = report else { return }
            #expect(sighting.minor == BeaconMinor(0xbeef))
            #expect(sighting.address == DeviceAddress("400000000003"))
            #expect(sighting.rssi == -61)
            await session.close()
        }

        /// Covers INK-BLE-057.
        @Test func `who hears too many addresses listens for the expected minors alone until the session ends`()
            async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let clock = SteppedClock()
            let running = Task { await clock.run() }
            defer { running.cancel() }
            let linux = LinuxBluetooth.over(bus, clock: clock) { ($0.crowd, $0.turn) = (4, 20) }
            linux.expect([BeaconMinor(0x0102), BeaconMinor(7)])
            let session = try await linux.open(.epoch(1))
            let all = daemon.patterns
            // A refusal leaves it as it is, until the next turn.
            daemon.refuse("RegisterMonitor", BlueZName.failed)
            for number in 1...5 {
                daemon.hear("40:00:00:00:00:0\(number)", ["RSSI": .int16(-50), "ManufacturerData": .beacon(3)])
            }
            _ = try await session.first { $0 == .crowded }
            let narrow = [beaconPattern(7), beaconPattern(0x0102)]
            await daemon.state.wait { $0.patterns == narrow }
            #expect(daemon.log.count { $0 == "RegisterMonitor" } == 3)
            #expect(daemon.log.count { $0 == "UnregisterMonitor" } == 1)
            // Other contacts are expected.
            linux.expect(Set((0..<300).map { BeaconMinor($0) }))
            await daemon.state.wait { $0.patterns.count == 300 }
            linux.expect([])
            await daemon.state.wait(until: \.patterns.isEmpty)
            // More minors than it can listen for: it stays as it is.
            linux.expect(Set((0...UInt16(BlueZScanner.minorLimit)).map { BeaconMinor($0) }))
            await session.close()
            let next = try await linux.open(.epoch(2))
            #expect(daemon.patterns == all)
            await next.close()
        }

        /// A pattern of everything in the beacon of a minor before the power.
        private func beaconPattern(_ minor: UInt16) -> BusValue {
            .structure([
                .byte(0), .byte(0xff), .bytes(Array(IBeacon(minor: BeaconMinor(minor)).encoded()[5..<29])),
            ])
        }

        /// Covers INK-BLE-057.
        @Test func `a radio that listens for a few is not deaf where they are not`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let clock = SteppedClock()
            let linux = LinuxBluetooth.over(bus, clock: clock) { $0.crowd = 2 }
            linux.expect([BeaconMinor(7)])
            let session = try await linux.open(.epoch(1))
            for number in 1...3 {
                daemon.hear("40:00:00:00:00:0\(number)", ["RSSI": .int16(-50), "ManufacturerData": .beacon(3)])
            }
            _ = try await session.first { $0 == .crowded }
            let end = clock.read().tick.advanced(byMilliseconds: 20 * 60_000)
            await clock.run(until: end)
            await session.close()
            var reports: [RadioReport] = []
            for await report in session.reports { reports.append(report) }
            #expect(!reports.contains { if case .deaf = $0 { true } else { false } })
        }

        @Test func `a device whose data and power stay the same is reported at each time at which it is found`()
            async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            // Listed before the session, so that no signal reports it.
            daemon.hear("40:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": .beacon(9)])
            daemon.hear(
                "40:00:00:00:00:04", ["AddressType": .string("public"), "ManufacturerData": .beacon(10)])
            await daemon.settled()
            let clock = SteppedClock()
            // Releasing it would end its session.
            let linux = LinuxBluetooth.over(bus, clock: clock)
            defer { withExtendedLifetime(linux) {} }
            let session = try await linux.open(.epoch(1))
            for address in ["40:00:00:00:00:04", "40:00:00:00:00:05", "40:00:00:00:00:03"] {
                try await daemon.find(address)
            }
            let report = try await session.first { if case .heard = $0 { true } else { false } }
            guard case .heard(let sighting) = report else { return }
            #expect(sighting.minor == BeaconMinor(9))
            #expect(sighting.observed == ObservedTime(at: clock.read()))
            await session.close()
        }

        @Test func `an overflow area with the bit of the service is reported`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await LinuxBluetooth.kept(by: bus).open(.epoch(1))
            let other = [UInt8](repeating: 0, count: 15) + [0x01]
            let ours = [UInt8](repeating: 0, count: 15) + [0x80]
            daemon.hear("40:00:00:00:00:01", ["ManufacturerData": SimulatedBlueZ.apple([0x01] + other)])
            daemon.hear("40:00:00:00:00:02", ["ManufacturerData": SimulatedBlueZ.apple([0x01] + ours)])
            let report = try await session.first { if case .overflow = $0 { true } else { false } }
            guard case .overflow(let address, _) = report else { return }
            #expect(address == DeviceAddress("400000000002"))
            await session.close()
        }

        /// Covers INK-BLE-035, INK-BLE-036.
        @Test func `scans actively only when that is allowed`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus, without: [BlueZName.monitoring])
            let passive = try await LinuxBluetooth.kept(by: bus).open(.epoch(1))
            #expect(try await passive.first { $0 == .deaf(.none) } == .deaf(.none))
            await passive.close()
            #expect(!daemon.log.contains("StartDiscovery"))
            // Without private addresses it would send requests under the public one.
            let beacon = try await LinuxBluetooth.kept(by: bus) { $0.allowsActiveScan = true }.open(.epoch(2))
            #expect(!daemon.isScanning)
            await beacon.close()
            let active = try await LinuxBluetooth.over(bus) {
                $0.allowsActiveScan = true
                $0.mode = .links
                $0.daemon = { .forLinks }
            }.open(.epoch(3))
            #expect(daemon.isScanning)
            #expect(
                daemon.log.filter { $0.hasSuffix("Discovery") || $0 == "SetDiscoveryFilter" } == [
                    "SetDiscoveryFilter", "StartDiscovery",
                ])
            await active.close()
            #expect(!daemon.isScanning)
        }

        /// Covers INK-BLE-026.
        @Test func `the address of calls ends in the next gap, and while it cannot nobody is called`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linking = LinuxBluetooth.over(bus) {
                $0.mode = .links
                $0.daemon = { .forLinks }
                $0.makeLinks = { _, _ in RecordedLinks(daemon) }
            }
            let contact = try #require(DeviceAddress(0x40ff_ee00_0001))
            func calling() async -> LinkError? {
                do throws(LinkError) {
                    _ = try await linking.connect(to: contact, within: .seconds(1))
                    return nil
                } catch {
                    return error
                }
            }
            // An earlier run may have called a device.
            try await linking.open(.epoch(1)).close()
            #expect(daemon.log.prefix(3) == ["Set Powered false", "Set Powered true", "RegisterAdvertisement"])
            func switchings() -> Int { daemon.log.count { $0 == "Set Powered false" } }
            // No device was called since, so the adapter stays on.
            var session = try await linking.open(.epoch(2))
            #expect(switchings() == 1)
            #expect(await calling() == .timedOut)
            await session.close()
            // Another program's device is connected.
            daemon.hear("40:00:00:00:00:09", ["Connected": .bool(true)])
            await daemon.settled()
            session = try await linking.open(.epoch(3))
            #expect(switchings() == 1)
            #expect(await calling() == .closed)
            await session.close()
            daemon.forget("40:00:00:00:00:09")
            await daemon.settled()
            let count = daemon.log.count
            session = try await linking.open(.epoch(4))
            #expect(
                daemon.log[count...].prefix(3) == ["Set Powered false", "Set Powered true", "RegisterAdvertisement"])
            #expect(await calling() == .timedOut)
            await session.close()
        }

        /// Covers INK-BLE-014, INK-BLE-015.
        @Test func `a setting that would show something lasting is refused by its name`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus) { $0.mode = .links }
            await #expect(throws: RadioError.exposed(.privacy)) { try await linux.open(.epoch(1)) }
            #expect(!daemon.log.contains("RegisterAdvertisement"))
            // The settings are read before each session.
            let isChanged = Atomic(false)
            let changing = LinuxBluetooth.over(bus) {
                $0.daemon = {
                    BlueZSettings(parsing: isChanged.load(ordering: .relaxed) ? "[General]\nPrivacy = device" : "")
                }
            }
            daemon.set(BlueZName.advertising, "SupportedSecondaryChannels", .strings([]))
            await daemon.settled()
            try await changing.open(.epoch(2)).close()
            isChanged.store(true, ordering: .relaxed)
            await #expect(throws: RadioError.exposed(.beaconPrivacy)) { try await changing.open(.epoch(3)) }
            #expect(daemon.log.count { $0 == "RegisterAdvertisement" } == 1)
        }

        /// Covers INK-BLE-012, INK-BLE-014, INK-BLE-016.
        @Test(arguments: [
            ("UUIDs", BusValue.strings(["0000180f-0000-1000-8000-00805f9b34fb"]), RadioSetting.otherServices),
            ("Class", .uint32(0x10c), .appearance), ("Alias", .string("Ada"), .name),
        ])
        func `a service or a name that appears while links are shown ends them, and a beacon remains`(
            property: String, value: BusValue, setting: RadioSetting
        ) async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linking = LinuxBluetooth.over(bus) {
                $0.daemon = { .forLinks }
                $0.makeLinks = { _, _ in RecordedLinks(daemon) }
            }
            let session = try await linking.open(.epoch(1))
            #expect(session.carriesLinks)
            daemon.set(BlueZName.adapter, property, value)
            #expect(try await session.first(\.isFailure) == .failed(.exposed(setting)))
            await daemon.state.wait(until: \.shown.isEmpty)
            await session.close()
            let beacon = try await linking.open(.epoch(2))
            #expect(!beacon.carriesLinks)
            #expect(daemon.shown.map { $0.properties["Type"] } == [.string("broadcast")])
            await beacon.close()
        }

        /// Covers INK-BLE-020.
        @Test func `links are registered once, and are open from the time at which the sets are shown until they end`()
            async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let links = RecordedLinks(daemon)
            let linking = LinuxBluetooth.over(bus) {
                $0.daemon = { .forLinks }
                $0.makeLinks = { _, _ in links }
            }
            for minor in 1...2 as ClosedRange<UInt16> {
                let session = try await linking.open(.epoch(minor))
                #expect(session.carriesLinks)
                await session.close()
                for await _ in session.links {}
            }
            #expect(links.log == ["register, 0 sets", "open 1, 2 sets", "close", "open 2, 2 sets", "close"])
            daemon.set(BlueZName.adapter, "Alias", .string("Ada"))
            await daemon.settled()
            let session = try await linking.open(.epoch(3))
            #expect(!session.carriesLinks)
            #expect(links.log.last == "unregister")
            await session.close()
        }

        /// Covers INK-RSP-004, INK-RSP-009.
        @Test func `a radio with nothing to show registers no set and serves no tag, and scans and calls`() async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let links = RecordedLinks(daemon)
            let linking = LinuxBluetooth.over(bus) {
                $0.daemon = { .forLinks }
                $0.makeLinks = { _, _ in links }
            }
            let listening = try await linking.open(nil)
            #expect(listening.carriesLinks && daemon.isScanning)
            #expect(daemon.shown == [] && !daemon.log.contains("RegisterAdvertisement"))
            #expect(links.log == ["register, 0 sets", "open without a tag, 0 sets"])
            let owner = try #require(DeviceAddress(0x40ff_ee00_0001))
            // The recorded links answer every call like this.
            await #expect(throws: LinkError.timedOut) { try await linking.connect(to: owner, within: .seconds(1)) }
            await listening.close()
            #expect(!daemon.isScanning)
            let session = try await linking.open(.epoch(1))
            #expect(daemon.shown.count == 2)
            await session.close()
        }

        @Test func `without links nobody can be connected to`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus)
            let session = try await linux.open(.epoch(1))
            await #expect(throws: LinkError.closed) {
                try await linux.connect(to: #require(DeviceAddress("400000000003")), within: .seconds(1))
            }
            await session.close()
            _ = daemon
        }
    }
#endif
