#if Node
    import Glibc
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import Testing

    @testable import InklingLinux

    // The limits of the links are those of a clock that stands still.
    @Suite(.hangDetector) struct TCPTransportTests {
        /// Calls `body` with both ends of a link.
        private func withLink(
            _ body: (any Link, any Link) async throws -> Void
        ) async throws {
            let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
            let listener = try await transport.listen()
            let outgoing = try await transport.connect(to: .loopback(listener.port))
            var accepted = listener.links.makeAsyncIterator()
            let incoming = try #require(await accepted.next())
            try await body(outgoing, incoming)
            await listener.close()
            await transport.shutDown()
        }

        @Test(arguments: [0, 1, 112, 16_656, 65_535])
        func `packets arrive complete in both directions`(count: Int) async throws {
            try await withLink { outgoing, incoming in
                let packet = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                async let sent: Void = outgoing.send(packet)
                #expect(try await incoming.receive(upTo: 65_535, within: .seconds(20)) == packet)
                try await sent
                async let answered: Void = incoming.send(packet)
                #expect(try await outgoing.receive(upTo: 65_535, within: .seconds(20)) == packet)
                try await answered
            }
        }

        /// Covers INK-HOV-025.
        @Test func `what a contact has offered is called with a hop limit of 1, which a router does not pass on`()
            async throws
        {
            let far = try #require(FarListener())
            let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
            await (try transport.connect(to: .loopback(far.port))).close()
            let hasConnected = Watched(false)
            let connecting = Task {
                defer { hasConnected.withLock { $0 = true } }
                await (try transport.connectOnLink(to: .loopback(far.port), within: HangDetector.limit)).close()
            }
            // The kernel has sent a request, and it was not taken.
            try await eventually { FullListener.pendingRequests(to: far.port) == 1 || hasConnected.withLock(\.self) }
            connecting.cancel()
            await #expect(throws: LinkError.closed) { try await connecting.value }
            let listener = try await transport.listen()
            await (try transport.connectOnLink(to: .loopback(listener.port), within: HangDetector.limit)).close()
            let local = Octets16(high: 0, low: 1)
            let endpoint = Endpoint(address: .v6(local, scope: 0), port: listener.port)
            await (try transport.connectOnLink(to: endpoint, within: HangDetector.limit)).close()
            await listener.close()
            await transport.shutDown()
        }

        @Test func `a connect that is not answered in time fails`() async throws {
            let full = try #require(FullListener())
            let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
            await #expect(throws: LinkError.timedOut) {
                _ = try await transport.connect(to: .loopback(full.port), within: .milliseconds(50))
            }
            await transport.shutDown()
        }

        /// Covers INK-ROT-013.
        @Test func `the socket of a cancelled connect is closed, so that the kernel repeats no request`() async throws {
            let full = try #require(FullListener())
            let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
            let connecting = Task { () -> LinkError? in
                do throws(LinkError) {
                    await (try transport.connect(to: .loopback(full.port), within: HangDetector.limit)).close()
                    return nil
                } catch {
                    return error
                }
            }
            // The kernel has sent a request, and repeats it after 1, 3 and 7 s.
            try await eventually { full.pendingRequests == 1 }
            connecting.cancel()
            #expect(await connecting.value == .closed)
            // A program that another test is starting shares the socket until it runs.
            try await eventually { full.pendingRequests == 0 }
            await transport.shutDown()
        }

        /// Covers INK-ROT-013.
        @Test func `a program that the process starts inherits no socket`() async throws {
            try await withLink { outgoing, incoming in
                let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
                let listener = try await transport.listen()
                let stranger = try #require(PlainSocket(port: listener.port))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                let program = try SleepingProgram()
                defer { program.kill() }
                let own = [listener.port, try #require(incoming.endpoint).port]
                #expect(try program.ports().isDisjoint(with: own))
                await link.close()
                #expect(await [.reset, .finished].contains(stranger.next()))
                await outgoing.close()
                await #expect(throws: LinkError.closed) { try await incoming.receive(upTo: 10, within: .seconds(10)) }
                await listener.close()
                try await eventually { PlainSocket(port: listener.port) == nil }
                await transport.shutDown()
            }
        }

        @Test func `a connect that is cancelled before it begins opens no socket`() async throws {
            let full = try #require(FullListener())
            let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
            let connecting = Task { () -> LinkError? in
                // Until the task has been cancelled.
                for await _ in AsyncStream.makeStream(of: Void.self).stream {}
                do throws(LinkError) {
                    await (try transport.connect(to: .loopback(full.port), within: HangDetector.limit)).close()
                    return nil
                } catch {
                    return error
                }
            }
            connecting.cancel()
            #expect(await connecting.value == .closed)
            #expect(full.pendingRequests == 0)
            await transport.shutDown()
        }

        @Test func `packets keep their order and their boundaries`() async throws {
            try await withLink { outgoing, incoming in
                for index in 0..<50 { try await outgoing.send([UInt8](repeating: UInt8(index), count: index)) }
                for index in 0..<50 {
                    let packet = try await incoming.receive(upTo: 50, within: .seconds(20))
                    #expect(packet == [UInt8](repeating: UInt8(index), count: index))
                }
            }
        }

        /// Covers INK-PKT-026.
        @Test func `rejects a packet longer than the limit before reading it`() async throws {
            try await TCPTransport.withListener { listener, _ in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0x00, 0x81]) == 2)
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await #expect(throws: LinkError.oversized(announced: 129, limit: 128)) {
                    try await link.receive(upTo: 128, within: .seconds(20))
                }
            }
        }

        @Test func `does not send a packet of more than 65,535 bytes`() async throws {
            try await withLink { outgoing, _ in
                await #expect(throws: LinkError.oversized(announced: 65_536, limit: 65_535)) {
                    try await outgoing.send([UInt8](repeating: 0, count: 65_536))
                }
            }
        }

        /// Covers INK-PKT-025.
        @Test func `a packet that is not complete in time ends the link, however long the next one may take`()
            async throws
        {
            var limits = TCPLimits()
            limits.unauthenticatedLifetime = .seconds(120)
            try await TCPTransport.withListener(limits: limits) { listener, clock in
                let stranger = try #require(PlainSocket(port: listener.port))
                var accepted = listener.links.makeAsyncIterator()
                #expect(stranger.send([0x00, 0x01, 0x07, 0x00]) == 4)
                let link = try #require(await accepted.next())
                #expect(try await link.receive(upTo: 128, within: .seconds(60)) == [7])
                // One byte of the next packet is there.
                let receiving = Task { try await link.receive(upTo: 128, within: .seconds(86_400)) }
                await clock.planned(at: .seconds(30))
                #expect(try await clock.advance(to: .milliseconds(29_999)) == 0)
                #expect(try await clock.advance(to: .seconds(30)) == 1)
                await #expect(throws: LinkError.timedOut) { try await receiving.value }
                #expect(await stranger.next() == .reset)
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 128, within: .seconds(60)) }
            }
        }

        @Test func `receiving an incomplete packet times out and can be continued`() async throws {
            try await TCPTransport.withListener { listener, clock in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0x00, 0x70, 0x01]) == 3)
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                let receiving = Task { try await link.receive(upTo: 128, within: .milliseconds(100)) }
                // The bytes that have arrived are limited, and kept.
                await clock.planned(at: .seconds(30))
                #expect(try await clock.advance(to: .milliseconds(99)) == 0)
                #expect(try await clock.advance(to: .milliseconds(100)) == 1)
                await #expect(throws: LinkError.timedOut) { try await receiving.value }
                // The rest completes the packet.
                #expect(stranger.send([UInt8](repeating: 2, count: 111)) == 111)
                let packet = try await link.receive(upTo: 128, within: .seconds(20))
                #expect(packet == [1] + [UInt8](repeating: 2, count: 111))
            }
        }

        @Test func `receiving fails when the peer closes within a packet`() async throws {
            try await TCPTransport.withListener { listener, _ in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0x00, 0x70, 0x01]) == 3)
                stranger.finish()
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 128, within: .seconds(20)) }
            }
        }

        @Test func `packets sent before the peer closes are still received`() async throws {
            try await TCPTransport.withListener { listener, _ in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0, 1, 7, 0, 1, 8]) == 6)
                stranger.finish()
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                #expect(try await link.receive(upTo: 1, within: .seconds(20)) == [7])
                #expect(try await link.receive(upTo: 1, within: .seconds(20)) == [8])
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 1, within: .seconds(20)) }
            }
        }

        /// Covers INK-HSK-021, INK-HSK-031.
        @Test(arguments: ["silent", "sends garbage", "finished", "has unread bytes", "half a packet"])
        func `a muted link sends nothing and is reset five seconds after it began`(kind: String) async throws {
            try await TCPTransport.withListener { listener, clock in
                let stranger = try #require(PlainSocket(port: listener.port))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                switch kind {
                case "sends garbage": #expect(stranger.send([UInt8](repeating: 0xff, count: 9_000)) == 9_000)
                case "finished": stranger.finish()
                case "has unread bytes": #expect(stranger.send([UInt8](repeating: 0, count: 50_000)) == 50_000)
                case "half a packet":
                    #expect(stranger.send([0, 112, 1]) == 3)
                    let receiving = Task { try await link.receive(upTo: 128, within: .milliseconds(50)) }
                    await clock.planned(at: .seconds(30))
                    try await clock.advance(to: .milliseconds(50))
                    await #expect(throws: LinkError.timedOut) { try await receiving.value }
                default: break
                }
                await link.mute()
                await #expect(throws: LinkError.closed) { try await link.send([1]) }
                // A link that has ended plans nothing.
                #expect(try await clock.advance(to: .milliseconds(4_999)) == 0)
                #expect(clock.moments == [.seconds(5), .seconds(10)])
                #expect(try await clock.advance(to: .seconds(5)) == 1)
                #expect(await stranger.next() == .reset)
            }
        }

        @Test func `resets the link to a peer that does not read`() async throws {
            var limits = TCPLimits()
            limits.unauthenticatedLifetime = .seconds(120)
            limits.unwrittenBytes = .max
            try await TCPTransport.withListener(limits: limits) { listener, clock in
                let stranger = try #require(PlainSocket(port: listener.port))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                // More than all buffers of the kernel hold.
                let before = clock.count
                let sending = (0..<300).map { _ in
                    Task { try await link.send([UInt8](repeating: 1, count: 65_535)) }
                }
                await clock.set(before + sending.count)
                #expect(try await clock.advance(to: .milliseconds(9_999)) == 0)
                #expect(try await clock.advance(to: .seconds(10)) >= 1)
                var errors: Set<LinkError> = []
                for task in sending {
                    do { try await task.value } catch let error as LinkError { errors.insert(error) }
                }
                #expect(errors.contains(.timedOut) && errors.isSubset(of: [.timedOut, .closed]))
                await #expect(throws: LinkError.closed) { try await link.send([1]) }
                var ending = await stranger.next()
                while case .bytes = ending { ending = await stranger.next() }
                #expect(ending == .reset)
            }
        }

        @Test func `receiving fails when the peer resets the link`() async throws {
            try await withLink { outgoing, incoming in
                let waiting = Task { try await outgoing.receive(upTo: 10, within: .seconds(20)) }
                await incoming.close()
                await #expect(throws: LinkError.closed) { try await waiting.value }
                await #expect(throws: LinkError.closed) { try await incoming.receive(upTo: 10, within: .seconds(20)) }
            }
        }

        @Test func `a cancelled receive ends at once and the link stays usable`() async throws {
            try await withLink { outgoing, incoming in
                let task = Task { try await incoming.receive(upTo: 10, within: .seconds(60)) }
                task.cancel()
                await #expect(throws: LinkError.closed) { try await task.value }
                try await outgoing.send([1])
                #expect(try await incoming.receive(upTo: 10, within: .seconds(20)) == [1])
            }
        }

        @Test func `connecting to a port without a listener throws`() async throws {
            try await withLink { _, incoming in
                // The port of the other end is in use, so that no listener of another test can have it.
                let port = try #require(incoming.endpoint).port
                let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
                await #expect(throws: LinkError.unreachable(code: 111)) {
                    _ = try await transport.connect(to: .loopback(port))
                }
                await transport.shutDown()
            }
        }

        @Test func `accepts links over IPv4 and reports the peer's address`() async throws {
            try await withLink { _, incoming in #expect(incoming.endpoint?.address == .v4(0x7f00_0001)) }
        }

        @Test(.enabled("the loopback interface has no IPv6 address") { hasLocalIPv6() })
        func `accepts links over IPv6 and reports the peer's address`() async throws {
            let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
            let listener = try await transport.listen()
            var accepted = listener.links.makeAsyncIterator()
            let v6 = try Endpoint(text: "[::1]:\(listener.port)")
            #expect(try await transport.connect(to: v6, within: HangDetector.limit).endpoint == v6)
            #expect(await accepted.next()?.endpoint?.address == v6.address)
            await listener.close()
            await transport.shutDown()
        }
    }

    /// Whether `::1` is an address of this machine.
    private func hasLocalIPv6() -> Bool {
        let probe = socket(AF_INET6, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }

    extension Endpoint {
        static func loopback(_ port: UInt16) -> Endpoint { Endpoint(address: .v4(0x7f00_0001), port: port) }
    }

    extension TCPTransport {
        fileprivate func connect(to endpoint: Endpoint) async throws(LinkError) -> any Link {
            try await connect(to: endpoint, within: HangDetector.limit)
        }
    }

    extension Link {
        fileprivate var endpoint: Endpoint? { if case .endpoint(let endpoint) = route { endpoint } else { nil } }
    }
#endif
