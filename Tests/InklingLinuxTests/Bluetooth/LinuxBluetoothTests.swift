#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingSession
    import Synchronization
    import Testing

    @testable import InklingLinux

    private let proximity: [UInt8] = [
        0xab, 0xe0, 0xbf, 0x31, 0xf9, 0xd4, 0x8c, 0x5f, 0x81, 0x45, 0x37, 0xff, 0x03, 0x09, 0xdd, 0x60,
    ]

    private func beacon(_ minor: UInt16, major: UInt8 = 0) -> BusValue {
        SimulatedBlueZ.apple(
            [0x02, 0x15] + proximity + [0, major, UInt8(minor >> 8), UInt8(minor & 0xff), 0xc5])
    }

    private let forLinks = BlueZSettings(
        parsing: "[General]\nPrivacy = device\nName = inkling\nDeviceID = false\n[GATT]\nChannels = 1\n")

    private func publication(_ minor: UInt16) -> RadioPublication {
        RadioPublication(minor: BeaconMinor(minor), tag: RecognitionTag(Octets16(high: UInt64(minor), low: 0)))
    }

    private func radio(
        _ bus: PrivateBus, clock: any NodeClock = SystemClock(),
        _ change: (inout BlueZRadio.Settings) -> Void = { _ in }
    ) -> LinuxBluetooth {
        var settings = BlueZRadio.Settings()
        settings.busAddress = bus.address
        settings.daemon = { BlueZSettings() }
        settings.makeLinks = nil
        change(&settings)
        return LinuxBluetooth(settings, clock: clock)
    }

    /// Returns the first report of a session that is wanted; the time limit of the suite ends the wait.
    private func first(
        of session: any RadioSession, _ isWanted: (RadioReport) -> Bool
    ) async throws -> RadioReport {
        for await report in session.reports where isWanted(report) { return report }
        throw BusError.closed
    }

    private func isFailure(_ report: RadioReport) -> Bool { if case .failed = report { true } else { false } }

    /// Links that only note what is asked of them.
    private final class RecordedLinks: BlueZLinks {
        private let notes = Mutex<[String]>([])
        private let daemon: SimulatedBlueZ

        init(_ daemon: SimulatedBlueZ) { self.daemon = daemon }

        var log: [String] { notes.withLock { $0 } }

        func register() async throws(BusError) { note("register, \(daemon.shown.count) sets") }
        func unregister() async { note("unregister") }
        func open(_ tag: RecognitionTag) -> AsyncStream<any Link> {
            note("open \(tag.octets.high), \(daemon.shown.count) sets")
            return AsyncStream { $0.finish() }
        }
        func close() async { note("close") }
        func connect(
            to address: DeviceAddress, within timeout: Duration
        ) async throws(LinkError) -> any TaggedLink { throw .timedOut }

        private func note(_ text: String) { notes.withLock { $0.append(text) } }
    }

    @Suite(.timeLimit(.minutes(2))) struct LinuxBluetoothTests {
        /// Covers INK-ADV-004, INK-ADV-012.
        @Test func `a beacon shows one set with its frame and nothing else, to which nobody can connect`() async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await radio(bus).open(publication(0xf9c5))
            #expect(
                daemon.shown.map(\.properties) == [["Type": .string("broadcast"), "ManufacturerData": beacon(0xf9c5)]])
            #expect(!session.carriesLinks)
            await session.close()
            #expect(daemon.shown == [])
            #expect(!daemon.isScanning)
        }

        /// Covers INK-ADV-003, INK-ADV-010, INK-BLE-013.
        @Test func `links show the frame in one connectable set and the service in a second one`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linking = radio(bus) {
                $0.mode = .links
                $0.daemon = { forLinks }
            }
            let session = try await linking.open(publication(7))
            #expect(
                daemon.shown.map(\.properties) == [
                    ["Type": .string("peripheral"), "ManufacturerData": beacon(7)],
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
            let linking = radio(bus) {
                $0.mode = .links
                $0.daemon = { forLinks }
            }
            var paths: Set<String> = []
            for minor in 1...3 as ClosedRange<UInt16> {
                let session = try await linking.open(publication(minor))
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

        @Test func `a session that its owner forgot ends before the next one begins`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            let forgotten = try await linux.open(publication(1))
            let session = try await linux.open(publication(2))
            #expect(daemon.shown.map(\.minor) == [2])
            for await _ in forgotten.reports {}
            await session.close()
        }

        @Test func `a set that is refused is an error, and nothing stays on the air`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            daemon.refuse("RegisterAdvertisement", BlueZName.failed)
            await #expect(throws: RadioError.refused) { try await linux.open(publication(1)) }
            #expect(daemon.shown == [])
            let session = try await linux.open(publication(2))
            #expect(daemon.shown.map(\.minor) == [2])
            await session.close()
        }

        @Test func `when the second set is refused, the first ends`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linking = radio(bus) {
                $0.mode = .links
                $0.daemon = { forLinks }
            }
            daemon.refuse("RegisterAdvertisement", BlueZName.failed, after: 1)
            await #expect(throws: RadioError.refused) { try await linking.open(publication(2)) }
            #expect(daemon.shown == [])
            #expect(
                daemon.log.prefix(3) == ["RegisterAdvertisement", "RegisterAdvertisement", "UnregisterAdvertisement"])
        }

        /// Covers INK-BLE-004.
        @Test func `when the end of a set is not confirmed, the connection is closed, and the next has another`()
            async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            let session = try await linux.open(publication(1))
            let owner = try #require(daemon.shown.first?.owner)
            daemon.ignore("UnregisterAdvertisement")
            await session.close()
            try await eventually { daemon.shown == [] }
            _ = try await linux.open(publication(2))
            #expect(daemon.shown.map(\.minor) == [2])
            #expect(daemon.shown.first?.owner != owner)
        }

        @Test func `frames of the project are reported, with address and power, and no others`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await radio(bus).open(publication(1))
            #expect(
                daemon.patterns
                    == [[0x4c, 0, 2, 0x15], [0x4c, 0, 1]].map {
                        .structure([.byte(0), .byte(0xff), .bytes($0)])
                    })
            daemon.hear("C0:00:00:00:00:01", ["RSSI": .int16(-50), "ManufacturerData": beacon(5, major: 1)])
            daemon.hear("C0:00:00:00:00:02", ["RSSI": .int16(-50), "Name": .string("other")])
            daemon.hear("C0:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": beacon(0xbeef)])
            let report = try await first(of: session) { if case .heard = $0 { true } else { false } }
            guard case .heard(let sighting) = report else { return }
            #expect(sighting.minor == BeaconMinor(0xbeef))
            #expect(sighting.address == DeviceAddress("c00000000003"))
            #expect(sighting.rssi == -61)
            await session.close()
        }

        @Test func `an overflow area with the bit of the service is reported`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await radio(bus).open(publication(1))
            let other = [UInt8](repeating: 0, count: 15) + [0x01]
            let ours = [UInt8](repeating: 0, count: 15) + [0x80]
            daemon.hear("C0:00:00:00:00:01", ["ManufacturerData": SimulatedBlueZ.apple([0x01] + other)])
            daemon.hear("C0:00:00:00:00:02", ["ManufacturerData": SimulatedBlueZ.apple([0x01] + ours)])
            let report = try await first(of: session) { if case .overflow = $0 { true } else { false } }
            guard case .overflow(let address, _) = report else { return }
            #expect(address == DeviceAddress("c00000000002"))
            await session.close()
        }

        /// Covers INK-BLE-035, INK-BLE-036.
        @Test func `scans actively only when that is allowed`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus, without: [BlueZName.monitoring])
            let passive = try await radio(bus).open(publication(1))
            #expect(try await first(of: passive) { $0 == .deaf(.none) } == .deaf(.none))
            await passive.close()
            #expect(!daemon.log.contains("StartDiscovery"))
            // Without private addresses it would send requests under the public one.
            let beacon = try await radio(bus) { $0.allowsActiveScan = true }.open(publication(2))
            #expect(!daemon.isScanning)
            await beacon.close()
            let active = try await radio(bus) {
                $0.allowsActiveScan = true
                $0.mode = .links
                $0.daemon = { forLinks }
            }.open(publication(3))
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
            let linking = radio(bus) {
                $0.mode = .links
                $0.daemon = { forLinks }
                $0.makeLinks = { _, _ in RecordedLinks(daemon) }
            }
            let contact = try #require(DeviceAddress(0xc0ff_ee00_0001))
            func calling() async -> LinkError? {
                do throws(LinkError) {
                    _ = try await linking.connect(to: contact, within: .seconds(1))
                    return nil
                } catch {
                    return error
                }
            }
            // Nobody was called, so the adapter stays on.
            try await linking.open(publication(1)).close()
            var session = try await linking.open(publication(2))
            #expect(!daemon.log.contains("Set Powered false"))
            #expect(await calling() == .timedOut)
            await session.close()
            // Another program's device is connected.
            daemon.hear("C0:00:00:00:00:09", ["Connected": .bool(true)])
            session = try await linking.open(publication(3))
            #expect(!daemon.log.contains("Set Powered false"))
            #expect(await calling() == .closed)
            await session.close()
            daemon.forget("C0:00:00:00:00:09")
            let count = daemon.log.count
            session = try await linking.open(publication(4))
            #expect(
                daemon.log[count...].prefix(3) == ["Set Powered false", "Set Powered true", "RegisterAdvertisement"])
            #expect(await calling() == .timedOut)
            await session.close()
        }

        /// Covers INK-BLE-011.
        @Test func `an adapter that is switched off ends the session`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            let session = try await linux.open(publication(1))
            daemon.set(BlueZName.adapter, "Powered", .bool(false))
            #expect(try await first(of: session, isFailure) == .failed(.poweredOff))
            try await eventually { daemon.shown == [] }
            await session.close()
            await #expect(throws: RadioError.poweredOff) { try await linux.open(publication(2)) }
            daemon.set(BlueZName.adapter, "Powered", .bool(true))
            let again = try await linux.open(publication(2))
            #expect(daemon.shown.map(\.minor) == [2])
            await again.close()
        }

        @Test func `an adapter that is removed ends the session, and can be used when it returns`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            let session = try await linux.open(publication(1))
            daemon.removeAdapter()
            #expect(try await first(of: session, isFailure) == .failed(.noAdapter))
            await session.close()
            await #expect(throws: RadioError.noAdapter) { try await linux.open(publication(2)) }
            daemon.addAdapter()
            try await linux.open(publication(2)).close()
        }

        @Test func `when the daemon restarts, the session ends, and the next one works`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            let session = try await linux.open(publication(1))
            await daemon.bus.close()
            #expect(try await first(of: session, isFailure) == .failed(.noDaemon))
            await session.close()
            await #expect(throws: RadioError.noDaemon) { try await linux.open(publication(2)) }
            let restarted = try await SimulatedBlueZ.start(bus)
            let again = try await linux.open(publication(2))
            #expect(restarted.shown.map(\.minor) == [2])
            await again.close()
        }

        @Test func `a set that the daemon ends by itself ends the session`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await radio(bus).open(publication(1))
            try await daemon.release(try #require(daemon.shown.first))
            #expect(try await first(of: session, isFailure) == .failed(.refused))
            await session.close()
        }

        @Test func `when the bus ends, the session ends`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            let session = try await linux.open(publication(1))
            bus.stop()
            let report = try await first(of: session, isFailure)
            #expect([.failed(.bus(code: BusLoop.noConnection)), .failed(.noDaemon)].contains(report))
            await session.close()
            await #expect(throws: RadioError.bus(code: 2)) { try await linux.open(publication(2)) }
            _ = daemon
        }

        @Test func `a storm of ten thousand signals loses no failure`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await radio(bus).open(publication(1))
            for number in 0..<10_000 { daemon.set(BlueZName.adapter, "Class", .uint32(UInt32(number))) }
            daemon.hear("C0:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": beacon(9)])
            daemon.set(BlueZName.adapter, "Powered", .bool(false))
            #expect(try await first(of: session, isFailure) == .failed(.poweredOff))
            await session.close()
        }

        /// Covers INK-BLE-041.
        @Test func `signals with other arguments than expected have no effect`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await radio(bus).open(publication(1))
            let device = SimulatedBlueZ.path(of: "C0:00:00:00:00:01")
            let values: [[BusValue]] = [
                [], [.uint32(1)], [.string(BlueZName.device), .string("x"), .strings([])],
                [
                    .string(BlueZName.device), .properties(["ManufacturerData": .string("x"), "RSSI": .string("y")]),
                    .strings([]),
                ],
                [.string(BlueZName.adapter), .properties(["Powered": .string("no")]), .strings([])],
                [.string(BlueZName.device), .properties(["ManufacturerData": SimulatedBlueZ.apple([])]), .strings([])],
                [
                    .string(BlueZName.device),
                    .properties(["ManufacturerData": SimulatedBlueZ.apple([UInt8](repeating: 2, count: 60_000))]),
                    .strings([]),
                ],
            ]
            for arguments in values {
                for path in [device, SimulatedBlueZ.adapterPath] {
                    daemon.bus.emit(path, BusInterface.properties, "PropertiesChanged", arguments)
                }
                for member in ["InterfacesAdded", "InterfacesRemoved"] {
                    daemon.bus.emit("/", BusInterface.objectManager, member, arguments)
                }
            }
            daemon.hear("C0:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": beacon(9)])
            let report = try await first(of: session) { if case .gap = $0 { false } else { true } }
            guard case .heard(let sighting) = report else { throw BusError.closed }
            #expect(sighting.minor == BeaconMinor(9))
            await session.close()
        }

        /// Covers INK-BLE-038, INK-BLE-039.
        @Test func `a deaf adapter is scanned again twice, then switched off and on from off the air`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let clock = SteppedClock()
            let linux = radio(bus, clock: clock)
            let session = try await linux.open(publication(1))
            var arriving = session.reports.makeAsyncIterator()
            #expect(await arriving.next() == .gap(.seconds(15)))
            daemon.hear("C0:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": beacon(9)])
            _ = await arriving.next()
            let start = clock.read().tick
            let running = Task { await clock.run() }
            var steps: [RadioReport] = []
            while let report = await arriving.next() {
                if case .heard = report { continue }
                steps.append(report)
                if isFailure(report) { break }
            }
            #expect(clock.read().tick.milliseconds(since: start) >= 15 * 60_000)
            running.cancel()
            #expect(steps == [.deaf(.scanAgain), .deaf(.scanAgain), .deaf(.powerCycle), .failed(.poweredOff)])
            await session.close()
            let switching = Array(daemon.log.suffix(from: daemon.log.firstIndex(of: "UnregisterAdvertisement") ?? 0))
            #expect(switching.prefix(3) == ["UnregisterAdvertisement", "Set Powered false", "Set Powered true"])
            #expect(daemon.shown == [])
            try await linux.open(publication(2)).close()
        }

        /// Covers INK-BLE-040.
        @Test func `a session over which another program is connected is not switched off`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            daemon.hear("C0:00:00:00:00:09", ["Connected": .bool(true)])
            let clock = SteppedClock()
            let linux = radio(bus, clock: clock)
            let session = try await linux.open(publication(1))
            daemon.hear("C0:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": beacon(9)])
            _ = try await first(of: session) { if case .heard = $0 { true } else { false } }
            let running = Task { await clock.run() }
            #expect(try await first(of: session) { $0 == .deaf(.none) } == .deaf(.none))
            running.cancel()
            #expect(!daemon.log.contains("Set Powered false"))
            #expect(daemon.shown.map(\.minor) == [1])
            await session.close()
        }

        /// Covers INK-BLE-014, INK-BLE-015.
        @Test func `a setting that would show something lasting is refused by its name`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus) { $0.mode = .links }
            await #expect(throws: RadioError.exposed(.privacy)) { try await linux.open(publication(1)) }
            #expect(!daemon.log.contains("RegisterAdvertisement"))
            // The settings are read before each session.
            let isChanged = Atomic(false)
            let changing = radio(bus) {
                $0.daemon = {
                    BlueZSettings(parsing: isChanged.load(ordering: .relaxed) ? "[General]\nPrivacy = device" : "")
                }
            }
            daemon.set(BlueZName.advertising, "SupportedSecondaryChannels", .strings([]))
            try await changing.open(publication(2)).close()
            isChanged.store(true, ordering: .relaxed)
            await #expect(throws: RadioError.exposed(.beaconPrivacy)) { try await changing.open(publication(3)) }
            #expect(daemon.log.count { $0 == "RegisterAdvertisement" } == 1)
        }

        /// Covers INK-BLE-020.
        @Test func `links are registered once, and are open from the time at which the sets are shown until they end`()
            async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let links = RecordedLinks(daemon)
            let linking = radio(bus) {
                $0.daemon = { forLinks }
                $0.makeLinks = { _, _ in links }
            }
            for minor in 1...2 as ClosedRange<UInt16> {
                let session = try await linking.open(publication(minor))
                #expect(session.carriesLinks)
                await session.close()
                for await _ in session.links {}
            }
            #expect(links.log == ["register, 0 sets", "open 1, 2 sets", "close", "open 2, 2 sets", "close"])
            daemon.set(BlueZName.adapter, "Alias", .string("Ada"))
            let session = try await linking.open(publication(3))
            #expect(!session.carriesLinks)
            #expect(links.log.last == "unregister")
            await session.close()
        }

        @Test func `there is no daemon, no adapter of that name, or none that is switched on`() async throws {
            let bus = try PrivateBus()
            await #expect(throws: RadioError.noDaemon) { try await radio(bus).open(publication(1)) }
            let daemon = try await SimulatedBlueZ.start(bus, overriding: [BlueZName.adapter: ["Powered": .bool(false)]])
            await #expect(throws: RadioError.poweredOff) { try await radio(bus).open(publication(1)) }
            await #expect(throws: RadioError.noAdapter) {
                try await radio(bus) { $0.adapter = "hci7" }.open(publication(1))
            }
            #expect(daemon.shown == [])
        }

        @Test func `without links nobody can be connected to`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = radio(bus)
            let session = try await linux.open(publication(1))
            await #expect(throws: LinkError.closed) {
                try await linux.connect(to: #require(DeviceAddress("c00000000003")), within: .seconds(1))
            }
            await session.close()
            _ = daemon
        }
    }
#endif
