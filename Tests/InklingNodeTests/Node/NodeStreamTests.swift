import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import Testing

@Suite struct NodeStreamTests {
    @Test func `two subscribers receive every change of presence without a gap`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let changes = [Noted<[PresenceChange]>([]), Noted<[PresenceChange]>([])]
            for noted in changes {
                let stream = alice.node.presence
                simulation.start { for await change in stream { noted.value.append(change) } }
            }
            try await meet(alice, bob)
            try await bob.stop()
            try await simulation.wait(forSeconds: 2000) { alice.events.contains(.presence(bob.user, .gone)) }
            await simulation.settle()
            #expect(changes[0].value == changes[1].value)
            let seen = changes[0].value
            #expect(seen.allSatisfy { $0.contact == bob.user && $0.missed == 0 })
            #expect(seen.first?.from == seen.first?.to)
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.to == $1.from })
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.time.tick <= $1.time.tick })
            #expect(seen.contains { $0.to.isPresent } && seen.last?.to == .gone)
        }
    }

    @Test func `a late subscriber to presence first receives the current state of every contact`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let carol = try Person("Carol", in: simulation, isVisible: false)
            await simulation.settle()
            try await alice.node.add(carol.firstCard)
            try await meet(alice, bob)
            var late = alice.node.presence.makeAsyncIterator()
            var states: [UserID: PresenceState] = [:]
            for _ in 0..<2 {
                let change = try #require(await late.next())
                #expect(change.from == change.to)
                states[change.contact] = change.to
            }
            #expect(states[bob.user]?.isPresent == true)
            #expect(states[carol.user] == .unseen)
            // A removed contact is not among them.
            try await alice.node.remove(carol.user)
            var later = alice.node.presence.makeAsyncIterator()
            #expect(await later.next()?.contact == bob.user)
            try await alice.stop()
        }
    }

    @Test func `messages name their sender, and the stream ends with the node`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let stream = bob.node.messages
            try await alice.node.send("one", to: bob.user)
            try await alice.node.send("two", to: bob.user)
            try await bob.stop()
            var texts: [String] = []
            for await message in stream {
                #expect(message.contact == alice.user)
                texts.append(message.text)
            }
            #expect(texts == ["one", "two"])
        }
    }
}

@Suite struct NodeBlockingTests {
    @Test func `a blocked contact is not called, not answered and gets no grant until it is unblocked`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.node.block(bob.user)
            await simulation.advance(bySeconds: 1)
            let blocked = try #require(await alice.node.contacts().first)
            #expect(blocked.isBlocked && !blocked.isReachable && !blocked.presence.isPresent)
            #expect(await alice.node.status().sessions == 0)
            #expect(await alice.keeper.contents.contacts.first?.isBlocked == true)
            await #expect(throws: NodeError.notReachable) { try await alice.node.send("hello?", to: bob.user) }
            await #expect(throws: NodeError.blocked) { try await alice.node.sealedGrants(for: bob.user) }

            let confirmations = (alice.confirmations(of: bob), bob.confirmations(of: alice))
            let (refused, start) = (await alice.node.status().refusedMessages, simulation.elapsed)
            // Also after a restart.
            try await alice.stop()
            try await alice.restart()
            await simulation.advance(bySeconds: 2000)
            #expect(alice.confirmations(of: bob) == confirmations.0)
            #expect(bob.confirmations(of: alice) == confirmations.1)
            #expect(await alice.node.status().refusedMessages + refused > 0)
            #expect(
                !simulation.network.sightings(from: alice.host).contains {
                    if case .connection = $0.kind { $0.time > start } else { false }
                })

            try await alice.node.unblock(bob.user)
            #expect(await alice.node.contacts().first?.isBlocked == false)
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    @Test func `blocking is stored before it takes effect, and only known contacts can be blocked`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let carol = try Person("Carol", in: simulation, isVisible: false)
            await #expect(throws: NodeError.unknownContact) { try await alice.node.block(carol.user) }
            await alice.keeper.fail(with: .diskFull)
            await #expect(throws: NodeError.self) { try await alice.node.block(bob.user) }
            #expect(await alice.node.contacts().first?.isBlocked == false)
            await alice.keeper.fail(with: nil)
            try await meet(alice, bob)
        }
    }
}
