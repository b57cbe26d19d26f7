internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// The number of a session within one run.
struct SessionID: Hashable, Sendable {
    let number: UInt64
}

/// A contact's device whose Noise key somebody may prove to hold.
struct KnownDevice: Hashable, Sendable, Comparable {
    let user: UserID
    let device: DeviceIndex

    static func < (left: Self, right: Self) -> Bool {
        (left.user, left.device.number) < (right.user, right.device.number)
    }
}

/// An open session with a contact's device; lives inside the node's actor and nowhere else.
final class Session {
    let id: SessionID
    let peer: KnownDevice
    let link: any Link
    let opened: Tick
    /// Packets to send, in the order in which they were sealed.
    let outbox: AsyncStream<[UInt8]>.Continuation
    var channel: EstablishedSession
    /// When the peer proved itself inside this session; nil until then.
    var heardAt: Tick?
    /// Whether the peer's HELLO has been answered with what it lacks.
    var hasAnswered = false
    /// Whether another session with the same device takes its place; nothing new is sent in it.
    var isSuperseded = false
    var hasSentGrant = false
    var hasReceivedGrant = false
    /// Who waits for a receipt, by the number of the text.
    var receipts: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    /// Who waits for grants to have gone both ways.
    var settling: [CheckedContinuation<Bool, Never>] = []

    init(
        id: SessionID, peer: KnownDevice, link: any Link, opened: Tick, outbox: AsyncStream<[UInt8]>.Continuation,
        channel: consuming EstablishedSession
    ) {
        self.id = id
        self.peer = peer
        self.link = link
        self.opened = opened
        self.outbox = outbox
        self.channel = channel
    }

    /// Whether the peer has proven itself inside this session.
    var hasHeard: Bool { heardAt != nil }

    /// Seals a record as the next packet; false when the session has ended.
    func send(_ record: borrowing Record) -> Bool {
        guard let packet = try? channel.seal(record) else { return false }
        outbox.yield(packet.bytes)
        return true
    }

    /// Tells everybody who waits that nothing more will come.
    func abandonWaiters() {
        for waiter in receipts.values { waiter.resume(returning: false) }
        receipts = [:]
        for waiter in settling { waiter.resume(returning: false) }
        settling = []
    }

    /// Tells those who wait for the exchange of grants when it is done.
    func settleIfComplete() {
        guard hasSentGrant, hasReceivedGrant else { return }
        for waiter in settling { waiter.resume(returning: true) }
        settling = []
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
