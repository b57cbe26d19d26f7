#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import NIOCore
    import NIOPosix
    import Synchronization
    import Testing

    @testable import InklingLinux

    /// An ESPHome device at a port of the loopback interface, without encryption, which connects to every device.
    private final class ProxyDevice: Sendable {
        /// The types of the messages that have arrived, in order; for type 75 with the value.
        let asked = Watched<[(type: UInt16, address: UInt64, value: [UInt8])]>([])
        /// The number of connections that have ended.
        let endings = Watched(0)
        /// Whether it no longer replies: bytes that it sent to a closed connection would reset it, and unread bytes
        /// would be lost.
        let isSilent = Watched(false)
        private let clients = Mutex<[any Channel]>([])
        private let listening = Mutex<(any Channel)?>(nil)

        /// The port at which it listens.
        var port: UInt16 { UInt16(listening.withLock { $0?.localAddress?.port } ?? 0) }

        static func start() async throws -> ProxyDevice {
            let device = ProxyDevice()
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelInitializer { server in
                    server.eventLoop.makeCompletedFuture { try server.pipeline.syncOperations.closeOnExecution() }
                }
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.closeOnExecution()
                        device.clients.withLock { $0.append(channel) }
                        try channel.pipeline.syncOperations.addHandler(Handler(device))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            device.listening.withLock { $0 = channel }
            return device
        }

        /// Ends every connection.
        func hangUp() { for client in clients.withLock({ $0 }) { client.close(promise: nil) } }

        func stop() {
            listening.withLock { $0?.close(promise: nil) }
            hangUp()
        }

        /// Returns the number of requests of this kind that have come.
        func count(_ type: UInt16) -> Int { asked.withLock { $0.count { $0.type == type } } }

        /// Sends a notification of a device.
        func notify(_ address: UInt64, _ value: [UInt8]) {
            let frame = Self.frame(79, field(1, address) + field(2, 15) + field(3, value))
            for client in clients.withLock({ $0 }) {
                client.writeAndFlush(client.allocator.buffer(bytes: frame), promise: nil)
            }
        }

        private static func frame(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
            var frame: [UInt8] = [0]
            frame.append(number: UInt64(body.count))
            frame.append(number: UInt64(type))
            return frame + body
        }

        /// Returns the replies to a message, in frames.
        fileprivate func replies(to type: UInt16, _ body: [UInt8]) throws -> [UInt8] {
            var fields: [UInt64: UInt64] = [:]
            var value: [UInt8] = []
            var reader = FieldReader(0..<body.count)
            while let (number, content) = try reader.next(of: body) {
                switch content {
                case .number(let one): fields[number] = one
                case .bytes(let range): value = Array(body[range])
                case .fixed: break
                }
            }
            let address = fields[1] ?? 0
            asked.withLock { $0.append((type, address, value)) }
            let whose = field(1, address)
            let handle = field(2, fields[2] ?? 0)
            return switch type {
            case 1: Self.frame(2, field(1, 1) + field(2, 14) + field(4, [UInt8]("hall".utf8)))
            case 7: Self.frame(8, [])
            case 9: Self.frame(10, field(4, [UInt8]("2026.6.5".utf8)) + field(15, 1 | 2 | 4 | 32 | 64))
            case 66: Self.frame(126, field(1, 2))
            case 68: Self.frame(69, whose + (fields[2] == 5 ? field(2, 1) + field(3, 100) : []))
            case 70: Self.frame(71, whose + field(2, service())) + Self.frame(72, whose)
            case 73: Self.frame(74, whose + handle + field(3, [UInt8](repeating: 7, count: 16)))
            case 77: Self.frame(83, whose + handle)
            case 78: Self.frame(84, whose + handle)
            default: []
            }
        }

        private final class Handler: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let device: ProxyDevice
            private var frames = ESPHomeFrames(isEncrypted: false)

            init(_ device: ProxyDevice) { self.device = device }

            func channelInactive(context: ChannelHandlerContext) {
                device.endings.withLock { $0 += 1 }
                context.fireChannelInactive()
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                frames.append(unwrapInboundIn(data).readableBytesView)
                while case .plain(let type, let body)? = try? frames.next() {
                    let replies = (try? device.replies(to: type, body)) ?? []
                    guard !device.isSilent.withLock(\.self) else { continue }
                    context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: replies)), promise: nil)
                }
            }
        }
    }

    private func address(_ number: UInt64) throws -> DeviceAddress {
        try #require(DeviceAddress(0x4a00_0000_0000 | number))
    }

    /// Runs an antenna at a device that listens to it.
    private func withAntenna(
        canConnect: Bool = true, _ body: (ESPHomeAntenna, ProxyDevice) async throws -> Void
    ) async throws {
        let device = try await ProxyDevice.start()
        let antenna = ESPHomeAntenna(
            name: "hall", room: nil, host: "127.0.0.1", port: device.port, key: nil, isExclusive: false,
            canConnect: canConnect, clock: SteppedClock(), profile: .inkling)
        let listens = Watched(false)
        let task = Task {
            await antenna.listen { report in if case .listening = report { listens.withLock { $0 = true } } }
        }
        await listens.wait { $0 }
        try await body(antenna, device)
        task.cancel()
        await task.value
        // The device receives everything that the antenna has sent, and its close.
        await device.endings.wait { $0 > 0 }
        device.stop()
    }

    @Suite(.hangDetector) struct ESPHomeConnectionTests {
        /// Covers INK-ANT-038.
        @Test func `a link goes through the device: tag, packets both ways, a ping for each value, and its end`()
            async throws
        {
            try await withAntenna { antenna, device in
                let link = try await antenna.connect(to: try address(1), within: .seconds(10))
                #expect(
                    try await link.readTag(within: .seconds(20)).octets
                        == Octets16(
                            high: 0x0707_0707_0707_0707, low: 0x0707_0707_0707_0707))
                var packet: [UInt8] = []
                try Packet(.confirmFirst, body: [UInt8](repeating: 5, count: 128)).append(to: &packet)
                try await link.send(packet)
                let written = device.asked.withLock { $0.filter { $0.type == 75 }.map(\.value) }
                // The MTU is 100.
                #expect(written.count == 2 && written.allSatisfy { $0.count <= 97 })
                #expect(device.count(7) == 2)
                let second = try Packet(.confirmSecond, body: [UInt8](repeating: 6, count: 112))
                var answer: [UInt8] = []
                second.append(to: &answer)
                for fragment in second.gattFragments(mtu: 100) { device.notify(try address(1).value, fragment) }
                #expect(try await link.receive(upTo: 129, within: .seconds(20)) == answer)
                await link.close()
                await device.asked.wait { $0.count { $0.type == 68 } == 2 }
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 1, within: .seconds(20)) }
                let types = device.asked.withLock { $0.map(\.type) }
                #expect(types == [1, 9, 66, 68, 70, 73, 78, 77, 75, 7, 75, 7, 68])
            }
        }

        /// Covers INK-ANT-039.
        @Test func `three devices are connected at once, and another one when one of them is left`() async throws {
            try await withAntenna { antenna, device in
                var links: [any TaggedLink] = []
                for number: UInt64 in 1...3 {
                    links.append(try await antenna.connect(to: try address(number), within: .seconds(10)))
                }
                await #expect(throws: LinkError.closed) {
                    try await antenna.connect(to: try address(4), within: .seconds(10))
                }
                await #expect(throws: LinkError.closed, "it is connected already") {
                    try await antenna.connect(to: try address(1), within: .seconds(10))
                }
                #expect(device.count(68) == 3)
                await links[1].close()
                try await eventually {
                    (try? await antenna.connect(to: try address(4), within: .seconds(10))) != nil
                }
                // The device goes, and every link with it.
                device.hangUp()
                await #expect(throws: LinkError.closed) { try await links[0].receive(upTo: 1, within: .seconds(20)) }
                await #expect(throws: LinkError.closed) { try await links[0].readTag(within: .seconds(20)) }
            }
        }

        /// Covers INK-ANT-004, INK-ANT-038.
        @Test func `nothing is connected without permission, nor an address that lasts`() async throws {
            try await withAntenna(canConnect: false) { antenna, device in
                await #expect(throws: LinkError.closed) {
                    try await antenna.connect(to: try address(1), within: .seconds(10))
                }
                #expect(device.count(68) == 0)
            }
            try await withAntenna { antenna, device in
                let lasting = try #require(DeviceAddress(0xc000_0000_0001))
                await #expect(throws: LinkError.closed) {
                    try await antenna.connect(to: lasting, within: .seconds(10))
                }
                #expect(device.count(68) == 0)
            }
        }

        @Test func `a program that the process starts does not keep the connection open`() async throws {
            try await withAntenna { antenna, device in
                let program = try SleepingProgram()
                defer { program.kill() }
                try #require(try !program.ports().contains(device.port))
                antenna.listenAgain()
                await device.endings.wait { $0 == 1 }
            }
        }

        @Test func `an antenna that ends disconnects every device before the goodbye`() async throws {
            let kept = Mutex<ProxyDevice?>(nil)
            try await withAntenna { antenna, device in
                kept.withLock { $0 = device }
                for number: UInt64 in 1...2 {
                    _ = try await antenna.connect(to: try address(number), within: .seconds(10))
                }
                device.isSilent.withLock { $0 = true }
            }
            let types = kept.withLock { $0?.asked.withLock { $0.map(\.type) } }
            #expect(types?.suffix(4) == [68, 68, 87, 5])
        }
    }
#endif
