internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// The number of a session within one run.
struct SessionID: Hashable, Sendable, Comparable {
    let number: UInt64

    static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A device of a contact.
struct KnownDevice: Hashable, Sendable, Comparable {
    let user: UserID
    let device: DeviceIndex

    static func < (left: Self, right: Self) -> Bool {
        (left.user, left.device.number) < (right.user, right.device.number)
    }
}

/// Who is linked, which of two crossing sessions stays, what was answered, and which receipts and grants are awaited.
///
/// A value without ciphers and links: those are in the `SessionChannel` of the same number.
struct SessionTable: Sendable {
    /// The most sessions at once.
    static let limit = 32
    /// How long a receipt may take, in milliseconds.
    static let receiptDeadline: UInt64 = 5000
    /// How long grants may take to go both ways after a first contact, in milliseconds: the time that the other person
    /// has to look at name and fingerprint.
    static let grantDeadline: UInt64 = 300_000

    /// What the node must do, in order.
    enum Effect: Sendable {
        /// End the ciphers and close the link, saying CLOSE before if that is wanted.
        case close(SessionID, sayingClose: Bool)
        /// Tell recognition that no session with this device is left.
        case deviceLeft(KnownDevice)
        /// Make the link to this device again: it was lost without a farewell.
        case lost(KnownDevice, Endpoint)
        /// Do not make the link to this device again.
        case letGo(KnownDevice)
        /// A text was acknowledged, or was not in time.
        case acknowledged(Answer<Void>, Bool)
        /// Grants have gone both ways, or will not.
        case grantsExchanged(SessionID, Bool)
    }

    /// One session.
    struct Entry: Sendable {
        let peer: KnownDevice
        let technology: LinkTechnologyID
        let role: Role
        let peerKey: Octets32
        /// Where the peer is.
        let remote: Endpoint
        /// When the peer proved itself inside this session; nil until then.
        var heardAt: Tick?
        /// Whether the peer's HELLO has been answered with what it lacks.
        var hasAnswered = false
        /// Whether another session with the same device takes its place; nothing new is sent in it.
        var isSuperseded = false
        /// When it is closed because another one has taken its place.
        var closesAt: Tick?
        var hasSentGrant = false
        var hasReceivedGrant = false
        /// Until when a first contact waits for grants to go both ways.
        var awaitsGrantsUntil: Tick?
        /// The receipts that are awaited and until when, by the number of the text.
        var receipts: [UInt64: (answer: Answer<Void>, until: Tick)] = [:]

        init(
            peer: KnownDevice, technology: LinkTechnologyID, role: Role, peerKey: Octets32, remote: Endpoint
        ) {
            self.peer = peer
            self.technology = technology
            self.role = role
            self.peerKey = peerKey
            self.remote = remote
        }
    }

    private let ownKey: Octets32
    private var entries: [SessionID: Entry] = [:]
    private var count: UInt64 = 0

    /// Creates an empty table of the device with this Noise key.
    init(ownKey: Octets32) { self.ownKey = ownKey }

    var openCount: Int { entries.count }

    /// Whether a handshake can become a session.
    var hasRoom: Bool { entries.count < Self.limit }

    /// The sessions, oldest first.
    var ids: [SessionID] { entries.keys.sorted() }

    /// When `timerFired` is due.
    var due: Tick? {
        entries.values.flatMap { entry in
            [entry.closesAt, entry.awaitsGrantsUntil].compactMap(\.self) + entry.receipts.values.map(\.until)
        }.min()
    }

    subscript(id: SessionID) -> Entry? { entries[id] }

    /// Whether a device has proven itself in a session.
    func isReachable(_ user: UserID) -> Bool { entries.values.contains { $0.peer.user == user && $0.heardAt != nil } }

    /// The sessions with a user, oldest first.
    func sessions(with user: UserID) -> [SessionID] { ids.filter { entries[$0]?.peer.user == user } }

    /// The session in which a text to a user is sent: the newest one that stays.
    func route(to user: UserID) -> SessionID? {
        let open = sessions(with: user).filter { entries[$0]?.heardAt != nil }
        return open.last { entries[$0]?.isSuperseded == false } ?? open.last
    }

    // MARK: Beginning and end

    /// Adds a session; nil when there are too many.
    mutating func add(_ entry: Entry) -> SessionID? {
        guard hasRoom else { return nil }
        count += 1
        let id = SessionID(number: count)
        entries[id] = entry
        return id
    }

    /// Ends a session.
    mutating func end(_ id: SessionID, sayingClose: Bool) -> [Effect] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        var effects: [Effect] = [.close(id, sayingClose: sayingClose)]
        effects += entry.receipts.sorted { $0.key < $1.key }.map { .acknowledged($0.value.answer, false) }
        if entry.awaitsGrantsUntil != nil { effects.append(.grantsExchanged(id, false)) }
        if !isOpen(with: entry.peer) { effects.append(.deviceLeft(entry.peer)) }
        return effects
    }

