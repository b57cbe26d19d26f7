#if os(Linux)
    internal import InklingKeys
    public import InklingWire
    internal import InklingNode

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// The sockets of a live run: multicast DNS and TCP connections, served by one thread with one `poll`.
    public final class LiveSockets: LiveNetwork {
        private struct Connection {
            let descriptor: Int32
            var pending: [UInt8]
            var endsStream: Bool
            var madeAt: Int64?
            /// The bytes received but not yet taken.
            var received: [UInt8] = []
            var receivedCount = 0
            /// The end of the connection; `nil` while it is open.
            var end: ConnectionOutcome.End?
            var endedAt: Int64 = 0
            var endedAtReal: Int64 = 0

            var facts: LiveConnection {
                let last = end == nil ? LiveSockets.milliseconds(CLOCK_BOOTTIME) : endedAt
                return LiveConnection(
                    isMade: madeAt != nil, endedAt: end == nil ? nil : endedAtReal,
                    outcome: ConnectionOutcome(
                        end ?? .open, after: last - min(last, madeAt ?? last), receivedCount: receivedCount))
            }
        }

        private struct Group {
            let descriptor: Int32
            let isIPv6: Bool
        }

        public private(set) var packets: [ObservedPacket] = []
        public let ownAddresses: OwnAddresses
        private var groups: [Group] = []
        private var connections: [Int: Connection] = [:]
        private var count = 0
        /// The queries of this run, which come back on every interface of the link.
        private var asked: Set<[UInt8]> = []

        private static let port: UInt16 = 5353
        private static let packetLimit = 200_000
        private static let receiveLimit = 1 << 16

        /// Opens sockets on one interface, or on every interface that supports multicast; on loopback if there is no
        /// other.
        public init(interface: String?) throws(LiveError) {
            _ = signal(SIGPIPE, SIG_IGN)
            let found = NetworkInterface.all()
            ownAddresses = OwnAddresses(found.flatMap(\.addresses))
            let wanted =
                interface.map { name in found.filter { $0.name == name } } ?? NetworkInterface.usable(of: found)
            guard !wanted.isEmpty else { throw interface.map(LiveError.noInterface) ?? .noNetwork }
            for one in wanted {
                if let group = Self.group4(one.index) { groups.append(group) }
                if let group = Self.group6(one.index) { groups.append(group) }
            }
            guard !groups.isEmpty else { throw .cannotListen(code: errno) }
        }

        deinit {
            for group in groups { close(group.descriptor) }
            for connection in connections.values where connection.end == nil { close(connection.descriptor) }
        }

        public var now: Int64 { Self.milliseconds(CLOCK_REALTIME) }

        private static func milliseconds(_ clock: clockid_t) -> Int64 {
            var time = timespec()
            guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        }

        // MARK: Multicast DNS

        public func ask(_ questions: [DNSMessage.Question]) {
            let bytes = DNSMessage.query(questions)
            asked.insert(bytes)
            for group in groups {
                SocketAddress(group.isIPv6 ? Self.group6Address : Self.group4Address, port: Self.port)
                    .sendDatagram(bytes, on: group.descriptor)
            }
        }

        private func receive(from group: Group) {
            var bytes = [UInt8](repeating: 0, count: DNSMessage.byteLimit + 1)
            while true {
                let (got, source) = SocketAddress.receiveDatagram(into: &bytes, on: group.descriptor)
                guard got > 0 else { return }
                let payload = Array(bytes[..<got])
                guard packets.count < Self.packetLimit, let sender = source.address,
                    !(asked.contains(payload) && ownAddresses.contains(sender)),
                    let message = DNSMessage(parsing: payload)
                else { continue }
                packets.append(ObservedPacket(at: now, source: sender, message))
            }
        }

        // MARK: Connections

        public func connect(to endpoint: Endpoint, sending bytes: [UInt8], endingStream: Bool) -> Int {
            count += 1
            let address = SocketAddress(endpoint.address, port: endpoint.port)
            let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let descriptor = socket(address.family, flags, 0)
            var connection = Connection(descriptor: descriptor, pending: bytes, endsStream: endingStream)
            if address.connectSocket(descriptor) == 0 {
                connection.madeAt = Self.milliseconds(CLOCK_BOOTTIME)
                feed(&connection)
            } else if errno != EINPROGRESS {
                finish(&connection, .refused(code: errno))
            }
            connections[count] = connection
            return count
        }

        public func connection(_ number: Int) -> LiveConnection? { connections[number]?.facts }

        public func send(_ bytes: [UInt8], on number: Int) {
            guard var connection = connections[number], connection.end == nil else { return }
            connection.pending += bytes
            if connection.madeAt != nil { feed(&connection) }
            connections[number] = connection
        }

        public func take(from number: Int) -> [UInt8] {
            defer { connections[number]?.received = [] }
            return connections[number]?.received ?? []
        }

        public func drop(_ number: Int) {
            if let connection = connections.removeValue(forKey: number), connection.end == nil {
                close(connection.descriptor)
            }
        }

        private func settle(_ connection: inout Connection) {
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe getsockopt(connection.descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0 else {
                return finish(&connection, .refused(code: code))
            }
            connection.madeAt = Self.milliseconds(CLOCK_BOOTTIME)
        }

        private func feed(_ connection: inout Connection) {
            while !connection.pending.isEmpty {
                let sent = unsafe connection.pending.withUnsafeBytes {
                    unsafe sendBytes($0, on: connection.descriptor)
                }
                guard sent > 0 else { return }
                connection.pending.removeFirst(sent)
            }
            guard connection.endsStream else { return }
            connection.endsStream = false
            _ = shutdown(connection.descriptor, Int32(SHUT_WR))
        }

        private func drain(_ connection: inout Connection) {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let got = unsafe chunk.withUnsafeMutableBytes {
                unsafe recv(connection.descriptor, $0.baseAddress, $0.count, 0)
            }
            if got > 0 {
                connection.receivedCount += got
                if connection.received.count < Self.receiveLimit { connection.received += chunk[..<got] }
            } else if got == 0 {
                finish(&connection, .closed)
            } else if errno != EAGAIN, errno != EINTR {
                finish(&connection, .reset)
            }
        }

        private func finish(_ connection: inout Connection, _ end: ConnectionOutcome.End) {
            connection.end = end
            connection.endedAt = Self.milliseconds(CLOCK_BOOTTIME)
            connection.endedAtReal = now
            if connection.descriptor >= 0 { close(connection.descriptor) }
        }

        // MARK: The poll

        public func watch(milliseconds: Int64, until isDone: () -> Bool) {
            let end = Self.milliseconds(CLOCK_BOOTTIME) + max(0, milliseconds)
            while !isDone() {
                let rest = end - Self.milliseconds(CLOCK_BOOTTIME)
                guard rest > 0 else { return }
                step(milliseconds: Int32(clamping: min(rest, 100)))
            }
        }

        private func step(milliseconds: Int32) {
            let open = connections.filter { $0.value.end == nil }.keys.sorted()
            var waiting = groups.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            for number in open {
                guard let connection = connections[number] else { continue }
                let wantsOut = connection.madeAt == nil || !connection.pending.isEmpty
                waiting.append(
                    pollfd(fd: connection.descriptor, events: Int16(wantsOut ? POLLIN | POLLOUT : POLLIN), revents: 0))
            }
            let total = nfds_t(waiting.count)
            guard unsafe poll(&waiting, total, milliseconds) > 0 else { return }
            for (group, state) in zip(groups, waiting) where state.revents != 0 { receive(from: group) }
            for (number, state) in zip(open, waiting.dropFirst(groups.count)) where state.revents != 0 {
                guard var connection = connections[number] else { continue }
                if connection.madeAt == nil { settle(&connection) }
                if connection.end == nil, state.revents & Int16(POLLOUT) != 0 { feed(&connection) }
                if connection.end == nil, state.revents & ~Int16(POLLOUT) != 0 { drain(&connection) }
                connections[number] = connection
            }
        }

        // MARK: Multicast groups

        private static let group4Address = Endpoint.Address.v4(0xe000_00fb)
        private static let group6Octets = Octets16(high: 0xff02_0000_0000_0000, low: 0xfb)
        private static let group6Address = Endpoint.Address.v6(group6Octets, scope: 0)

        /// Opens a socket that receives the IPv4 group on one interface and sends to it there.
        private static func group4(_ index: UInt32) -> Group? {
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var request = ip_mreqn()
            request.imr_multiaddr.s_addr = UInt32(0xe000_00fb).bigEndian
            request.imr_ifindex = Int32(clamping: index)
            let level = Int32(IPPROTO_IP)
            let isReady =
                set(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
                && SocketAddress(.v4(0), port: port).bindSocket(descriptor) == 0
                && set(descriptor, level, IP_ADD_MEMBERSHIP, request)
                && set(descriptor, level, IP_MULTICAST_IF, request)
                // Otherwise the socket also receives groups that other sockets joined on other interfaces.
                && set(descriptor, level, IP_MULTICAST_ALL, Int32(0))
                && set(descriptor, level, IP_MULTICAST_TTL, Int32(255))
            return keep(descriptor, isReady, isIPv6: false)
        }

        /// Opens a socket that receives the IPv6 group on one interface and sends to it there.
        private static func group6(_ index: UInt32) -> Group? {
            let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var request = ipv6_mreq()
            request.ipv6mr_multiaddr = SocketAddress.in6(group6Octets)
            request.ipv6mr_interface = index
            let level = Int32(IPPROTO_IPV6)
            let isReady =
                set(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
                && set(descriptor, level, IPV6_V6ONLY, Int32(1))
                && SocketAddress(.v6(Octets16(high: 0, low: 0), scope: 0), port: port).bindSocket(descriptor) == 0
                && set(descriptor, level, IPV6_JOIN_GROUP, request)
                && set(descriptor, level, IPV6_MULTICAST_IF, Int32(clamping: index))
                && set(descriptor, level, IPV6_MULTICAST_ALL, Int32(0))
                && set(descriptor, level, IPV6_MULTICAST_HOPS, Int32(255))
            return keep(descriptor, isReady, isIPv6: true)
        }

        private static func keep(_ descriptor: Int32, _ isReady: Bool, isIPv6: Bool) -> Group? {
            if isReady { return Group(descriptor: descriptor, isIPv6: isIPv6) }
            if descriptor >= 0 { close(descriptor) }
            return nil
        }

        private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: some Any)
            -> Bool
        {
            unsafe withUnsafeBytes(of: value) {
                unsafe setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
            } == 0
        }
    }

    /// Calls the C library's `send`, which a method of the same name hides.
    @unsafe private func sendBytes(_ bytes: UnsafeRawBufferPointer, on descriptor: Int32) -> Int {
        unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
#endif
