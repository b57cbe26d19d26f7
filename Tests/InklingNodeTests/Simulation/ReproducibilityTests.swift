import InklingNode
import InklingSimulation
import Testing

@Suite struct `A simulation of nodes` {
    @Test func `the same seed gives the same sightings, and another seed gives others`() async throws {
        let first = try await storyOfThree(seed: 7)
        #expect(first.count > 50)
        #expect(try await storyOfThree(seed: 7) == first)
        #expect(try await storyOfThree(seed: 8) != first)
    }
}

private func storyOfThree(seed: UInt64) async throws -> [NetworkSighting] {
    try await Simulation.run(seed: seed) { simulation in
        simulation.network.conditions.loss = 0.2
        let people = try ["A", "B", "C"].map { try Person($0, in: simulation) }
        await simulation.settle()
        try await acquaint(people[0], people[1])
        try await acquaint(people[1], people[2])
        await simulation.advance(bySeconds: 2000)
        return simulation.network.sightings
    }
}
