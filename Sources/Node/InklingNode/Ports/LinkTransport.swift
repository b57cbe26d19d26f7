public import InklingWire

/// The reason why a link cannot be made or used.
public enum LinkError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The peer is not reachable; `code` is the system's error number.
    case unreachable(code: Int32)
    /// The peer or this node has closed the link.
    case closed
    /// The deadline has passed.
    case timedOut
    /// The length field of a packet exceeds the limit of the caller.
    case oversized(announced: Int, limit: Int)

    /// The reason in words, without an address.
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
    ///
    /// - Throws: `LinkError.unreachable` if no port can be opened.
    func listen() async throws(LinkError) -> any LinkListener
    /// Connects to an endpoint. On cancellation nothing more is sent, and no request is repeated.
    ///
    /// - Throws: `LinkError.timedOut` after `timeout`, `.unreachable`, or `.closed` if the task is cancelled.
    func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link
    /// Connects to an endpoint that must be on-link: no packet passes a router.
    ///
    /// - Throws: as `connect(to:within:)`.
    func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link
}

/// A listener that accepts links, and enforces the limits of `Specs/handshake.md` on unauthenticated ones.
public protocol LinkListener: Sendable {
    /// The port that contacts connect to.
    var port: UInt16 { get }
    /// Accepted links, for a single consumer; ends after `close`.
    var links: AsyncStream<any Link> { get }
    /// Stops accepting links and aborts every unauthenticated link.
    func close() async
}

/// One connection that carries packets (`Specs/packets.md`).
public protocol Link: Sendable {
    /// The address at which the peer is reached.
    var route: LinkRoute { get }
    /// Receives the next packet, without its length field.
    ///
    /// - Throws: `LinkError.oversized` if the length field exceeds `limit` bytes, before the packet is read;
    ///   `.timedOut` if the packet is not complete within `timeout`; `.closed`.
    func receive(upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8]
    /// Sends one packet of at most 65,535 bytes.
    func send(_ packet: [UInt8]) async throws(LinkError)
    /// Marks the link as having passed the gate: its first message will be answered. It no longer counts among the
    /// links of strangers.
    func markGatePassed() async
    /// Marks the link as authenticated, so that it no longer counts against the limits on unauthenticated links.
    func markAuthenticated() async
    /// Stops sending, discards all input until five seconds after the link was accepted, and then resets the link.
    /// Every failure ends this way, so that a stranger learns nothing from it.
    func mute() async
    /// Closes the link at once.
    func close() async
    /// Closes the link at once because the node falls silent: what the peer has not acknowledged is repeated for at
    /// most half a second.
    func fallSilent() async
}

extension Link {
    public func fallSilent() async { await close() }
}
