#if Node
    import InklingNode
    import Testing

    @testable import InklingLinux

    // A link that is not accepted in time is dropped before a test takes it, on a machine that is slow enough; without a limit
    // the test would then wait for ever.
    @Suite(.timeLimit(.minutes(2))) struct TCPLinkLimitTests {
        /// Covers INK-HSK-032.
        @Test func `a ninth unauthenticated link from one address replaces the first`() async throws {
            var limits = TCPLimits()
            limits.grace = .zero
            try await TCPTransport.withListener(limits: limits) { listener in
                let strangers = try (0..<9).map { _ in try #require(PlainSocket(port: listener.port)) }
                #expect(await strangers[0].next() == .reset)
                #expect(await strangers[1].next(within: 0) == .timedOut)
            }
        }

        /// Covers INK-HSK-058.
        @Test func `a ninth link is reset itself while no other has had its time`() async throws {
            var limits = TCPLimits()
            limits.grace = .seconds(60)
            try await TCPTransport.withListener(limits: limits) { listener in
                let strangers = try (0..<9).map { _ in try #require(PlainSocket(port: listener.port)) }
                #expect(await strangers[8].next() == .reset)
                for stranger in strangers[..<8] { #expect(await stranger.next(within: 0) == .timedOut) }
            }
        }

        /// Covers INK-HSK-057, INK-HSK-059.
        @Test func `silent links make room before one with a first message, and never one that passed the gate`()
            async throws
        {
            var limits = TCPLimits()
            limits.strangers = 2
            limits.grace = .zero
            try await TCPTransport.withListener(limits: limits) { listener in
                var accepted = listener.links.makeAsyncIterator()
                let contact = try #require(PlainSocket(port: listener.port, from: 200))
                let link = try #require(await accepted.next())
                await link.markGatePassed()
                let talker = try #require(PlainSocket(port: listener.port, from: 201))
                #expect(talker.send([0, 1, 9]) == 3)
                let talking = try #require(await accepted.next())
                #expect(try await talking.receive(upTo: 10, within: .seconds(20)) == [9])
                let silent = try (0..<3).map { try #require(PlainSocket(port: listener.port, from: UInt8(2 + $0))) }
                #expect(await silent[0].next() == .reset)
                #expect(await silent[1].next() == .reset)
                #expect(await talker.next(within: 0) == .timedOut)
                try await link.send([5])
                #expect(await contact.next() == .bytes(3))
            }
        }

        /// Covers INK-HSK-054, INK-HSK-060.
        @Test func `resets links above the rate limit of their address and accepts another address`() async throws {
            var limits = TCPLimits()
            limits.arrivalsPerSource = 4
            try await TCPTransport.withListener(limits: limits) { listener in
                let strangers = try (0..<5).map { _ in try #require(PlainSocket(port: listener.port)) }
                #expect(await strangers[4].next() == .reset)
                let other = try #require(PlainSocket(port: listener.port, from: 200))
                for admitted in strangers[..<4] + [other] { #expect(await admitted.next(within: 0) == .timedOut) }
            }
        }

        /// Covers INK-HSK-061.
        @Test func `an address that one listener refuses is accepted by the next`() async throws {
            var limits = TCPLimits()
            limits.arrivalsPerSource = 1
            let transport = TCPTransport(limits: limits)
            let first = try await transport.listen()
            let refused = try (0..<2).map { _ in try #require(PlainSocket(port: first.port)) }
            #expect(await refused[1].next() == .reset)
            let next = try await transport.listen()
            let accepted = try #require(PlainSocket(port: next.port))
            var links = next.links.makeAsyncIterator()
            #expect(await links.next() != nil)
            #expect(await accepted.next(within: 0) == .timedOut)
            await first.close()
            await next.close()
            await transport.shutDown()
        }

        /// Covers INK-HSK-032.
        @Test func `one link too many replaces the oldest, and an authenticated link stays`() async throws {
            var limits = TCPLimits()
            limits.strangers = 64
            limits.grace = .zero
            try await TCPTransport.withListener(limits: limits) { listener in
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
        @Test func `resets a link that does not authenticate in time, even if nothing receives on it`() async throws {
            var limits = TCPLimits()
            limits.unauthenticatedLifetime = .seconds(5)
            try await TCPTransport.withListener(limits: limits) { listener in
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

        @Test func `closing the listener resets unauthenticated links and keeps authenticated ones`() async throws {
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
            try await waitUntil { PlainSocket(port: listener.port) == nil }
            await link.close()
            #expect(await contact.next() == .finished)
            await transport.shutDown()
        }
    }
#endif
