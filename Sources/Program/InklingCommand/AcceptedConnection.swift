#if Node
    import NIOCore
    import Synchronization

    /// A connection that a server has accepted, closed even if it is never served.
    ///
    /// A stopping server releases the connections still in its queue, and a `NIOAsyncChannel` traps when it is released
    /// unused. `deinit` therefore uses and closes it.
    final class AcceptedConnection<Inbound: Sendable, Outbound: Sendable>: Sendable {
        typealias Stream = NIOAsyncChannel<Inbound, Outbound>

        private let stream: Stream
        private let isServed = Atomic(false)

        var channel: any Channel { stream.channel }

        /// Wraps a channel, on the channel's event loop.
        init(_ channel: any Channel) throws { stream = try Stream(wrappingChannelSynchronously: channel) }

        deinit {
            guard !isServed.load(ordering: .acquiring) else { return }
            let stream = stream
            Task { try? await stream.executeThenClose { _, _ in } }
        }

        /// Runs `body` and closes the connection.
        ///
        /// - Throws: the errors of `body`.
        func serve(
            _ body: (NIOAsyncChannelInboundStream<Inbound>, NIOAsyncChannelOutboundWriter<Outbound>) async throws ->
                Void
        ) async throws {
            isServed.store(true, ordering: .releasing)
            try await stream.executeThenClose(body)
        }
    }
#endif
