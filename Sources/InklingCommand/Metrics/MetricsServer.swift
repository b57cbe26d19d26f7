#if Node
    import InklingNode
    import InklingSession
    import NIOCore
    import NIOHTTP1
    import NIOPosix

    /// Serves `/metrics` on a loopback address, by HTTP/1.1.
    ///
    /// A page in a browser of the machine can send requests to it, and a name that leads to the address gives that page the
    /// answer: so the Host must be a loopback address or `localhost`.
    struct MetricsServer: Sendable {
        private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

        /// How many connections are served at a time; further ones wait.
        private static let connectionLimit = 16
        /// How long a connection may last.
        private static let deadline = TimeAmount.seconds(10)

        private let metrics: NodeMetrics
        private let server: NIOAsyncChannel<Connection, Never>
        /// The address and the port at which it listens.
        let endpoint: Endpoint

        /// Starts to listen.
        ///
        /// - Throws: `Failure` when the address is in use or cannot be used.
        init(at endpoint: Endpoint, _ metrics: NodeMetrics) async throws(Failure) {
            self.metrics = metrics
            do {
                let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: "\(endpoint.address)", port: Int(endpoint.port)) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                            channel.eventLoop.scheduleTask(in: Self.deadline) { channel.close(promise: nil) }
                            return try Connection(wrappingChannelSynchronously: channel)
                        }
                    }
                server = bound
                self.endpoint = Endpoint(
                    address: endpoint.address, port: UInt16(clamping: bound.channel.localAddress?.port ?? 0))
            } catch {
                throw Failure(
                    .unavailable, "cannot serve metrics at \(endpoint): \(error)",
                    remedy: "Choose another port: metrics.listen in the configuration.")
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
            try await connection.executeThenClose { inbound, outbound in
                for try await part in inbound {
                    guard case .head(let head) = part else { continue }
                    let (status, body) = await answer(head)
                    var headers = HTTPHeaders([
                        ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store"),
                        ("Content-Length", "\(body.utf8.count)"), ("X-Content-Type-Options", "nosniff"),
                    ])
                    if status == .methodNotAllowed { headers.add(name: "Allow", value: "GET, HEAD") }
                    headers.add(name: "Connection", value: "close")
                    try await outbound.write(
                        .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
                    if head.method != .HEAD { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
                    try await outbound.write(.end(nil))
                    return
                }
            }
        }

        private func answer(_ head: HTTPRequestHead) async -> (HTTPResponseStatus, String) {
            guard Self.isLoopback(host: head.headers["Host"]) else {
                return (.misdirectedRequest, "this address serves the machine itself alone\n")
            }
            guard head.uri == "/metrics" else { return (.notFound, "see /metrics\n") }
            guard head.method == .GET || head.method == .HEAD else { return (.methodNotAllowed, "GET alone\n") }
            return (.ok, await metrics.text())
        }

        /// Whether a request has one Host, and that is this machine by a name that nobody else can give it.
        static func isLoopback(host values: [String]) -> Bool {
            guard values.count == 1, let host = values.first else { return false }
            if host == "localhost" || host.hasPrefix("localhost:") { return true }
            let withPort = host.hasPrefix("[") ? host.contains("]:") : host.contains(":")
            return Endpoint(withPort ? host : host + ":80")?.address.isLoopback == true
        }
    }
#endif
