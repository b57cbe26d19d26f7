import InklingKeys
import InklingNode
import InklingPlatforms
import InklingSimulation
import InklingVault
import Testing

// The examples in InklingSimulation.md.

func becomesVisible(_ contents: VaultContents) async throws -> Bool {
    try await Simulation.run(seed: 1) { simulation in
        let host = simulation.addHost()
        guard let node = Node(contents: contents, keeper: MemoryKeeper(contents), ports: host.ports) else {
            return false
        }
        simulation.start(node)
        try await simulation.wait(forSeconds: 1800) { await node.status().showing != nil }
        return true
    }
}

@Suite struct `The examples of InklingSimulation` {
    @Test func `a node in a simulation becomes visible`() async throws {
        let host = try await Simulation.run(seed: 2) { $0.addHost() }
        var randomness = host.ports.randomness
        let now = try #require(Epoch(containing: host.clock.read().unixSeconds)).period
        let contents = try NodeIdentity.makeContents(name: "Ada", now: now, using: &randomness)
        #expect(try await becomesVisible(contents))
    }

    @Test func `a simulated phone reconnects and loses no record`() {
        let settings = PhoneSettings(of: DevicePlatform(.iOS, PlatformVersion(18, 2)))
        let report = SimulatedPhone.run(
            [(at: .zero, event: .peripheralCame), (at: .seconds(1), event: .opened), (at: .seconds(60), event: .left)],
            lasting: .seconds(3600), settings: settings)
        #expect(report.reconnections.count == 1)
        #expect(report.missing.isEmpty)
    }
}
