internal import Glibc
internal import InklingKeys
internal import InklingNode
internal import InklingWire

/// The findings about multicast DNS on this machine and its networks.
package struct MulticastObservation: Hashable, Sendable {
    /// An interface that a node would use.
    package struct Interface: Hashable, Sendable {
        /// The name of the interface.
        package let name: String
        /// Whether it is loopback, which no other machine shares.
        package let isLoopback: Bool
        /// Whether it has an address that a node may publish.
        package let showsAddress: Bool
        /// The system's error number if no socket could be opened on it.
        package let error: Int32?

        /// Creates a description of an interface.
        package init(name: String, isLoopback: Bool = false, showsAddress: Bool = true, error: Int32? = nil) {
            self.name = name
            self.isLoopback = isLoopback
            self.showsAddress = showsAddress
            self.error = error
        }
    }

    /// The interfaces, in the order of their indices.
    package let interfaces: [Interface]
    /// The listening time in seconds.
    package let seconds: UInt64
    /// The number of packets from other machines.
    package let packets: Int
    /// The number of other machines that sent them, at most `senderLimit`.
    package let senders: Int
    /// The other programs on this machine that have the multicast DNS port open.
    package let users: [PortUser]

    /// The largest number of senders told apart.
    static let senderLimit = 1024

    /// Creates an observation.
    package init(interfaces: [Interface], seconds: UInt64, packets: Int, senders: Int, users: [PortUser]) {
        self.interfaces = interfaces
        self.seconds = seconds
        self.packets = packets
        self.senders = senders
        self.users = users
    }
}

extension MulticastObservation {
    /// Inspects this machine and listens for `seconds`. Sends nothing but the packets that join the group.
    ///
    /// - Returns: `nil` if the kernel does not report its interfaces.
    package static func make(listeningFor seconds: UInt64, files: SystemFiles = SystemFiles()) -> Self? {
        var picture = NetworkPicture()
        guard let route = RouteSocket(listening: false), route.fill(&picture) else { return nil }
        let users = files.users(ofPort: 5353, except: getpid())
        let links = picture.multicastLinks
        var sockets: [MulticastSocket] = []
        let interfaces = links.map { index, link in
            var error: Int32 = 0
            let opened = link.families.compactMap { family in
                MulticastSocket(MDNSPath(interface: index, family: family), error: &error)
            }
            sockets += opened
            return Interface(
                name: interfaceName(index), isLoopback: link.isLoopback, showsAddress: !link.published.isEmpty,
                error: opened.isEmpty && error != 0 ? error : nil)
        }
        let own = Set(links.flatMap { $0.link.addresses.map(\.value) })
        let heard = listen(on: sockets, for: seconds, ignoring: own)
        return Self(
            interfaces: interfaces, seconds: seconds, packets: heard.packets, senders: heard.senders, users: users)
    }

    private static func listen(
        on sockets: [MulticastSocket], for seconds: UInt64, ignoring own: Set<Endpoint.Address>
    ) -> (packets: Int, senders: Int) {
        let end = SystemClock().read().tick.advanced(byMilliseconds: seconds * 1000)
        var buffer = [UInt8](repeating: 0, count: MDNSMessage.byteLimit + 1)
        var packets = 0
        var senders: Set<Endpoint.Address> = []
        while !sockets.isEmpty {
            let rest = end.milliseconds(since: SystemClock().read().tick)
            guard rest > 0 else { break }
            var ready = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&ready, nfds_t(ready.count), CInt(min(rest, 60_000))) >= 0 || errno == EINTR else {
                break
            }
            for (socket, place) in zip(sockets, ready) where place.revents != 0 {
                guard let from = socket.receive(into: &buffer)?.from.endpoint.address, !own.contains(from) else {
                    continue
                }
                packets += 1
                if senders.count < senderLimit { senders.insert(from) }
            }
        }
        return (packets, senders.count)
    }

    private static func interfaceName(_ index: UInt32) -> String {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE) + 1)
        guard unsafe if_indextoname(index, &name) != nil else { return "interface \(index)" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
