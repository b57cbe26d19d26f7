#if Node
    import NIOCore
    import Synchronization

    /// A connection that a server has accepted; it is closed when nobody serves it.
    ///
    /// A server that stops releases the connections that still wait for it, and a `NIOAsyncChannel` traps when it is released
    /// before it was used. The end of this value uses and closes it.
    final class AcceptedConnection<Inbound: Sendable, Outbound: Sendable>: Sendable {
        typealias Stream = NIOAsyncChannel<Inbound, Outbound>

        private let stream: Stream
        private let isServed = Atomic(false)

        var channel: any Channel { stream.channel }

        /// Takes a channel in its own event loop.
        init(_ channel: any Channel) throws { stream = try Stream(wrappingChannelSynchronously: channel) }

        deinit {
            guard !isServed.load(ordering: .acquiring) else { return }
            let stream = stream
            Task { try? await stream.executeThenClose { _, _ in } }
        }

        /// Runs `body`, and closes the connection.
        ///
        /// - Throws: what `body` throws.
        func serve(
            _ body: (NIOAsyncChannelInboundStream<Inbound>, NIOAsyncChannelOutboundWriter<Outbound>) async throws ->
                Void
        ) async throws {
            isServed.store(true, ordering: .releasing)
            try await stream.executeThenClose(body)
        }
    }
#endif
