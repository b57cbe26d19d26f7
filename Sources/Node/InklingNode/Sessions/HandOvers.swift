internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// The offers that were made and received in sessions, and when offered links are opened (`Specs/hand-over.md`).
///
/// A value without clock, tasks and ports. An offer outlives its session, because the session may be lost while the link
/// is being opened; it does not outlive its time.
struct HandOvers: Sendable {
    /// An offer of this device: the gate that it opens, once.
    struct Own: Sendable {
        let session: SessionID
        let peer: KnownDevice
        let peerKey: Octets32
        let context: ConfirmContext
        let until: Tick
    }

    /// An offer of a contact's device.
    struct Received: Sendable {
        let session: SessionID
        let peer: KnownDevice
        let peerKey: Octets32
        let context: ConfirmContext
        let addresses: [TransportOffer.Address]
        /// When the link is to be opened; nil when it is being opened.
        var opensAt: Tick?
        let until: Tick
    }

    /// How many offers were made and received in a session.
    private struct Count: Sendable {
        var own = 0
        var received = 0
        /// The number of the latest received offer.
        var latest: TransportOffer.Number?
        var lastOwn: Tick?
        /// When another offer is considered.
        var again: Tick?
    }

    /// How long after an offer that led to nothing the next one is made, in milliseconds.
    static let repeatDelay: UInt64 = 120_000

    private var own: [Own] = []
    private var received: [Received] = []
    private var counts: [SessionID: Count] = [:]

    /// When `timerFired` is due.
    var due: Tick? {
        (own.map(\.until) + received.map { $0.opensAt ?? $0.until } + counts.values.compactMap(\.again)).min()
    }

    // MARK: Own offers

    /// Returns the number of the next offer in a session; nil soon after an earlier one, and when no further one may be
    /// made.
    func nextNumber(in session: SessionID, role: Role, at now: Tick) -> TransportOffer.Number? {
        let count = counts[session] ?? Count()
        if let last = count.lastOwn, now < last.advanced(byMilliseconds: Self.repeatDelay) { return nil }
        return TransportOffer.Number(role, count: count.own)
    }

    /// Notes an offer that has been sent.
    mutating func noteOwn(_ offer: Own, at now: Tick) {
        own.append(offer)
        counts[offer.session, default: Count()].own += 1
        counts[offer.session]?.lastOwn = now
        counts[offer.session]?.again = now.advanced(byMilliseconds: Self.repeatDelay)
    }

    /// Returns the offer whose gate a first message has, and drops it: it is good for one message. Every offer is tried, so
    /// that the time does not show which one matched.
    mutating func take(_ packet: Packet, at now: Tick) -> Own? {
        guard packet.type == .confirmFirst else { return nil }
        var match: Int?
        for (index, offer) in own.enumerated() where offer.context.opens(packet) { match = index }
        guard let match else { return nil }
        let offer = own.remove(at: match)
        guard now < offer.until else { return nil }
        // The other side is opening: this one does not open a second link beside it.
        received.removeAll { $0.peer == offer.peer }
        return offer
    }

    /// Returns the sessions in which another offer is to be considered now.
    mutating func takeRepeats(at now: Tick) -> [SessionID] {
        let due = counts.filter { $0.value.again.map { $0 <= now } ?? false }.keys.sorted()
        for session in due { counts[session]?.again = nil }
        return due
    }

    // MARK: Received offers

    /// Whether an offer with this number counts in a session.
    func counts(_ number: TransportOffer.Number, in session: SessionID, role: Role) -> Bool {
        let count = counts[session] ?? Count()
        return number.role != role && count.received < TransportOffer.perSide
            && count.latest.map { $0 < number } ?? true
    }

    /// Notes an offer of a contact's device.
    mutating func noteReceived(_ offer: Received, number: TransportOffer.Number) {
        counts[offer.session, default: Count()].received += 1
        counts[offer.session]?.latest = number
        received.removeAll { $0.session == offer.session }
        received.append(offer)
    }

    /// Returns the offers whose links are to be opened now, and drops what has had its time. Where both sides have
    /// offered, the smaller key opens.
    mutating func timerFired(at now: Tick, ownKey: Octets32) -> [Received] {
        own.removeAll { $0.until <= now }
        received.removeAll { $0.until <= now }
        var due: [Received] = []
        for index in received.indices {
            guard let moment = received[index].opensAt, moment <= now else { continue }
            received[index].opensAt = nil
            let offer = received[index]
            let isOffered = own.contains { $0.peer == offer.peer }
            if !isOffered || ownKey < offer.peerKey { due.append(offer) }
        }
        return due
    }

    /// Drops the offers of a device: a session over the network has begun, or its contact was removed or blocked.
    mutating func drop(_ isDropped: (KnownDevice) -> Bool) {
        own.removeAll { isDropped($0.peer) }
        received.removeAll { isDropped($0.peer) }
    }

    /// Drops every offer, at a boundary of the network.
    mutating func dropAll() {
        own = []
        received = []
    }

    /// Forgets how many offers there were in sessions that are no longer open.
    mutating func keepCounts(of open: [SessionID]) {
        let open = Set(open)
        counts = counts.filter { open.contains($0.key) }
    }
}
