internal import InklingEngine
internal import InklingKeys
public import InklingNode
public import InklingWire
internal import Synchronization

/// The links of a simulated host, with the limits and the silence that `Specs/handshake.md` requires.
public final class SimulatedLinks: LinkTransport {
    private let host: Int
    private let network: SimulatedNetwork

    init(host: Int, network: SimulatedNetwork) {
        self.host = host
        self.network = network
    }

    public func listen() async throws(LinkError) -> any LinkListener { try network.listen(on: host) }

    public func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        try await network.connect(from: host, to: endpoint, within: timeout)
    }

    /// Connects as `connect`: every simulated host is on the same link.
    public func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        try await connect(to: endpoint, within: timeout)
    }

    /// Makes `listen` fail with an error from now on; nil makes it succeed again.
    public func fail(with error: LinkError?) { network.state.withLock { $0.hosts[host].listenError = error } }
}

/// A listener for simulated links on one port.
final class SimulatedListener: LinkListener {
    let port: UInt16
    let links: AsyncStream<any Link>
    private let host: Int
    private let network: SimulatedNetwork

    init(port: UInt16, host: Int, network: SimulatedNetwork, links: AsyncStream<any Link>) {
        self.port = port
        self.host = host
        self.network = network
        self.links = links
    }

    func close() async { network.stopListening(on: port, of: host) }
}

/// One end of a simulated connection.
public final class SimulatedLink: Link {
    public let route: LinkRoute
    private let end: LinkEnd
    private let network: SimulatedNetwork

    init(remote: Endpoint, end: LinkEnd, network: SimulatedNetwork) {
        route = .endpoint(remote)
        self.end = end
        self.network = network
    }

    public func receive(upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8] {
        try await network.receive(at: end, upTo: limit, within: timeout)
    }

    public func send(_ packet: [UInt8]) async throws(LinkError) {
        guard packet.count <= 65_535 else { throw .oversized(announced: packet.count, limit: 65_535) }
        try network.send(packet, announcing: packet.count, from: end)
    }

    /// Sends the length field of a packet without the packet, as only an attacker does.
    public func announce(byteCount: Int) throws(LinkError) { try network.send(nil, announcing: byteCount, from: end) }

    public func markGatePassed() async { network.passGate(end) }
    public func markAuthenticated() async { network.authenticate(end) }
    public func mute() async { network.mute(end) }
    public func close() async { network.close(end) }
}
