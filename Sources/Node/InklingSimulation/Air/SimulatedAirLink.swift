internal import InklingEngine
public import InklingKeys
public import InklingNode
internal import InklingWire

/// One end of a simulated GATT link. The side that connected can read the tag, and writes; the other side notifies.
public final class SimulatedAirLink: TaggedLink {
    public let route: LinkRoute
    private let end: LinkEnd
    private let air: SimulatedAir

    init(remote: DeviceAddress, end: LinkEnd, air: SimulatedAir) {
        route = .device(remote)
        self.end = end
        self.air = air
    }

    public func readTag(within timeout: Duration) async throws(LinkError) -> RecognitionTag {
        try await air.readTag(at: end, within: timeout)
    }

    public func receive(upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8] {
        try await air.receive(at: end, upTo: limit, within: timeout)
    }

    /// Sends one packet in fragments of the link's MTU. Bytes that are not a packet are sent as one value.
    public func send(_ packet: [UInt8]) async throws(LinkError) {
        let fragments = (try? Packet(parsing: packet.span))?.gattFragments(mtu: air.conditions.mtu) ?? [packet]
        for fragment in fragments { try air.send(fragment, from: end) }
    }

    /// Sends one value unchanged: a fragment, or bytes that only an attacker sends.
    public func write(_ value: [UInt8]) throws(LinkError) { try air.send(value, from: end) }

    public func markGatePassed() async { air.passGate(end) }
    public func markAuthenticated() async { air.authenticate(end) }
    /// Stops sending, and discards all input. An accepted link ends ten seconds after it was made, like any that does
    /// not authenticate.
    public func mute() async { air.mute(end) }
    public func close() async { air.close(end) }

    /// Whether either side has closed the link.
    public var isClosed: Bool { air.isClosed(end) }
}
