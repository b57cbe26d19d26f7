#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import Testing

    @testable import InklingLinux

    /// The behaviour of a radio that loses the daemon, the adapter or its power, that is deaf, or that gets no reply.
    @Suite(.hangDetector) struct LinuxBluetoothLossTests {
        @Test func `a session that its owner forgot ends before the next one begins`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus)
            let forgotten = try await linux.open(.epoch(1))
            let session = try await linux.open(.epoch(2))
            #expect(daemon.shown.map(\.minor) == [2])
            for await _ in forgotten.reports {}
            await session.close()
        }

        /// Covers INK-BLE-004.
        @Test func `when the end of a set is not confirmed, the connection is closed, and the next has another`()
            async throws
        {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus) {
                $0.busLimit = PrivateBus.patience(except: "UnregisterAdvertisement")
            }
            let session = try await linux.open(.epoch(1))
            let owner = try #require(daemon.shown.first?.owner)
            daemon.ignore("UnregisterAdvertisement")
            await session.close()
            await daemon.state.wait(until: \.shown.isEmpty)
            _ = try await linux.open(.epoch(2))
            #expect(daemon.shown.map(\.minor) == [2])
            #expect(daemon.shown.first?.owner != owner)
        }

        /// The remedies differ: one is restarted, the other started.
        @Test func `a daemon that runs and does not reply is told from one that does not run`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            daemon.ignore("RegisterAdvertisement")
            await #expect(throws: RadioError.noReply) {
                try await LinuxBluetooth.over(bus) {
                    $0.busLimit = PrivateBus.patience(except: "RegisterAdvertisement")
                }.open(.epoch(1))
            }
            try await bus.end(daemon.bus)
            await #expect(throws: RadioError.noDaemon) { try await LinuxBluetooth.over(bus).open(.epoch(1)) }
        }

        /// Covers INK-BLE-011.
        @Test func `an adapter that is switched off ends the session`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus)
            let session = try await linux.open(.epoch(1))
            daemon.set(BlueZName.adapter, "Powered", .bool(false))
            #expect(try await session.first(\.isFailure) == .failed(.poweredOff))
            await daemon.state.wait(until: \.shown.isEmpty)
            await session.close()
            await #expect(throws: RadioError.poweredOff) { try await linux.open(.epoch(2)) }
            daemon.set(BlueZName.adapter, "Powered", .bool(true))
            await daemon.settled()
            let again = try await linux.open(.epoch(2))
            #expect(daemon.shown.map(\.minor) == [2])
            await again.close()
        }

        @Test func `an adapter that is removed ends the session, and can be used when it returns`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus)
            let session = try await linux.open(.epoch(1))
            daemon.removeAdapter()
            #expect(try await session.first(\.isFailure) == .failed(.noAdapter))
            await session.close()
            await #expect(throws: RadioError.noAdapter) { try await linux.open(.epoch(2)) }
            daemon.addAdapter()
            await daemon.settled()
            try await linux.open(.epoch(2)).close()
        }

        @Test func `when the daemon restarts, the session ends, and the next one works`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus)
            let session = try await linux.open(.epoch(1))
            await daemon.bus.close()
            #expect(try await session.first(\.isFailure) == .failed(.noDaemon))
            await session.close()
            await #expect(throws: RadioError.noDaemon) { try await linux.open(.epoch(2)) }
            let restarted = try await SimulatedBlueZ.start(bus)
            let again = try await linux.open(.epoch(2))
            #expect(restarted.shown.map(\.minor) == [2])
            await again.close()
        }

        @Test func `a set that the daemon ends by itself ends the session`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await LinuxBluetooth.kept(by: bus).open(.epoch(1))
            try await daemon.release(try #require(daemon.shown.first))
            #expect(try await session.first(\.isFailure) == .failed(.refused))
            await session.close()
        }

        @Test func `when the bus ends, the session ends`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let linux = LinuxBluetooth.over(bus)
            let session = try await linux.open(.epoch(1))
            bus.stop()
            let report = try await session.first(\.isFailure)
            #expect([.failed(.bus(code: BusLoop.noConnection)), .failed(.noDaemon)].contains(report))
            await session.close()
            await #expect(throws: RadioError.bus(code: 2)) { try await linux.open(.epoch(2)) }
            _ = daemon
        }

        @Test func `a storm of ten thousand signals loses no failure`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await LinuxBluetooth.kept(by: bus).open(.epoch(1))
            for number in 0..<10_000 { daemon.set(BlueZName.adapter, "Class", .uint32(UInt32(number))) }
            daemon.hear("40:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": .beacon(9)])
            daemon.set(BlueZName.adapter, "Powered", .bool(false))
            let report = try await session.first(\.isFailure)
            #expect(report == .failed(.poweredOff))
            await session.close()
        }

        /// Covers INK-BLE-041.
        @Test func `signals with other arguments than expected have no effect`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let session = try await LinuxBluetooth.kept(by: bus).open(.epoch(1))
            let device = SimulatedBlueZ.path(of: "40:00:00:00:00:01")
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
            daemon.hear("40:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": .beacon(9)])
            let report = try await session.first { if case .gap = $0 { false } else { true } }
            guard case .heard(let sighting) = report else {
                Issue.record("\(report) is no sighting")
                return
            }
            #expect(sighting.minor == BeaconMinor(9))
            await session.close()
        }

        /// Covers INK-BLE-038, INK-BLE-039.
        @Test func `a deaf adapter is scanned again twice, then switched off and on from off the air`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            let clock = SteppedClock()
            let linux = LinuxBluetooth.over(bus, clock: clock)
            let session = try await linux.open(.epoch(1))
            var arriving = session.reports.makeAsyncIterator()
            #expect(await arriving.next() == .gap(.seconds(15)))
            daemon.hear("40:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": .beacon(9)])
            _ = await arriving.next()
            let start = clock.read().tick
            let running = Task { await clock.run() }
            var steps: [RadioReport] = []
            while let report = await arriving.next() {
                if case .heard = report { continue }
                steps.append(report)
                if report.isFailure { break }
            }
            #expect(clock.read().tick.milliseconds(since: start) >= 15 * 60_000)
            running.cancel()
            #expect(steps == [.deaf(.scanAgain), .deaf(.scanAgain), .deaf(.powerCycle), .failed(.poweredOff)])
            await session.close()
            let switching = Array(daemon.log.suffix(from: daemon.log.firstIndex(of: "UnregisterAdvertisement") ?? 0))
            #expect(switching.prefix(3) == ["UnregisterAdvertisement", "Set Powered false", "Set Powered true"])
            #expect(daemon.shown == [])
            try await linux.open(.epoch(2)).close()
        }

        /// Covers INK-BLE-039.
        @Test func `an adapter that finds a device which stays the same is not deaf`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            daemon.hear("40:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": .beacon(9)])
            await daemon.settled()
            let clock = SteppedClock()
            // Releasing it would end its session.
            let linux = LinuxBluetooth.over(bus, clock: clock) { $0.recovery.patience = 60_000 }
            defer { withExtendedLifetime(linux) {} }
            let session = try await linux.open(.epoch(1))
            var arriving = session.reports.makeAsyncIterator()
            // Beyond the first step, and before the second one.
            let end = clock.read().tick.advanced(byMilliseconds: 100_000)
            await clock.run(until: end)
            while let report = await arriving.next(), report != .deaf(.scanAgain) {}
            try await daemon.find("40:00:00:00:00:03")
            while let report = await arriving.next(), report != .hearing {}
            await session.close()
        }

        /// Covers INK-BLE-040.
        @Test func `a session over which another program is connected is not switched off`() async throws {
            let bus = try PrivateBus()
            let daemon = try await SimulatedBlueZ.start(bus)
            daemon.hear("40:00:00:00:00:09", ["Connected": .bool(true)])
            await daemon.settled()
            let clock = SteppedClock()
            let linux = LinuxBluetooth.over(bus, clock: clock)
            let session = try await linux.open(.epoch(1))
            daemon.hear("40:00:00:00:00:03", ["RSSI": .int16(-61), "ManufacturerData": .beacon(9)])
            _ = try await session.first { if case .heard = $0 { true } else { false } }
            let running = Task { await clock.run() }
            #expect(try await session.first { $0 == .deaf(.none) } == .deaf(.none))
            running.cancel()
            #expect(!daemon.log.contains("Set Powered false"))
            #expect(daemon.shown.map(\.minor) == [1])
            await session.close()
        }

        @Test func `there is no daemon, no adapter of that name, or none that is switched on`() async throws {
            let bus = try PrivateBus()
            await #expect(throws: RadioError.noDaemon) { try await LinuxBluetooth.over(bus).open(.epoch(1)) }
            let daemon = try await SimulatedBlueZ.start(bus, overriding: [BlueZName.adapter: ["Powered": .bool(false)]])
            await #expect(throws: RadioError.poweredOff) { try await LinuxBluetooth.over(bus).open(.epoch(1)) }
            await #expect(throws: RadioError.noAdapter) {
                try await LinuxBluetooth.over(bus) { $0.adapter = "hci7" }.open(.epoch(1))
            }
            #expect(daemon.shown == [])
        }
    }
#endif
