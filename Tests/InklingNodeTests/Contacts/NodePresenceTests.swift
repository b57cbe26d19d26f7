import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import Testing

extension Person {
    /// Returns the presence of another person for this one.
    fileprivate func presence(of other: Person) async throws -> ContactPresence {
        try unwrap(await node.presences().first { $0.user == other.user })
    }
}

@Suite struct `How contacts are present, in figures` {
    @Test func `a contact has arrived when the delay has passed, and is certain from the handshake on`() async throws {
        try await Simulation.run(seed: 31) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let before = try await alice.presence(of: bob)
            #expect(before.state == .unseen && !before.hasArrived && before.confidence == 0 && before.lastSeen == nil)
            #expect(before.name == "Bob")
            try await alice.node.setDelays(ContactDelays(arrive: .seconds(60)), of: bob.user)
            try await meet(alice, bob, withinSeconds: 60)
            let met = try await alice.presence(of: bob)
            #expect(met.state.isPresent && !met.hasArrived && met.confidence == 100)
            try await simulation.wait(forSeconds: 70) { alice.events.contains(.arrived(bob.user)) }
            let arrived = try await alice.presence(of: bob)
            #expect(arrived.hasArrived)
            let now = alice.host.clock.read().unixSeconds
            #expect(try (now - 60...now).contains(unwrap(arrived.lastSeen)))
            try await bob.stop()
            try await simulation.wait(forSeconds: 200) { alice.events.contains(.left(bob.user)) }
            let left = try await alice.presence(of: bob)
            #expect(left.state == .gone && !left.hasArrived && left.confidence == 0)
        }
    }

    /// Covers INK-HAS-014.
    @Test func `a contact is watched over boundaries, and not while the node hides from it, blocks it or has stopped`()
        async throws
    {
        try await Simulation.run(seed: 32) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            for _ in 0..<1000 {
                await simulation.advance(byMilliseconds: 1000)
                let presence = try await alice.presence(of: bob)
                #expect(presence.isWatched, "\(alice.host.clock.read())")
            }
            try await alice.node.becomeVisible(to: .nobody)
            await simulation.advance(byMilliseconds: 5000)
            #expect(try await !alice.presence(of: bob).isWatched)
            try await alice.node.becomeVisible(to: .all)
            await simulation.advance(byMilliseconds: 120_000)
            #expect(try await alice.presence(of: bob).isWatched)
            try await alice.node.block(bob.user)
            #expect(try await !alice.presence(of: bob).isWatched)
            try await alice.node.unblock(bob.user)
            #expect(try await alice.presence(of: bob).isWatched)
            try await alice.stop()
            #expect(try await !alice.presence(of: bob).isWatched)
        }
    }
}
