package import InklingKeys

/// All transfers with one device of a contact, in both directions (`Specs/files.md`): events and time in, effects out.
///
/// The caller reports when a session with the device that both sides use begins and ends. Every table is bounded: the
/// offers, answers and chunks of a contact cost at most the memory for `offerLimit` offers and one window.
package struct FileExchange: Sendable {
    /// The most files that wait for one device.
    package static let outgoingLimit = 16
    /// The most offers of one device that are held.
    package static let offerLimit = 8
    /// The time for which an incoming transfer may stand still.
    package static let stallDeadline = Duration.seconds(120)
    /// The time to wait after the other side was busy.
    package static let busyDelay = Duration.seconds(60)
    /// The most stopped transfers of the session that are remembered, because their chunks may be on the way.
    private static let stoppedLimit = 32

    /// An event that the caller reports.
    package enum Event: Sendable {
        /// The device's HELLO has opened in a session that stays.
        case sessionBegan(isRadio: Bool)
        case sessionEnded
        case words(FileWords)
        /// The user sends a file.
        case send(TransferID, size: UInt64)
        /// The user interrupts or ends a transfer in either direction.
        case pause(TransferID)
        case cancel(TransferID)
        /// The user accepts or refuses an offer that waits.
        case accept(TransferID)
        case refuse(TransferID)
        case found(TransferID, FoundFile)
        case outgoing(TransferID, OutgoingFile.Event)
        case incoming(TransferID, IncomingFile.Event)
        /// There is memory for another transfer.
        case roomMade
        case timerFired
    }

    /// An action for the caller. The order matters.
    package enum Effect: Hashable, Sendable {
        case say(FileWords)
        /// Look for a file, or a part of it, on disk.
        case find(TransferID, size: UInt64)
        case outgoing(TransferID, OutgoingFile.Effect)
        case incoming(TransferID, size: UInt64, IncomingFile.Effect)
        /// An offer waits for the user.
        case offered(TransferID, size: UInt64)
        /// An offer was declined, or its sender has withdrawn it.
        case declined(TransferID, size: UInt64, FileStopReason)
        /// A transfer to the device has begun or continues.
        case began(TransferID)
    }

    private enum Incoming: Sendable {
        case soughtFor(size: UInt64)
        case asked(size: UInt64)
        /// Granted, and waits until another transfer is over.
        case granted(size: UInt64)
        case running(IncomingFile)
    }

    /// The largest file that is granted without asking, in bytes; nil if no file is accepted at all. Zero by default.
    package var limit: UInt64? = 0
    private var isRadio: Bool?
    private var outgoing: [TransferID: OutgoingFile] = [:]
    /// Grants that wait until there is memory for their transfer.
    private var heldGrants: [TransferID: FileGrant] = [:]
    private var incoming: [TransferID: Incoming] = [:]
    private var accepted: Set<TransferID> = []
    private var stopped: [TransferID] = []
    private var offers = FirstMessageBudget(burst: 32, interval: .seconds(5))
    private var stallsAt: Tick?
    private var againAt: [TransferID: Tick] = [:]

    /// Creates an exchange without transfers.
    package init() {}

    /// Whether it holds nothing that a later session needs.
    package var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty && accepted.isEmpty }

    /// The number of transfers with parts of a file in memory.
    package var runningCount: Int {
        outgoing.values.count { $0.isRunning } + (hasRunningIncoming ? 1 : 0)
    }

    /// The time at which `timerFired` is due.
    package var due: Tick? { ([stallsAt].compactMap(\.self) + againAt.values).min() }

    /// The ids of the files that go to the device, in order.
    package var outgoingIDs: [TransferID] { outgoing.keys.sorted() }

    /// The offers that wait for the user, in order.
    package var asked: [(id: TransferID, size: UInt64)] {
        incoming.sorted { $0.key < $1.key }.compactMap { id, state in
            if case .asked(let size) = state { (id, size) } else { nil }
        }
    }

    private var hasRunningIncoming: Bool {
        incoming.values.contains { if case .running = $0 { true } else { false } }
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: what has happened.
    ///   - hasRoom: whether there is memory for another transfer.
    ///   - now: the time.
    /// - Returns: the effects to carry out, in order.
    /// - Throws: `FileMisuse` when the device breaks a rule, which ends the session.
    package mutating func handle(_ event: Event, hasRoom: Bool, at now: Tick) throws(FileMisuse) -> [Effect] {
        switch event {
        case .sessionBegan(let isRadio): return try sessionBegan(isRadio: isRadio)
        case .sessionEnded: return try sessionEnded()
        case .words(let words): return try take(words, hasRoom: hasRoom, at: now)
        case .send(let id, let size):
            guard outgoing[id] == nil, outgoing.count < Self.outgoingLimit else { return [] }
            outgoing[id] = OutgoingFile(id, size: size)
            guard let isRadio else { return [] }
            return try pass(.sessionBegan(isRadio: isRadio), to: id)
        case .pause(let id): return try pass(.pause, to: id)
        case .cancel(let id):
            if outgoing[id] != nil { return try pass(.cancel, to: id) }
            if case .running? = incoming[id] { return try pass(.cancel, toIncoming: id, at: now) }
            return decline(id, .cancelled)
        case .accept(let id):
            guard case .asked(let size)? = incoming[id] else { return [] }
            if accepted.count < Self.offerLimit * 8 { accepted.insert(id) }
            incoming[id] = .granted(size: size)
            return beginNext(hasRoom: hasRoom, at: now)
        case .refuse(let id): return decline(id, .refused)
        case .found(let id, let found): return judge(id, found, hasRoom: hasRoom, at: now)
        case .outgoing(let id, let event): return try pass(event, to: id)
        case .incoming(let id, let event): return try pass(event, toIncoming: id, at: now)
        case .roomMade:
            guard hasRoom else { return [] }
            if let id = heldGrants.keys.min(), let grant = heldGrants.removeValue(forKey: id) {
                return try pass(.words(.grant(id, grant)), to: id)
            }
            return beginNext(hasRoom: true, at: now)
        case .timerFired: return try timerFired(at: now)
        }
    }

    // MARK: Sessions

    private mutating func sessionBegan(isRadio: Bool) throws(FileMisuse) -> [Effect] {
        var effects: [Effect] = []
        if self.isRadio != nil { effects = try sessionEnded() }
        self.isRadio = isRadio
        for id in outgoingIDs { effects += try pass(.sessionBegan(isRadio: isRadio), to: id) }
        return effects
    }

    private mutating func sessionEnded() throws(FileMisuse) -> [Effect] {
        isRadio = nil
        againAt = [:]
        stopped = []
        heldGrants = [:]
        stallsAt = nil
        var effects: [Effect] = []
        for id in outgoingIDs { effects += try pass(.sessionEnded, to: id) }
        for (id, state) in incoming.sorted(by: { $0.key < $1.key }) {
            guard case .running(var file) = state else { continue }
            let size = file.size
            effects += try file.handle(.sessionEnded).map { .incoming(id, size: size, $0) }
        }
        incoming = [:]
        return effects
    }

    private mutating func timerFired(at now: Tick) throws(FileMisuse) -> [Effect] {
        var effects: [Effect] = []
        if let moment = stallsAt, moment <= now {
            stallsAt = nil
            for (id, state) in incoming {
                if case .running = state { effects += try pass(.stalled, toIncoming: id, at: now) }
            }
        }
        for (id, moment) in againAt.sorted(by: { $0.key < $1.key }) where moment <= now {
            againAt[id] = nil
            guard let isRadio else { continue }
            effects += try pass(.sessionBegan(isRadio: isRadio), to: id)
        }
        return effects
    }

    // MARK: Words

    private mutating func take(_ words: FileWords, hasRoom: Bool, at now: Tick) throws(FileMisuse) -> [Effect] {
        let id = words.id
        switch words {
        case .offer(_, let size):
            // The other side may not use our own ids, nor repeat its own.
            guard offers.spend(at: now.milliseconds), outgoing[id] == nil, incoming[id] == nil else { return [] }
            guard limit != nil else { return [.say(.stop(id, .refused))] }
            guard incoming.count < Self.offerLimit else { return [.say(.stop(id, .busy))] }
            incoming[id] = .soughtFor(size: size)
            return [.find(id, size: size)]
        case .chunk, .end:
            if case .running? = incoming[id] { return try pass(.words(words), toIncoming: id, at: now) }
            // The other side may not know yet that the transfer is over.
            guard stopped.contains(id) else { throw .unasked }
            return []
        case .grant(_, let grant):
            guard let file = outgoing[id], !file.isWaiting else { return try unasked(id) }
            guard file.isOffered, heldGrants[id] == nil else { throw .unasked }
            // One transfer at a time: an honest receiver grants the next one when the one before it is over.
            guard heldGrants.isEmpty, !outgoing.values.contains(where: \.isRunning) else { throw .unasked }
            guard hasRoom else {
                heldGrants[id] = grant
                return []
            }
            return try pass(.words(words), to: id)
        case .taken, .done:
            guard outgoing[id] != nil else { return try unasked(id) }
            return try pass(.words(words), to: id)
        case .stop(_, let reason):
            if let file = outgoing[id] {
                heldGrants[id] = nil
                if reason == .busy, !file.isWaiting {
                    againAt[id] = now.advanced(by: Self.busyDelay)
                    return try pass(.sessionEnded, to: id)
                }
                return try pass(.words(words), to: id)
            }
            if case .running? = incoming[id] { return try pass(.words(words), toIncoming: id, at: now) }
            guard let state = incoming.removeValue(forKey: id) else { return [] }
            if reason == .cancelled { accepted.remove(id) }
            return [.declined(id, size: Self.size(of: state), reason)]
        }
    }

    /// Ignores an answer about a transfer that was stopped in this session; throws for an unknown one.
    private func unasked(_ id: TransferID) throws(FileMisuse) -> [Effect] {
        guard stopped.contains(id) || outgoing[id] != nil else { throw .unasked }
        return []
    }

    // MARK: Offers

    private mutating func judge(_ id: TransferID, _ found: FoundFile, hasRoom: Bool, at now: Tick) -> [Effect] {
        guard case .soughtFor(let size)? = incoming[id] else { return [] }
        switch found {
        case .whole:
            incoming[id] = nil
            return [.say(.done(id))]
        case .unusable:
            incoming[id] = nil
            return [.say(.stop(id, .noRoom)), .declined(id, size: size, .noRoom)]
        case .nothing where !(limit.map { size <= $0 && $0 > 0 } ?? false) && !accepted.contains(id):
            incoming[id] = .asked(size: size)
            return [.offered(id, size: size)]
        case .nothing, .part:
            incoming[id] = .granted(size: size)
            return beginNext(hasRoom: hasRoom, at: now)
        }
    }

    private mutating func decline(_ id: TransferID, _ reason: FileStopReason) -> [Effect] {
        guard let state = incoming[id] else { return [] }
        if case .running = state { return [] }
        incoming[id] = nil
        accepted.remove(id)
        return [.say(.stop(id, reason)), .declined(id, size: Self.size(of: state), reason)]
    }

    /// Begins the granted transfer with the smallest id, if no other one runs.
    private mutating func beginNext(hasRoom: Bool, at now: Tick) -> [Effect] {
        guard hasRoom, let isRadio, !hasRunningIncoming else { return [] }
        let granted = incoming.compactMap { id, state in
            if case .granted(let size) = state { (id: id, size: size) } else { nil }
        }
        guard let (id, size) = granted.min(by: { $0.id < $1.id }) else { return [] }
        let (file, effects) = IncomingFile.begin(id, size: size, isRadio: isRadio)
        incoming[id] = .running(file)
        stallsAt = now.advanced(by: Self.stallDeadline)
        return effects.map { .incoming(id, size: size, $0) }
    }

    private static func size(of state: Incoming) -> UInt64 {
        switch state {
        case .soughtFor(let size), .asked(let size), .granted(let size): size
        case .running(let file): file.size
        }
    }

    // MARK: Transfers

    private mutating func pass(_ event: OutgoingFile.Event, to id: TransferID) throws(FileMisuse) -> [Effect] {
        guard var file = outgoing[id] else { return [] }
        let wasRunning = file.isRunning
        let effects = try file.handle(event)
        outgoing[id] = file
        var result: [Effect] = !wasRunning && file.isRunning ? [.began(id)] : []
        for effect in effects {
            if case .ended = effect {
                outgoing[id] = nil
                againAt[id] = nil
                heldGrants[id] = nil
                remember(id)
            }
            if case .say(let words) = effect {
                result.append(.say(words))
            } else {
                result.append(.outgoing(id, effect))
            }
        }
        return result
    }

    private mutating func pass(
        _ event: IncomingFile.Event, toIncoming id: TransferID, at now: Tick
    ) throws(FileMisuse) -> [Effect] {
        guard case .running(var file)? = incoming[id] else { return [] }
        let effects = try file.handle(event)
        incoming[id] = file.isOver ? nil : .running(file)
        stallsAt = file.isOver ? nil : now.advanced(by: Self.stallDeadline)
        var result: [Effect] = []
        for effect in effects {
            if case .say(let words) = effect {
                result.append(.say(words))
            } else {
                result.append(.incoming(id, size: file.size, effect))
            }
        }
        guard file.isOver else { return result }
        remember(id)
        if effects.contains(.ended(.kept)) || effects.contains(.discard) { accepted.remove(id) }
        return result + beginNext(hasRoom: true, at: now)
    }

    private mutating func remember(_ id: TransferID) {
        if stopped.count >= Self.stoppedLimit { stopped.removeFirst() }
        stopped.append(id)
    }
}
