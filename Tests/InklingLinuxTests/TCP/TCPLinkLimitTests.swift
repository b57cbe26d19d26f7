#if Node
    import InklingNode
    import InklingTesting
    import Testing

    @testable import InklingLinux

    @Suite(.hangDetector) struct TCPLinkLimitTests {
        /// Covers INK-HSK-032.
        @Test func `a ninth unauthenticated link from one address replaces the first`() async throws {
            try await TCPTransport.withListener { listener, clock in
                var accepted = listener.links.makeAsyncIterator()
                var strangers: [(socket: PlainSocket, link: any Link)] = []
                for number in 0..<9 {
                    // The others have had their time.
                    if number == 8 { try await clock.advance(to: .milliseconds(300)) }
                    let socket = try #require(PlainSocket(port: listener.port))
                    strangers.append((socket, try #require(await accepted.next())))
                }
                #expect(await strangers[0].socket.next() == .reset)
                for stranger in strangers[1...] { try await stranger.link.reaches(stranger.socket) }
            }
        }

        /// Covers INK-HSK-058.
        @Test func `a ninth link is reset itself while no other has had its time`() async throws {
            try await TCPTransport.withListener { listener, clock in
                var accepted = listener.links.makeAsyncIterator()
                var strangers: [(socket: PlainSocket, link: any Link)] = []
                for _ in 0..<8 {
                    let socket = try #require(PlainSocket(port: listener.port))
                    strangers.append((socket, try #require(await accepted.next())))
                }
                try await clock.advance(to: .milliseconds(299))
                let ninth = try #require(PlainSocket(port: listener.port))
                #expect(await ninth.next() == .reset)
                for stranger in strangers { try await stranger.link.reaches(stranger.socket) }
            }
        }

        /// Covers INK-HSK-057, INK-HSK-059.
        @Test func `silent links make room before one with a first message, and never one that passed the gate`()
            async throws
        {
            var limits = TCPLimits()
            limits.strangers = 2
            limits.grace = .zero
            try await TCPTransport.withListener(limits: limits) { listener, _ in
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
                try await talking.reaches(talker)
                try await link.reaches(contact)
            }
        }

        /// Covers INK-HSK-054, INK-HSK-060.
        @Test func `resets links above the rate limit of their address and accepts another address`() async throws {
            var limits = TCPLimits()
            limits.arrivalsPerSource = 4
            try await TCPTransport.withListener(limits: limits) { listener, _ in
                let strangers = try (0..<5).map { _ in try #require(PlainSocket(port: listener.port)) }
                #expect(await strangers[4].next() == .reset)
                let other = try #require(PlainSocket(port: listener.port, from: 200))
                var accepted = listener.links.makeAsyncIterator()
                for admitted in strangers[..<4] + [other] {
                    try await (try #require(await accepted.next())).reaches(admitted)
                }
            }
        }

        /// Covers INK-HSK-061.
        @Test func `an address that one listener refuses is accepted by the next`() async throws {
            var limits = TCPLimits()
            limits.arrivalsPerSource = 1
            let transport = TCPTransport(limits: limits, clock: ManualLinkClock())
            let first = try await transport.listen()
            let refused = try (0..<2).map { _ in try #require(PlainSocket(port: first.port)) }
            #expect(await refused[1].next() == .reset)
            let next = try await transport.listen()
            let accepted = try #require(PlainSocket(port: next.port))
            var links = next.links.makeAsyncIterator()
            try await (try #require(await links.next())).reaches(accepted)
            await first.close()
            await next.close()
            await transport.shutDown()
        }

        /// Covers INK-HSK-032.
        @Test func `one link too many replaces the oldest, and an authenticated link stays`() async throws {
            var limits = TCPLimits()
            limits.strangers = 64
            limits.grace = .zero
            try await TCPTransport.withListener(limits: limits) { listener, _ in
                let contact = try #require(PlainSocket(port: listener.port, from: 200))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await link.markAuthenticated()
                var strangers: [(socket: PlainSocket, link: any Link)] = []
                for number in 0..<65 as Range<UInt8> {
                    let socket = try #require(PlainSocket(port: listener.port, from: 2 + number))
                    strangers.append((socket, try #require(await accepted.next())))
                }
                #expect(await strangers[0].socket.next() == .reset)
                for stranger in strangers[1...] { try await stranger.link.reaches(stranger.socket) }
                try await link.reaches(contact)
            }
        }

        /// Covers INK-HSK-033.
        @Test func `resets a link that does not authenticate in time, even if nothing receives on it`() async throws {
            try await TCPTransport.withListener { listener, clock in
                let contact = try #require(PlainSocket(port: listener.port))
                var accepted = listener.links.makeAsyncIterator()
                let link = try #require(await accepted.next())
                await link.markAuthenticated()
                let stranger = try #require(PlainSocket(port: listener.port))
                let strange = try #require(await accepted.next())
                #expect(try await clock.advance(to: .milliseconds(9_999)) == 0)
                try await strange.reaches(stranger)
                #expect(try await clock.advance(to: .seconds(10)) == 1)
                #expect(await stranger.next() == .reset)
                try await link.reaches(contact)
            }
        }

        @Test func `closing the listener resets unauthenticated links and keeps authenticated ones`() async throws {
            let transport = TCPTransport(limits: TCPLimits(), clock: ManualLinkClock())
            let listener = try await transport.listen()
            let contact = try #require(PlainSocket(port: listener.port))
            var accepted = listener.links.makeAsyncIterator()
            let link = try #require(await accepted.next())
            await link.markAuthenticated()
            let stranger = try #require(PlainSocket(port: listener.port))
            _ = try #require(await accepted.next())
            await listener.close()
            #expect(await stranger.next() == .reset)
            try await link.reaches(contact)
            #expect(await accepted.next() == nil)
            try await eventually { PlainSocket(port: listener.port) == nil }
            await link.close()
            #expect(await contact.next() == .finished)
            await transport.shutDown()
        }
    }
#endif
