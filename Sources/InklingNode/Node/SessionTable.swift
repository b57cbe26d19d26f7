internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// Identifies a session within one run; later sessions have higher numbers.
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

/// The open sessions: their peers, which of two crossing sessions is kept, and the receipts they wait for.
///
/// The ciphers and the link of a session are in the `SessionChannel` with the same id.
struct SessionTable: Sendable {
    /// The largest number of open sessions.
    static let limit = 32
    /// How long to wait for a receipt, in milliseconds.
    static let receiptDeadline: UInt64 = 5000
    /// How many HELLOs of a session are answered.
    static let helloLimit = 8

    /// What the node must do, in order.
    enum Effect: Sendable {
        /// Wipe the session keys and close the link; with `sendingClose`, send CLOSE first.
        case close(SessionID, sendingClose: Bool)
        /// Tell the recognition engine that no session with this device is left.
        case deviceLeft(KnownDevice)
        /// Reconnect to this device: the link was lost without CLOSE.
        case lost(KnownDevice, LinkRoute)
        /// Do not reconnect to this device.
        case release(KnownDevice)
        /// Report whether a text message was acknowledged in time.
        case acknowledged(Answer<Void>, Bool)
    }

    struct Entry: Sendable {
        let peer: KnownDevice
        let technology: LinkTechnologyID
        let role: Role
        let peerKey: Octets32
        /// Where the peer was reached.
        let route: LinkRoute
        /// When the first record of the peer was opened, which authenticates it; nil until then.
        var heardAt: Tick?
        /// How many HELLOs of the peer have been answered.
        var helloCount = 0
        /// Whether another session with the same device has replaced this one; nothing new is sent in it.
        var isSuperseded = false
        /// When a superseded session is closed.
        var closesAt: Tick?
        /// The awaited receipts with their deadlines, by the number of the text message.
        var receipts: [UInt64: (answer: Answer<Void>, until: Tick)] = [:]

        init(
            peer: KnownDevice, technology: LinkTechnologyID, role: Role, peerKey: Octets32, route: LinkRoute
        ) {
            self.peer = peer
            self.technology = technology
            self.role = role
            self.peerKey = peerKey
            self.route = route
        }
    }

    private let ownKey: Octets32
    private var entries: [SessionID: Entry] = [:]
    private var count: UInt64 = 0

    /// Creates an empty table for a device with this Noise public key.
    init(ownKey: Octets32) { self.ownKey = ownKey }

    var openCount: Int { entries.count }

    /// Whether another session can be added.
    var hasRoom: Bool { entries.count < Self.limit }

    /// All sessions, oldest first.
    var ids: [SessionID] { entries.keys.sorted() }

    /// When `timerFired` is due.
    var due: Tick? {
        entries.values.flatMap { entry in
            [entry.closesAt].compactMap(\.self) + entry.receipts.values.map(\.until)
        }.min()
    }

    subscript(id: SessionID) -> Entry? { entries[id] }

    /// Returns the technologies of the sessions in which a device of the user is authenticated.
    func technologies(with user: UserID) -> Set<LinkTechnologyID> {
        Set(entries.values.filter { $0.peer.user == user && $0.heardAt != nil }.map(\.technology))
    }

    /// Returns the sessions with a user, oldest first.
    func sessions(with user: UserID) -> [SessionID] { ids.filter { entries[$0]?.peer.user == user } }

    /// Returns the session in which a text message to a user is sent: the newest that is not superseded.
    func route(to user: UserID) -> SessionID? {
        let open = sessions(with: user).filter { entries[$0]?.heardAt != nil }
        return open.last { entries[$0]?.isSuperseded == false } ?? open.last
    }

    // MARK: Beginning and end

    /// Returns the id of a session that may begin later.
    mutating func reserve() -> SessionID {
        count += 1
        return SessionID(number: count)
    }

    /// Adds a session under a reserved id; returns false when the table is full.
    mutating func add(_ entry: Entry, as id: SessionID) -> Bool {
        guard hasRoom else { return false }
        entries[id] = entry
        return true
    }

    /// Adds a session; returns nil when the table is full.
    mutating func add(_ entry: Entry) -> SessionID? {
        guard hasRoom else { return nil }
        let id = reserve()
        entries[id] = entry
        return id
    }

    /// Ends a session.
    mutating func end(_ id: SessionID, sendingClose: Bool) -> [Effect] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        var effects: [Effect] = [.close(id, sendingClose: sendingClose)]
        effects += entry.receipts.sorted { $0.key < $1.key }.map { .acknowledged($0.value.answer, false) }
        if !isOpen(with: entry.peer) { effects.append(.deviceLeft(entry.peer)) }
        return effects
    }

    /// Ends every session over a technology, at a boundary.
    mutating func endAll(over technology: LinkTechnologyID) -> [Effect] {
        ids.filter { entries[$0]?.technology == technology }.flatMap { end($0, sendingClose: true) }
    }

    /// Ends every session with a contact that has left, was removed or was blocked.
    mutating func endAll(with user: UserID) -> [Effect] {
        sessions(with: user).flatMap { end($0, sendingClose: true) }
    }

    /// Ends a session whose link has closed.
    mutating func linkEnded(_ id: SessionID) -> [Effect] {
        guard let entry = entries[id] else { return [] }
        let effects = end(id, sendingClose: false)
        return isOpen(with: entry.peer) ? effects : effects + [.lost(entry.peer, entry.route)]
    }

    /// Ends a session in which the peer has sent CLOSE.
    mutating func closed(_ id: SessionID) -> [Effect] {
        guard let peer = entries[id]?.peer else { return [] }
        let isLast = !entries.contains { $0.key != id && $0.value.peer == peer }
        return (isLast ? [.release(peer)] : []) + end(id, sendingClose: false)
    }

    private func isOpen(with peer: KnownDevice) -> Bool { entries.values.contains { $0.peer == peer } }

    // MARK: Events of a session

    /// Notes that a record of the peer was opened. Of two sessions with one device, both sides keep the same one.
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

    /// Notes that a HELLO of the peer was answered.
    mutating func noteHello(_ id: SessionID) { entries[id]?.helloCount += 1 }

    /// Notes that a text message was sent, and waits for its receipt.
    mutating func sent(_ number: UInt64, in id: SessionID, _ answer: Answer<Void>, at now: Tick) {
        entries[id]?.receipts[number] = (answer, now.advanced(byMilliseconds: Self.receiptDeadline))
    }

    /// Handles the peer's receipt for a text message.
    mutating func receipt(_ number: UInt64, in id: SessionID) -> [Effect] {
        guard let waiting = entries[id]?.receipts.removeValue(forKey: number) else { return [] }
        return [.acknowledged(waiting.answer, true)]
    }

    /// Handles every deadline that has passed.
    mutating func timerFired(at now: Tick) -> [Effect] {
        var effects: [Effect] = []
        for id in ids {
            guard let entry = entries[id] else { continue }
            for (number, waiting) in entry.receipts.sorted(by: { $0.key < $1.key }) where waiting.until <= now {
                entries[id]?.receipts[number] = nil
                effects.append(.acknowledged(waiting.answer, false))
            }
            if let closesAt = entry.closesAt, closesAt <= now { effects += end(id, sendingClose: true) }
        }
        return effects
    }
}
