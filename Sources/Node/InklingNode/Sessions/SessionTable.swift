internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// The number of a session within one run; later sessions have higher numbers.
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

/// The open sessions with their peers, and the choice of which of two sessions with a device stays.
///
/// The ciphers and the link of a session are in the `SessionChannel` with the same id.
struct SessionTable: Sendable {
    /// The maximum number of open sessions.
    static let limit = 32
    /// The maximum number of HELLOs answered per session.
    static let helloLimit = 8
    /// The maximum time for which a session is kept once a session over an offered link has begun.
    static let handOverDelay = Duration.seconds(10)

    /// An action for the node.
    enum Effect: Sendable {
        /// Wipe the session keys and close the link; with a reason, send CLOSE first.
        case close(SessionID, CloseReason?)
        /// Send a record in a session.
        case say(SessionID, Words)
        /// Tell the recognition engine that no session with this device is left.
        case deviceLeft(KnownDevice)
        /// Tell the recognition engine that this device has announced that it leaves.
        case goodbye(KnownDevice)
        /// Reconnect to this device: the link was lost without CLOSE.
        case lost(KnownDevice, LinkRoute)
        /// Do not reconnect to this device.
        case release(KnownDevice)
        /// Report that a session of this device continues over another technology.
        case handedOver(KnownDevice, from: LinkTechnologyID, to: LinkTechnologyID)
    }

    /// A message that the table sends in a session.
    enum Words: Hashable, Sendable {
        case move(MoveMarker)
        case moved(MoveMarker)

        /// The record to send.
        var record: Record {
            switch self {
            case .move(let marker): marker.record
            case .moved(let marker): marker.acknowledgement
            }
        }
    }

    /// The state of a session that another session with the same device replaces.
    struct Leaving: Hashable, Sendable {
        /// The marker that was sent as the last record.
        let marker: MoveMarker
        let reason: CloseReason
        /// The deadline for closing the session.
        let closesAt: Tick
        /// Whether the other side has acknowledged the marker.
        var isAnswered = false
    }

    struct Entry: Sendable {
        let peer: KnownDevice
        let technology: LinkTechnologyID
        let role: Role
        let peerKey: Octets32
        /// The route by which the peer was reached.
        let route: LinkRoute
        /// The epoch of the handshake; nil after a first contact.
        let epoch: Epoch?
        /// The transports of the peer, as announced in the handshake or later.
        var transports: TransportSet
        /// Whether its link was offered in another session.
        let isOffered: Bool
        /// The route of the session before it moved to an offered link.
        var origin: LinkRoute?
        /// The time at which the peer's first record, which authenticates it, was opened; nil until then.
        var heardAt: Tick?
        /// The number of the peer's HELLOs that have been answered.
        var helloCount = 0
        /// The state of leaving, if another session with the same device has replaced this one.
        var leaving: Leaving?
        /// The marker of the peer, and whether it has been answered.
        var peerMarker: (marker: MoveMarker, isAnswered: Bool)?

        /// Whether another session with the same device has replaced this one; nothing new is sent in it.
        var isSuperseded: Bool { leaving != nil }

