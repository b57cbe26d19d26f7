internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// Runs a scenario of a device in multicast DNS: packets, events and time (`Specs/mdns.md`).
let mdnsOperation = ShimOperation(
    "mdns",
    [
        MDNSScenario.announced.optional, MDNSScenario.answered, .flag("browses"), MDNSScenario.known,
        MDNSScenario.interfaces,
        ListedDraws.parameter, .list("steps", of: .object(MDNSScenario.stepMembers), limit: 2048),
        .integer("until", in: MDNSScenario.moments),
    ], steps: MDNSScenario.steps
) { arguments throws(ShimRefusal) in
    let steps = try MDNSScenario.steps.checked(in: arguments)
    var scenario = MDNSScenario(arguments)
    for step in steps { scenario.take(step) }
    scenario.wait(through: arguments.u64("until"))
    return ["effects": .list(scenario.effects.map { .object($0) })]
}

/// A machine in a scenario, with a caller that only fires the timer.
private struct MDNSScenario {
    static let announced = ShimParameter(name: "announced", kind: .object(ShimParameter.instance))
    static let answered = ShimParameter.list("answered", of: .object(ShimParameter.instance), limit: 16)
    static let known = ShimParameter.list("known", of: .object([.bytes("name", 16), .bytes("host", 16)]), limit: 512)
    static let interfaces = ShimParameter.list(
        "interfaces",
        of: .object([
            .u32("number"), .flag("ipv4"), .flag("ipv6"), .list("published", of: .bytesOf([4, 16]), limit: 8),
            .prefixes, .flag("loopback"), .flag("shown"),
        ]), limit: 8)
    /// The allowed times of steps: 31 days in milliseconds.
    static let moments: ClosedRange<Int128> = 0...2_678_400_000
    static let stepMembers: [ShimParameter] =
        [.integer("at", in: moments), .text("event")]
        + [
            interfaces, answered, known, .bytes("name", 16), .bytes("host", 16), .bytes("packet", in: 0...16_384),
            .u32("interface"), .address("source"), .u16("port"), .u8("hopLimit"), .flag("goodbye"),
        ].map(\.optional)
    static let steps = ScenarioSteps(events: [
        "start": ([], []), "interfaces": (["interfaces"], []), "answered": (["answered"], []),
        "known": (["known"], []), "search": (["name"], ["host"]),
        "packet": (["packet", "interface", "source", "port", "hopLimit"], []), "stop": (["goodbye"], []),
    ])

    private var machine: MDNSMachine
    private var known: [OpaqueServiceName: OpaqueHostName]
    private var draws: ListedDraws
    private var now: UInt64 = 0
    private var wake: UInt64?
    private(set) var effects: [JSONObject] = []

    init(_ arguments: ShimArguments) {
        machine = MDNSMachine(
            announced: arguments.has("announced") ? arguments.object("announced").serviceInstance : nil,
            answered: arguments.instances("answered"), browses: arguments.flag("browses"))
        known = arguments.hosts("known")
        draws = ListedDraws(arguments)
        handle(.interfacesChanged(arguments.interfaces("interfaces")))
    }

    /// Advances time to a step and performs it.
    mutating func take(_ step: ShimArguments) {
        let at = step.u64("at")
        if at > 0 { wait(through: at - 1) }
        now = at
        switch step.text("event") {
        case "start": handle(.started)
        case "interfaces": handle(.interfacesChanged(step.interfaces("interfaces")))
        case "answered": handle(.answeredChanged(step.instances("answered")))
        case "known":
            known = step.hosts("known")
            handle(.namesChanged)
        case "search":
            let host = step.has("host") ? OpaqueHostName(step.octets16("host")) : nil
            handle(.search(OpaqueServiceName(step.octets16("name")), host))
        case "packet": receive(step)
        default:
            handle(.stopped(goodbye: step.flag("goodbye")))
            wake = nil
        }
    }

