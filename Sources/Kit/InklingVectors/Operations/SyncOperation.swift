internal import InklingJSON
internal import InklingKeys
internal import InklingWire

private let (numbers, counts): (ClosedRange<Int128>, ClosedRange<Int128>) = (
    1...Int128(UInt64.max >> 1), 0...Int128(UInt64.max >> 1)
)
private let sizes: ClosedRange<Int128> = 0...Int128(1 << 53 - 1)

private let syncSteps = LifecycleSteps(
    members: [
        .u32("session"), .integer("number", in: numbers), .bytes("id", 16), .u32("length"),
        .bytes("stream", 8), .integer("room", in: 0...Int128(SyncReceipt.roomLimit)), .integer("first", in: numbers),
        .integer("through", in: counts), .integer("size", in: sizes),
        .list(
            "texts",
            of: .object([
                .integer("number", in: numbers), .bytes("id", 16),
                .integer("length", in: 0...Int128(SyncMessage.textLimit)),
            ]), limit: 64),
    ],
    events: [
        "started": ([], []), "opened": (["session"], []), "closed": (["session"], []),
        "message": (["session", "number", "id", "length"], []),
        "receipt": (["session", "room"], ["stream", "number", "id"]), "stream": (["session", "stream", "first"], []),
        "queued": (["id", "length"], []), "enqueued": (["through"], []), "not-enqueued": (["number"], []),
        "loaded": (["texts"], []), "dropped": (["size"], []), "withdrawn": (["through"], []),
        "stored": (["through"], []), "not-stored": ([], []), "taken": (["through", "size"], []),
    ])

/// Runs the text delivery machine (`Specs/sync.md`).
let syncOperation = ShimOperation(
    "sync",
    [
        .bytes("stream", 8),
        .integer("base", in: counts), .integer("next", in: numbers),
        .integer("queueSize", in: sizes), .bytes("lastStream", 8).optional,
        .integer("lastNumber", in: numbers).optional, .bytes("lastID", 16).optional,
        .integer("arrivals", in: counts), .integer("taken", in: counts), .integer("inboxSize", in: sizes),
    ] + syncSteps.parameters, steps: syncSteps.scenario
) { arguments throws(ShimRefusal) in
    var machine = SyncMachine(try arguments.syncState(), stream: try arguments.stream("stream"))
    let steps = try syncSteps.steps(of: arguments)
    for step in steps { _ = try step.syncEvent() }
    var run = LifecycleRun()
    run.take(steps, until: arguments.u64("until")) { step, now, run in
        guard let event = try? step.syncEvent() else { return }
        for effect in machine.handle(event, at: now) { run.add(effect) }
    } timer: { now, run in
        for effect in machine.handle(.timerFired, at: now) { run.add(effect) }
    }
    return ["effects": .list(run.effects)]
}

extension ShimArguments {
    fileprivate func syncState() throws(ShimRefusal) -> SyncState {
        let last = try last("lastStream", "lastNumber", "lastID")
        guard
            let outgoing = SyncState.Outgoing(
                base: u64("base"), next: u64("next"), byteCount: u64("queueSize")),
            let incoming = SyncState.Incoming(
                last: last, arrivals: u64("arrivals"), taken: u64("taken"), byteCount: u64("inboxSize"))
        else { throw .arguments("out-of-range") }
        return SyncState(outgoing: outgoing, incoming: incoming)
    }

    /// Returns a text of the given length; 0 means a withdrawn text.
    fileprivate func syncMessage() throws(ShimRefusal) -> SyncMessage {
        let (id, length) = (try textID(), u64("length"))
        guard length <= SyncMessage.textLimit,
            let message = try? SyncMessage(
                number: u64("number"), id: id, writtenAt: 0,
                text: length == 0 ? nil : String(repeating: "x", count: Int(length)))
        else { throw .arguments("out-of-range") }
        return message
    }

    fileprivate func syncEvent() throws(ShimRefusal) -> SyncMachine.Event {
        let session = u64("session"), through = u64("through")
        switch text("event") {
        case "started": return .started
        case "opened": return .opened(session: session)
        case "closed": return .closed(session: session)
        case "message": return .heard(.message(try syncMessage()), session: session)
        case "receipt":
            let last = try last()
            let receipt = try refusing { () throws(SyncError) in try SyncReceipt(last: last, room: u16("room")) }
            return .heard(.receipt(receipt), session: session)
        case "stream":
            let stream = try stream("stream")
            let announced = try refusing { () throws(SyncError) in
                try SyncStream(stream: stream, first: u64("first"))
            }
            return .heard(.stream(announced), session: session)
        case "queued": return .queued(try textID(), byteCount: Int(u32("length")))
        case "enqueued": return .enqueued(through: through)
        case "not-enqueued": return .notEnqueued(from: u64("number"))
        case "loaded":
            var texts: [SyncMessage] = []
            for text in objects("texts") { texts.append(try text.syncMessage()) }
            return .loaded(texts)
        case "dropped": return .dropped(byteCount: u64("size"))
        case "withdrawn": return .withdrawn(through: through)
        case "stored": return .stored(through: through)
        case "not-stored": return .notStored
        default: return .taken(through: through, byteCount: u64("size"))
        }
    }
}

extension LifecycleRun {
    fileprivate mutating func add(_ effect: SyncMachine.Effect) {
        switch effect {
        case .send(let record, let session): add(record, in: session)
        case .end(let session, let violation):
            add("end", ["session": .integer(session), "reason": .text(violation.rawValue)])
        case .enqueue(let number, let id):
            add("enqueue", ["number": .number(number), "id": .text(id.rawValue.description)])
        case .refuse(let id, let error):
            add("refuse", ["id": .text(id.rawValue.description), "reason": .text(error.rawValue)])
        case .load(let range): add("load", ["first": .number(range.lowerBound), "last": .number(range.upperBound)])
        case .drop(let number): add("drop", ["through": .number(number)])
        case .forget(let number): add("forget", ["through": .number(number)])
        case .store(let arrival):
            var members = arrival.message.members
            members["arrival"] = .number(arrival.arrival)
            members["stream"] = .text(arrival.stream.digits)
            members["skipped"] = .number(arrival.skipped)
            add("store", members)
        case .deliver(let range):
            add("deliver", ["first": .number(range.lowerBound), "last": .number(range.upperBound)])
        case .wake(let tick): schedule(tick)
        }
    }

    private mutating func add(_ record: SyncRecord, in session: UInt64) {
        var members: JSONObject
        switch record {
        case .message(let message): members = message.members
        case .receipt(let receipt):
            members = receipt.last.map(\.members) ?? [:]
            members["room"] = .integer(receipt.room)
        case .stream(let announced):
            members = ["stream": .text(announced.stream.digits), "first": .number(announced.first)]
        }
        members["session"] = .integer(session)
        let name =
            switch record {
            case .message: "send-message"
            case .receipt: "send-receipt"
            case .stream: "send-stream"
            }
        add(name, members)
    }
}

extension SyncMessage {
    fileprivate var members: JSONObject {
        [
            "number": .number(number), "id": .text(id.rawValue.description),
            "length": .integer(text?.utf8.count ?? 0),
        ]
    }
}

extension JSON {
    /// Encodes a number that may not fit into a JSON number as a string.
    fileprivate static func number(_ value: UInt64) -> JSON { .text(String(value)) }
}
