#if Node
    // Parts of the socket interface belong to whichever C module declared them first.
    internal import CLinux
    internal import Glibc
    internal import InklingKeys
    public import InklingNode
    internal import NIOCore
    internal import NIOPosix
    public import InklingWire

    /// A transport for links over TCP, all on one event loop with one thread.
    public final class TCPTransport: LinkTransport, AnsweringPart {
        let group: MultiThreadedEventLoopGroup
        private let limits: TCPLimits
        private let clock: any LinkClock

        /// Creates a transport with its own thread, which `shutDown` ends.
        public convenience init(limits: TCPLimits = TCPLimits()) { self.init(limits: limits, clock: LoopClock()) }

        /// Creates a transport whose link limits use this clock.
        init(limits: TCPLimits, clock: any LinkClock) {
            group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            self.limits = limits
            self.clock = clock
        }

        /// Closes all links and listeners of the transport and ends its thread.
        public func shutDown() async {
            try? await group.shutdownGracefully()
        }

        public func answer() async { try? await group.next().submit {}.get() }

        /// Starts accepting links on a port chosen by the system, over IPv6 and IPv4.
        ///
        /// - Throws: `LinkError.unreachable` with the system's error number.
        public func listen() async throws(LinkError) -> any LinkListener {
            let loop = group.next()
            let (limits, clock) = (limits, clock)
            do {
                let admission = try await loop.submit {
                    NIOLoopBound(Admission(limits: limits, clock: clock, loop: loop), eventLoop: loop)
                }.get()
                let links = AsyncStream<any Link> {
                    try? await loop.flatSubmit { admission.value.next() }.get()
                } onCancel: {
                    loop.execute { admission.value.endNext() }
                }
                let bootstrap = ServerBootstrap(group: loop)
                    .serverChannelOption(.backlog, value: Self.backlog)
                    .serverChannelOption(.socketOption(.so_rcvbuf), value: Self.receiveBuffer)
                    .serverChannelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.closeOnExecution()
                            try server.pipeline.syncOperations.addHandler(admission.value.floodGate())
                        }
                    }
                    .childChannelOption(.autoRead, value: false)
                    .childChannelOption(.allowRemoteHalfClosure, value: true)
                    .childChannelOption(.maxMessagesPerRead, value: 1)
                    .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.chunk))
                    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .childChannelOption(Self.userTimeout, value: Self.milliseconds(limits.writing * 2))
                    .childChannelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.closeOnExecution()
                            try admission.value.prepare(channel)
                        }
                    }
                let channel: any Channel
                if Self.hasIPv6 {
                    // An address rather than text: the resolver rejects `::` where no interface has an IPv6 address.
                    channel =
                        try await bootstrap
                        .serverChannelOption(Self.onlyIPv6, value: 0)
                        .bind(to: SocketAddress(ipAddress: "::", port: 0)).get()
                } else {
                    channel = try await bootstrap.bind(to: SocketAddress(ipAddress: "0.0.0.0", port: 0)).get()
                }
                let port = UInt16(truncatingIfNeeded: channel.localAddress?.port ?? 0)
                return TCPListener(port: port, channel: channel, admission: admission, links: links)
            } catch {
                throw LinkError(error)
            }
        }

        /// Connects to an endpoint within `timeout`. Cancelling the task closes the socket at once, because the kernel
        /// retries the connection request for as long as the socket is open.
        ///
        /// - Throws: `LinkError.timedOut`, `closed` if the task is cancelled, or `unreachable` with the system's error
        ///   number.
        public func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
            try await connect(to: endpoint, within: timeout, hopLimit: nil)
        }

        /// Connects like `connect(to:within:)`, with a hop limit of 1 for every packet of the link.
        public func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
            try await connect(to: endpoint, within: timeout, hopLimit: 1)
        }

        private func connect(
            to endpoint: Endpoint, within timeout: Duration, hopLimit: Int?
        ) async throws(LinkError) -> any Link {
            let loop = group.next()
            let attempt = NIOLoopBoundBox.makeBoxSendingValue(Attempt.waiting, eventLoop: loop)
            let result = await withTaskCancellationHandler {
                await connect(to: endpoint, within: timeout, hopLimit: hopLimit, as: attempt, on: loop)
            } onCancel: {
                loop.execute {
                    if case .connecting(let channel) = attempt.value { channel.close(promise: nil) }
                    attempt.value = .cancelled
                }
            }
            return try result.get()
        }

        /// The state of a connection attempt, on its event loop.
        private enum Attempt {
            case waiting
            case connecting(any Channel)
            case cancelled
        }

        private func connect(
            to endpoint: Endpoint, within timeout: Duration, hopLimit: Int?, as attempt: NIOLoopBoundBox<Attempt>,
            on loop: any EventLoop
        ) async -> Result<any Link, LinkError> {
            let (limits, clock) = (limits, clock)
            do {
                var bootstrap = ClientBootstrap(group: loop)
                if let hopLimit {
                    // Set before the socket connects, so that it applies to the first packet too.
                    bootstrap = bootstrap.channelOption(
                        endpoint.address.isV4 ? Self.hopLimitV4 : Self.hopLimitV6, value: hopLimit)
                }
                let channel =
                    try await bootstrap
                    .connectTimeout(TimeAmount(timeout))
                    .channelOption(.socketOption(.so_rcvbuf), value: Self.receiveBuffer)
                    .channelOption(.autoRead, value: false)
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .channelOption(.maxMessagesPerRead, value: 1)
                    .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.chunk))
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .channelOption(Self.userTimeout, value: Self.milliseconds(limits.writing * 2))
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            // The cancellation may reach the event loop first.
                            guard case .waiting = attempt.value else { throw LinkError.closed }
                            attempt.value = .connecting(channel)
                            try channel.pipeline.syncOperations.closeOnExecution()
                            try channel.pipeline.syncOperations.addHandler(PacketHandler(limits: limits, clock: clock))
                        }
                    }
                    .connect(to: endpoint.socketAddress).get()
                let handler = try await loop.submit {
                    guard case .connecting = attempt.value else { throw LinkError.closed }
                    let handler = try channel.pipeline.syncOperations.handler(type: PacketHandler.self)
                    return NIOLoopBound(handler, eventLoop: loop)
                }.get()
                return .success(
                    TCPLink(remote: endpoint, loop: loop, handler: handler, onGatePassed: {}, onAuthenticated: {}))
            } catch {
                return .failure(LinkError(error))
            }
        }

        /// The kernel's queue of connections waiting to be accepted. When it is full, the kernel drops the requests of
        /// contacts too, and they retry only after a second.
        private static let backlog: Int32 = 4_096
        /// The kernel buffers twice this number of bytes per link before the peer has to wait.
        private static let receiveBuffer = 65_536
        private static let chunk = 4_096

        /// The longest time that sent bytes stay unacknowledged, so that a vanished peer is noticed without keep-alive.
        private static let userTimeout = ChannelOptions.Types.SocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))

        private static let hopLimitV4 = ChannelOptions.Types.SocketOption(
            level: .ip, name: NIOBSDSocket.Option(rawValue: IP_TTL))
        private static let hopLimitV6 = ChannelOptions.Types.SocketOption(
            level: .ipv6, name: NIOBSDSocket.Option(rawValue: IPV6_UNICAST_HOPS))

        private static let onlyIPv6 = ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only)

        /// Whether the kernel supports IPv6.
        private static var hasIPv6: Bool {
            let probe = socket(AF_INET6, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            guard probe >= 0 else { return false }
            close(probe)
            return true
        }

        private static func milliseconds(_ duration: Duration) -> Int {
            Int(clamping: TimeAmount(duration).nanoseconds / 1_000_000)
        }
    }

    extension LinkError {
        fileprivate init(_ error: any Error) {
            switch error {
            case let error as LinkError: self = error
            case let error as IOError where error.errnoCode == ETIMEDOUT: self = .timedOut
            case let error as IOError: self = .unreachable(code: error.errnoCode)
            case ChannelError.connectTimeout: self = .timedOut
            default: self = .closed
            }
        }
    }
#endif
