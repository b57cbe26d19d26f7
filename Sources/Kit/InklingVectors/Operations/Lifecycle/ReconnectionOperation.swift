internal import InklingEngine
internal import InklingJSON
internal import InklingKeys
internal import InklingPlatforms

private typealias Machine = Reconnection<UInt32, UInt32>

private let reconnectionSteps = LifecycleSteps(
    members: [
        .u32("peer"), .flag("stable"), .u32("known"), .u64("last"), .u32("route"), .flag("linked"),
        .code("step", ReconnectionStep.self), .flag("initialise"),
    ],
    events: [
        "wanted": (["peer", "stable"], ["known", "last"]), "unwanted": (["peer"], []), "ready": ([], []),
        "unready": ([], []), "restored": (["peer", "route", "linked"], []), "looked-up": (["peer"], ["route"]),
        "looked-up-attached": (["peer"], ["route"]), "found": (["peer", "route"], []),
        "linked": (["peer", "route"], []), "call-failed": (["peer", "route"], []),
        "unlinked": (["peer", "route"], []), "step-done": (["peer", "step"], []),
        "status-known": (["peer", "initialise"], []), "step-failed": (["peer", "step"], []),
        "received": (["peer", "last"], []),
    ])

/// Runs the reconnection machine (`Specs/lifecycle.md`).
let reconnectionOperation = ShimOperation(
    "reconnection",
    [
        .list("services", of: .list(.text(1...64, .any), count: 0...16), limit: 16),
        .codes("pipeline", ReconnectionStep.self),
    ] + reconnectionSteps.parameters, steps: reconnectionSteps.scenario
) { arguments throws(ShimRefusal) in
    let steps = try reconnectionSteps.steps(of: arguments)
    let services = (arguments.members["services"]?.list ?? []).map { ($0.list ?? []).compactMap(\.text) }
    var machine = Machine(policy: ReconnectionPolicy(services: services, steps: Set(arguments.codes("pipeline"))))
    var run = LifecycleRun()
    run.take(steps, until: arguments.u64("until")) { step, now, run in
        guard let event = step.reconnectionEvent else { return }
        for effect in machine.handle(event, at: now) { run.add(effect) }
    } timer: { now, run in
        for effect in machine.handle(.timerFired, at: now) { run.add(effect) }
    }
    return ["effects": .list(run.effects)]
}

extension ShimArguments {
    fileprivate var reconnectionEvent: Machine.Event? {
        let peer = u32("peer"), route = u32("route")
        switch text("event") {
        case "wanted":
            return .wanted(
                peer, known: has("known") ? u32("known") : nil, isStable: flag("stable"),
                lastReceived: has("last") ? u64("last") : nil)
        case "unwanted": return .unwanted(peer)
        case "ready": return .ready
        case "unready": return .unready
        case "restored": return .restored(peer, route, isLinked: flag("linked"))
        case "looked-up": return .lookedUp(peer, has("route") ? route : nil)
        case "looked-up-attached": return .lookedUpAttached(peer, has("route") ? route : nil)
        case "found": return .found(peer, route)
        case "linked": return .linked(peer, route)
        case "call-failed": return .callFailed(peer, route)
        case "unlinked": return .unlinked(peer, route)
        case "status-known": return .statusKnown(peer, needsInitialisation: flag("initialise"))
        case "step-done": return code("step").map { .stepDone(peer, $0) }
        case "step-failed": return code("step").map { .stepFailed(peer, $0) }
        default: return .received(peer, through: u64("last"))
        }
    }
}

extension LifecycleRun {
    fileprivate mutating func add(_ effect: Machine.Effect) {
        func facts(_ peer: UInt32, _ route: UInt32? = nil) -> JSONObject {
            var facts: JSONObject = ["peer": .integer(peer)]
            facts["route"] = route.map { .integer($0) }
            return facts
        }
        switch effect {
        case .lookUp(let peer, let route): add("look-up", facts(peer, route))
        case .lookUpAttached(let peer): add("look-up-attached", facts(peer))
        case .beginSearch(let services): add("begin-search", ["services": .list(services.map { .text($0) })])
        case .endSearch: add("end-search")
        case .adopt(let peer, let route): add("adopt", facts(peer, route))
        case .call(let peer, let route): add("call", facts(peer, route))
        case .cancel(let peer, let route): add("cancel", facts(peer, route))
        case .remember(let peer, let route): add("remember", facts(peer, route))
        case .perform(let peer, let route, let step, let last):
            var members = facts(peer, route)
            members["step"] = .text(step.rawValue)
            members["last"] = last.map { .text(String($0)) }
            add("perform", members)
        case .overdue(let peer, let step):
            var members = facts(peer)
            members["step"] = .text(step.rawValue)
            add("overdue", members)
        case .reconnected(let peer, let route, let waited, let took):
            var members = facts(peer, route)
            members["waited"] = .integer(waited.wholeMilliseconds)
            members["took"] = .integer(took.wholeMilliseconds)
            add("reconnected", members)
        case .wake(let tick): schedule(tick)
        }
    }
}
