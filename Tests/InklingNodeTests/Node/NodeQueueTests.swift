import InklingKeys
import InklingSimulation
import InklingTesting
import Testing

@testable import InklingNode
@testable import InklingVault
@testable import InklingWire

@Suite struct NodeQueueTests {
    @Test func `a second request to add the same card fails with knownContact`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            let card = bob.firstCard
            let outcomes = Noted<[String]>([])
            for _ in 0..<2 {
                simulation.start {
                    do throws(NodeError) {
                        _ = try await alice.node.add(card)
                        outcomes.value.append("added")
                    } catch {
                        outcomes.value.append("\(error)")
                    }
                }
            }
            await simulation.settle()
            #expect(outcomes.value.sorted() == ["added", "the user is a contact already"])
            #expect(await alice.keeper.contents.contacts.count == 1)
        }
    }

    @Test func `requests are carried out in the order in which they were made`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            for name in ["A", "B", "C"] {
                simulation.start { try? await alice.node.rename(bob.user, to: name) }
            }
            try await alice.node.becomeVisible(to: .nobody)
            // A request sees the effects of the earlier ones without waiting.
            #expect(await alice.node.status().silence == .invisible)
            await simulation.settle()
            #expect(await alice.node.contacts().first?.name == "C")
            #expect(await alice.keeper.contents.contacts.first?.petname == "C")
        }
    }

    @Test func `a node that is not running still saves changes and replies to requests`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await alice.stop()
            try await alice.node.rename(bob.user, to: "Robert")
            #expect(await alice.keeper.contents.contacts.first?.petname == "Robert")
            let atRest = try #require(
                Node(
                    contents: await alice.keeper.contents, keeper: alice.keeper, ports: alice.host.ports(run: 9)))
            try await atRest.rename(bob.user, to: "Rob")
            #expect(await alice.keeper.contents.contacts.first?.petname == "Rob")
            await #expect(throws: NodeError.notReachable) { try await atRest.send("hello?", to: bob.user) }
            await #expect(throws: NodeError.invitationEnded) { try await atRest.invitationOutcome() }
            var randomness = SeededGenerator(seed: 1)
            let invitation = Invitation(
                to: bob.firstCard, transports: .tcp, lasting: .seconds(300), from: alice.host.clock.read().unixSeconds,
                using: &randomness)
            await #expect(throws: NodeError.clockNotAccepted) { try await atRest.accept(invitation) { _ in true } }
        }
    }
}
