import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Synchronization
import Testing

@testable import InklingNode

/// Connections and the silent gap. Connects go to a host that never answers, so that the request is repeated after a
/// second for as long as the connect is in progress.
@Suite struct NodeConnectTests {
    /// Covers INK-ROT-013.
    @Test(arguments: [true, false])
    func `a connect in flight is given up when a silent gap begins`(changesNetwork: Bool) async throws {
        try await Simulation.run(seed: 1) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            // Alice recognises Bob, and he cannot recognise her, so that she is the one who calls.
            try await alice.node.add(bob.node.ownCard())
            try await bob.node.add(alice.node.ownCard())
            try await grant(from: bob, to: alice)
            try await alice.stop()
            let nobody = Endpoint(address: .v4(0x0aff_0001), port: 4000)
            try await start(alice, calling: { _ in nobody })
            try await simulation.wait(forSeconds: 60) { requests(in: simulation, to: nobody).count == 1 }
            let call = try #require(requests(in: simulation, to: nobody).first)
            await simulation.advance(byMilliseconds: 200)
            guard changesNetwork else {
                // Without a gap the request is repeated, and this test sees that.
                await simulation.advance(byMilliseconds: 1000)
                #expect(requests(in: simulation, to: nobody) == [call, call + 1000])
                return
            }
            alice.host.monitor.report()
            let start = simulation.elapsed
            await simulation.settle()
            #expect(await alice.node.status().showing == nil)
            try await simulation.wait(forSeconds: 20) { await alice.node.status().showing != nil }
            let end = try #require(
                alice.story.last { if case .showing = $0.event { true } else { false } }?.time)
            // Longer than the request would have taken to be repeated.
            try #require(end > call + 1000)
            #expect(requests(in: simulation, to: nobody).allSatisfy { $0 <= start || $0 >= end })
        }
    }

    /// Covers INK-ROT-013.
    @Test(arguments: [true, false])
    func `a lost link is not called again in a silent gap`(isLostFirst: Bool) async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let (caller, callee) = alice.confirmations(of: bob) > 0 ? (alice, bob) : (bob, alice)
            callee.host.setConnected(false)
            if isLostFirst {
                callee.host.resetLinks()
                try await simulation.wait(forSeconds: 2) {
                    simulation.network.sightings(from: caller.host).contains { $0.time == simulation.elapsed }
                }
                caller.host.monitor.report()
            } else {
                caller.host.monitor.report()
                callee.host.resetLinks()
            }
            let start = simulation.elapsed
            await simulation.settle()
            try await simulation.wait(forSeconds: 20) { await caller.node.status().showing != nil }
            let end = try #require(
                caller.story.last { if case .showing = $0.event { true } else { false } }?.time)
            try #require(end > start + 1500)
            let inGap = simulation.network.sightings(from: caller.host).filter { $0.time > start && $0.time < end }
            #expect(inGap == [])
        }
    }

    /// Covers INK-ROT-011, INK-ROT-013.
    @Test func `a joiner who knows the address of the inviter calls it after the gap`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            try await bob.stop()
            let (invitation, port) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            let endpoint = Endpoint(address: alice.host.address, port: port)
            simulation.start { _ = try? await alice.node.invitationOutcome() }
            try await bob.restart()
            await simulation.settle()
            let start = simulation.elapsed
            let joined = Reply<Result<ContactSummary, NodeError>>()
            simulation.start {
                do throws(NodeError) {
                    joined.send(.success(try await bob.node.accept(invitation, at: endpoint) { _ in true }))
                } catch {
                    joined.send(.failure(error))
                }
            }
            #expect(try await joined.value().get().user == alice.user)
            let call = try #require(requests(in: simulation, to: endpoint).first)
            let shown = try #require(
                bob.story.first {
                    if case .showing = $0.event { $0.time >= start } else { false }
                }?.time)
            try #require(shown > start)
            #expect(call >= shown)
        }
    }
}

/// Starts a node of a person, which is found as before and calls another endpoint.
private func start(_ person: Person, calling target: @escaping @Sendable (Endpoint) -> Endpoint) async throws {
    try await person.restart { ports in ports.links = RedirectedLinks(ports.links, target) }
}

/// Returns the times at which requests for a connection to an endpoint were sent, the repeated ones included.
private func requests(in simulation: Simulation, to endpoint: Endpoint) -> [UInt64] {
    simulation.network.sightings.compactMap { sighting in
        switch sighting.kind {
        case .connection(endpoint), .repeatedConnection(endpoint): sighting.time
        default: nil
        }
    }
}

/// Links that are made to another endpoint than the one called.
private final class RedirectedLinks: LinkTransport {
    private let links: any LinkTransport
    private let target: @Sendable (Endpoint) -> Endpoint

    init(_ links: any LinkTransport, _ target: @escaping @Sendable (Endpoint) -> Endpoint) {
        self.links = links
        self.target = target
    }

    func listen() async throws(LinkError) -> any LinkListener { try await links.listen() }

    func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        try await connect(to: endpoint, within: timeout)
    }

    func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        try await links.connect(to: target(endpoint), within: timeout)
    }
}
