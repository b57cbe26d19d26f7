import InklingNode
import InklingSimulation
import Testing

@Suite struct NodeStopTests {
    /// However busy a machine is, nothing but its processor delays the end of `inkling run`.
    @Test func `a node that stops waits for no timer, neither alone nor with a session`() async throws {
        for hasMet in [false, true] {
            try await Simulation.run(seed: 3) { simulation in
                let (alice, bob) = try await contacts(in: simulation)
                if hasMet { try await meet(alice, bob) }
                let before = simulation.elapsed
                try await alice.stop()
                #expect(simulation.elapsed == before)
                let isStopped = alice.events.contains {
                    if case .silent(.stopped, over: _) = $0 { true } else { false }
                }
                #expect(isStopped)
            }
        }
    }
}
