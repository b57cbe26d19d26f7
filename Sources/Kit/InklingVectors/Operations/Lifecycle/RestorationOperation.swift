internal import InklingEngine
internal import InklingJSON
internal import InklingPlatforms

private let restorationSteps = LifecycleSteps(
    members: [
        .code("cause", LaunchCause.self), .code("state", RadioState.self),
        .list("peripherals", of: .object([.u32("route"), .flag("linked")]), limit: 64), serviceList("scanning"),
        serviceList("services"),
    ],
    events: [
        "launched": (["cause"], []), "restored-central": (["peripherals", "scanning"], []),
        "restored-peripheral": (["services"], []), "radio": (["state"], []),
    ])

private func serviceList(_ name: String) -> ShimParameter {
    .list(name, of: .text(1...64, .any), limit: 16)
}

/// Runs the restoration of one Bluetooth manager, from the launch until it accepts commands (`Specs/lifecycle.md`).
let restorationOperation = ShimOperation(
    "restoration",
    [
        .code("role", RestorationRole.self), .text("central"), .text("peripheral"), .text("last").optional,
        serviceList("services"),
    ] + restorationSteps.parameters, steps: restorationSteps.scenario
) { arguments throws(ShimRefusal) in
    let steps = try restorationSteps.steps(of: arguments)
    let identifiers: RestorationIdentifiers
    do throws(RestorationIdentifiers.Fault) {
        identifiers = try RestorationIdentifiers(
            central: arguments.text("central"), peripheral: arguments.text("peripheral"))
    } catch {
        throw ShimRefusal("identifier", error.rawValue)
    }
    var machine = Restoration<UInt32>(
        arguments.code("role") ?? .central, identifiers: identifiers,
        lastIdentifier: arguments.has("last") ? arguments.text("last") : nil,
        services: arguments.texts("services"))
    var run = LifecycleRun()
    run.take(steps, until: arguments.u64("until")) { step, _, run in
        guard let event = step.restorationEvent else { return }
        for effect in machine.handle(event) { run.add(effect) }
    } timer: { _, _ in
    }
    return ["effects": .list(run.effects)]
}

extension ShimArguments {
    fileprivate var restorationEvent: Restoration<UInt32>.Event? {
        switch text("event") {
        case "launched": code("cause").map { .launched($0) }
        case "radio": code("state").map { .radio($0) }
        case "restored-peripheral": .restoredPeripheral(services: texts("services"))
        default:
            .restoredCentral(
                objects("peripherals").map { .init($0.u32("route"), isLinked: $0.flag("linked")) },
                scanning: texts("scanning"))
        }
    }
}

extension LifecycleRun {
    fileprivate mutating func add(_ effect: Restoration<UInt32>.Effect) {
        func list(_ services: [String]) -> JSONObject { ["services": .list(services.map { .text($0) })] }
        switch effect {
        case .refuseIdentifier(let identifier): add("refuse-identifier", ["identifier": .text(identifier)])
        case .storeIdentifier(let identifier): add("store-identifier", ["identifier": .text(identifier)])
        case .createManager(let identifier): add("create-manager", ["identifier": .text(identifier)])
        case .openWindow: add("open-window")
        case .adopt(let route): add("adopt", ["route": .integer(route)])
        case .resume(let route, let isLinked):
            add("resume", ["route": .integer(route), "linked": .flag(isLinked)])
        case .scan(let services): add("scan", list(services))
        case .addService(let service): add("add-service", ["service": .text(service)])
        case .removeService(let service): add("remove-service", ["service": .text(service)])
        case .advertise(let services): add("advertise", list(services))
        case .ready: add("ready")
        case .unready: add("unready")
        case .ignore(let fault): add("ignore", ["why": .text(fault.rawValue)])
        }
    }
}
