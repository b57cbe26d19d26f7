internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingVault
internal import InklingWire
internal import Synchronization

/// What happened at an inhabitant, and when.
struct Heard: Sendable {
    let time: UInt64
    let inhabitant: Int
    let what: Happening
}

/// Collects the events of all nodes in the order in which they happened.
final class EventLog: Sendable {
    private let log = Mutex<[Heard]>([])

    func append(_ heard: Heard) { log.withLock { $0.append(heard) } }

    func take() -> [Heard] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }
}

/// A user of the world: a host, a disk, and the node that runs on them now, if any.
final class Inhabitant: Sendable {
    private struct State {
        var node: Node
        var run: UInt64 = 1
        var isRunning = false
        var hasPower = true
        var starts = 0
    }

    let number: Int
    let user: UserID
    let name: String
    let host: SimulatedHost
    let disk: SimulatedDisk
    /// The messages, on a disk of their own.
    let messages: InklingSimulation.SimulatedDisk
    private let application: Application
    private let confusion: Confusion?
    private let simulation: Simulation
    private let log: EventLog
    private let fault: PlantedFault?
    private let discovery: (any ServiceDiscovery)?
    private let state: Mutex<State>

    init(
        number: Int, in simulation: Simulation, clockError: Int64, hasRadio: Bool, seed: UInt64, log: EventLog,
        fault: PlantedFault?, confusion: Confusion? = nil
    ) throws {
        self.confusion = confusion
        application = Application(fault: fault)
        self.number = number
        self.simulation = simulation
        self.log = log
        self.fault = fault
        name = "P\(number)"
        host = simulation.addHost(clockError: clockError, hasRadio: hasRadio)
        discovery =
            fault == .keepsName || fault == .isDeaf
            ? fault.map { [host] in FaultyDiscovery(host.discovery, fault: $0) } : nil
        if fault == .keepsStrangers { host.keepEveryStranger() }
        if fault == .keepsAddress, let address = DeviceAddress(0x4000_0000_0000 | UInt64(number + 1)) {
            host.pinAddress(address)
        }
        var randomness = host.ports.randomness
        guard let now = Epoch(containing: host.clock.read().unixSeconds)?.period else { throw WorldError.noClock }
        let contents = try NodeIdentity.makeContents(name: name, now: now, using: &randomness)
        user = try ContactCard(parsing: contents.card.span, now: now).userID
        disk = SimulatedDisk(contents, clock: host.clock, seed: seed, fault: fault)
        messages = InklingSimulation.SimulatedDisk(
            contents, clock: host.clock, seed: seed ^ 0x6d65_7373, isHonest: fault != .forgetsMessages)
        guard let node = Node(contents: contents, keeper: disk, ports: host.ports(run: 1)) else {
            throw WorldError.noNode
        }
        state = Mutex(State(node: node))
    }

    /// The node that runs, or ran last.
    var node: Node { state.withLock { $0.node } }
    /// Whether a node runs; it may be asleep.
    var isRunning: Bool { state.withLock { $0.isRunning } }
    var hasPower: Bool { state.withLock { $0.hasPower } }
    /// How often a node was started here.
    var starts: Int { state.withLock { $0.starts } }

    /// The ports of the next node on this host.
    private func nextPorts() -> NodePorts {
        let run = state.withLock { state in
            state.run += 1
            return state.run
        }
        var ports = host.ports(run: fault == .repeatsRandomness ? 1 : run)
        if let discovery { ports.discovery = discovery }
        ports.messages = messages
        if let confusion { ports.messages = ConfusedStore(store: messages, confusion) }
        return ports
    }

    /// Starts a node with what is on the disk.
    func start() async throws {
        let contents = await disk.contents
        guard let node = Node(contents: contents, keeper: disk, ports: nextPorts()) else { throw WorldError.noNode }
        state.withLock { state in
            state.node = node
            state.isRunning = true
            state.starts += 1
        }
        let events = node.events
        simulation.start { [self] in
            await node.run()
            ended(node)
        }
        simulation.start { [self] in
            for await event in events {
                log.append(Heard(time: simulation.elapsed, inhabitant: number, what: .node(event)))
            }
        }
        simulation.start { [self] in
            await application.process(node, isAlive: { [self] in isAlive(node) }) { what in
                log.append(Heard(time: simulation.elapsed, inhabitant: number, what: what))
            }
        }
        await node.started()
        await node.takeFiles(by: FileRule(limit: WorldFile.limit))
    }

    /// Whether a node is the one that runs here with power. What it says without power, nobody reads.
    func isAlive(_ node: Node) -> Bool { state.withLock { $0.node === node && $0.hasPower } }

    private func ended(_ node: Node) {
        state.withLock { if $0.node === node { $0.isRunning = false } }
    }

    /// Stops the node in an orderly way, and returns when it has ended.
    func stop() async throws {
        guard isRunning else { return }
        node.stop()
        try await untilEnded("to stop")
        await disk.end()
    }

    /// Takes the power away: nothing more is sent, and what was not saved is lost.
    func crash() async throws {
        host.losePower()
        state.withLock { $0.hasPower = false }
        await disk.crash()
        messages.losePower()
        host.disk.losePower()
        node.stop()
        try await untilEnded("without power")
    }

    private func untilEnded(_ how: String) async throws {
        do { try await simulation.wait(forSeconds: 120) { !isRunning } } catch {
            throw WorldError.doesNotEnd(number, how, at: simulation.elapsed / 1000)
        }
    }

    func regainPower() {
        host.regainPower()
        messages.turnOn()
        state.withLock { $0.hasPower = true }
    }

    /// Lets the operator declare that the clock is right and the stored times are wrong.
    func beginNewGenerations() async throws {
        try await stop()
        let contents = await disk.contents
        guard let resting = Node(contents: contents, keeper: disk, ports: nextPorts(), isVisible: false) else {
            throw WorldError.noNode
        }
        try await resting.beginNewGenerations()
        await disk.end()
        try await start()
    }
}

enum WorldError: Error {
    case noClock, noNode
    /// The node of an inhabitant was told to end, and has not.
    case doesNotEnd(Int, String, at: UInt64)
}