    /// Ends every session over a technology, at a boundary.
    mutating func endAll(over technology: LinkTechnologyID) -> [Effect] {
        ids.filter { entries[$0]?.technology == technology }.flatMap { end($0, sayingClose: true) }
    }

    /// Ends every session with a contact that has left, was removed or was blocked.
    mutating func endAll(with user: UserID) -> [Effect] {
        sessions(with: user).flatMap { end($0, sayingClose: true) }
    }

    /// The link of a session is gone.
    mutating func linkEnded(_ id: SessionID) -> [Effect] {
        guard let entry = entries[id] else { return [] }
        let effects = end(id, sayingClose: false)
        return isOpen(with: entry.peer) ? effects : effects + [.lost(entry.peer, entry.remote)]
    }

    /// The peer has said CLOSE.
    mutating func closed(_ id: SessionID) -> [Effect] {
        guard let peer = entries[id]?.peer else { return [] }
        let isLast = !entries.contains { $0.key != id && $0.value.peer == peer }
        return (isLast ? [.letGo(peer)] : []) + end(id, sayingClose: false)
    }

    private func isOpen(with peer: KnownDevice) -> Bool { entries.values.contains { $0.peer == peer } }

    // MARK: What happens in a session

    /// A record of the peer has opened. Of two sessions with one device, both sides keep the same one.
    mutating func heard(_ id: SessionID, at now: Tick) {
        guard let new = entries[id], new.heardAt == nil else { return }
        entries[id]?.heardAt = now
        guard
            let other = ids.first(where: { candidate in
                guard candidate != id, let entry = entries[candidate] else { return false }
                return entry.heardAt != nil && !entry.isSuperseded && entry.peer == new.peer
            }), let existing = entries[other], let earlier = existing.heardAt
        else { return }
        let survivor = CrossingRule.survivor(
            existing: existing.role, new: new.role, apart: earlier.duration(to: now), ownKey: ownKey,
            peerKey: new.peerKey)
        let loser = survivor == .new ? other : id
        entries[loser]?.isSuperseded = true
        entries[loser]?.closesAt = now.advanced(by: CrossingRule.closeDelay)
    }

    /// The peer's HELLO was answered; `isComplete` when the peer's grant for us reaches far enough already.
    mutating func answered(_ id: SessionID, hasSentGrant: Bool, isComplete: Bool) -> [Effect] {
        entries[id]?.hasAnswered = true
        if hasSentGrant { entries[id]?.hasSentGrant = true }
        if isComplete { entries[id]?.hasReceivedGrant = true }
        return exchange(id)
    }

    /// A grant of the peer was accepted.
    mutating func receivedGrant(_ id: SessionID) -> [Effect] {
        entries[id]?.hasReceivedGrant = true
        return exchange(id)
    }

    /// A first contact waits until grants have gone both ways.
    mutating func awaitGrants(_ id: SessionID, at now: Tick) -> [Effect] {
        guard entries[id] != nil else { return [.grantsExchanged(id, false)] }
        entries[id]?.awaitsGrantsUntil = now.advanced(byMilliseconds: Self.grantDeadline)
        return exchange(id)
    }

    private mutating func exchange(_ id: SessionID) -> [Effect] {
        guard let entry = entries[id], entry.hasSentGrant, entry.hasReceivedGrant, entry.awaitsGrantsUntil != nil
        else { return [] }
        entries[id]?.awaitsGrantsUntil = nil
        return [.grantsExchanged(id, true)]
    }

    /// A text was sent and its receipt is awaited.
    mutating func sent(_ number: UInt64, in id: SessionID, _ answer: Answer<Void>, at now: Tick) {
        entries[id]?.receipts[number] = (answer, now.advanced(byMilliseconds: Self.receiptDeadline))
    }

    /// The peer acknowledges a text.
    mutating func receipt(_ number: UInt64, in id: SessionID) -> [Effect] {
        guard let waiting = entries[id]?.receipts.removeValue(forKey: number) else { return [] }
        return [.acknowledged(waiting.answer, true)]
    }

    /// Carries out what is due.
    mutating func timerFired(at now: Tick) -> [Effect] {
        var effects: [Effect] = []
        for id in ids {
            guard let entry = entries[id] else { continue }
            for (number, waiting) in entry.receipts.sorted(by: { $0.key < $1.key }) where waiting.until <= now {
                entries[id]?.receipts[number] = nil
                effects.append(.acknowledged(waiting.answer, false))
            }
            if let until = entry.awaitsGrantsUntil, until <= now {
                entries[id]?.awaitsGrantsUntil = nil
                effects.append(.grantsExchanged(id, false))
            }
            if let closesAt = entry.closesAt, closesAt <= now { effects += end(id, sayingClose: true) }
        }
        return effects
    }
}
