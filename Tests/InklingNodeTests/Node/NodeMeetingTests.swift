import InklingNode
import InklingTesting
import Testing

@Suite struct NodeMeetingTests {
    @Test func `two contacts recognise each other, confirm each other and exchange a text`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            try await acquaint(alice, bob)
            try await simulation.wait(forSeconds: 20) {
                alice.confirmations(of: bob) > 0 && bob.confirmations(of: alice) > 0
            }
            try await simulation.wait(forSeconds: 5) { await alice.node.contacts().first?.isReachable == true }
            try await alice.node.send("hello", to: bob.user)
            #expect(bob.events.contains(.message(alice.user, "hello")))
        }
    }
}
