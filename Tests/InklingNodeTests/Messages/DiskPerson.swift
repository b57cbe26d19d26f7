import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingVault
import InklingWire
import Synchronization
import Testing

/// A simulated user whose vault and messages are on a simulated disk, with an application that processes messages.
final class DiskPerson: Sendable {
    /// The effect of the application for a message.
    private struct Effect: Sendable {
        let id: TextID
        let text: String
    }

    let user: UserID
    let host: SimulatedHost
    let disk: SimulatedDisk
    private let simulation: Simulation
    private let running: Mutex<Node>
    private let starts = Mutex<UInt64>(1)
    /// The effects of the application: for each identifier, the text that it has processed. They survive crashes.
    private let effects = Mutex<[Effect]>([])
    private let events = Mutex<[NodeEvent]>([])

    init(_ name: String, in simulation: Simulation, seed: UInt64, isHonest: Bool = true) throws {
        self.simulation = simulation
        host = simulation.addHost()
        var randomness = host.ports.randomness
        let now = try #require(Epoch(containing: host.clock.read().unixSeconds)).period
        let contents = try NodeIdentity.makeContents(name: name, now: now, using: &randomness)
        user = try ContactCard(parsing: contents.card.span, now: now).userID
        disk = SimulatedDisk(contents, clock: host.clock, seed: seed, isHonest: isHonest)
        running = Mutex(try Self.node(on: host, disk, run: 1))
        start(node)
    }

    var node: Node { running.withLock { $0 } }
    var processed: [String] { effects.withLock { $0.map(\.text) } }
    var seen: [NodeEvent] { events.withLock { $0 } }

    /// Loses power, and starts again.
    func crash() async throws {
        disk.losePower()
        node.stop()
        await simulation.settle()
        disk.turnOn()
        let run = starts.withLock {
            $0 += 1; return $0
        }
        let next = try Self.node(on: host, disk, run: run)
        running.withLock { $0 = next }
        start(next)
    }

    private static func node(on host: SimulatedHost, _ disk: SimulatedDisk, run: UInt64) throws -> Node {
        var ports = host.ports(run: run)
        ports.messages = disk
        return try #require(Node(contents: disk.contents, keeper: disk, ports: ports))
    }

    private func start(_ node: Node) {
        let stream = node.events
        simulation.start(node)
        simulation.start { [self] in
            for await event in stream { events.withLock { $0.append(event) } }
        }
        simulation.start { [self] in
            for await message in node.incoming {
                // The application stores the identifier together with the effect.
                effects.withLock { effects in
                    if !effects.contains(where: { $0.id == message.id }) {
                        effects.append(Effect(id: message.id, text: message.text))
                    }
                }
                try? await node.acknowledge(message.id, from: message.contact)
            }
        }
    }
}

/// Makes two people contacts by cards and sealed grants.
func acquaint(_ one: DiskPerson, _ other: DiskPerson) async throws {
    try await one.node.add(other.node.ownCard())
    try await other.node.add(one.node.ownCard())
    for sealed in try await one.node.sealedGrants(for: other.user) { try await other.node.acceptSealedGrant(sealed) }
    for sealed in try await other.node.sealedGrants(for: one.user) { try await one.node.acceptSealedGrant(sealed) }
}
