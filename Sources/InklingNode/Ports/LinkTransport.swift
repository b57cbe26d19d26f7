/// Why a link cannot be made or used.
public enum LinkError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The other side could not be reached: the system's error number.
    case unreachable(code: Int32)
    /// The other side, or this one, closed the link.
    case closed
    /// Nothing arrived in time.
    case timedOut
    /// A packet was announced that is longer than the caller accepts.
    case oversized(announced: Int, limit: Int)

    /// What is wrong, in words, without an address.
    public var description: String {
        switch self {
        case .unreachable(let code): "the other side cannot be reached (system error \(code))"
        case .closed: "the link is closed"
        case .timedOut: "nothing arrived in time"
        case .oversized(let announced, let limit): "a packet of \(announced) bytes, where \(limit) are allowed"
        }
    }
}

/// Reliable links between nodes. `InklingLinux` and `InklingSimulation` each provide one.
public protocol LinkTransport: Sendable {
    /// Starts accepting links on a port that the system chooses.
    func listen() async throws(LinkError) -> any LinkListener
    /// Connects to an endpoint within `timeout`.
    func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link
}

/// Accepts links; holds no more than the limits of `Specs/handshake.md` on links that have not authenticated.
public protocol LinkListener: Sendable {
    /// The port that contacts connect to.
    var port: UInt16 { get }
    /// Accepted links, to a single consumer; ends after `close`.
    var links: AsyncStream<any Link> { get }
    /// Stops accepting and aborts every link that has not authenticated.
    func close() async
}

/// One connection that carries packets (`Specs/packets.md`).
public protocol Link: Sendable {
    /// The other side.
    var remote: Endpoint { get }
    /// The next packet, without its length field.
    ///
    /// - Throws: `LinkError.oversized` when a longer packet than `limit` bytes is announced, before reading it.
    func receive(upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8]
    /// Sends one packet of at most 65,535 bytes.
    func send(_ packet: [UInt8]) async throws(LinkError)
    /// Records that the peer has proven itself: the link no longer counts against the limits on strangers.
    func markAuthenticated() async
    /// Sends nothing more: reads and discards until five seconds after the link was accepted, then resets it. The
    /// same for every reason, so that a stranger learns nothing from how a link dies.
    func mute() async
    /// Closes at once.
    func close() async
}
