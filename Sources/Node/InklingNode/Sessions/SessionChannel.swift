internal import InklingKeys
internal import InklingWire

/// The ciphers, the outbox and the link of one session. Used only within the node's actor.
final class SessionChannel {
    let link: any Link
    /// Packets to send, in the order in which they were sealed.
    private let outbox: AsyncStream<[UInt8]>.Continuation
    /// The signal that everything in the finished outbox has been sent, or the link has failed.
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

    /// The peer's HELLO, once it has been received.
    var peerHello: Hello? { session.peerHello }

    /// Seals a record and queues it as the next packet; returns false if the session has ended. It ends when the outbox
    /// is full: the packet's number is used, and every later packet would fail to open.
    func send(_ record: borrowing Record) -> Bool {
        guard let packet = try? session.seal(record) else { return false }
        if case .enqueued = outbox.yield(packet.bytes) { return true }
        session.end()
        return false
    }

    /// Returns the context of a handshake over a link that is offered in this session.
    func offeredContext(
        _ number: TransportOffer.Number, in epoch: Epoch, of device: DeviceIndex
    ) -> ConfirmContext {
        session.exporter.offeredContext(number, over: .tcp, in: epoch, of: device)
    }

    /// Decrypts the peer's next packet.
    ///
    /// - Throws: `PacketError`, `SessionError`; both end the session.
    func open(_ packet: [UInt8]) throws -> Record { try session.open(Packet(parsing: packet.span)) }

    /// Ends the session and wipes its keys; `fallsSilent` tells that the node falls silent with it.
    ///
    /// - Returns: a job that closes the link, with a reason after sending CLOSE.
    func end(_ reason: CloseReason?, fallsSilent: Bool = false) -> @Sendable () async -> Void {
        // Use the outbox: a CLOSE sent before an earlier packet could not be decrypted.
        if let reason, let packet = try? session.seal(reason.record) { outbox.yield(packet.bytes) }
        session.end()
        outbox.finish()
        return { [link, isDrained] in
            if reason != nil { await isDrained.value() }
            if fallsSilent { await link.fallSilent() } else { await link.close() }
        }
    }
}

extension SessionChannel {
    /// Ends the session and wipes its keys; returns a job that closes the link once everything queued has been sent.
    func endWhenDrained() -> @Sendable () async -> Void {
        session.end()
        outbox.finish()
        return { [link, isDrained] in
            await isDrained.value()
            await link.close()
        }
    }
}

extension Packet {
    /// The encoded packet: header and body.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}
