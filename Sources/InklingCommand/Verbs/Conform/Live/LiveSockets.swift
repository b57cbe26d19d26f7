import FoundationEssentials
import InklingConformance
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sockets of a live run: multicast DNS as it comes, and connections that notice how they end. One thread, one poll.
final class LiveSockets {
    /// A connection to the node under test.
    struct Connection {
        fileprivate let descriptor: Int32
        fileprivate var pending: [UInt8]
        fileprivate var endsStream: Bool
        fileprivate var madeAt: UInt64?
        /// What came and was not taken yet.
        fileprivate(set) var received: [UInt8] = []
        fileprivate(set) var receivedCount = 0
        /// How it ended; nil while it is open.
        fileprivate(set) var end: ConnectionOutcome.End?
        fileprivate var endedAt: UInt64 = 0
        /// When it ended, in milliseconds since 1970-01-01T00:00:00Z.
        fileprivate(set) var endedAtReal: Int64 = 0

        /// Whether the connection was made.
        var isMade: Bool { madeAt != nil }

        /// What became of it until now.
        var outcome: ConnectionOutcome {
            let last = end == nil ? LiveSockets.tick() : endedAt
            return ConnectionOutcome(
                end ?? .open, after: Int64(last - min(last, madeAt ?? last)), receivedCount: receivedCount)
        }
    }

    private struct Group {
        let descriptor: Int32
        let isIPv6: Bool
    }

    /// Everything that came, in its order; at most `packetLimit`.
    private(set) var packets: [ObservedPacket] = []
    /// The addresses of this machine.
    let ownAddresses = LiveSockets.localAddresses()
    private var groups: [Group] = []
    private var connections: [Int: Connection] = [:]
    private var count = 0

    private static let port: UInt16 = 5353
    private static let packetLimit = 200_000
    private static let receiveLimit = 1 << 16

    /// Sockets on one interface, or on every one that can multicast; loopback when there is nothing else.
    ///
    /// - Throws: `Failure` when there is no such interface, or none can be listened on.
    init(interface: String?) throws(Failure) {
        _ = signal(SIGPIPE, SIG_IGN)
        let found = Self.interfaces()
        let wanted = interface.map { name in found.filter { $0.name == name } } ?? Self.usable(found)
        guard !wanted.isEmpty else {
            throw Failure(
                .unavailable,
                interface.map { "there is no interface \(printable($0))" } ?? "no interface is up",
                remedy: "See them with: ip link")
        }
        for one in wanted {
            if let group = Self.group4(one.index) { groups.append(group) }
            if let group = Self.group6(one.index) { groups.append(group) }
        }
        guard !groups.isEmpty else {
            throw Failure(.unavailable, "cannot listen to multicast DNS: \(systemMessage())")
        }
    }

