internal import InklingEngine
internal import InklingJSON
internal import InklingKeys
internal import InklingPlatforms

/// Computes which jobs fit into an execution window (`Specs/lifecycle.md`).
let executionWindowOperation = ShimOperation(
    "execution-window",
    [
        .code("occasion", ExecutionWindow.Occasion.self), .integer("abuses", in: 0...1000),
        .integer("extensions", in: 0...3), .integer("elapsed", in: 0...1_000_000),
        .list(
            "jobs",
            of: .object([.code("kind", ExecutionWindow.JobKind.self), .integer("milliseconds", in: 0...1_000_000)]),
            limit: 64),
    ]
) { arguments throws(ShimRefusal) in
    var window = ExecutionWindow(
        arguments.code("occasion") ?? .relaunch, opened: Tick(milliseconds: 0), abuses: Int(arguments.u32("abuses")))
    let granted = (0..<arguments.u32("extensions")).map { _ in window.extend() }
    let jobs = arguments.objects("jobs").map { job in
        ExecutionWindow.Job(job.code("kind") ?? .network, taking: .milliseconds(job.u64("milliseconds")))
    }
    let plan = window.plan(jobs, at: Tick(milliseconds: arguments.u64("elapsed")))
    return [
        "granted": .list(granted.map { .flag($0) }), "budget": .integer(plan.budget.wholeMilliseconds),
        "spent": .integer(plan.spent.wholeMilliseconds),
        "order": .list(plan.order.map { .integer($0) }),
        "refused": .list(
            plan.refused.sorted { $0.key < $1.key }.map { place, why in
                .object(["job": .integer(place), "why": .text(why.rawValue)])
            }),
    ]
}

private let checkpointSteps = LifecycleSteps(
    members: [.u64("number")],
    events: [
        "received": (["number"], []), "left-foreground": ([], []), "flushed": ([], []), "marker-written": ([], []),
        "expired": ([], []),
    ])

/// Evaluates the journal of the previous run, and runs the checkpoint machine on records, flushes and markers
/// (`Specs/lifecycle.md`).
let checkpointOperation = ShimOperation(
    "checkpoint",
    [
        .list(
            "journal",
            of: .object([.text("kind", .oneOf(["record", "marker"])), .u64("number")]), limit: 4096)
    ] + checkpointSteps.parameters, steps: checkpointSteps.scenario
) { arguments throws(ShimRefusal) in
    let steps = try checkpointSteps.steps(of: arguments)
    var machine = Checkpoint(
        journal: arguments.objects("journal").map { entry in
            entry.text("kind") == "record" ? .record(entry.u64("number")) : .marker(entry.u64("number"))
        })
    let verdict: JSONObject =
        switch machine.verdict {
        case .empty: ["verdict": "empty"]
        case .complete(let last): ["verdict": "complete", "number": .text(String(last))]
        case .incomplete(let after): ["verdict": "incomplete", "number": .text(String(after))]
        }
    var run = LifecycleRun()
    run.take(steps, until: arguments.u64("until")) { step, _, run in
        let event: Checkpoint.Event =
            switch step.text("event") {
            case "received": .received(step.u64("number"))
            case "left-foreground": .leftForeground
            case "flushed": .flushed
            case "marker-written": .markerWritten
            default: .expired
            }
        for effect in machine.handle(event) {
            switch effect {
            case .write(let number): run.add("write", ["number": .text(String(number))])
            case .replay(let after): run.add("replay", ["number": .text(String(after))])
            case .giveUp(let after, let before):
                run.add("give-up", ["number": .text(String(after)), "before": .text(String(before))])
            case .beginTask: run.add("begin-task")
            case .flush: run.add("flush")
            case .writeMarker(let number): run.add("write-marker", ["number": .text(String(number))])
            case .endTask: run.add("end-task")
            }
        }
    } timer: { _, _ in
    }
    return ["start": .object(verdict), "effects": .list(run.effects)]
}

private let regionSteps = LifecycleSteps(
    members: [
        .u16("region"), .list("regions", of: .integer(0...0xffff), limit: 64),
        .list("minors", of: .integer(0...0xffff), limit: 64), .flag("foreground"),
    ],
    events: [
        "entered": (["region"], []), "exited": (["region"], []), "display-woke": (["regions"], []),
        "ranged": (["region", "minors"], []), "ranging-failed": (["region"], []),
        "foreground": (["foreground"], []), "window-ended": ([], []),
    ])

/// Runs the machine that ranges beacons while the device is in a region (`Specs/lifecycle.md`).
let regionWakeOperation = ShimOperation(
    "region-wake",
    [
        .list("monitored", of: .object([.u16("region"), .u16("minor").optional]), limit: 64), .flag("foreground"),
    ] + regionSteps.parameters, steps: regionSteps.scenario
) { arguments throws(ShimRefusal) in
    let steps = try regionSteps.steps(of: arguments)
    var machine = RegionWake(
        regions: arguments.objects("monitored").map { one in
            RegionWake.Region(one.u16("region"), minor: one.has("minor") ? one.u16("minor") : nil)
        }, isForeground: arguments.flag("foreground"))
    var run = LifecycleRun()
    run.take(steps, until: arguments.u64("until")) { step, now, run in
        for effect in machine.handle(step.regionEvent, at: now) { run.add(effect) }
    } timer: { now, run in
        for effect in machine.handle(.timerFired, at: now) { run.add(effect) }
    }
    return ["effects": .list(run.effects), "inside": .list(machine.insideRegions.map { .integer($0) })]
}

extension ShimArguments {
    fileprivate func u16s(_ name: String) -> [UInt16] { integers(name).map { UInt16(truncatingIfNeeded: $0) } }

    fileprivate var regionEvent: RegionWake.Event {
        switch text("event") {
        case "entered": .entered(u16("region"))
        case "exited": .exited(u16("region"))
        case "display-woke": .displayWoke(u16s("regions"))
        case "ranged": .ranged(u16("region"), minors: u16s("minors"))
        case "ranging-failed": .rangingFailed(u16("region"))
        case "foreground": .foreground(flag("foreground"))
        default: .windowEnded
        }
    }
}

extension LifecycleRun {
    fileprivate mutating func add(_ effect: RegionWake.Effect) {
        switch effect {
        case .openWindow: add("open-window")
        case .startRanging(let region): add("start-ranging", ["region": .integer(region)])
        case .stopRanging(let region): add("stop-ranging", ["region": .integer(region)])
        case .identify(let region, let minors):
            add("identify", ["region": .integer(region), "minors": .list(minors.map { .integer($0) })])
        case .left(let region): add("left", ["region": .integer(region)])
        case .wake(let tick): schedule(tick)
        }
    }
}