        init(
            peer: KnownDevice, technology: LinkTechnologyID, role: Role, peerKey: Octets32, route: LinkRoute,
            epoch: Epoch? = nil, transports: TransportSet = [], isOffered: Bool = false
        ) {
            self.peer = peer
            self.technology = technology
            self.role = role
            self.peerKey = peerKey
            self.route = route
            self.epoch = epoch
            self.transports = transports
            self.isOffered = isOffered
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

    /// The time at which `timerFired` is due.
    var due: Tick? { entries.values.compactMap { $0.leaving?.closesAt }.min() }

    subscript(id: SessionID) -> Entry? { entries[id] }

    /// Returns the technologies of the sessions in which a device of the user is authenticated.
    func technologies(with user: UserID) -> Set<LinkTechnologyID> {
        Set(entries.values.filter { $0.peer.user == user && $0.heardAt != nil }.map(\.technology))
    }

    /// Returns whether a session with a device is open over a technology.
    func hasSession(with peer: KnownDevice, over technology: LinkTechnologyID) -> Bool {
        entries.values.contains { $0.peer == peer && $0.technology == technology }
    }

    /// Records the transports of the peer of a session.
    mutating func noteTransports(_ transports: TransportSet, of id: SessionID) { entries[id]?.transports = transports }

    /// Returns the sessions with a user, oldest first.
    func sessions(with user: UserID) -> [SessionID] { ids.filter { entries[$0]?.peer.user == user } }

    /// Returns the newest authenticated session with a user, preferring one that is not superseded.
    func route(to user: UserID) -> SessionID? {
        let open = sessions(with: user).filter { entries[$0]?.heardAt != nil }
        return open.last { entries[$0]?.isSuperseded == false } ?? open.last
    }

    /// Returns the session with a device that stays.
    func staying(with peer: KnownDevice) -> SessionID? {
        ids.last { id in entries[id].map { $0.peer == peer && $0.heardAt != nil && !$0.isSuperseded } ?? false }
    }

    // MARK: Beginning and end

    /// Returns the id of a session that may begin later.
    mutating func reserve() -> SessionID {
        count += 1
        return SessionID(number: count)
    }

    /// Adds a session under a reserved id; returns false if the table is full.
    mutating func add(_ entry: Entry, as id: SessionID) -> Bool {
        guard hasRoom else { return false }
        entries[id] = entry
        return true
    }

    /// Adds a session; returns nil if the table is full.
    mutating func add(_ entry: Entry) -> SessionID? {
        guard hasRoom else { return nil }
        let id = reserve()
        entries[id] = entry
        return id
    }

    /// Ends a session; with a reason, CLOSE is sent first.
    mutating func end(_ id: SessionID, _ reason: CloseReason?) -> [Effect] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        var effects: [Effect] = [.close(id, reason)]
        guard isOpen(with: entry.peer) else { return effects + [.deviceLeft(entry.peer)] }
        if let staying = staying(with: entry.peer), let technology = entries[staying]?.technology {
            if entry.leaving?.reason == .handOver {
                effects.append(.handedOver(entry.peer, from: entry.technology, to: technology))
            }
        } else if let left = ids.last(where: { entries[$0]?.peer == entry.peer && entries[$0]?.heardAt != nil }) {
            // The session that should have stayed is gone, so this one is used again.
            entries[left]?.leaving = nil
        }
        return effects
    }

    /// Ends every session over a technology, at a boundary or because this device leaves.
    mutating func endAll(over technology: LinkTechnologyID, _ reason: CloseReason = .boundary) -> [Effect] {
        let ending = ids.filter { entries[$0]?.technology == technology }
        let origins = ending.compactMap { id in entries[id].flatMap { entry in entry.origin.map { (entry.peer, $0) } } }
        // Routes over this technology are no longer valid.
        for id in ids where entries[id]?.origin?.technology == technology { entries[id]?.origin = nil }
        let effects = ending.flatMap { end($0, reason) }
        return effects + origins.filter { !isOpen(with: $0.0) }.map { .lost($0.0, $0.1) }
    }

    /// Ends every session with a contact that has left, was removed or was blocked.
    mutating func endAll(with user: UserID) -> [Effect] { sessions(with: user).flatMap { end($0, .boundary) } }

    /// Ends a session whose link has closed.
    mutating func linkEnded(_ id: SessionID) -> [Effect] {
        guard let entry = entries[id] else { return [] }
        let effects = end(id, nil)
        return isOpen(with: entry.peer) ? effects : effects + [.lost(entry.peer, entry.origin ?? entry.route)]
    }

