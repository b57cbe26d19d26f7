internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// The offers made and received in sessions, and the times at which offered links are opened (`Specs/hand-over.md`).
///
/// A value without clock, tasks and ports. An offer outlives its session, because the session may be lost while the
/// link is being opened; it does not outlive its deadline.
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
        /// The time at which to open the link; nil while it is being opened.
        var opensAt: Tick?
        let until: Tick
    }

    /// The counters of offers made and received in a session.
    private struct Count: Sendable {
        var own = 0
        var received = 0
        /// The number of the latest received offer.
        var latest: TransportOffer.Number?
        var lastOwn: Tick?
        /// The time at which another offer is considered.
        var again: Tick?
    }

    /// The minimum time between two own offers in a session, in milliseconds.
    static let repeatDelay: UInt64 = 120_000

    private var own: [Own] = []
    private var received: [Received] = []
    private var counts: [SessionID: Count] = [:]

    /// The time at which `timerFired` is due.
    var due: Tick? {
        (own.map(\.until) + received.map { $0.opensAt ?? $0.until } + counts.values.compactMap(\.again)).min()
    }

    // MARK: Own offers

    /// Returns the number of the next offer in a session; nil soon after an earlier one, and if no more may be made.
    func nextNumber(in session: SessionID, role: Role, at now: Tick) -> TransportOffer.Number? {
        let count = counts[session] ?? Count()
        if let last = count.lastOwn, now < last.advanced(byMilliseconds: Self.repeatDelay) { return nil }
        return TransportOffer.Number(role, count: count.own)
    }

    /// Records an offer that has been sent.
    mutating func noteOwn(_ offer: Own, at now: Tick) {
        own.append(offer)
        counts[offer.session, default: Count()].own += 1
        counts[offer.session]?.lastOwn = now
        counts[offer.session]?.again = now.advanced(byMilliseconds: Self.repeatDelay)
    }

    /// Returns the offer whose gate a first message has, and drops it: it is valid for one message. Every offer is
    /// tried, so that timing does not reveal which one matched.
    mutating func claim(_ packet: Packet, at now: Tick) -> Own? {
        guard packet.type == .confirmFirst else { return nil }
        var match: Int?
        for (index, offer) in own.enumerated() where offer.context.opens(packet) { match = index }
        guard let match else { return nil }
        let offer = own.remove(at: match)
        guard now < offer.until else { return nil }
        // The other side is already opening a link, so this side must not open a second one.
        received.removeAll { $0.peer == offer.peer }
        return offer
    }

    /// Returns the sessions in which another offer should be considered now.
    mutating func takeRepeats(at now: Tick) -> [SessionID] {
        let due = counts.filter { $0.value.again.map { $0 <= now } ?? false }.keys.sorted()
        for session in due { counts[session]?.again = nil }
        return due
    }

    // MARK: Received offers

    /// Returns whether an offer with this number counts in a session.
    func counts(_ number: TransportOffer.Number, in session: SessionID, role: Role) -> Bool {
        let count = counts[session] ?? Count()
        return number.role != role && count.received < TransportOffer.perSide
            && count.latest.map { $0 < number } ?? true
    }

    /// Records an offer of a contact's device.
    mutating func noteReceived(_ offer: Received, number: TransportOffer.Number) {
        counts[offer.session, default: Count()].received += 1
        counts[offer.session]?.latest = number
        received.removeAll { $0.session == offer.session }
        received.append(offer)
    }

    /// Returns the offers whose links must be opened now, and drops expired ones. If both sides have made an offer, the
    /// device with the smaller key opens.
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

    /// Drops the offers of some devices: a session over the network has begun, or their contact was removed or blocked.
    mutating func drop(_ isDropped: (KnownDevice) -> Bool) {
        own.removeAll { isDropped($0.peer) }
        received.removeAll { isDropped($0.peer) }
    }

    /// Drops every offer, at a boundary of the network.
    mutating func dropAll() {
        own = []
        received = []
    }

    /// Drops the counters of sessions that are no longer open.
    mutating func keepCounts(of open: [SessionID]) {
        let open = Set(open)
        counts = counts.filter { open.contains($0.key) }
    }
}
