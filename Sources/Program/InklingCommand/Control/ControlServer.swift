#if Node
    import Glibc
    import InklingAccess
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal
    import NIOCore
    import NIOPosix

    /// The server of a running node's control socket (`README.md`).
    ///
    /// Only the owner of the home and the group that the configuration names can use the socket.
    struct ControlServer: Sendable {
        private typealias Connection = AcceptedConnection<ByteBuffer, ByteBuffer>

        /// The time within which a connection must send its request.
        private static let requestDeadline = Duration.seconds(5)

        private let places = ControlPlaces()
        private let server: NIOAsyncChannel<Connection, Never>
        private let node: ServedNode
        private let path: String
        /// The clock of the deadlines.
        private let clock: any Clock<Duration>

        /// Starts listening.
        ///
        /// - Throws: `Failure` when the socket cannot be bound or given to its group.
        init(
            at place: ControlPlace, of node: ServedNode, clock: any Clock<Duration> = ContinuousClock()
        ) async throws(Failure) {
            self.node = node
            self.clock = clock
            path = place.path
            let socket = try ControlSocket.listen(at: place)
            do {
                server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(socket) {
                    channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.closeOnExecution()
                        return try Connection(channel)
                    }
                }
            } catch {
                throw Failure(.unavailable, "cannot listen at \(path): \(error)")
            }
        }

        /// Serves until the task is cancelled.
        func run() async {
            try? await server.executeThenClose { connections in
                await withDiscardingTaskGroup { group in
                    var rest = connections.makeAsyncIterator()
                    while let connection = try? await rest.next() {
                        group.addTask { try? await serve(connection) }
                    }
                    group.cancelAll()
                }
            }
            unsafe unlink(path)
        }

        private func serve(_ connection: Connection) async throws {
            try await connection.serve { inbound, outbound in
                let (messages, deliver) = AsyncStream<ControlMessage>.makeStream(bufferingPolicy: .bufferingOldest(16))
                let (overdue, noteOverdue) = AsyncStream<Never>.makeStream()
                let peer = RemotePeer(
                    messages: messages, outbound: outbound, channel: connection.channel, clock: clock,
                    overdue: noteOverdue)
                await withTaskGroup { group in
                    group.addTask {
                        var lines = Lines(inbound)
                        while let line = try? await lines.next(), let message = ControlMessage(line: line) {
                            deliver.yield(message)
                        }
                        deliver.finish()
                    }
                    group.addTask { await answer(peer) }
                    group.addTask { for await _ in overdue {} }
                    // Wait for the answer, or for the end of a command that has gone away or does not read.
                    await group.next()
                    group.cancelAll()
                }
            }
        }

        private func answer(_ peer: RemotePeer) async {
            guard let asked = await firstRequest(from: peer) else { return }
            let request: any NodeRequest
            do throws(JSONShapeError) { request = try asked.get() } catch {
                return await peer.end(
                    .failed(
                        Failure(.usage, "invalid request: \(error)", remedy: "Use the version of the running node.")))
            }
            guard places.begin(isBrief: type(of: request).isBrief) else {
                let what = "the node is already serving \(ControlPlaces.requestLimit) requests"
                return await peer.end(.failed(Failure(.unavailable, what, remedy: "End one of them first.")))
            }
            defer { places.end() }
            do throws(Failure) {
                try await carryOut(request, for: peer)
                await peer.end(.done)
            } catch {
                await peer.end(.failed(error))
            }
        }

        private func carryOut<Request: NodeRequest>(_ request: Request, for peer: RemotePeer) async throws(Failure) {
            try await request.run(
                on: node,
                for: Peer(take: { await peer.send(.fact($0.factLine)) }, ask: { await peer.ask($0) }))
        }

        /// Returns the request, with the text that it awaits, or its mistake; nil when it does not arrive in time, or
        /// when another connection needs the slot.
        private func firstRequest(from peer: RemotePeer) async -> Result<any NodeRequest, JSONShapeError>? {
            let first = Task { await peer.request() }
            let number = places.wait { first.cancel() }
            defer { places.arrived(number) }
            let deadline = Task { [clock] in
                try await clock.sleep(for: Self.requestDeadline)
                first.cancel()
            }
            defer { deadline.cancel() }
            return await withTaskCancellationHandler {
                await first.value
            } onCancel: {
                first.cancel()
            }
        }
    }

    /// A command at the other end of the socket.
    private struct RemotePeer {
        /// The time for which a command may leave a full socket unread. Waiting messages may contain what the node has
        /// since forgotten.
        private static let readDeadline = Duration.seconds(5)

        let messages: AsyncStream<ControlMessage>
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        let channel: any Channel
        let clock: any Clock<Duration>
        /// Finished when the command does not read, which ends the connection.
        let overdue: AsyncStream<Never>.Continuation

        func ask(_ question: IntroductionFact) async -> Bool {
            await send(.question(question))
            guard case .answer(let answer)? = await next() else { return false }
            return answer
        }

        func send(_ message: ControlMessage) async { await send(message, untilItHasLeft: message.secret != nil) }

        /// Sends the last message, and waits until it and all before it have left, because closing the connection
        /// discards the rest.
        func end(_ message: ControlMessage) async { await send(message, untilItHasLeft: true) }

        private func send(_ message: ControlMessage, untilItHasLeft waits: Bool) async {
            let deadline = Task {
                try await clock.sleep(for: Self.readDeadline)
                overdue.finish()
            }
            defer { deadline.cancel() }
            guard waits else {
                try? await outbound.write(ByteBuffer(string: message.line))
                return
            }
            let buffer = message.bytes.withBytes { bytes in
                var buffer = channel.allocator.buffer(capacity: bytes.count)
                unsafe bytes.withUnsafeBytes { _ = unsafe buffer.writeBytes($0) }
                return buffer
            }
            // The promise succeeds once the bytes have left; then they can be wiped.
            await withTaskCancellationHandler {
                try? await channel.writeAndFlush(buffer).get()
            } onCancel: {
                channel.close(promise: nil)
            }
            buffer.wipe()
        }

        /// Returns the request, with the text that it awaits, or its mistake; nil when the command has ended or sent
        /// something else.
        func request() async -> Result<any NodeRequest, JSONShapeError>? {
            guard case .request(let json, _)? = await next() else { return nil }
            let request: any NodeRequest
            do throws(JSONShapeError) { request = try Request.decoded(from: json) } catch { return .failure(error) }
            guard var secret = request as? any SecretRequest else { return .success(request) }
            guard case .text(let text)? = await next() else { return nil }
            secret.secret = text
            return .success(secret)
        }

        /// Returns the next message; nil when the command has ended or sent something else.
        func next() async -> ControlMessage? {
            for await message in messages { return message }
            return nil
        }
    }

    /// The lines of a connection.
    private struct Lines: ~Copyable {
        private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var lines = WipedLines()

        init(_ stream: NIOAsyncChannelInboundStream<ByteBuffer>) { iterator = stream.makeAsyncIterator() }

        mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> SecretBytes? {
            while true {
                if let line = lines.next() {
                    guard line.count <= ControlMessage.lineLimit else { return nil }
                    return line
                }
                guard lines.byteCount <= ControlMessage.lineLimit,
                    let chunk = try await iterator.next(isolation: isolation)
                else { return nil }
                unsafe chunk.withUnsafeReadableBytes { bytes in
                    unsafe lines.append(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
                }
                chunk.wipe()
            }
        }
    }

    extension ByteBuffer {
        /// Overwrites the readable bytes in place. NIO shares a buffer's memory with a pool, so that a write through
        /// the buffer would overwrite a copy. Nothing else reads these bytes.
        func wipe() {
            unsafe withUnsafeReadableBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: start), bytes.count)
            }
        }
    }
#endif
