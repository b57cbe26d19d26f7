internal import InklingEngine
internal import InklingJSON
internal import InklingKeys

/// The operations on the lifecycle machines (`Specs/lifecycle.md`).
let lifecycleOperations = [
    relaunchOperation, restorationOperation, reconnectionOperation, executionWindowOperation, checkpointOperation,
    regionWakeOperation, permissionsOperation,
]

/// The events of a lifecycle machine, and the members that each one's step requires and allows (`Specs/lifecycle.md`).
struct LifecycleSteps: Sendable {
    /// The allowed times of steps: 31 days in milliseconds.
    static let moments: ClosedRange<Int128> = 0...2_678_400_000

    let members: [ShimParameter]
    let scenario: ScenarioSteps

    init(members: [ShimParameter], events: [String: (needed: [String], optional: [String])]) {
        self.members = members
        scenario = ScenarioSteps(events: events)
    }

    /// The arguments `steps` and `until`.
    var parameters: [ShimParameter] {
        let step = [.integer("at", in: Self.moments), .text("event")] + members.map(\.optional)
        return [.list("steps", of: .object(step), limit: 2048), .integer("until", in: Self.moments)]
    }

    /// Checks the steps and returns them in order.
    func steps(of arguments: ShimArguments) throws(ShimRefusal) -> [ShimArguments] {
        try scenario.checked(in: arguments)
    }
}

/// Drives a machine through the steps of a scenario, fires its timer, and collects its effects.
struct LifecycleRun: Sendable {
    private var wake: UInt64?
    private var now: UInt64 = 0
    private(set) var effects: [JSON] = []

    /// Performs every step, and fires the timer between them if the machine asked for it.
    mutating func take(
        _ steps: [ShimArguments], until end: UInt64, step: (ShimArguments, Tick, inout Self) -> Void,
        timer: (Tick, inout Self) -> Void
    ) {
        for one in steps {
            if one.u64("at") > 0 { wait(through: one.u64("at") - 1, timer) }
            now = one.u64("at")
            step(one, Tick(milliseconds: now), &self)
        }
        wait(through: end, timer)
    }

    /// Records an effect at the current time.
    mutating func add(_ name: String, _ members: JSONObject = JSONObject()) {
        var facts: JSONObject = ["at": .integer(now), "effect": .text(name)]
        for (name, value) in members.members { facts[name] = value }
        effects.append(.object(facts))
    }

    /// Sets the time at which the timer is due.
    mutating func schedule(_ tick: Tick) { wake = tick.milliseconds }

    private mutating func wait(through moment: UInt64, _ timer: (Tick, inout Self) -> Void) {
        while let due = wake, due <= moment {
            wake = nil
            now = max(now, due)
            timer(Tick(milliseconds: now), &self)
        }
    }
}