    deinit {
        for group in groups { close(group.descriptor) }
        for connection in connections.values where connection.end == nil { close(connection.descriptor) }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    static func now() -> Int64 { Int64(clamping: SystemClock().read().unixMilliseconds) }

    /// Monotonic milliseconds.
    fileprivate static func tick() -> UInt64 { SystemClock().read().tick.milliseconds }

    // MARK: Multicast DNS

    /// Asks everybody.
    func ask(_ questions: [DNSMessage.Question]) {
        let bytes = DNSMessage.query(questions)
        for group in groups {
            let target =
                group.isIPv6
                ? Self.address6(Self.group6Octets, port: Self.port)
                : Self.address4(
                    0xe000_00fb, port: Self.port)
            _ = unsafe bytes.withUnsafeBytes { bytes in
                unsafe target.withUnsafeBytes { target in
                    unsafe sendto(
                        group.descriptor, bytes.baseAddress, bytes.count, 0,
                        target.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(target.count))
                }
            }
        }
    }

    // MARK: Connections

    /// Begins to connect; `bytes` leave as soon as the connection is made, and then the end of the stream if wanted.
    func connect(to endpoint: Endpoint, sending bytes: [UInt8] = [], endingStream: Bool = false) -> Int {
        count += 1
        let address: [UInt8]
        let family: Int32
        switch endpoint.address {
        case .v4(let value):
            address = Self.address4(value, port: endpoint.port)
            family = AF_INET
        case .v6(let octets, let scope):
            address = Self.address6(octets, port: endpoint.port, scope: scope)
            family = AF_INET6
        }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, flags, 0)
        var connection = Connection(descriptor: descriptor, pending: bytes, endsStream: endingStream)
        let status = unsafe address.withUnsafeBytes { address in
            unsafe Glibc.connect(
                descriptor, address.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
        }
        if status == 0 {
            connection.madeAt = Self.tick()
            feed(&connection)
        } else if errno != EINPROGRESS {
            finish(&connection, .refused(code: errno))
        }
        connections[count] = connection
        return count
    }

    /// A connection by its number.
    func connection(_ number: Int) -> Connection? { connections[number] }

    /// Sends more on a connection.
    func send(_ bytes: [UInt8], on number: Int) {
        guard var connection = connections[number], connection.end == nil else { return }
        connection.pending += bytes
        if connection.isMade { feed(&connection) }
        connections[number] = connection
    }

    /// Takes what came on a connection.
    func take(from number: Int) -> [UInt8] {
        defer { connections[number]?.received = [] }
        return connections[number]?.received ?? []
    }

    /// Ends a connection.
    func drop(_ number: Int) {
        if let connection = connections.removeValue(forKey: number), connection.end == nil {
            close(connection.descriptor)
        }
    }

    // MARK: The poll

    /// Takes what comes for so many milliseconds, or until `isDone`.
    func watch(milliseconds: Int64, until isDone: () -> Bool = { false }) {
        let end = Self.tick() + UInt64(max(0, milliseconds))
        while !isDone() {
            let now = Self.tick()
            guard now < end else { return }
            step(milliseconds: Int32(clamping: min(end - now, 100)))
        }
    }

    private func step(milliseconds: Int32) {
        let open = connections.filter { $0.value.end == nil }.keys.sorted()
        var waiting = groups.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        for number in open {
            guard let connection = connections[number] else { continue }
            let wantsOut = !connection.isMade || !connection.pending.isEmpty
            waiting.append(
                pollfd(fd: connection.descriptor, events: Int16(wantsOut ? POLLIN | POLLOUT : POLLIN), revents: 0))
        }
        let total = nfds_t(waiting.count)
        guard unsafe poll(&waiting, total, milliseconds) > 0 else { return }
        for (group, state) in zip(groups, waiting) where state.revents != 0 { hear(group) }
        for (number, state) in zip(open, waiting.dropFirst(groups.count)) where state.revents != 0 {
            guard var connection = connections[number] else { continue }
            if !connection.isMade { settle(&connection) }
            if connection.end == nil, state.revents & Int16(POLLOUT) != 0 { feed(&connection) }
            if connection.end == nil, state.revents & ~Int16(POLLOUT) != 0 { drain(&connection) }
            connections[number] = connection
        }
    }

    private func hear(_ group: Group) {
        var bytes = [UInt8](repeating: 0, count: DNSMessage.byteLimit + 1)
        var source = [UInt8](repeating: 0, count: 128)
        while true {
            var length = socklen_t(source.count)
            let got = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe source.withUnsafeMutableBytes { source in
                    unsafe recvfrom(
                        group.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT),
                        source.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
                }
            }
            guard got > 0 else { return }
            let payload = Array(bytes[..<got])
            let sender = Self.text(source, isIPv6: group.isIPv6)
            if let message = DNSMessage(parsing: payload), packets.count < Self.packetLimit {
                packets.append(ObservedPacket(at: Self.now(), source: sender, message))
            }
        }
    }

