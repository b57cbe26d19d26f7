import InklingKeys
import InklingTesting
import Testing

@testable import InklingNode
@testable import InklingWire

@Suite struct SessionChannelTests {
    /// Covers INK-REC-015.
    @Test func `a record that cannot be queued ends the session`() async throws {
        let (packets, outbox) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(4))
        let channel = SessionChannel(try session(), over: NoLink(), outbox: outbox, isDrained: Reply<Void>())
        #expect(channel.send(try Hello(ownSerial: 1, peerSerial: 0, grants: []).record))
        let sent = (UInt64(1)...10).map { channel.send(MoveMarker(number: $0).record) }
        #expect(sent == [true, true, true] + [Bool](repeating: false, count: 7))
        outbox.finish()
        // The queue is complete: no packet is missing between two others.
        var count = 0
        for await _ in packets { count += 1 }
        #expect(count == 4)
    }
}

private struct NoLink: Link {
    let route = LinkRoute.endpoint(Endpoint(address: .v4(1), port: 1))
    func receive(upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8] { throw .closed }
    func send(_ packet: [UInt8]) async throws(LinkError) { throw .closed }
    func markGatePassed() async {}
    func markAuthenticated() async {}
    func mute() async {}
    func close() async {}
}

/// Returns the initiator's end of a session.
private func session() throws -> EstablishedSession {
    func key(_ byte: UInt8) -> SecretBytes { SecretBytes(copying: [UInt8](repeating: byte, count: 32).span) }
    let hash = try #require(key(3).withBytes { Octets32($0) })
    return EstablishedSession(
        role: .initiator, peerKey: hash, introduction: .newDevice,
        keys: TransportKeys(handshakeHash: hash, initiator: key(1), responder: key(2)))
}
