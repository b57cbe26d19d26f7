import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Synchronization
import Testing

/// A simulated user with a host, a keeper in memory instead of a vault, and a node whose events are recorded.
final class Person: Sendable {
    struct Heard: Sendable {
        let time: UInt64
        let event: NodeEvent
    }

    let name: String
    let user: UserID
    /// The card at the start of the first node.
    let firstCard: ContactCard
    let simulation: Simulation
    let host: SimulatedHost
    let keeper: MemoryKeeper
    /// The messages of all nodes of this person.
    let messages = MemoryMessageStore()
    /// Whether the nodes of this device are tag devices.
    private let isTag: Bool
    private let running: Mutex<Node>
    private let starts = Mutex<UInt64>(0)
    private let heard = Mutex<[Heard]>([])

    init(
        _ name: String, in simulation: Simulation, clockError: Int64 = 0, isVisible: Bool = true,
        ageInPeriods: UInt32 = 0, hasRadio: Bool = false, isTag: Bool = false,
        evidence: ClockEvidence = FixedTimeEvidence.synchronised, profile: ApplicationProfile = .inkling
    ) throws {
        host = simulation.addHost(clockError: clockError, hasRadio: hasRadio, profile: profile)
        self.name = name
        self.isTag = isTag
        self.simulation = simulation
        var randomness = host.ports.randomness
        let now = try #require(Epoch(containing: host.clock.read().unixSeconds)).period
        let born = try #require(Period(now.number - ageInPeriods))
        let contents = try NodeIdentity.makeContents(name: name, now: born, using: &randomness)
        firstCard = try ContactCard(parsing: contents.card.span, now: now)
        user = firstCard.userID
        host.timeEvidence.set(evidence)
        keeper = MemoryKeeper(contents)
        var ports = host.ports(run: 1)
        ports.messages = messages
        let node = try #require(
            Node(contents: contents, keeper: keeper, ports: ports, isVisible: isVisible, isTag: isTag))
        running = Mutex(node)
        start(node)
    }

    /// Creates another device of a user, or its successor, from contents that were made elsewhere. Changes the contents
    /// with `prepare` before the node runs.
    init(
        _ name: String, from contents: VaultContents, in simulation: Simulation, clockError: Int64 = 0,
        hasRadio: Bool = false, isTag: Bool = false, prepare: (Node) async throws -> Void = { _ in }
    ) async throws {
        host = simulation.addHost(clockError: clockError, hasRadio: hasRadio)
        self.name = name
        self.isTag = isTag
        self.simulation = simulation
        keeper = MemoryKeeper(contents)
        let resting = try #require(
            Node(contents: contents, keeper: keeper, ports: host.ports(run: 1_000), isVisible: false))
        try await prepare(resting)
        let prepared = await keeper.contents
        let now = try #require(Epoch(containing: host.clock.read().unixSeconds)).period
        firstCard = try ContactCard(parsing: prepared.card.span, now: now)
        user = firstCard.userID
        let node = try #require(
            Node(contents: prepared, keeper: keeper, ports: host.ports(run: 1), isTag: isTag))
        running = Mutex(node)
        start(node)
    }

    /// The current node.
    var node: Node { running.withLock { $0 } }

    /// The events of all nodes of this person so far, in order.
    var events: [NodeEvent] { heard.withLock { $0.map(\.event) } }

    /// The events with their times.
    var story: [Heard] { heard.withLock { $0 } }

    /// Returns the number of confirmations of a contact.
    func confirmations(of other: Person) -> Int {
        events.count { if case .confirmed(let user, _, _) = $0 { user == other.user } else { false } }
    }

    func stop() async throws {
        node.stop()
        await simulation.settle()
    }

    /// Starts a new node with the contents that were saved last, and with changed ports.
    func restart(isVisible: Bool = true, changing change: (inout NodePorts) -> Void = { _ in }) async throws {
        let run = starts.withLock {
            $0 += 1; return $0
        }
        let contents = await keeper.contents
        var ports = host.ports(run: 1 + run)
        ports.messages = messages
        change(&ports)
        let node = try #require(
            Node(contents: contents, keeper: keeper, ports: ports, isVisible: isVisible, isTag: isTag))
        running.withLock { $0 = node }
        start(node)
    }

    private func start(_ node: Node) {
        let events = node.events
        simulation.start(node)
        simulation.start { [self] in
            for await event in events {
                heard.withLock { $0.append(Heard(time: simulation.elapsed, event: event)) }
            }
        }
    }

    /// Returns whether the node has announced itself in the epoch that it shows.
    func isShown() async -> Bool {
        guard await node.status().showing != nil,
            let start = story.last(where: { if case .showing = $0.event { true } else { false } })?.time
        else { return false }
        return simulation.network.sightings(from: host).contains {
            if case .announcement = $0.kind { $0.time >= start } else { false }
        }
    }
}

/// Makes two people contacts by cards and sealed grants, as if these were carried on a USB stick.
func acquaint(_ one: Person, _ other: Person) async throws {
    try await one.node.add(other.node.ownCard())
    try await other.node.add(one.node.ownCard())
    try await grant(from: one, to: other)
    try await grant(from: other, to: one)
}

/// Gives `other` the sealed grants of `one`.
func grant(from one: Person, to other: Person) async throws {
    for sealed in try await one.node.sealedGrants(for: other.user) { try await other.node.acceptSealedGrant(sealed) }
}

/// A value that concurrent tasks of a test can read and write.
final class Noted<Value: Sendable>: Sendable {
    private let current: Mutex<Value>

    init(_ value: Value) { current = Mutex(value) }

    var value: Value {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
