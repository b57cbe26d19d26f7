internal import InklingJSON

/// The rules for the steps of a scenario, common to all state machines (`Specs/conformance.md`).
struct ScenarioSteps: Sendable {
    /// For each event, the members that its step requires and allows, besides `at` and `event`.
    let events: [String: (needed: [String], optional: [String])]

    /// Checks the steps and returns them in order.
    ///
    /// - Throws: a refusal if a step lacks a member of its event, has another one, or precedes the step before it.
    func checked(in arguments: ShimArguments) throws(ShimRefusal) -> [ShimArguments] {
        let steps = arguments.objects("steps")
        var last: UInt64 = 0
        for step in steps {
            guard let (needed, optional) = events[step.text("event")] else {
                throw ShimRefusal("step", "unknown-event")
            }
            guard Set(step.members.names).isSubset(of: ["at", "event"] + needed + optional) else {
                throw .arguments("unknown-field")
            }
            guard needed.allSatisfy(step.has) else { throw ShimRefusal("step", "missing") }
            guard step.u64("at") >= last else { throw ShimRefusal("step", "out-of-order") }
            last = step.u64("at")
        }
        guard last <= arguments.u64("until") else { throw .arguments("out-of-range") }
        return steps
    }
}