    /// Ends a session in which the peer has sent CLOSE. A session that moved to an offered link can go back.
    mutating func closed(_ id: SessionID, _ reason: CloseReason = .boundary) -> [Effect] {
        guard let entry = entries[id] else { return [] }
        let isLast = !entries.contains { $0.key != id && $0.value.peer == entry.peer }
        let goesBack = reason == .handOver || reason != .leaving && entry.origin != nil
        // In an older session the record may have been overtaken by the return of the device.
        let isNewest = !entries.contains { $0.key > id && $0.value.peer == entry.peer && $0.value.heardAt != nil }
        let goodbye: [Effect] = reason == .leaving && isNewest ? [.goodbye(entry.peer)] : []
        if isLast, !goesBack { return goodbye + [.release(entry.peer)] + end(id, nil) }
        return goodbye + end(id, nil) + (isLast ? [.lost(entry.peer, entry.origin ?? entry.route)] : [])
    }

    private func isOpen(with peer: KnownDevice) -> Bool { entries.values.contains { $0.peer == peer } }

    // MARK: Events of a session

    /// Records that a record of the peer was opened. Of two sessions with one device both sides keep the same one, and
    /// each sends the marker in the other one.
    mutating func heard(_ id: SessionID, at now: Tick, marker: MoveMarker) -> [Effect] {
        guard let new = entries[id], new.heardAt == nil else { return [] }
        entries[id]?.heardAt = now
        guard
            let other = ids.first(where: { candidate in
                guard candidate != id, let entry = entries[candidate] else { return false }
                return entry.heardAt != nil && !entry.isSuperseded && entry.peer == new.peer
            }), let existing = entries[other], let earlier = existing.heardAt
        else { return answerMarkers(of: new.peer) }
        let survivor = CrossingRule.survivor(
            existing: existing.role, new: new.role, apart: earlier.duration(to: now), ownKey: ownKey,
            peerKey: new.peerKey)
        let loser = new.isOffered || survivor == .new ? other : id
        entries[loser]?.leaving = Leaving(
            marker: marker, reason: new.isOffered ? .handOver : .replaced,
            closesAt: now.advanced(by: new.isOffered ? Self.handOverDelay : CrossingRule.closeDelay))
        if new.isOffered { entries[id]?.origin = existing.origin ?? existing.route }
        return [.say(loser, .move(marker))] + answerMarkers(of: new.peer)
    }

    /// Records that a HELLO of the peer was answered.
    mutating func noteHello(_ id: SessionID) { entries[id]?.helloCount += 1 }

    /// Handles the marker of the peer, after which no text follows in this session.
    mutating func moveArrived(_ marker: MoveMarker, in id: SessionID) -> [Effect] {
        guard let peer = entries[id]?.peer else { return [] }
        entries[id]?.peerMarker = (marker, false)
        return answerMarkers(of: peer)
    }

    /// Handles the peer's acknowledgement of a marker: later records are sent in the session that stays.
    mutating func movedArrived(_ marker: MoveMarker, in id: SessionID) -> [Effect] {
        guard let peer = entries[id]?.peer,
            let left = ids.first(where: { entries[$0]?.peer == peer && entries[$0]?.leaving?.marker == marker })
        else { return [] }
        entries[left]?.leaving?.isAnswered = true
        return finishMove(from: left)
    }

    private mutating func answerMarkers(of peer: KnownDevice) -> [Effect] {
        guard let staying = staying(with: peer) else { return [] }
        var effects: [Effect] = []
        for id in ids where id != staying && entries[id]?.peer == peer {
            guard let (marker, isAnswered) = entries[id]?.peerMarker, !isAnswered else { continue }
            entries[id]?.peerMarker = (marker, true)
            effects.append(.say(staying, .moved(marker)))
            effects += finishMove(from: id)
        }
        return effects
    }

    private mutating func finishMove(from id: SessionID) -> [Effect] {
        guard let entry = entries[id], let leaving = entry.leaving, leaving.isAnswered,
            entry.peerMarker?.isAnswered == true
        else { return [] }
        return end(id, leaving.reason)
    }

    /// Handles every deadline that has passed.
    mutating func timerFired(at now: Tick) -> [Effect] {
        var effects: [Effect] = []
        for id in ids {
            if let leaving = entries[id]?.leaving, leaving.closesAt <= now { effects += end(id, leaving.reason) }
        }
        return effects
    }
}
