internal import InklingJSON
internal import InklingKeys
internal import InklingWire

private let connectionSteps = LifecycleSteps(
    members: [.u32("connection"), .u32("source")],
    events: [
        "arrived": (["connection", "source"], []), "complete": (["connection"], []), "gate": (["connection"], []),
        "closed": (["connection"], []),
    ])

/// Runs the table of unauthenticated connections (`Specs/handshake.md`).
let unauthenticatedConnectionsOperation = ShimOperation(
    "unauthenticated-connections",
    ["strangers", "strangersPerSource", "passed", "passedPerSource"].map { .integer($0, in: 1...4096) }
        + connectionSteps.parameters, steps: connectionSteps.scenario
) { arguments throws(ShimRefusal) in
    let steps = try connectionSteps.steps(of: arguments)
    var limits = UnauthenticatedLinks<UInt32, UInt32>.Limits()
    limits.strangers = Int(arguments.u32("strangers"))
    limits.strangersPerSource = Int(arguments.u32("strangersPerSource"))
    limits.passed = Int(arguments.u32("passed"))
    limits.passedPerSource = Int(arguments.u32("passedPerSource"))
    var table = UnauthenticatedLinks<UInt32, UInt32>(limits: limits)
    var run = LifecycleRun()
    run.take(steps, until: arguments.u64("until")) { step, now, run in
        let connection = step.u32("connection")
        let leaving: UInt32?
        switch step.text("event") {
        case "arrived":
            switch table.arrived(connection, from: step.u32("source"), at: now) {
            case .admitted(let replaced): leaving = replaced
            case .refused: leaving = connection
            }
        case "complete":
            table.completed(connection)
            leaving = nil
        case "gate": leaving = table.passedGate(connection)
        default:
            table.removed(connection)
            leaving = nil
        }
        if let leaving { run.add("reset", ["connection": .integer(leaving)]) }
    } timer: { _, _ in
    }
    let (strangers, passed) = table.numbers
    return [
        "effects": .list(run.effects), "strangers": .list(strangers.map { .integer($0) }),
        "passed": .list(passed.map { .integer($0) }),
    ]
}
