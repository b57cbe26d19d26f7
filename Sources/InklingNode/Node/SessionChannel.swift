internal import InklingKeys
internal import InklingSession

/// The ciphers, the outbox and the link of one session; lives inside the node's actor and nowhere else.
final class SessionChannel {
    let link: any Link
    /// Packets to send, in the order in which they were sealed.
    private let outbox: AsyncStream<[UInt8]>.Continuation
    /// Answered when the outbox has finished and everything in it was sent, or the link has failed.
    private let isDrained: Reply<Void>
    private var session: EstablishedSession

    init(
        _ session: consuming EstablishedSession, over link: any Link, outbox: AsyncStream<[UInt8]>.Continuation,
        isDrained: Reply<Void>
    ) {
        self.session = session
        self.link = link
        self.outbox = outbox
        self.isDrained = isDrained
    }

    /// The peer's first record, once it has opened.
    var peerHello: Hello? { session.peerHello }

    /// Seals a record as the next packet; false when the session has ended.
    func send(_ record: borrowing Record) -> Bool {
        guard let packet = try? session.seal(record) else { return false }
        outbox.yield(packet.bytes)
        return true
    }

    /// Opens the next packet of the peer.
    ///
    /// - Throws: `PacketError`, `SessionError`; the session has ended then.
    func open(_ packet: [UInt8]) throws -> Record { try session.open(Packet(parsing: packet.span)) }

    /// Ends the session and wipes its keys. What is returned says CLOSE, if that is wanted, and closes the link.
    func end(sayingClose: Bool) -> @Sendable () async -> Void {
        // Through the outbox, because a CLOSE that overtakes an earlier packet does not open.
        if sayingClose, let farewell = try? session.seal(Record.close) { outbox.yield(farewell.bytes) }
        session.end()
        outbox.finish()
        return { [link, isDrained, sayingClose] in
            if sayingClose { await isDrained.value() }
            await link.close()
        }
    }
}

extension Packet {
    /// Header and body.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}
