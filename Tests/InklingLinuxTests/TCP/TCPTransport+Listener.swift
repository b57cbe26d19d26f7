#if Node
    import InklingNode
    import Testing

    @testable import InklingLinux

    extension TCPTransport {
        /// Calls `body` with a listener, to which the test connects with plain sockets, and with the clock that limits its
        /// links.
        static func withListener(
            limits: TCPLimits = TCPLimits(), _ body: (any LinkListener, ManualLinkClock) async throws -> Void
        ) async throws {
            let clock = ManualLinkClock()
            let transport = TCPTransport(limits: limits, clock: clock)
            let listener = try await transport.listen()
            try await body(listener, clock)
            await listener.close()
            await transport.shutDown()
        }
    }

    extension Link {
        /// Sends a byte, which must be the first thing that the stranger receives: the link has not ended before.
        func reaches(_ stranger: PlainSocket) async throws {
            try await send([5])
            #expect(await stranger.next() == .bytes(3))
        }
    }
#endif
