#if Node
    import InklingNode

    @testable import InklingLinux

    extension TCPTransport {
        /// Calls `body` with a listener, to which the test connects with plain sockets.
        static func withListener(
            limits: TCPLimits = TCPLimits(), _ body: (any LinkListener) async throws -> Void
        ) async throws {
            let transport = TCPTransport(limits: limits)
            let listener = try await transport.listen()
            try await body(listener)
            await listener.close()
            await transport.shutDown()
        }
    }
#endif
