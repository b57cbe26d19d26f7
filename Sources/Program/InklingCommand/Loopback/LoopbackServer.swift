#if Node
    import InklingAccess
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal
    import InklingWire
    import NIOCore
    import NIOHTTP1
    import NIOPosix

    /// An HTTP/1.1 server for a site on a loopback address.
    ///
    /// Any page in a browser on this machine can send it requests, and could read the answers through a name that
    /// resolves to the address: so the Host must be a loopback address or `localhost`, and an Origin that the browser
    /// names must be that Host.
    struct LoopbackServer: Sendable {
        private typealias Connection = AcceptedConnection<HTTPServerRequestPart, HTTPServerResponsePart>
        private typealias Outbound = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

        /// The maximum number of connections served at a time; further ones wait.
        private static let connectionLimit = 16
        /// The maximum duration of a connection without a stream.
        private static let deadline = TimeAmount.seconds(10)

        private let site: any LoopbackSite
        private let server: NIOAsyncChannel<Connection, Never>
        /// The address and the port on which it listens.
        let endpoint: Endpoint

        /// Starts listening.
        ///
        /// - Throws: `Failure` when the address is in use or cannot be used.
        init(at endpoint: Endpoint, _ site: any LoopbackSite) async throws(Failure) {
            self.site = site
            do {
                let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .serverChannelInitializer { listener in
                        listener.eventLoop.makeCompletedFuture {
                            try listener.pipeline.syncOperations.closeOnExecution()
                        }
                    }
                    .bind(host: "\(endpoint.address)", port: Int(endpoint.port)) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.closeOnExecution()
                            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                            return try Connection(channel)
                        }
                    }
                server = bound
                self.endpoint = Endpoint(
                    address: endpoint.address, port: UInt16(clamping: bound.channel.localAddress?.port ?? 0))
            } catch {
                throw Failure(
                    .unavailable, "cannot serve \(site.name) at \(endpoint): \(error)",
                    remedy: "Choose another port: \(site.setting.rawValue) in the configuration.")
            }
        }

        /// Serves until the task is cancelled.
        func run() async {
            try? await server.executeThenClose { connections in
                await withTaskGroup(of: Void.self) { group in
                    var open = 0
                    var rest = connections.makeAsyncIterator()
                    while let connection = try? await rest.next() {
                        if open == Self.connectionLimit {
                            await group.next()
                            open -= 1
                        }
                        open += 1
                        group.addTask { try? await serve(connection) }
                    }
                    group.cancelAll()
                }
            }
        }

        private func serve(_ connection: Connection) async throws {
            let channel = connection.channel
            let deadline = channel.eventLoop.scheduleTask(in: Self.deadline) { channel.close(promise: nil) }
            defer { deadline.cancel() }
            try await connection.serve { inbound, outbound in
                var parts = inbound.makeAsyncIterator()
                guard case .head(let head)? = try await parts.next() else { return }
                var answer = await answer(head)
                if case .reading(let limit, let answerTo) = answer.body {
                    var body: [UInt8] = []
                    while body.count <= limit, case .body(let chunk)? = try await parts.next() {
                        body += chunk.readableBytesView
                    }
                    answer =
                        body.count <= limit
                        ? await answerTo(body)
                        : LoopbackAnswer(.payloadTooLarge, "a request has at most \(limit) bytes")
                }
                try await outbound.write(.head(response(answer)))
                if head.method != .HEAD {
                    switch answer.body {
                    case .text(let text): try await write(text, outbound)
                    case .stream(let pieces):
                        deadline.cancel()
                        for await piece in pieces {
                            switch piece {
                            case .text(let text): try await write(text, outbound)
                            case .secret(let bytes): try await write(bytes.value, channel)
                            }
                        }
                    case .reading: break
                    }
                }
                try await outbound.write(.end(nil))
            }
        }

        private func write(_ text: String, _ outbound: Outbound) async throws {
            try await outbound.write(.body(.byteBuffer(ByteBuffer(string: text))))
        }

        /// Writes a secret, and wipes the buffer once its bytes have left.
        private func write(_ secret: borrowing SecretBytes, _ channel: any Channel) async throws {
            let buffer = secret.withBytes { bytes in
                var buffer = channel.allocator.buffer(capacity: bytes.count)
                unsafe bytes.withUnsafeBytes { _ = unsafe buffer.writeBytes($0) }
                return buffer
            }
            defer { buffer.wipe() }
            try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer))).get()
        }

        private func answer(_ head: HTTPRequestHead) async -> LoopbackAnswer {
            let hosts = head.headers["Host"]
            guard Self.isLoopback(host: hosts) else {
                return LoopbackAnswer(.misdirectedRequest, "this address serves only this machine")
            }
            guard Self.isOwn(origin: head.headers["Origin"], host: hosts) else {
                return LoopbackAnswer(.forbidden, "a page of another origin has sent this request")
            }
            return await site.answer(head)
        }

        private func response(_ answer: LoopbackAnswer) -> HTTPResponseHead {
            var headers = HTTPHeaders([
                ("Content-Type", answer.type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ])
            if case .text(let text) = answer.body { headers.add(name: "Content-Length", value: "\(text.utf8.count)") }
            for header in answer.headers { headers.add(name: header.name, value: header.value) }
            headers.add(name: "Connection", value: "close")
            return HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        }

        /// Returns whether a request has exactly one Host that names this machine, in a way that no one else can
        /// define.
        static func isLoopback(host values: [String]) -> Bool {
            guard values.count == 1, let host = values.first else { return false }
            if host == "localhost" || host.hasPrefix("localhost:") { return true }
            let withPort = host.hasPrefix("[") ? host.contains("]:") : host.contains(":")
            return Endpoint(withPort ? host : host + ":80")?.address.isLoopback == true
        }

        /// Returns whether a request comes from a page of this server, or from a program: browsers name the origin of
        /// the page in every request that is not a simple GET, and in every one from another origin that could be read.
        static func isOwn(origin values: [String], host: [String]) -> Bool {
            values.isEmpty || values == host.map { "http://\($0)" }
        }
    }
#endif
