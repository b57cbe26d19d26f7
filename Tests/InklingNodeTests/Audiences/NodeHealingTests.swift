import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

/// The recovery of grants by contacts after new generations (`Specs/audiences.md`).
@Suite struct NodeHealingTests {
    /// Covers INK-AUD-015.
    @Test(arguments: [true, false])
    func `who begins new generations calls the contact and grants again`(areOnNetwork: Bool) async throws {
        for seed: UInt64 in 1...2 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation, areOnNetwork: areOnNetwork)
                try await meet(alice, bob, withinSeconds: 120)
                let before = try await generation(of: alice, heldBy: bob)
                try await alice.node.renewAudiences()
                try await simulation.wait(forSeconds: 1000) {
                    try await generation(of: alice, heldBy: bob) != before
                }
                // The next epoch needs nothing but the grants.
                try await meet(alice, bob, withinSeconds: 1000)
                #expect(await alice.node.recognisers().first?.grants.count == 1)
            }
        }
    }

    @Test func `over Bluetooth, people who have both begun new generations need one who shows itself to the other`()
        async throws
    {
        for seed: UInt64 in 3...4 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation)
                try await meet(alice, bob, withinSeconds: 120)
                try await renewApart(alice, bob)
                // Neither recognises the other.
                let met = alice.confirmations(of: bob) + bob.confirmations(of: alice)
                await simulation.advance(bySeconds: 1900)
                #expect(alice.confirmations(of: bob) + bob.confirmations(of: alice) == met)
                try await alice.node.becomeVisible(to: .contact(bob.user))
                try await meet(alice, bob, withinSeconds: 120)
                await simulation.advance(bySeconds: 5)
                try await alice.node.becomeVisible(to: .all)
                try await meet(alice, bob, withinSeconds: 1000)
                for person in [alice, bob] {
                    #expect(await person.node.recognisers().first?.grants.count == 1)
                }
            }
        }
    }

    @Test func `a sealed grant heals one side, and the call that it allows heals the other`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 120)
            try await renewApart(alice, bob)
            try await grant(from: alice, to: bob)
            #expect(await alice.node.recognisers().first?.grants.count == 1)
            #expect(await bob.node.recognisers().first?.grants.isEmpty == true)
            try await meet(alice, bob, withinSeconds: 1000)
            try await simulation.wait(forSeconds: 30) { await bob.node.recognisers().first?.grants.count == 1 }
        }
    }

    @Test func `on a network, people who have both begun new generations heal while an inner audience is shown`()
        async throws
    {
        for seed: UInt64 in 6...7 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contacts(in: simulation)
                let friends = try await alice.node.createAudience(named: "friends")
                try await alice.node.assign(bob.user, to: friends)
                try await alice.node.becomeVisible(to: .audience(friends))
                try await meet(alice, bob, withinSeconds: 1000)
                try await simulation.wait(forSeconds: 10) { await bob.grants(of: alice) == 2 }
                try await renewApart(alice, bob)
                try await meet(alice, bob, withinSeconds: 1900)
                try await simulation.wait(forSeconds: 30) {
                    let counts = (
                        await alice.node.recognisers().first?.grants.count,
                        await bob.node.recognisers().first?.grants.count
                    )
                    return counts == (2, 1)
                }
            }
        }
    }

    /// Covers INK-GRA-006, INK-GRA-022.
    @Test func `people whose clocks were days ahead grant again when their operators have set them right`() async throws
    {
        try await Simulation.run(seed: 11) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let days: Int64 = 3 * 86_400_000
            for person in [alice, bob] { person.host.clock.step(byMilliseconds: days) }
            let before = try await generation(of: alice, heldBy: bob)
            try await simulation.wait(forSeconds: 100) { await alice.isShown() }
            try await alice.node.renewAudiences()
            try await simulation.wait(forSeconds: 4000) { try await generation(of: alice, heldBy: bob) != before }
            let ahead = try await generation(of: alice, heldBy: bob)

            for person in [alice, bob] {
                person.host.clock.step(byMilliseconds: -days)
                try await person.stop()
                let atRest = try #require(
                    Node(
                        contents: await person.keeper.contents, keeper: person.keeper,
                        ports: person.host.ports(run: 50),
                        isVisible: false))
                try await atRest.beginNewGenerations()
                try await person.restart()
            }
            let now = try await alice.node.period()
            #expect(!Grant.counts(ahead, now: now))
            // Nothing but the network is needed.
            try await simulation.wait(forSeconds: 4000) {
                try await generation(of: alice, heldBy: bob) <= now.number + 8
            }
            try await meet(alice, bob, withinSeconds: 1000)
        }
    }

    /// Covers INK-GRA-002, INK-GRA-007.
    @Test func `people who meet once a week recognise each other for years, because every session renews`()
        async throws
    {
        try await Simulation.run(seed: 8, limit: 800 * 86_400) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            await simulation.advance(bySeconds: 5)
            for person in [alice, bob] { try await person.stop() }
            for week in 0..<60 {
                // A week, now and then a month.
                await simulation.advance(bySeconds: week % 10 == 9 ? 30 * 86_400 : 7 * 86_400)
                let before = try await (end(of: alice, heldBy: bob), end(of: bob, heldBy: alice))
                for person in [alice, bob] { try await person.restart() }
                try await meet(alice, bob, withinSeconds: 60)
                // Each grant lasts as much longer as they have not met.
                try await simulation.wait(forSeconds: 10) {
                    let now = try await (end(of: alice, heldBy: bob), end(of: bob, heldBy: alice))
                    return now.0 >= before.0 + 160 && now.1 >= before.1 + 160
                }
                await simulation.advance(bySeconds: 5)
                let held = try await end(of: alice, heldBy: bob)
                #expect(await alice.node.recognisers().first?.grants.map(\.until.number) == [held])
                for person in [alice, bob] { try await person.stop() }
            }
        }
    }
}

/// Begins new generations of both while they are apart, so that neither gets the grant of the other.
private func renewApart(_ one: Person, _ other: Person) async throws {
    for person in [one, other] { try await person.stop() }
    for person in [one, other] {
        try await person.restart(isVisible: false)
        await person.simulation.settle()
        try await person.node.renewAudiences()
        try await person.stop()
    }
    for person in [one, other] { try await person.restart() }
    await one.simulation.settle()
}

/// The generation of the grant of one person that another holds.
private func generation(of one: Person, heldBy other: Person) async throws -> UInt32 {
    try #require(await other.keeper.contents.contacts.first { $0.user == one.user }?.grants.first).generation
}

/// The number of the last period of the grant of one person that another holds.
private func end(of one: Person, heldBy other: Person) async throws -> UInt32 {
    try #require(await other.keeper.contents.contacts.first { $0.user == one.user }?.grants.first).to.number
}
