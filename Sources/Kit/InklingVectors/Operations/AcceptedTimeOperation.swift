internal import InklingEngine
internal import InklingJSON
internal import InklingKeys

private let judgementSteps = LifecycleSteps(
    members: [
        .integer("clock", in: 0...4_000_000_000_000), .integer("slept", in: LifecycleSteps.moments),
        .integer("kernelError", in: 0...1_000_000_000), .integer("batteryClock", in: 0...4_000_000_000),
    ],
    events: [
        "judge": (["clock", "slept"], ["kernelError", "batteryClock"]), "vouch": (["clock", "slept"], []),
        "clear": ([], []),
    ])

/// Judges clocks, one after another (`Specs/rotation.md`).
let acceptedTimeOperation = ShimOperation(
    "accepted-time",
    [.integer("latest", in: 0...4_000_000_000).optional] + judgementSteps.parameters, steps: judgementSteps.scenario
) { arguments throws(ShimRefusal) in
    var time = AcceptedTime(latest: arguments.has("latest") ? arguments.u64("latest") : nil)
    var run = LifecycleRun()
    run.take(try judgementSteps.steps(of: arguments), until: arguments.u64("until")) { step, now, run in
        let reading = ClockReading(tick: now, unixMilliseconds: step.u64("clock"))
        switch step.text("event") {
        case "vouch": time.vouch(at: reading)
        case "clear": time.clear()
        default:
            let judgement = time.judge(
                AcceptedTime.Evidence(
                    reading: reading, asleep: .milliseconds(step.u64("slept")),
                    kernelMaximumError: step.has("kernelError") ? step.u64("kernelError") : nil,
                    batteryClock: step.has("batteryClock") ? step.u64("batteryClock") : nil))
            var facts = JSONObject()
            if let latest = judgement.latestToStore { facts["store"] = .integer(latest) }
            switch judgement.verdict {
            case .accepted: run.add("accepted", facts)
            case .refused(let refusal): run.add("refused", refusal.facts)
            }
        }
    } timer: { _, _ in
    }
    var result: JSONObject = ["effects": .list(run.effects)]
    if let latest = time.latest { result["latest"] = .integer(latest) }
    return result
}

extension AcceptedTime.Refusal {
    fileprivate var facts: JSONObject {
        switch self {
        case .unsupported: ["reason": "unsupported"]
        case .behind(let seconds): ["reason": "behind", "seconds": .integer(seconds)]
        case .ahead(let seconds): ["reason": "ahead", "seconds": .integer(seconds)]
        }
    }
}
