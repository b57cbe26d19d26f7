internal import InklingJSON
internal import InklingKeys
internal import InklingWire

private let firstContactSteps = LifecycleSteps(
    members: [
        .flag("written"), .u32("session"), .u32("key", from: 1), .flag("named"), .flag("held"), .flag("lacking"),
        .period("period"),
    ],
    events: [
        "begin": ([], []), "agree": ([], []), "refuse": ([], []), "accept": ([], []), "decline": ([], []),
        "close": ([], []), "other": ([], []), "lost": ([], []), "boundary": ([], []), "saved": ([], []),
        "not-saved": ([], []), "crash": (["written"], []), "answer": ([], []), "message-2": (["session", "key"], []),
        "record": (["session", "key"], []), "compare": (["session", "named", "held", "lacking", "period"], []),
        "seal": (["session", "period"], []), "remove": ([], []),
    ])

/// Runs the first-contact machine (`Specs/first-contact.md`).
let firstContactOperation = ShimOperation(
    "first-contact",
    [
        .code("standing", Standing.self),
        .list("keys", of: .integer(1...0xffff_ffff), limit: Agreement.keyLimit),
        .u32("shared", from: 1).optional, .integer("turn", in: 0...Int128(Agreement.keyLimit) - 1),
        .period("granted").optional,
    ] + firstContactSteps.parameters, steps: firstContactSteps.scenario
) { arguments throws(ShimRefusal) in
    let stored = try arguments.agreement()
    let steps = try firstContactSteps.steps(of: arguments)
    var machine = FirstContactMachine(stored)
    // The state on disk if this side ended now.
    var written = stored
    var run = LifecycleRun()
    run.take(steps, until: arguments.u64("until")) { step, now, run in
        if step.text("event") == "crash" {
            machine = FirstContactMachine(step.flag("written") ? written : machine.stored)
            written = machine.stored
            return
        }
        guard let event = step.firstContactEvent else { return }
        for effect in machine.handle(event, at: now) {
            if case .save(let agreement) = effect { written = agreement }
            run.add(effect)
        }
        if step.text("event") == "not-saved" { written = machine.stored }
    } timer: { now, run in
        for effect in machine.handle(.timerFired, at: now) {
            if case .save(let agreement) = effect { written = agreement }
            run.add(effect)
        }
    }
    return ["effects": .list(run.effects)]
}

extension ShimArguments {
    fileprivate func agreement() throws(ShimRefusal) -> Agreement {
        let keys = integers("keys").map { PairwiseKeyNumber(rawValue: UInt32(truncatingIfNeeded: $0)) }
        let granted = has("granted") ? try period("granted") : nil
        guard let standing: Standing = code("standing"),
            let agreement = Agreement(
                standing: standing, keys: keys,
                shared: has("shared") ? PairwiseKeyNumber(rawValue: u32("shared")) : nil, turn: u8("turn"),
                grantedUntil: granted)
        else { throw .arguments("out-of-range") }
        return agreement
    }

    fileprivate var firstContactEvent: FirstContactMachine.Event? {
        let session = u64("session"), key = PairwiseKeyNumber(rawValue: u32("key"))
        switch text("event") {
        case "begin": return .began
        case "agree": return .agreed
        case "refuse": return .refused
        case "accept": return .heard(.accept)
        case "decline": return .heard(.decline)
        case "close": return .heard(.close)
        case "other": return .heardOther
        case "lost": return .linkLost
        case "boundary": return .boundary
        case "saved": return .saved
        case "not-saved": return .notSaved
        case "answer": return .answering
        case "message-2": return .secondMessageOpened(session: session, key)
        case "record": return .firstRecordOpened(session: session, key)
        case "compare":
            guard let now = try? period() else { return nil }
            return .compared(
                session: session, namesOurs: flag("named"), holdsTheirs: flag("held"), isLacking: flag("lacking"),
                now: now)
        case "seal": return (try? period()).map { .sealing(session: session, now: $0) }
        default: return .removed
        }
    }
}

extension LifecycleRun {
    fileprivate mutating func add(_ effect: FirstContactMachine.Effect) {
        switch effect {
        case .ask: add("ask")
        case .save(let agreement): add("save", agreement.members)
        case .send(let record): add("send", ["record": .text(record.rawValue)])
        case .close: add("close")
        case .outcome(let outcome): add("outcome", ["outcome": .text(outcome.rawValue)])
        case .use(let key): add("use", ["key": .integer(key.rawValue)])
        case .proceed(let session): add("proceed", ["session": .integer(session)])
        case .drop(let session): add("drop", ["session": .integer(session)])
        case .grant(let session, let span):
            add("grant", ["session": .integer(session), "span": .text(span.rawValue)])
        case .wake(let tick): schedule(tick)
        }
    }
}

extension Agreement {
    fileprivate var members: JSONObject {
        var members: JSONObject = [
            "standing": .text(standing.rawValue), "keys": .list(keys.map { .integer($0.rawValue) }),
            "turn": .integer(turn),
        ]
        members["shared"] = shared.map { .integer($0.rawValue) }
        members["granted"] = grantedUntil.map { .integer($0.number) }
        return members
    }
}
