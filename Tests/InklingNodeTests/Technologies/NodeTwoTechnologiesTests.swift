import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@Suite struct NodeTwoTechnologiesTests {
    /// Covers INK-RCG-041, INK-RCG-080.
    @Test
    func `mute copies of names on the network do not keep contacts from confirming over Bluetooth in the same epoch`()
        async throws
    {
        for seed: UInt64 in 1...4 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation)
                simulation.air.separate([[alice.radio], [bob.radio]])
                let (atAlices, atBobs) = (simulation.addHost(), simulation.addHost())
                simulation.network.partition([[alice.host, atAlices], [bob.host, atBobs]])
                let copies = [
                    try await imitate(bob, at: atAlices, in: simulation),
                    try await imitate(alice, at: atBobs, in: simulation),
                ]
                // Both have called a copy, and have had no answer.
                try await simulation.wait(forSeconds: 60) { copies.allSatisfy { $0.value > 0 } }
                await simulation.advance(bySeconds: 10)
                #expect(alice.confirmations(of: bob) + bob.confirmations(of: alice) == 0)
                simulation.air.bringTogether()
                try await simulation.wait(forSeconds: 60) {
                    alice.confirmations(of: bob, over: .bluetooth) > 0
                        && bob.confirmations(of: alice, over: .bluetooth) > 0
                }
                #expect(simulation.elapsed < 600_000, "in the same epoch")
                #expect(copies.map(\.value) == [1, 1])
            }
        }
    }

    /// Covers INK-RCG-080.
    @Test func `mute copies of beacons do not keep contacts from confirming over the network in the same epoch`()
        async throws
    {
        for seed: UInt64 in 11...14 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation)
                simulation.air.separate([[alice.radio], [bob.radio]])
                var copies: [SimulatedRadioSession] = []
                for (number, owner) in [alice, bob].enumerated() {
                    let stranger = simulation.air.addStranger()
                    let copy = try await owner.copyOfPublication(by: stranger)
                    copies.append(try stranger.open(copy, at: try strangeAddress(UInt64(number))))
                }
                try await simulation.wait(forSeconds: 120) {
                    [alice, bob].allSatisfy { person in
                        simulation.air.links(from: person.radio).contains { $0.last != nil }
                    }
                }
                #expect(alice.confirmations(of: bob) + bob.confirmations(of: alice) == 0)
                simulation.network.heal()
                try await simulation.wait(forSeconds: 180) {
                    alice.confirmations(of: bob, over: .lan) > 0 && bob.confirmations(of: alice, over: .lan) > 0
                }
                #expect(simulation.elapsed < 600_000, "in the same epoch")
                withExtendedLifetime(copies) {}
            }
        }
    }

    /// Covers INK-BLE-032, INK-RCG-080.
    @Test func `a network on which no connection is ever answered does not delay the call over Bluetooth`() async throws
    {
        for seed: UInt64 in 21...26 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation, areOnNetwork: true)
                simulation.air.separate([[alice.radio], [bob.radio]])
                for person in [alice, bob] {
                    try await person.stop()
                    try await person.restart { $0.links = HangingLinks($0.links, clock: $0.clock) }
                }
                // Each is calling the other over the network when their radios come within range.
                try await simulation.wait(forSeconds: 60) {
                    [alice, bob].allSatisfy { person in
                        person.events.contains { if case .planned = $0 { true } else { false } }
                    }
                }
                for person in [alice, bob] { try await person.waitForRadio() }
                simulation.air.bringTogether()
                let start = simulation.elapsed
                try await simulation.wait(forSeconds: 60) { alice.confirmations(of: bob, over: .bluetooth) > 0 }
                let call = try #require(simulation.air.calls.map(\.time).first { $0 >= start })
                // A beacon that is heard twice, a delay of five seconds at most, and what the simulated radio takes.
                #expect(call - start <= 8000, "seed \(seed): \(call - start) ms")
            }
        }
    }

    /// Covers INK-BLE-011, INK-RCG-081.
    @Test func `contacts meet again within a minute after the radio of one of them failed`() async throws {
        for seed: UInt64 in 31...36 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation)
                try await meet(alice, bob, withinSeconds: 60)
                for person in [alice, bob] {
                    await simulation.advance(bySeconds: 20)
                    person.radio.crash(with: .noDaemon)
                    await simulation.settle()
                    #expect(simulation.air.linkCount == 0)
                    try await simulation.wait(forSeconds: 60) {
                        let here = try await alice.contact(bob).reachableOver
                        let there = try await bob.contact(alice).reachableOver
                        return here == [.bluetooth] && there == [.bluetooth]
                    }
                }
                #expect(simulation.elapsed < 600_000, "in the same epoch")
            }
        }
    }
}

/// Shows the name of a person from another host, which accepts connections and sends nothing. Returns their number.
private func imitate(
    _ person: Person, at host: SimulatedHost, in simulation: Simulation
) async throws -> Noted<Int> {
    try await simulation.wait(forSeconds: 20) { await person.isShown() }
    let copied = try #require(announced(by: person, in: simulation).first)
    let listener = try await host.links.listen()
    let count = Noted(0)
    simulation.start {
        var links: [any Link] = []
        for await link in listener.links {
            links.append(link)
            count.value += 1
        }
    }
    let session = try await host.discovery.open(
        Publication(announced: ServiceInstance(name: copied.name, host: copied.host, port: listener.port)),
        recognising: KnownNames())
    simulation.start { for await _ in session.events {} }
    return count
}

/// Links of a network that silently drops every request for a connection.
private struct HangingLinks: LinkTransport {
    private let links: any LinkTransport
    private let clock: any NodeClock

    init(_ links: any LinkTransport, clock: any NodeClock) { (self.links, self.clock) = (links, clock) }

    func listen() async throws(LinkError) -> any LinkListener { try await links.listen() }

    func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        try await connect(to: endpoint, within: timeout)
    }

    func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        while !Task.isCancelled {
            try? await clock.sleep(until: clock.read().tick.advanced(byMilliseconds: 60_000))
        }
        throw .closed
    }
}
