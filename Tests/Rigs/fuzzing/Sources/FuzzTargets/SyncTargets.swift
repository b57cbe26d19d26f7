internal import InklingKeys
internal import InklingNode
internal import InklingWire

extension FuzzTarget {
    static let syncTargets = [
        FuzzTarget("receipt") { input in
            guard let receipt = try? SyncReceipt(parsing: input) else { return nil }
            promise(receipt.record.withBody { $0.isEqual(to: input) }, "a receipt is its bytes")
            return UInt32(truncatingIfNeeded: (receipt.last?.number ?? 0) & 0xffff)
        },

        FuzzTarget("stream") { input in
            guard let stream = try? SyncStream(parsing: input) else { return nil }
            promise(stream.record.withBody { $0.isEqual(to: input) }, "a stream is its bytes")
            return UInt32(truncatingIfNeeded: stream.first & 0xffff)
        },

        FuzzTarget("own-state") { input in
            guard let state = try? OwnState(parsing: input) else { return nil }
            guard let record = try? state.record() else { brokenPromise("what was read can be written") }
            var known = input.array
            // Flags that nobody knows are ignored.
            if case .standing = state { known[33] &= 3 }
            promise(record.withBody { $0.isEqual(to: known.span) }, "a state is its bytes")
            guard case .mark(let mark) = state else { return 0 }
            return UInt32(truncatingIfNeeded: mark & 0xffff)
        },

        FuzzTarget("sync-events") { input in
            guard input.count >= 12 else { return nil }
            guard var run = SyncRun() else { return nil }
            for start in stride(from: 4, through: input.count - 8, by: 8) {
                run.take(input.extracting(start..<start + 8).array)
            }
            return input.tag
        },
    ]
}

/// A device that exchanges texts with a contact that sends what it likes, and events of eight bytes: the kind, the time, the
/// session, the number and the identifier.
private struct SyncRun {
    private var machine: SyncMachine
    private var now = Tick(milliseconds: 0)
    private var open: Set<UInt64> = []
    private var queue: [UInt64: SyncMessage] = [:]
    /// The identifiers of what was sent, and the names of texts that the contact has put into receipts.
    private var sent: [UInt64: TextID] = [:]
    private var named: Set<SyncReceipt.Last> = []
    private var base: UInt64 = 0
    private var arrivals: UInt64 = 0
    private var stored: UInt64 = 0
    /// The stream and the number of the text that was stored last; nil when a STREAM came after it.
    private var latest: (stream: StreamID, number: UInt64)?

    init?() {
        guard let stream = StreamID(rawValue: 1) else { return nil }
        machine = SyncMachine(SyncState(), stream: stream)
    }

    mutating func take(_ bytes: [UInt8]) {
        now = now.advanced(byMilliseconds: UInt64(bytes[1]) << UInt64(bytes[2] % 10))
        let session = UInt64(bytes[3] % 6)
        // Small numbers, and now and then one of the largest.
        let number = bytes[4] > 250 ? UInt64.max >> UInt64(bytes[4] - 250) : UInt64(bytes[4])
        let id = TextID(rawValue: Octets16(high: UInt64(bytes[5] % 8), low: UInt64(bytes[6]) + 1))
        guard let stream = StreamID(rawValue: UInt64(bytes[7] % 3) + 1) else { return }
        switch bytes[0] % 12 {
        case 0:
            open.insert(session)
            handle(.opened(session: session))
        case 1:
            open.remove(session)
            handle(.closed(session: session))
        case 2: if let id { handle(.queued(id, byteCount: Int(bytes[4]))) }
        case 3, 4:
            guard let id, let text = try? SyncMessage(number: number, id: id, writtenAt: 0, text: "t") else { return }
            handle(.heard(.message(text), session: session))
        case 5:
            guard let said = try? SyncStream(stream: stream, first: number) else { return }
            latest = nil
            handle(.heard(.stream(said), session: session))
        case 6, 7: hear(receipt: number, id, stream, room: UInt16(bytes[6] % 65), in: session)
        case 8:
            stored = max(stored, min(arrivals, number))
            handle(.stored(through: number))
        case 9:
            // The contact sends again what is not stored.
            arrivals = stored
            handle(.notStored)
        case 10: handle(.taken(through: number, byteCount: UInt64(bytes[5])))
        default: handle(bytes[5] > 128 ? .timerFired : .withdrawn(through: number))
        }
    }

    /// A receipt with an identifier that was sent, or with one that the contact makes up.
    private mutating func hear(
        receipt number: UInt64, _ id: TextID?, _ stream: StreamID, room: UInt16, in session: UInt64
    ) {
        let known = room % 2 == 0 ? sent[number] : id
        let last = known.flatMap { SyncReceipt.Last(stream: stream, number: number, id: $0) }
        if let last { named.insert(last) }
        guard let said = try? SyncReceipt(last: last, room: room) else { return }
        handle(.heard(.receipt(said), session: session))
    }

    private mutating func handle(_ event: SyncMachine.Event) {
        for effect in machine.handle(event, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: SyncMachine.Effect) {
        switch effect {
        case .send(.message(let text), let session):
            promise(open.contains(session), "a text is sent in a session that is open")
            promise(queue[text.number]?.id == text.id, "what is sent is queued")
            sent[text.number] = text.id
            promise(sent.keys.count { $0 > base } <= 64, "at most 64 texts are under way")
        case .send(_, let session): promise(open.contains(session), "a record is sent in a session that is open")
        case .end(let session, _): open.remove(session)
        case .enqueue(let number, let id):
            queue[number] = try? SyncMessage(number: number, id: id, writtenAt: 0, text: "t")
            handle(.enqueued(through: number))
        case .load(let numbers):
            promise(numbers.count <= 16, "few texts are requested at once")
            handle(.loaded(numbers.compactMap { queue[$0] }))
        case .drop(let through):
            guard let id = queue[through]?.id else { brokenPromise("only what is queued is dropped") }
            promise(
                named.contains { $0.number == through && $0.id == id }, "what is dropped was named by its identifier")
            remove(through: through)
        case .forget(let through): remove(through: through)
        case .store(let arrival):
            promise(arrival.arrival == arrivals + 1, "arrivals are counted one by one")
            if let latest {
                promise(
                    latest.stream == arrival.stream && latest.number + 1 == arrival.message.number,
                    "numbers of a stream come once and in order")
            }
            latest = (arrival.stream, arrival.message.number)
            arrivals = arrival.arrival
            promise(arrivals - stored <= 128, "at most 128 texts are being stored")
        case .deliver(let some): promise(some.upperBound <= stored, "only what is stored is delivered")
        case .refuse, .wake: break
        }
    }

    private mutating func remove(through number: UInt64) {
        base = max(base, number)
        queue = queue.filter { $0.key > number }
        handle(.dropped(byteCount: 1))
    }
}
