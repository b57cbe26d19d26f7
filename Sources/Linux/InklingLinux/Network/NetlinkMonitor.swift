// Parts of the socket interface belong to whichever C module declared them first.
internal import CLinux
internal import Glibc
public import InklingNode
public import InklingWire
internal import Synchronization

/// Reports moves of this machine to another network, from a route netlink socket: a new hardware address, an interface
/// that came back with other prefixes, or the first address to publish (`Specs/mdns.md`).
///
/// Addresses that come and go on the same network do not count. Moves within 200 ms are one element.
public struct NetlinkMonitor: NetworkMonitor {
    /// Creates a monitor; each of its streams has its own socket and thread.
    public init() {}

    /// Returns a stream with one element per burst of changes. It ends at once if no socket can be opened.
    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Open the socket before returning, so that no later change is missed.
        guard let watch = NetlinkWatch(continuation) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in watch.stop() }
        watch.start()
        return stream
    }

    /// Returns the addresses that multicast DNS publishes.
    public func ownAddresses() -> [Endpoint.Address] { Self.picture().interfaces.flatMap(\.published) }

    /// Returns the endpoints to connect to: one per interface whose link the address is on.
    public func callable(_ address: TransportOffer.Address) -> [Endpoint] {
        Self.picture().interfaces.compactMap { try? address.callable(through: $0) }
    }

    /// Returns whether an address is on the link of an interface that multicast DNS uses.
    public func isOnLink(_ address: Endpoint.Address) -> Bool {
        Self.picture().interfaces.contains { (try? $0.reachable(address)) != nil }
    }

    /// Reads the network now. Called rarely: for an offer, and for message 1 over an offered link.
    private static func picture() -> NetworkPicture {
        var picture = NetworkPicture()
        if let route = RouteSocket(listening: false) { _ = route.fill(&picture) }
        return picture
    }
}

extension NetworkPicture {
    /// The interfaces that multicast DNS uses.
    fileprivate var interfaces: [MDNSInterface] {
        multicastLinks.map { index, link in
            MDNSInterface(
                index: index, families: link.families, published: link.published, prefixes: link.prefixes,
                isLoopback: link.isLoopback)
        }
    }
}

/// The thread behind one stream of changes.
private final class NetlinkWatch: Sendable {
    /// The wait for further changes of a burst, in milliseconds.
    private static let merging: CInt = 200
    private let route: RouteSocket
    /// A pair of connected sockets; a byte written to `wake` ends the thread.
    private let wakeUp: CInt, wake: CInt
    private let network: Mutex<(picture: NetworkPicture, shown: ShownNetworks)>
    private let continuation: AsyncStream<Void>.Continuation

    init?(_ continuation: AsyncStream<Void>.Continuation) {
        guard let route = RouteSocket(listening: true) else { return nil }
        var start = NetworkPicture()
        guard route.fill(&start) else { return nil }
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        (wakeUp, wake) = (ends[0], ends[1])
        self.route = route
        var shown = ShownNetworks()
        shown.show(nil, on: start)
        network = Mutex((start, shown))
        self.continuation = continuation
    }

    deinit {
        close(wakeUp)
        close(wake)
    }

    func stop() {
        unsafe write(wake, [1], 1)
    }

    func start() {
        if !startThread(named: "network-watch", { [self] in run() }) { continuation.finish() }
    }

    private func run() {
        while wait(milliseconds: -1) == .readable {
            guard takeChanges() else { continue }
            // Merge changes in quick succession: an interface that comes up sends several messages.
            var rest = wait(milliseconds: Self.merging)
            while rest == .readable {
                _ = takeChanges()
                rest = wait(milliseconds: Self.merging)
            }
            guard rest == .quiet else { break }
            continuation.yield()
        }
        continuation.finish()
    }

    /// Applies pending reports; returns whether the machine has moved to another network.
    private func takeChanges() -> Bool {
        network.withLock { network in
            if !route.drain(into: &network.picture) {
                // The socket's buffer has overflowed.
                network.picture = NetworkPicture()
                _ = route.fill(&network.picture)
            }
            return network.shown.update(network.picture)
        }
    }

    private enum Waited {
        case readable
        case quiet
        case stopped
    }

    private func wait(milliseconds: CInt) -> Waited {
        var ready = [
            pollfd(fd: route.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        var count: CInt
        repeat { count = unsafe poll(&ready, 2, milliseconds) } while count < 0 && errno == EINTR
        if count < 0 || ready[1].revents != 0 { return .stopped }
        return count == 0 ? .quiet : .readable
    }
}
