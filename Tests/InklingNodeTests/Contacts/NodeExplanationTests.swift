import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@Suite struct NodeExplanationTests {
    @Test func `the explanation of a confirmed contact has its session, its names and its clock offset`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await simulation.wait(forSeconds: 60) {
                try await alice.node.explain(bob.user).engine.sights.isEmpty == false
            }
            let explanation = try await alice.node.explain(bob.user)
            #expect(explanation.engine.state.isPresent && explanation.engine.hasSession)
            #expect(explanation.engine.sights.contains { $0.isCounting && $0.sharers == 1 })
            let expected = Set(explanation.expected.map(\.name))
            #expect(!expected.isDisjoint(with: announced(by: bob, in: simulation).map(\.name)))
            #expect((.seconds(-2)...(.seconds(2))).contains(try #require(explanation.clockOffset)))
            #expect(explanation.nearMiss?.distance == 0)
            #expect(explanation.isLooking)
        }
    }

    @Test func `a contact whose clock is wrong is a near miss at the right distance`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let alice = try Person("Alice", in: simulation)
            // An hour ahead: its names are those of four epochs later.
            let bob = try Person("Bob", in: simulation, clockError: 3_600_000)
            await simulation.settle()
            try await alice.node.add(bob.node.ownCard())
            try await bob.node.add(alice.node.ownCard())
            try await grant(from: bob, to: alice)
            try await simulation.wait(forSeconds: 120) {
                try await alice.node.explain(bob.user).nearMiss != nil
            }
            let explanation = try await alice.node.explain(bob.user)
            #expect(explanation.engine.state == .unseen)
            #expect([3, 4, 5].contains(explanation.nearMiss?.distance))
            #expect(explanation.clockOffset == nil)
        }
    }

    @Test func `explaining an unknown user throws`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            await #expect(throws: NodeError.unknownContact) { _ = try await alice.node.explain(bob.user) }
        }
    }
}
