#if Node
    public import InklingNode
    internal import NIOCore
    internal import InklingWire

    /// A TCP connection that carries packets, each preceded by its length as u16 (`Specs/packets.md`).
    ///
    /// Only one `receive` may be pending. A cancelled `receive` throws `closed`; the link stays usable and keeps the
    /// bytes that it has read.
    public final class TCPLink: Link {
        /// The peer's endpoint.
        public let route: LinkRoute
        private let loop: any EventLoop
        private let handler: NIOLoopBound<PacketHandler>
        private let onGatePassed: @Sendable () -> Void
        private let onAuthenticated: @Sendable () -> Void

        init(
            remote: Endpoint, loop: any EventLoop, handler: NIOLoopBound<PacketHandler>,
            onGatePassed: @escaping @Sendable () -> Void, onAuthenticated: @escaping @Sendable () -> Void
        ) {
            route = .endpoint(remote)
            self.loop = loop
            self.handler = handler
            self.onGatePassed = onGatePassed
            self.onAuthenticated = onAuthenticated
        }

        /// Receives the next packet, without its length field.
        ///
        /// - Throws: `LinkError.oversized` before the packet is read, `timedOut` if it is not complete in time, and
        ///   `closed` if the connection ends before a whole packet has arrived.
        public func receive(upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8] {
            let (loop, handler) = (loop, handler)
            // The cancellation may reach the event loop before the request.
            let cancelled = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: loop)
            return try await withTaskCancellationHandler {
                await result(
                    of: loop.flatSubmit {
                        guard !cancelled.value else { return loop.makeFailedFuture(LinkError.closed) }
                        return handler.value.receive(upTo: limit, within: TimeAmount(timeout), on: loop)
                    })
            } onCancel: {
                loop.execute {
                    cancelled.value = true
                    handler.value.fail(.closed)
                }
            }.get()
        }

        /// Sends one packet of at most 65,535 bytes.
        ///
        /// - Throws: `LinkError.oversized` for a longer packet; `timedOut` or `closed` if the peer does not read it.
        public func send(_ packet: [UInt8]) async throws(LinkError) {
            let (loop, handler) = (loop, handler)
            try await result(of: loop.flatSubmit { handler.value.send(packet, on: loop) }).get()
        }

        /// Marks the link as past the gate, so that no stranger's link takes its place.
        public func markGatePassed() async { await perform(onGatePassed) }

        /// Marks the link as authenticated, so that it no longer counts against the limits on unauthenticated links.
        public func markAuthenticated() async {
            let handler = handler
            await perform {
                handler.value.resetOnClose(false)
                self.onAuthenticated()
            }
        }

        /// Discards arriving data until `TCPLimits.mute` after the link began, then resets the link.
        public func mute() async {
            let (loop, handler) = (loop, handler)
            await perform { handler.value.mute(on: loop) }
        }

        /// Closes the link at once; an accepted unauthenticated link is reset.
        public func close() async {
            let handler = handler
            await perform { handler.value.close() }
        }

        /// Closes the link at once; the system repeats what the peer has not acknowledged for `TCPLimits.parting`.
        public func fallSilent() async {
            let handler = handler
            await perform { handler.value.fallSilent() }
        }

        private func perform(_ body: @escaping @Sendable () -> Void) async {
            // Fails only after the event loop has shut down, which closed the link.
            try? await loop.submit(body).get()
        }

        private func result<Value: Sendable>(of future: EventLoopFuture<Value>) async -> Result<Value, LinkError> {
            do {
                return .success(try await future.get())
            } catch let error as LinkError {
                return .failure(error)
            } catch {
                return .failure(.closed)
            }
        }
    }
#endif