    private func settle(_ connection: inout Connection) {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(connection.descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0 else {
            return finish(&connection, .refused(code: code))
        }
        connection.madeAt = Self.tick()
    }

    private func feed(_ connection: inout Connection) {
        while !connection.pending.isEmpty {
            let sent = unsafe connection.pending.withUnsafeBytes {
                unsafe Glibc.send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
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
        connection.endedAt = Self.tick()
        connection.endedAtReal = Self.now()
        if connection.descriptor >= 0 { close(connection.descriptor) }
    }

    // MARK: Addresses and interfaces, by the layout that the kernel fixes

    private static let group6Octets = Octets16(high: 0xff02_0000_0000_0000, low: 0xfb)

    private static func address4(_ value: UInt32, port: UInt16) -> [UInt8] {
        family(AF_INET) + big(port) + big(value) + [UInt8](repeating: 0, count: 8)
    }

    private static func address6(_ octets: Octets16, port: UInt16, scope: UInt32 = 0) -> [UInt8] {
        family(AF_INET6) + big(port) + [0, 0, 0, 0] + big(octets.high) + big(octets.low) + native(scope)
    }

    private static func text(_ address: [UInt8], isIPv6: Bool) -> String {
        func number(_ range: Range<Int>) -> UInt64 { address[range].reduce(0) { $0 << 8 | UInt64($1) } }
        guard isIPv6 else { return Endpoint.Address.v4(UInt32(truncatingIfNeeded: number(4..<8))).description }
        let scope = address[24..<28].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        return Endpoint.Address.v6(Octets16(high: number(8..<16), low: number(16..<24)), scope: scope).description
    }

    private static func big(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Fields in the machine's own order; every machine this runs on puts the least significant byte first.
    private static func native(_ value: some FixedWidthInteger) -> [UInt8] { big(value).reversed() }

    private static func family(_ family: Int32) -> [UInt8] { native(UInt16(truncatingIfNeeded: family)) }

    private static func group4(_ index: UInt32) -> Group? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let request = big(UInt32(0xe000_00fb)) + [0, 0, 0, 0] + native(index)
        let ready =
            set(descriptor, SOL_SOCKET, SO_REUSEADDR, native(UInt32(1)))
            && bind(descriptor, address4(0, port: port))
            && set(descriptor, IPProtocol.v4, 35, request) && set(descriptor, IPProtocol.v4, 32, request)
            && set(descriptor, IPProtocol.v4, 49, native(UInt32(0)))
            && set(descriptor, IPProtocol.v4, 33, native(UInt32(255)))
        return keep(descriptor, ready, isIPv6: false)
    }

    private static func group6(_ index: UInt32) -> Group? {
        let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let request = big(group6Octets.high) + big(group6Octets.low) + native(index)
        let ready =
            set(descriptor, SOL_SOCKET, SO_REUSEADDR, native(UInt32(1)))
            && set(descriptor, IPProtocol.v6, 26, native(UInt32(1)))
            && bind(descriptor, address6(Octets16(high: 0, low: 0), port: port))
            && set(descriptor, IPProtocol.v6, 20, request) && set(descriptor, IPProtocol.v6, 17, native(index))
            && set(descriptor, IPProtocol.v6, 29, native(UInt32(0)))
            && set(descriptor, IPProtocol.v6, 18, native(UInt32(255)))
        return keep(descriptor, ready, isIPv6: true)
    }

    private enum IPProtocol {
        static let v4: Int32 = 0
        static let v6: Int32 = 41
    }

    private static func keep(_ descriptor: Int32, _ ready: Bool, isIPv6: Bool) -> Group? {
        if ready { return Group(descriptor: descriptor, isIPv6: isIPv6) }
        if descriptor >= 0 { close(descriptor) }
        return nil
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: [UInt8]) -> Bool {
        unsafe value.withUnsafeBytes {
            unsafe setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
        } == 0
    }

    private static func bind(_ descriptor: Int32, _ address: [UInt8]) -> Bool {
        unsafe address.withUnsafeBytes {
            unsafe Glibc.bind(
                descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        } == 0
    }

    private struct Interface {
        let name: String
        let index: UInt32
        let isLoopback: Bool
        let canMulticast: Bool
    }

    /// The interfaces that are up, as the kernel lists them.
    private static func interfaces() -> [Interface] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")) ?? []
        return names.sorted().compactMap { name in
            guard let flags = number("/sys/class/net/\(name)/flags"), flags & 1 != 0,
                let index = number("/sys/class/net/\(name)/ifindex")
            else { return nil }
            return Interface(
                name: name, index: index, isLoopback: flags & 8 != 0, canMulticast: flags & 0x1000 != 0)
        }
    }

    /// The addresses of this machine, as the kernel lists them.
    private static func localAddresses() -> Set<String> {
        var found: Set<String> = []
        // Lines of 32 digits, the interface, three more numbers, and its name.
        for line in lines(of: "/proc/net/if_inet6") {
            let words = line.split(separator: " ")
            guard words.count >= 2, words[0].count == 32, let high = UInt64(words[0].prefix(16), radix: 16),
                let low = UInt64(words[0].suffix(16), radix: 16), let index = UInt32(words[1], radix: 16)
            else { continue }
            let isLinkLocal = high >> 54 == 0xfe80 >> 6
            found.insert(
                Endpoint.Address.v6(Octets16(high: high, low: low), scope: isLinkLocal ? index : 0).description)
        }
        // A tree: an address on a line, and behind it what kind of route leads there.
        var last = ""
        for line in lines(of: "/proc/net/fib_trie") {
            if let bar = line.firstIndex(of: "|"), line[bar...].hasPrefix("|-- ") {
                last = String(line[bar...].dropFirst(4))
            } else if line.hasSuffix("/32 host LOCAL") {
                found.insert(last)
            }
        }
        return found
    }

    private static func lines(of path: String) -> [String] {
        guard let bytes = try? readFile(path) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func usable(_ all: [Interface]) -> [Interface] {
        let others = all.filter { !$0.isLoopback && $0.canMulticast }
        return others.isEmpty ? all.filter(\.isLoopback) : others
    }

    private static func number(_ path: String) -> UInt32? {
        guard let bytes = try? readFile(path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).prefix { !$0.isWhitespace }
        return text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }
}
