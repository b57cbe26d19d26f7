#if Node
    import InklingNode
    import Testing

    @testable import InklingLinux

    struct TCPTransportTests {
        /// A transport, and both ends of a link through it.
        private func withLink(
            limits: TCPLimits = TCPLimits(), _ body: (any Link, any Link) async throws -> Void
        ) async throws {
            let transport = TCPTransport(limits: limits)
            let listener = try await transport.listen()
            let outgoing = try await transport.connect(to: .loopback(listener.port), within: .seconds(5))
            var accepted = listener.links.makeAsyncIterator()
            let incoming = try #require(await accepted.next())
            try await body(outgoing, incoming)
            await listener.close()
            await transport.shutDown()
        }

        /// A listener, what it accepts, and strangers with plain sockets.
        private func withListener(
            limits: TCPLimits = TCPLimits(), _ body: (any LinkListener) async throws -> Void
        ) async throws {
            let transport = TCPTransport(limits: limits)
            let listener = try await transport.listen()
            try await body(listener)
            await listener.close()
            await transport.shutDown()
        }

        @Test(arguments: [0, 1, 112, 16_656, 65_535])
        func `a packet arrives whole, both ways`(count: Int) async throws {
            try await withLink { outgoing, incoming in
                let packet = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                async let sent: Void = outgoing.send(packet)
                #expect(try await incoming.receive(upTo: 65_535, within: .seconds(5)) == packet)
                try await sent
                async let answered: Void = incoming.send(packet)
                #expect(try await outgoing.receive(upTo: 65_535, within: .seconds(5)) == packet)
                try await answered
            }
        }

        @Test func `packets keep their order and their edges`() async throws {
            try await withLink { outgoing, incoming in
                for index in 0..<50 { try await outgoing.send([UInt8](repeating: UInt8(index), count: index)) }
                for index in 0..<50 {
                    let packet = try await incoming.receive(upTo: 50, within: .seconds(5))
                    #expect(packet == [UInt8](repeating: UInt8(index), count: index))
                }
            }
        }

        /// Covers INK-PKT-026.
        @Test func `a longer packet than the caller accepts is refused before it is read`() async throws {
            // The lifetime of a stranger is another test's affair, and this one may have to wait for a processor.
            var limits = TCPLimits()
            limits.unauthenticatedLifetime = .seconds(120)
            try await withListener(limits: limits) { listener in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0x00, 0x81]) == 2)
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await #expect(throws: LinkError.oversized(announced: 129, limit: 128)) {
                    try await link.receive(upTo: 128, within: .seconds(5))
                }
            }
        }

        @Test func `a packet of more than 65,535 bytes is not sent`() async throws {
            try await withLink { outgoing, _ in
                await #expect(throws: LinkError.oversized(announced: 65_536, limit: 65_535)) {
                    try await outgoing.send([UInt8](repeating: 0, count: 65_536))
                }
            }
        }

        /// Covers INK-PKT-025.
        @Test func `a packet that trickles in is not waited for beyond the deadline`() async throws {
            try await withListener { listener in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0x00, 0x70, 0x01]) == 3)
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await #expect(throws: LinkError.timedOut) {
                    try await link.receive(upTo: 128, within: .milliseconds(100))
                }
                // What has arrived is kept: the rest completes the packet.
                #expect(stranger.send([UInt8](repeating: 2, count: 111)) == 111)
                let packet = try await link.receive(upTo: 128, within: .seconds(5))
                #expect(packet == [1] + [UInt8](repeating: 2, count: 111))
            }
        }

        @Test func `an end in the middle of a packet closes the link`() async throws {
            try await withListener { listener in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0x00, 0x70, 0x01]) == 3)
                stranger.finish()
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 128, within: .seconds(5)) }
            }
        }

        @Test func `whole packets before the end are still received`() async throws {
            try await withListener { listener in
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(stranger.send([0, 1, 7, 0, 1, 8]) == 6)
                stranger.finish()
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                #expect(try await link.receive(upTo: 1, within: .seconds(5)) == [7])
                #expect(try await link.receive(upTo: 1, within: .seconds(5)) == [8])
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 1, within: .seconds(5)) }
            }
        }

        /// Covers INK-HSK-021, INK-HSK-031.
        @Test(arguments: ["silent", "sends garbage", "finished", "has unread bytes", "half a packet"])
        func `a muted link says nothing and is reset five seconds after it began`(kind: String) async throws {
            try await withListener { listener in
                let stranger = try #require(PlainSocket(port: listener.port))
                let clock = ContinuousClock()
                let began = clock.now
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                switch kind {
                case "sends garbage": #expect(stranger.send([UInt8](repeating: 0xff, count: 9_000)) == 9_000)
                case "finished": stranger.finish()
                case "has unread bytes": #expect(stranger.send([UInt8](repeating: 0, count: 50_000)) == 50_000)
                case "half a packet":
                    #expect(stranger.send([0, 112, 1]) == 3)
                    await #expect(throws: LinkError.timedOut) {
                        try await link.receive(upTo: 128, within: .milliseconds(50))
                    }
                default: break
                }
                await link.mute()
                await #expect(throws: LinkError.closed) { try await link.send([1]) }
                #expect(await stranger.next() == .reset)
                let took = clock.now - began
                #expect(took > .milliseconds(4_900) && took < .milliseconds(5_500), "\(kind): \(took)")
            }
        }

        /// Covers INK-HSK-032.
        @Test func `the ninth stranger from one address pushes out the first`() async throws {
            try await withListener { listener in
                let strangers = try (0..<9).map { _ in try #require(PlainSocket(port: listener.port)) }
                #expect(await strangers[0].next() == .reset)
                #expect(await strangers[1].next(within: 0) == .timedOut)
            }
        }

        /// Covers INK-HSK-054.
        @Test func `the link after the limit of a second is reset at once, and another address gets in`() async throws {
            var limits = TCPLimits()
            limits.arrivalsPerSource = 4
            try await withListener(limits: limits) { listener in
                let strangers = try (0..<5).map { _ in try #require(PlainSocket(port: listener.port)) }
                #expect(await strangers[4].next() == .reset)
                let other = try #require(PlainSocket(port: listener.port, from: 200))
                for letIn in strangers[..<4] + [other] { #expect(await letIn.next(within: 0) == .timedOut) }
            }
        }

        /// Covers INK-HSK-032.
        @Test func `the sixty-fifth stranger pushes out the oldest, and an authenticated link stays`() async throws {
            try await withListener { listener in
                let contact = try #require(PlainSocket(port: listener.port, from: 200))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await link.markAuthenticated()
                let strangers = try (0..<65).map {
                    try #require(PlainSocket(port: listener.port, from: UInt8(2 + $0)))
                }
                #expect(await strangers[0].next() == .reset)
                #expect(await strangers[1].next(within: 0) == .timedOut)
                try await link.send([5])
                #expect(await contact.next() == .bytes(3))
            }
        }

        /// Covers INK-HSK-033.
        @Test func `a link that never authenticates is reset when its time is over, even without a receiver`()
            async throws
        {
            var limits = TCPLimits()
            limits.unauthenticatedLifetime = .seconds(2)
            try await withListener(limits: limits) { listener in
                let contact = try #require(PlainSocket(port: listener.port))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await link.markAuthenticated()
                let stranger = try #require(PlainSocket(port: listener.port))
                #expect(await stranger.next() == .reset)
                try await link.send([5])
                #expect(await contact.next() == .bytes(3))
            }
        }

        @Test func `closing the listener resets strangers and leaves authenticated links`() async throws {
            let transport = TCPTransport()
            let listener = try await transport.listen()
            let contact = try #require(PlainSocket(port: listener.port))
            var accepted = listener.links.makeAsyncIterator()
            let link = try #require(await accepted.next())
            await link.markAuthenticated()
            let stranger = try #require(PlainSocket(port: listener.port))
            _ = try #require(await accepted.next())
            await listener.close()
            #expect(await stranger.next() == .reset)
            try await link.send([5])
            #expect(await contact.next() == .bytes(3))
            #expect(await accepted.next() == nil)
            #expect(PlainSocket(port: listener.port) == nil)
            await link.close()
            #expect(await contact.next() == .finished)
            await transport.shutDown()
        }

        @Test func `a peer that takes nothing holds a bounded amount, then the link is reset`() async throws {
            var limits = TCPLimits()
            limits.writing = .milliseconds(300)
            try await withListener(limits: limits) { listener in
                let stranger = try #require(PlainSocket(port: listener.port))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                let packet = [UInt8](repeating: 1, count: 65_535)
                // The kernel's buffers are finite, so this ends: by our deadline, or by the kernel's when we are late.
                await #expect(throws: LinkError.self) { while true { try await link.send(packet) } }
                await #expect(throws: LinkError.closed) { try await link.send(packet) }
                withExtendedLifetime(stranger) {}
            }
        }

        @Test func `a link whose other side vanished with a reset is closed`() async throws {
            try await withLink { outgoing, incoming in
                let waiting = Task { try await outgoing.receive(upTo: 10, within: .seconds(5)) }
                await incoming.close()
                await #expect(throws: LinkError.closed) { try await waiting.value }
                await #expect(throws: LinkError.closed) { try await incoming.receive(upTo: 10, within: .seconds(5)) }
            }
        }

        @Test func `a receive that is cancelled ends at once and the link stays usable`() async throws {
            try await withLink { outgoing, incoming in
                let task = Task { try await incoming.receive(upTo: 10, within: .seconds(60)) }
                task.cancel()
                await #expect(throws: LinkError.closed) { try await task.value }
                try await outgoing.send([1])
                #expect(try await incoming.receive(upTo: 10, within: .seconds(5)) == [1])
            }
        }

        @Test func `a port without a listener is unreachable`() async throws {
            let transport = TCPTransport()
            let listener = try await transport.listen()
            await listener.close()
            await #expect(throws: LinkError.unreachable(code: 111)) {
                _ = try await transport.connect(to: .loopback(listener.port), within: .seconds(5))
            }
            await transport.shutDown()
        }

        @Test func `links are made over IPv4 and IPv6 and know the other side`() async throws {
            let transport = TCPTransport()
            let listener = try await transport.listen()
            var accepted = listener.links.makeAsyncIterator()
            _ = try await transport.connect(to: .loopback(listener.port), within: .seconds(5))
            #expect(await accepted.next()?.remote.address == .v4(0x7f00_0001))
            let v6 = try Endpoint(text: "[::1]:\(listener.port)")
            if let link = try? await transport.connect(to: v6, within: .seconds(5)) {
                #expect(link.remote == v6)
                #expect(await accepted.next()?.remote.address == v6.address)
            }
            await listener.close()
            await transport.shutDown()
        }
    }

    extension Endpoint {
        static func loopback(_ port: UInt16) -> Endpoint { Endpoint(address: .v4(0x7f00_0001), port: port) }
    }
#endif