    /// Advances time to a moment, inclusive, and fires the timer if the machine asked for it.
    mutating func wait(through moment: UInt64) {
        while let due = wake, due <= moment {
            wake = nil
            now = max(now, due)
            handle(.timerFired)
        }
        now = max(now, moment)
    }

    private mutating func handle(_ event: MDNSMachine.Event) {
        add(machine.handle(event, at: Tick(milliseconds: now), using: &draws))
    }

    private mutating func receive(_ step: ShimArguments) {
        let number = step.u32("interface")
        var address = step.address("source")
        var family = AddressFamily.v4
        if case .v6(let octets, _) = address {
            family = .v6
            // The system adds the interface to a packet's source if the address is link-local.
            if octets.high >> 54 == 0xfe80 >> 6 { address = .v6(octets, scope: number) }
        }
        let source = MDNSMachine.Source(
            path: MDNSPath(interface: number, family: family),
            endpoint: Endpoint(address: address, port: step.u16("port")), hopLimit: step.u8("hopLimit"))
        let packet = step.bytes("packet")
        let known = known
        // On the network, a refusal is silence.
        let effects = try? machine.receive(
            packet.span, from: source, at: Tick(milliseconds: now), using: &draws
        ) { known[$0] }
        add(effects ?? [])
    }

    private mutating func add(_ new: [MDNSMachine.Effect]) {
        for effect in new {
            if case .wake(let tick) = effect { wake = tick.milliseconds }
            guard var facts = effect.facts else { continue }
            facts["at"] = .integer(now)
            effects.append(facts)
        }
    }
}

extension ShimArguments {
    fileprivate func instances(_ name: String) -> [ServiceInstance] { objects(name).map(\.serviceInstance) }

    fileprivate func hosts(_ name: String) -> [OpaqueServiceName: OpaqueHostName] {
        Dictionary(
            objects(name).map { (OpaqueServiceName($0.octets16("name")), OpaqueHostName($0.octets16("host"))) },
            uniquingKeysWith: { _, last in last })
    }

    fileprivate func interfaces(_ name: String) -> [MDNSInterface] {
        objects(name).map { one in
            MDNSInterface(
                index: one.u32("number"), families: (one.flag("ipv4") ? [.v4] : []) + (one.flag("ipv6") ? [.v6] : []),
                published: one.addresses("published"), prefixes: one.prefixes, isLoopback: one.flag("loopback"),
                isShown: one.flag("shown"))
        }
    }
}

extension MDNSMachine.Effect {
    /// The effect in the form of the specification's table; `nil` for one that the table does not list.
    fileprivate var facts: JSONObject? {
        switch self {
        case .send(let packet, let path, let destination):
            var facts: JSONObject = [
                "effect": "send", "interface": .integer(path.interface), "ipv6": .flag(path.family == .v6),
                "packet": .hex(packet.span),
            ]
            if case .unicast(let endpoint) = destination {
                (facts["to"], facts["port"]) = (endpoint.address.json, .integer(endpoint.port))
            }
            return facts
        case .appeared(let name): return ["effect": "appeared", "name": .hex(name.octets)]
        case .vanished(let name): return ["effect": "vanished", "name": .hex(name.octets)]
        case .found(let name, let endpoints):
            return [
                "effect": "found", "name": .hex(name.octets), "endpoints": .list(endpoints.map { .object($0.facts) }),
            ]
        case .notFound(let name): return ["effect": "not-found", "name": .hex(name.octets)]
        case .imitated: return ["effect": "imitated"]
        // The caller's use of its gate is not part of a scenario.
        case .asked, .wake: return nil
        }
    }
}

extension Endpoint {
    fileprivate var facts: JSONObject {
        var facts: JSONObject = ["address": address.json, "port": .integer(port)]
        if case .v6(_, let scope) = address, scope != 0 { facts["interface"] = .integer(scope) }
        return facts
    }
}
