public import CInkling
internal import InklingKeys
internal import InklingWire

/// A text delivery machine, the effects that the caller has not taken yet, and the texts that it supplies for a reply.
private struct Sync: Sendable {
    private var machine: SyncMachine
    private var effects: [SyncMachine.Effect] = []
    private var loaded: [SyncMessage] = []
    /// The content of the effect taken last.
    private(set) var content: [UInt8]?

    init(_ state: SyncState, stream: StreamID) { machine = SyncMachine(state, stream: stream) }

    /// Checks that the effects of the previous event were taken.
    ///
    /// - Throws: `INKLING_FULL`: the machine assumes that the caller has carried them out.
    func checkIsIdle() throws(Fault) {
        guard effects.isEmpty else { throw Fault(INKLING_FULL) }
    }

    mutating func take(_ event: SyncMachine.Event, at now: Tick) {
        content = nil
        // Reversed, so that `popLast` returns the next one.
        effects = machine.handle(event, at: now).reversed()
    }

    mutating func give(_ text: SyncMessage) throws(Fault) {
        guard loaded.count < SyncMachine.loadLimit else { throw Fault(INKLING_FULL) }
        loaded.append(text)
    }

    mutating func reply() -> SyncMachine.Event {
        defer { loaded = [] }
        return .loaded(loaded)
    }

    mutating func next() -> inkling_sync_effect {
        content = nil
        guard let effect = effects.popLast() else { return inkling_sync_effect() }
        switch effect {
        case .send(let record, _):
            content = record.record.withBody { body in body.indices.map { body[$0] } }
        case .store(let arrival): content = arrival.message.text.map { Array($0.utf8) }
        default: break
        }
        return inkling_sync_effect(effect)
    }
}

@c @implementation
public func inkling_sync_new(
    _ stored: UnsafePointer<inkling_sync_stored>?, _ sync: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(sync)
        var state = SyncState()
        if unsafe stored != nil { state = try SyncState(try unsafe inkling_sync_stored.read(stored)) }
        var generator = Randomness()
        out.set(try HandleTable.shared.add(Sync(state, stream: StreamID.drawn(using: &generator))))
    }
}

@c @implementation
public func inkling_sync_take(
    _ sync: inkling_handle, _ event: UInt32, _ number: UInt64, _ bytes: UInt64, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let now = try unsafe reading(now)
        try HandleTable.shared.with(sync, Sync.self) { sync throws(Fault) in
            try sync.checkIsIdle()
            sync.take(try happened(event, number, bytes, in: &sync), at: now.tick)
        }
    }
}

@c @implementation
public func inkling_sync_receive(
    _ sync: inkling_handle, _ session: UInt64, _ type: UInt8, _ body: UnsafePointer<UInt8>?, _ count: Int,
    _ now: UnsafePointer<inkling_clock>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let now = try unsafe reading(now)
        guard [RecordType.message, .receipt, .stream].contains(RecordType(rawValue: type)) else {
            throw Fault(INKLING_OUT_OF_RANGE)
        }
        let heard = try unsafe withInput(body, count) { bytes throws(Fault) in
            do throws(SyncError) { return try SyncRecord(RecordType(rawValue: type), bytes) } catch {
                throw Fault(error)
            }
        }
        try HandleTable.shared.with(sync, Sync.self) { sync throws(Fault) in
            try sync.checkIsIdle()
            sync.take(.heard(heard, session: session), at: now.tick)
        }
    }
}

@c @implementation
public func inkling_sync_load(
    _ sync: inkling_handle, _ head: UnsafePointer<inkling_message>?, _ text: UnsafePointer<CChar>?, _ textCount: Int,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let message = try unsafe syncMessage(head, text, textCount)
        try HandleTable.shared.with(sync, Sync.self) { sync throws(Fault) in try sync.give(message) }
    }
}

@c @implementation
public func inkling_sync_next(
    _ sync: inkling_handle, _ effect: UnsafeMutablePointer<inkling_sync_effect>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(effect)
        let next = try HandleTable.shared.with(sync, Sync.self) { $0.next() }
        out.set { $0 = next }
    }
}

@c @implementation
public func inkling_sync_content(
    _ sync: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let content = try HandleTable.shared.with(sync, Sync.self) { $0.content }
        guard let content else { throw Fault(INKLING_UNKNOWN) }
        try out.set(content.span)
    }
}

