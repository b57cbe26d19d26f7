#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import Testing

    @testable import InklingLinux

    private let tag = RecognitionTag(Octets16(high: 1, low: 2))
    private let nextTag = RecognitionTag(Octets16(high: 3, low: 4))

    /// Two adapters that hear each other, with links on both; the first one calls.
    private struct Pair {
        let daemon: PrivateBus
        let air: SimulatedAir
        let caller: GATTLinks
        let served: GATTLinks
        let servedLinks: AsyncStream<any Link>
        /// The clock of all links.
        let clock = SteppedClock()

        static let callerAdapter = SimulatedAir.adapters[0]
        static let servedAdapter = SimulatedAir.adapters[1]

        init(
            mtu: UInt16 = 517, served servedLimits: ServedCentrals.Limits = ServedCentrals.Limits()
        ) async throws {
            daemon = try PrivateBus()
            air = try await SimulatedAir(daemon.address)
            air.state.withLock { $0.mtu = mtu }
            caller = GATTLinks(
                bus: try await daemon.open(), adapter: Self.callerAdapter, served: servedLimits, clock: clock)
            served = GATTLinks(
                bus: try await daemon.open(), adapter: Self.servedAdapter, served: servedLimits, clock: clock)
            try await caller.register()
            try await served.register()
            _ = caller.open(tag)
            servedLinks = served.open(nextTag)
            await air.hear(on: Self.callerAdapter)
        }

        func connect(within timeout: Duration = .seconds(10)) async throws(LinkError) -> any TaggedLink {
            try await caller.connect(to: SimulatedAir.address(Self.servedAdapter), within: timeout)
        }
    }

    private func packet(_ type: PacketType, _ count: Int, seed: UInt8 = 7) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try Packet(type, body: (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ seed }).append(to: &bytes)
        return bytes
    }

    @Suite(.hangDetector) struct GATTLinksTests {
        /// Covers INK-BLE-053.
        @Test(arguments: [23, 185, 517] as [UInt16])
        func `packets of a handshake and of a session cross in both directions`(mtu: UInt16) async throws {
            let pair = try await Pair(mtu: mtu)
            let link = try await pair.connect()
            #expect(try await link.readTag(within: .seconds(20)) == nextTag)
            let first = try packet(.confirmFirst, 128)
            try await link.send(first)
            var accepted = pair.servedLinks.makeAsyncIterator()
            let other = try #require(await accepted.next())
            #expect(try await other.receive(upTo: 129, within: .seconds(20)) == first)
            await other.markGatePassed()
            let second = try packet(.confirmSecond, 112)
            try await other.send(second)
            #expect(try await link.receive(upTo: 129, within: .seconds(20)) == second)
            await other.markAuthenticated()
            await link.markAuthenticated()
            for size in [16 + 256, 16 + 12 * 256, 16 + 65 * 256] {
                let record = try packet(.record, size, seed: UInt8(truncatingIfNeeded: size))
                try await link.send(record)
                #expect(try await other.receive(upTo: Packet.byteLimit, within: .seconds(20)) == record)
                try await other.send(record)
                #expect(try await link.receive(upTo: Packet.byteLimit, within: .seconds(20)) == record)
            }
            let longest = pair.air.state.withLock { ($0.writes + $0.notifications).map(\.count).max() ?? 0 }
            #expect(longest == min(Int(mtu) - 3, 510))
            await link.close()
            await #expect(throws: LinkError.closed) { try await other.receive(upTo: 1, within: .seconds(20)) }
            try await eventually { pair.caller.counts.allSatisfy { $0 == 0 } }
            try await eventually { pair.served.counts.allSatisfy { $0 == 0 } }
        }

        /// Covers INK-BLE-045, INK-BLE-050, INK-HSK-035.
        @Test func `a tag is shown while a session is open, and neither after it nor to a device that stays`()
            async throws
        {
            let pair = try await Pair()
            let stranger = pair.air.connectStranger(try #require(DeviceAddress(0x4711)), to: Pair.servedAdapter)
            #expect(await pair.air.readTag(as: stranger, of: Pair.servedAdapter) == .success(bytes(nextTag)))
            #expect(
                await pair.air.readTag(as: stranger, of: Pair.servedAdapter, offset: 10)
                    == .success(Array(bytes(nextTag).dropFirst(10))))
            let refused = Result<[UInt8], BusError>.failure(.refused(name: "org.bluez.Error.NotSupported"))
            _ = pair.served.open(tag)
            #expect(await pair.air.readTag(as: stranger, of: Pair.servedAdapter) == refused)
            await pair.served.close()
            #expect(!pair.air.isConnected(stranger))
            let next = pair.air.connectStranger(try #require(DeviceAddress(0x4712)), to: Pair.servedAdapter)
            #expect(await pair.air.readTag(as: next, of: Pair.servedAdapter) == refused)
        }

        /// Covers INK-BLE-054.
        @Test func `a device that is called cannot read the tag of who calls`() async throws {
            let pair = try await Pair()
            let link = try await pair.connect()
            let device = SimulatedAir.address(Pair.servedAdapter).devicePath(below: Pair.callerAdapter)
            #expect(
                await pair.air.readTag(as: device, of: Pair.callerAdapter)
                    == .failure(.refused(name: "org.bluez.Error.NotSupported")))
            #expect(try await link.readTag(within: .seconds(20)) == nextTag)
        }

        /// Covers INK-BLE-043.
        @Test(arguments: [("public", false), ("random", true)])
        func `a device of somebody else stays connected and known`(addressType: String, isPaired: Bool) async throws {
            let pair = try await Pair()
            let headset = pair.air.connectStranger(
                try #require(DeviceAddress(0x4711)), to: Pair.servedAdapter, addressType: addressType,
                isPaired: isPaired)
            let stranger = pair.air.connectStranger(try #require(DeviceAddress(0x4712)), to: Pair.servedAdapter)
            try await eventually { pair.served.counts.first == 2 }
            pair.clock.advance(to: .seconds(10))
            await pair.air.disconnection(of: stranger)
            await pair.served.close()
            try await eventually { pair.served.counts.allSatisfy { $0 == 0 } }
            #expect(pair.air.isConnected(headset))
            #expect(pair.air.state.withLock { $0.known.contains(headset) })
        }

        /// Covers INK-BLE-043.
        @Test(
            arguments: [(0x4711, "public", true), (0x4711, "random", true), (0xf000_0000_4711, "random", false)]
                as [(UInt64, String, Bool)])
        func `a device of somebody else reads no tag, and what it writes does not reach the node`(
            address: UInt64, addressType: String, isPaired: Bool
        ) async throws {
            let pair = try await Pair()
            let foreign = pair.air.connectStranger(
                try #require(DeviceAddress(address)), to: Pair.servedAdapter, addressType: addressType,
                isPaired: isPaired)
            #expect(
                await pair.air.readTag(as: foreign, of: Pair.servedAdapter)
                    == .failure(.refused(name: "org.bluez.Error.NotSupported")))
            await pair.air.write(try packet(.confirmFirst, 128), as: foreign, to: Pair.servedAdapter)
            // The next link to arrive is that of a device which may be served.
            let link = try await pair.connect()
            try await link.send(try packet(.confirmFirst, 128))
            var accepted = pair.servedLinks.makeAsyncIterator()
            #expect(await accepted.next()?.route == .device(SimulatedAir.address(Pair.callerAdapter)))
        }

        /// ESPHome's proxies have public addresses, some of which look like static ones.
        ///
        /// Covers INK-BLE-043.
        @Test(arguments: [0x4711, 0xf000_0000_4711] as [UInt64])
        func `a device with a public address that uses the service is served, and leaves as any other`(
            address: UInt64
        ) async throws {
            let pair = try await Pair()
            let proxy = pair.air.connectStranger(
                try #require(DeviceAddress(address)), to: Pair.servedAdapter, addressType: "public")
            try await eventually { pair.served.counts.first == 1 }
            #expect(await pair.air.readTag(as: proxy, of: Pair.servedAdapter) == .success(bytes(nextTag)))
            let first = try packet(.confirmFirst, 128)
            await pair.air.write([0x80] + first, as: proxy, to: Pair.servedAdapter)
            await pair.served.close()
            #expect(!pair.air.isConnected(proxy))
            try await eventually { pair.served.counts.allSatisfy { $0 == 0 } }
        }

        /// Covers INK-BLE-042.
        @Test func `a device with a public address is not called`() async throws {
            let pair = try await Pair()
            let address = try #require(DeviceAddress(0x4713))
            await pair.air.hear(address.devicePath(below: Pair.callerAdapter), addressType: "public")
            await #expect(throws: LinkError.self) {
                _ = try await pair.caller.connect(to: address, within: .seconds(20))
            }
            #expect(pair.air.state.withLock { $0.connections.isEmpty })
        }

        /// Covers INK-HSK-034.
        @Test func `a stranger that stays silent is disconnected when its time is over`() async throws {
            let pair = try await Pair()
            let stranger = pair.air.connectStranger(try #require(DeviceAddress(0x4711)), to: Pair.servedAdapter)
            await pair.air.subscribe(as: stranger, to: Pair.servedAdapter)
            #expect(await pair.clock.next() == .seconds(10))
            #expect(pair.air.isConnected(stranger))
            pair.clock.advance(to: .seconds(10))
            await pair.air.disconnection(of: stranger)
            try await eventually { pair.served.counts.allSatisfy { $0 == 0 } }
            #expect(pair.air.state.withLock { $0.notifications.isEmpty })
        }

        /// Covers INK-BLE-049, INK-HSK-021.
        @Test(arguments: [[0x90, 1, 2], [], [0x13, 0], [0x10] + [UInt8](repeating: 3, count: 128)] as [[UInt8]])
        func `whatever a stranger writes, nothing is notified and the link stays until its time is over`(
            fragment: [UInt8]
        ) async throws {
            let pair = try await Pair()
            let stranger = pair.air.connectStranger(try #require(DeviceAddress(0x4711)), to: Pair.servedAdapter)
            await pair.air.subscribe(as: stranger, to: Pair.servedAdapter)
            await pair.air.write(fragment, as: stranger, to: Pair.servedAdapter)
            var accepted = pair.servedLinks.makeAsyncIterator()
            let link = try #require(await accepted.next())
            if let first = try? await link.receive(upTo: 129, within: .seconds(20)) { #expect(first == fragment) }
            await link.mute()
            await #expect(throws: LinkError.closed) { try await link.send([0x20] + [UInt8](repeating: 0, count: 112)) }
            #expect(await pair.clock.next() == .seconds(10))
            #expect(pair.air.isConnected(stranger))
            pair.clock.advance(to: .seconds(10))
            await pair.air.disconnection(of: stranger)
            #expect(pair.air.state.withLock { $0.notifications.isEmpty })
        }

        /// Covers INK-BLE-046.
        @Test func `a stranger that is subscribed is disconnected before a contact is answered, and hears nothing`()
            async throws
        {
            let pair = try await Pair()
            let stranger = pair.air.connectStranger(try #require(DeviceAddress(0x4711)), to: Pair.servedAdapter)
            await pair.air.subscribe(as: stranger, to: Pair.servedAdapter)
            let link = try await pair.connect()
            try await link.send(try packet(.confirmFirst, 128))
            var accepted = pair.servedLinks.makeAsyncIterator()
            let other = try #require(await accepted.next())
            _ = try await other.receive(upTo: 129, within: .seconds(20))
            #expect(pair.air.isConnected(stranger))
            await other.markGatePassed()
            try await other.send(try packet(.confirmSecond, 112))
            #expect(!pair.air.isConnected(stranger))
            _ = try await link.receive(upTo: 129, within: .seconds(20))
            let late = pair.air.connectStranger(try #require(DeviceAddress(0x4712)), to: Pair.servedAdapter)
            #expect(pair.air.isConnected(late))
            await pair.air.subscribe(as: late, to: Pair.servedAdapter)
            await pair.air.disconnection(of: late)
            #expect(
                pair.air.isConnected(SimulatedAir.address(Pair.callerAdapter).devicePath(below: Pair.servedAdapter)))
        }

        /// Covers INK-BLE-050.
        @Test func `the end of a session closes every link, accepted and made`() async throws {
            let pair = try await Pair()
            let link = try await pair.connect()
            try await link.send(try packet(.confirmFirst, 128))
            var accepted = pair.servedLinks.makeAsyncIterator()
            let other = try #require(await accepted.next())
            await other.markGatePassed()
            await other.markAuthenticated()
            await pair.served.close()
            #expect(pair.air.state.withLock { $0.connections.isEmpty })
            await #expect(throws: LinkError.closed) { try await other.send(try packet(.confirmSecond, 112)) }
            await #expect(throws: LinkError.closed) { try await link.receive(upTo: 129, within: .seconds(20)) }
            #expect(await accepted.next() == nil)
            await pair.caller.close()
            await #expect(throws: LinkError.closed) { try await pair.connect() }
        }

        @Test func `a device that vanishes while it is being connected is unreachable`() async throws {
            let pair = try await Pair()
            pair.air.state.withLock { $0.faults.vanishesOnConnect = true }
            await #expect(throws: LinkError.self) { try await pair.connect() }
            try await eventually { pair.caller.counts.allSatisfy { $0 == 0 } }
        }

        @Test func `a connect that takes too long is given up, and a cancelled one at once`() async throws {
            let pair = try await Pair()
            pair.air.state.withLock { $0.faults.connectHangs = true }
            let late = Task { try await pair.connect(within: .milliseconds(300)) }
            #expect(await pair.clock.next() == .milliseconds(300))
            pair.clock.advance(to: .milliseconds(300))
            await #expect(throws: LinkError.timedOut) { try await late.value }
            try await eventually { pair.caller.counts.allSatisfy { $0 == 0 } }
            await pair.air.hear(on: Pair.callerAdapter)
            let attempt = Task { () -> LinkError? in
                do throws(LinkError) {
                    _ = try await pair.connect(within: .seconds(60))
                    return nil
                } catch {
                    return error
                }
            }
            try await eventually { pair.caller.counts.last == 1 }
            attempt.cancel()
            #expect(await attempt.value == .closed)
            try await eventually { pair.caller.counts.allSatisfy { $0 == 0 } }
        }

        @Test func `a device whose services become known later is reached, and one without the service is not`()
            async throws
        {
            let pair = try await Pair()
            pair.air.state.withLock { $0.faults.holdsServices = true }
            let connecting = Task { try await pair.connect() }
            await pair.air.state.wait { !$0.connections.isEmpty }
            // The caller has time to look for the service, which is not there yet.
            let other = try await pair.daemon.open()
            for _ in 0..<3 { _ = try await other.managedObjects(of: BlueZName.service) }
            pair.air.state.withLock { $0.faults.holdsServices = false }
            await (try connecting.value).close()
            try await eventually { pair.caller.counts.allSatisfy { $0 == 0 } }
            await pair.served.unregister()
            await pair.air.hear(on: Pair.callerAdapter)
            await #expect(throws: LinkError.unreachable(code: 93)) { try await pair.connect() }
            await pair.air.state.wait(until: \.connections.isEmpty)
        }

        @Test func `a link whose notifications are lost times out, and one whose writes are refused is closed`()
            async throws
        {
            let pair = try await Pair()
            pair.air.state.withLock { $0.faults.losesNotifications = true }
            let link = try await pair.connect()
            try await link.send(try packet(.confirmFirst, 128))
            var accepted = pair.servedLinks.makeAsyncIterator()
            let other = try #require(await accepted.next())
            await other.markGatePassed()
            try await other.send(try packet(.confirmSecond, 112))
            await pair.air.state.wait { $0.notifications.count == 1 }
            let receiving = Task { try await link.receive(upTo: 129, within: .milliseconds(300)) }
            await pair.clock.awaits(.milliseconds(300))
            pair.clock.advance(to: .milliseconds(300))
            await #expect(throws: LinkError.timedOut) { try await receiving.value }
            pair.air.state.withLock { $0.faults.refusesWrites = true }
            await #expect(throws: LinkError.closed) { try await link.send(try packet(.record, 112)) }
        }

        /// Covers INK-BLE-052.
        @Test func `many connects leave nothing behind`() async throws {
            let pair = try await Pair()
            for _ in 0..<100 {
                await pair.air.hear(on: Pair.callerAdapter)
                let link = try await pair.connect()
                #expect(try await link.readTag(within: .seconds(20)) == nextTag)
                await link.close()
                try await eventually { pair.caller.counts.last == 0 }
            }
            try await eventually { (pair.caller.counts + pair.served.counts).allSatisfy { $0 == 0 } }
            #expect(pair.air.state.withLock { $0.connections.isEmpty })
        }

        /// Covers INK-BLE-051.
        @Test func `more strangers than there are places: the oldest gives way, and a contact is still served`()
            async throws
        {
            var limits = ServedCentrals.Limits()
            limits.grace = .zero
            let pair = try await Pair(served: limits)
            var strangers: [String] = []
            for number in 0..<12 {
                let address = try #require(DeviceAddress(UInt64(0x5000 + number)))
                strangers.append(pair.air.connectStranger(address, to: Pair.servedAdapter))
                await pair.air.subscribe(as: strangers[number], to: Pair.servedAdapter)
            }
            for stranger in strangers.prefix(4) { await pair.air.disconnection(of: stranger) }
            #expect(strangers.dropFirst(4).allSatisfy { pair.air.isConnected($0) })
            let link = try await pair.connect()
            try await link.send(try packet(.confirmFirst, 128))
            var accepted = pair.servedLinks.makeAsyncIterator()
            let other = try #require(await accepted.next())
            await other.markGatePassed()
            try await other.send(try packet(.confirmSecond, 112))
            _ = try await link.receive(upTo: 129, within: .seconds(20))
            #expect(strangers.allSatisfy { !pair.air.isConnected($0) })
        }

        /// Covers INK-BLE-047.
        @Test func `a write with an offset, a prepared write and one of a device that does not exist are dropped`()
            async throws
        {
            let pair = try await Pair()
            let first = try packet(.confirmFirst, 128)
            let stranger = pair.air.connectStranger(try #require(DeviceAddress(0x4711)), to: Pair.servedAdapter)
            await pair.air.write(first, as: stranger, to: Pair.servedAdapter, with: ["offset": .uint16(1)])
            await pair.air.write(first, as: stranger, to: Pair.servedAdapter, with: ["prepare-authorize": .bool(true)])
            await pair.air.write(first, as: "/org/bluez/hci7/dev_00", to: Pair.servedAdapter)
            let second = try packet(.firstContactFirst, 128)
            await pair.air.write(second, as: stranger, to: Pair.servedAdapter)
            var accepted = pair.servedLinks.makeAsyncIterator()
            let link = try #require(await accepted.next())
            #expect(try await link.receive(upTo: 129, within: .seconds(20)) == second)
            #expect(link.route == .device(try #require(DeviceAddress(0x4711))))
        }

        /// Covers INK-BLE-048.
        @Test func `nothing is notified before the device has subscribed`() async throws {
            let pair = try await Pair()
            let contact = pair.air.connectStranger(try #require(DeviceAddress(0x4711)), to: Pair.servedAdapter)
            await pair.air.write(try packet(.confirmFirst, 128), as: contact, to: Pair.servedAdapter)
            var accepted = pair.servedLinks.makeAsyncIterator()
            let link = try #require(await accepted.next())
            await link.markGatePassed()
            let answer = try packet(.confirmSecond, 112)
            let sending = Task { try await link.send(answer) }
            try await eventually { pair.served.counts[4] == 1 }
            #expect(pair.air.state.withLock { $0.notifications.isEmpty })
            await pair.air.subscribe(as: contact, to: Pair.servedAdapter)
            try await sending.value
            await pair.air.state.wait { $0.notifications == [answer] }
        }

        /// Covers INK-BLE-019, INK-BLE-020.
        @Test func `the service is the same each time it is registered, handles included`() async throws {
            let pair = try await Pair()
            let earlier = pair.air.state.withLock { $0.listed[Pair.servedAdapter] }
            await pair.served.close()
            _ = pair.served.open(tag)
            try await pair.served.register()
            #expect(pair.air.state.withLock { $0.registrations } == 2)
            await pair.served.unregister()
            try await pair.served.register()
            let later = pair.air.state.withLock { $0.listed[Pair.servedAdapter] }
            #expect(later == earlier)
            #expect(later?.map(\.handle) == [0x0100, 0x0102, 0x0104, 0x0106])
            #expect(
                later?.map(\.uuid) == [
                    "1a356f5b-2e00-8d8d-b35a-edd2584c4da4", "3378d865-2ebf-8be9-a321-b5bf4ab7e545",
                    "10019a65-c801-89a6-90a2-441db33e3a2c", "1c6409b9-a48e-8f54-9ba3-e4da3e87ed6e",
                ])
        }

        private func bytes(_ tag: RecognitionTag) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(tag.octets)
            return bytes
        }
    }
#endif
