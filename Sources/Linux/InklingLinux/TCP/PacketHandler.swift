#if Node
    internal import InklingNode
    internal import NIOCore

    /// A channel handler that splits a TCP stream into packets, each preceded by its length as u16. It reads only while
    /// a caller waits for a packet.
    ///
    /// Used only on its event loop. It buffers at most one packet of the length that the caller accepts, and one chunk.
    final class PacketHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private enum State {
            case open
            /// The peer has finished sending; buffered packets can still be received.
            case ended
            /// Arriving data is discarded.
            case muted
            case closed
        }

        private struct Waiting {
            let limit: Int
            let promise: EventLoopPromise<[UInt8]>
            let deadline: LinkTimer
        }

        private let limits: TCPLimits
        private let clock: any LinkClock
        private let onActive: (PacketHandler) -> Void
        private let onComplete: (PacketHandler) -> Void
        private let onGone: (PacketHandler) -> Void
        private var state = State.open
        private var buffer = ByteBuffer()
        private var waiting: Waiting?
        private var muteEnd: LinkTimer?
        /// The timer that resets the link if a packet that has begun to arrive is not complete in time.
        private var packetEnd: LinkTimer?
        /// Whether the first packet is complete, or can no longer become complete.
        private var isFirstComplete = false
        private var unwritten = 0
        private var began: NIODeadline
        private var context: ChannelHandlerContext?

        init(
            limits: TCPLimits, clock: any LinkClock, onActive: @escaping (PacketHandler) -> Void = { _ in },
            onComplete: @escaping (PacketHandler) -> Void = { _ in },
            onGone: @escaping (PacketHandler) -> Void = { _ in }
        ) {
            self.limits = limits
            self.clock = clock
            began = clock.now
            self.onActive = onActive
            self.onComplete = onComplete
            self.onGone = onGone
        }

        // MARK: Operations of the link

        /// Receives the next packet; fails with a `LinkError`. A second call while one is pending fails with `closed`.
        func receive(upTo limit: Int, within timeout: TimeAmount, on loop: any EventLoop) -> EventLoopFuture<[UInt8]> {
            let promise = loop.makePromise(of: [UInt8].self)
            guard waiting == nil else {
                promise.fail(LinkError.closed)
                return promise.futureResult
            }
            let bound = NIOLoopBound(self, eventLoop: loop)
            let deadline = clock.schedule(in: timeout, on: loop) { bound.value.fail(.timedOut) }
            waiting = Waiting(limit: limit, promise: promise, deadline: deadline)
            advance()
            return promise.futureResult
        }

        /// Writes one packet; fails with a `LinkError`, and resets the link if the packet is not written in time.
        func send(_ packet: [UInt8], on loop: any EventLoop) -> EventLoopFuture<Void> {
            guard let context, state == .open || state == .ended else { return loop.makeFailedFuture(LinkError.closed) }
            guard packet.count <= Int(UInt16.max) else {
                return loop.makeFailedFuture(LinkError.oversized(announced: packet.count, limit: Int(UInt16.max)))
            }
            let size = packet.count + 2
            guard unwritten + size <= limits.unwrittenBytes else {
                abort()
                return loop.makeFailedFuture(LinkError.closed)
            }
            unwritten += size
            var bytes = context.channel.allocator.buffer(capacity: size)
            bytes.writeInteger(UInt16(packet.count))
            bytes.writeBytes(packet)

            let bound = NIOLoopBound(self, eventLoop: loop)
            let promise = loop.makePromise(of: Void.self)
            let deadline = clock.schedule(in: TimeAmount(limits.writing), on: loop) {
                promise.fail(LinkError.timedOut)
                bound.value.abort()
            }
            context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { result in
                deadline.cancel()
                bound.value.unwritten -= size
                switch result {
                case .success: promise.succeed()
                case .failure: promise.fail(LinkError.closed)
                }
            }
            return promise.futureResult
        }

        /// Discards arriving data from now on, and resets the link `limits.mute` after its start.
        func mute(on loop: any EventLoop) {
            guard state == .open || state == .ended else { return }
            state = .muted
            packetEnd?.cancel()
            noteComplete()
            fail(.closed)
            buffer = ByteBuffer()
            resetOnClose(true)
            let bound = NIOLoopBound(self, eventLoop: loop)
            muteEnd = clock.schedule(at: began + TimeAmount(limits.mute), on: loop) { bound.value.abort() }
            context?.read()
        }

        /// Closes the link with a reset.
        func abort() {
            resetOnClose(true)
            close()
        }

        /// Closes the link at once: with a reset while it is accepted and unauthenticated, gracefully otherwise.
        func close() {
            state = .closed
            muteEnd?.cancel()
            packetEnd?.cancel()
            fail(.closed)
            buffer = ByteBuffer()
            context?.close(promise: nil)
        }

        /// Closes the link as `close`, after which nothing is repeated for longer than `limits.parting`.
        func fallSilent() {
            context?.channel.limitRepeats(to: limits.parting)
            close()
        }

        /// Fails the pending `receive`, if any.
        func fail(_ error: LinkError) {
            guard let waiting else { return }
            self.waiting = nil
            waiting.deadline.cancel()
            waiting.promise.fail(error)
        }

        /// Sets whether closing sends a reset, regardless of unread data.
        func resetOnClose(_ reset: Bool) {
            context?.channel.resetOnClose(reset)
        }

        // MARK: Events of the channel

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func channelActive(context: ChannelHandlerContext) {
            began = clock.now
            onActive(self)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard state == .open || state == .ended else { return }
            var chunk = unwrapInboundIn(data)
            buffer.writeBuffer(&chunk)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            if state == .muted {
                context.read()
            } else {
                advance()
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            // Half-closed: the peer has finished sending. A muted link is not affected and stays until its time is
            // over.
            if let event = event as? ChannelEvent, event == .inputClosed, state == .open {
                state = .ended
                advance()
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            state = .closed
            muteEnd?.cancel()
            packetEnd?.cancel()
            fail(.closed)
            onGone(self)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            close()
        }

        private func noteComplete() {
            guard !isFirstComplete else { return }
            isFirstComplete = true
            onComplete(self)
        }

        /// Completes the pending `receive` if a whole packet is buffered; otherwise reads more.
        private func advance() {
            guard let current = waiting else { return }
            if let announced = buffer.getInteger(at: buffer.readerIndex, as: UInt16.self).map(Int.init) {
                guard announced <= current.limit else {
                    noteComplete()
                    return fail(.oversized(announced: announced, limit: current.limit))
                }
                if buffer.readableBytes >= 2 + announced {
                    noteComplete()
                    buffer.moveReaderIndex(forwardBy: 2)
                    let packet = buffer.readBytes(length: announced) ?? []
                    buffer.discardReadBytes()
                    packetEnd?.cancel()
                    packetEnd = nil
                    waiting = nil
                    current.deadline.cancel()
                    return current.promise.succeed(packet)
                }
            }
            switch state {
            case .open:
                limitPacket()
                context?.read()
            case .ended, .muted, .closed: fail(.closed)
            }
        }

        /// Starts the deadline for a packet that has begun to arrive. A session may wait a day for its next packet, but
        /// not for the rest of one.
        private func limitPacket() {
            guard buffer.readableBytes > 0, packetEnd == nil, let loop = context?.eventLoop else { return }
            let bound = NIOLoopBound(self, eventLoop: loop)
            packetEnd = clock.schedule(in: TimeAmount(limits.reading), on: loop) {
                bound.value.fail(.timedOut)
                bound.value.abort()
            }
        }
    }
#endif