/// Converts an `inkling_sync_event`.
///
/// - Throws: `INKLING_OUT_OF_RANGE`.
private func happened(
    _ event: UInt32, _ number: UInt64, _ bytes: UInt64, in sync: inout Sync
) throws(Fault) -> SyncMachine.Event {
    var generator = Randomness()
    switch inkling_sync_event(event) {
    case INKLING_SYNC_STARTED: return .started
    case INKLING_SYNC_OPENED: return .opened(session: number)
    case INKLING_SYNC_CLOSED: return .closed(session: number)
    case INKLING_SYNC_QUEUED: return .queued(TextID.drawn(using: &generator), byteCount: Int(clamping: bytes))
    case INKLING_SYNC_ENQUEUED: return .enqueued(through: number)
    case INKLING_SYNC_NOT_ENQUEUED: return .notEnqueued(from: number)
    case INKLING_SYNC_LOADED: return sync.reply()
    case INKLING_SYNC_DROPPED: return .dropped(byteCount: bytes)
    case INKLING_SYNC_WITHDRAWN: return .withdrawn(through: number)
    case INKLING_SYNC_STORED: return .stored(through: number)
    case INKLING_SYNC_NOT_STORED: return .notStored
    case INKLING_SYNC_TAKEN: return .taken(through: number, byteCount: bytes)
    case INKLING_SYNC_TIMER_FIRED: return .timerFired
    default: throw Fault(INKLING_OUT_OF_RANGE)
    }
}

extension SyncRecord {
    fileprivate init(_ type: RecordType, _ body: Span<UInt8>) throws(SyncError) {
        switch type {
        case .message: self = .message(try SyncMessage(parsing: body))
        case .receipt: self = .receipt(try SyncReceipt(parsing: body))
        default: self = .stream(try SyncStream(parsing: body))
        }
    }
}

extension SyncState {
    /// - Throws: `INKLING_OUT_OF_RANGE` if the members are inconsistent.
    fileprivate init(_ stored: inkling_sync_stored) throws(Fault) {
        let sizes = 0...UInt64(1) << 53 - 1
        guard sizes.contains(stored.queue_size), sizes.contains(stored.inbox_size) else {
            throw Fault(INKLING_OUT_OF_RANGE)
        }
        var last: SyncReceipt.Last?
        do throws(Fault) {
            last = try lastText(stored.last_stream, stored.last_number, octets(of: stored.last_id))
        } catch {
            throw Fault(INKLING_OUT_OF_RANGE)
        }
        self.init(
            outgoing: try inRange(
                Outgoing(base: stored.base, next: stored.next, byteCount: stored.queue_size)),
            incoming: try inRange(
                Incoming(
                    last: last, arrivals: stored.arrivals, taken: stored.taken, byteCount: stored.inbox_size)))
    }
}

extension inkling_sync_effect {
    fileprivate init(_ effect: SyncMachine.Effect) {
        self.init()
        switch effect {
        case .send(let record, let session):
            kind = INKLING_SYNC_EFFECT_SEND.rawValue
            self.session = session
            record_type = record.record.type.rawValue
        case .end(let session, let violation):
            kind = INKLING_SYNC_EFFECT_END.rawValue
            self.session = session
            write(violation.rawValue, to: &reason)
        case .enqueue(let number, let id):
            kind = INKLING_SYNC_EFFECT_ENQUEUE.rawValue
            self.number = number
            write(id.rawValue, to: &self.id)
        case .refuse(let id, let error):
            kind = INKLING_SYNC_EFFECT_REFUSE.rawValue
            write(id.rawValue, to: &self.id)
            write(error.rawValue, to: &reason)
        case .load(let numbers):
            kind = INKLING_SYNC_EFFECT_LOAD.rawValue
            (number, last) = (numbers.lowerBound, numbers.upperBound)
        case .drop(let through):
            kind = INKLING_SYNC_EFFECT_DROP.rawValue
            number = through
        case .forget(let through):
            kind = INKLING_SYNC_EFFECT_FORGET.rawValue
            number = through
        case .store(let arrival):
            kind = INKLING_SYNC_EFFECT_STORE.rawValue
            self.arrival = arrival.arrival
            stream = arrival.stream.rawValue
            number = arrival.message.number
            written_at = arrival.message.writtenAt
            skipped = arrival.skipped
            has_text = arrival.message.text == nil ? 0 : 1
            write(arrival.message.id.rawValue, to: &id)
        case .deliver(let arrivals):
            kind = INKLING_SYNC_EFFECT_DELIVER.rawValue
            (number, last) = (arrivals.lowerBound, arrivals.upperBound)
        case .wake(let moment):
            kind = INKLING_SYNC_EFFECT_WAKE.rawValue
            tick = moment.milliseconds
        }
    }
}

extension inkling_sync_stored: Sized {
    static var leastSize: Int { 88 }
}

extension inkling_sync_effect: Sized {
    static var leastSize: Int { 128 }
}
