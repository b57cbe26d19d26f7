import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct NodeOwedTests {
    /// Covers INK-PAIR-008, INK-PAIR-012, INK-PAIR-013.
    @Test func `two people who hold only each other's cards meet on a network, and grant each other`() async throws {
        for seed: UInt64 in 1...4 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await peopleWithCards(in: simulation)
                try await meet(alice, bob, withinSeconds: 120)
                try await simulation.wait(forSeconds: 30) {
                    let standings = [try await alice.contact(bob).standing, try await bob.contact(alice).standing]
                    return standings == [.complete, .complete]
                }
                // From then on the grants are enough: nobody asks.
                let boundary = 600_000 - simulation.elapsed % 900_000
                await simulation.advance(byMilliseconds: boundary)
                let asked = questions(in: simulation)
                try await meet(alice, bob, withinSeconds: 30)
                await simulation.advance(bySeconds: 800)
                #expect(questions(in: simulation) == asked)
            }
        }
    }

    @Test func `two people who have both begun new generations find each other again`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            simulation.network.partition([[alice.host], [bob.host]])
            for person in [alice, bob] { try await person.node.renewAudiences() }
            await simulation.advance(bySeconds: 1000)
            simulation.network.heal()
            try await meet(alice, bob, withinSeconds: 1000)
            try await simulation.wait(forSeconds: 30) {
                alice.events.contains(.renewed(bob.user)) && bob.events.contains(.renewed(alice.user))
            }
        }
    }

    /// Covers INK-HSK-036.
    @Test func `the gate of an audience that is not announced opens only when its record was asked for`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await peopleWithCards(in: simulation)
            try await bob.stop()
            try await simulation.wait(forSeconds: 60) { await alice.isShown() }
            let tree = try await pairTree(from: alice, to: bob)
            #expect(try await isAnswered(by: alice, calling: bob, under: tree, seed: 1) == false)

            let epoch = try #require(Epoch(containing: bob.host.clock.read().unixSeconds))
            let keys = try unwrap(tree.value.periodKey(epoch.period)).deviceKeys(.first)
            let session = try await bob.host.discovery.open(
                Publication(announced: nil, browses: false), recognising: KnownNames())
            await session.search(keys.mdns.serviceName(epoch), at: keys.mdns.hostName(epoch))
            await simulation.advance(bySeconds: 4)
            await session.close(goodbye: false)
            #expect(try await isAnswered(by: alice, calling: bob, under: tree, seed: 2))

            // A request of one epoch opens nothing in the next.
            await simulation.advance(byMilliseconds: 600_000 - simulation.elapsed + 30_000)
            try await simulation.wait(forSeconds: 60) { await alice.isShown() }
            #expect(try await isAnswered(by: alice, calling: bob, under: tree, seed: 3) == false)
        }
    }

    /// Covers INK-PAIR-012, INK-PAIR-013.
    @Test func `a node asks for at most four contacts in an epoch, and for the others after them`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            var others: [Person] = []
            for number in 0..<6 {
                let other = try Person("Friend \(number)", in: simulation, isVisible: false)
                await simulation.settle()
                try await alice.node.add(other.node.ownCard())
                others.append(other)
            }
            var asked: [Set<OpaqueServiceName>] = []
            // From boundary to boundary.
            for milliseconds in [600_000 - simulation.elapsed, 900_000, 900_000] {
                let start = simulation.network.sightings(from: alice.host).count
                await simulation.advance(byMilliseconds: milliseconds)
                let names = simulation.network.sightings(from: alice.host).dropFirst(start).compactMap {
                    if case .instanceQuery(let name) = $0.kind { name } else { nil }
                }
                asked.append(Set(names))
            }
            #expect(asked.map(\.count) == [4, 4, 4])
            // Nothing is announced about the names that are answered.
            let kinds = simulation.network.sightings(from: alice.host).map(\.kind)
            #expect(!kinds.contains { if case .answer = $0 { true } else { false } })
        }
    }

    @Test func `questions are four in an epoch, about whom was asked least recently, each after 10 to 40 s`() throws {
        var questions = PairQuestions()
        var randomness = SeededGenerator(seed: 1)
        let users = (0..<6).map { UserID(Octets16(high: 0, low: $0)) }
        let start = Tick(milliseconds: 5000)
        func ask(_ epoch: UInt32, isWanted: (UserID) -> Bool = { _ in true }) throws -> [UserID] {
            questions.begin(try #require(Epoch(epoch)), about: users, at: start, using: &randomness)
            #expect(questions.due.map { (15_000...45_000).contains($0.milliseconds) } == true)
            #expect(questions.takeDue(at: Tick(milliseconds: 14_999), where: isWanted) == [])
            let asked = questions.takeDue(at: Tick(milliseconds: 45_000), where: isWanted)
            #expect(questions.due == nil)
            return asked
        }
        // Four that are drawn, and then the rest.
        let first = try ask(1)
        #expect(Set(first).count == 4 && Set(first).isSubset(of: users))
        let left = Set(users).subtracting(first)
        // The same epoch again, after a change of the network: nothing is left.
        questions.begin(try #require(Epoch(1)), about: users, at: start, using: &randomness)
        for user in left { questions.plan(user, at: start, using: &randomness) }
        #expect(questions.due == nil)
        let second = try ask(2)
        #expect(left.isSubset(of: Set(second)) && Set(second).count == 4)
        // A user about whom a question is no longer needed costs none.
        #expect(try ask(3) { $0 == users[0] }.count <= 1)
        questions.end()
        questions.plan(users[0], at: start, using: &randomness)
        #expect(questions.due == nil)
    }

    @Test func `who is visible to one contact answers and asks for no other`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await peopleWithCards(in: simulation)
            let carol = try Person("Carol", in: simulation)
            await simulation.settle()
            try await alice.node.add(carol.node.ownCard())
            try await carol.node.add(alice.node.ownCard())
            try await alice.node.becomeVisible(to: .contact(bob.user))
            try await meet(alice, bob, withinSeconds: 60)
            await simulation.advance(bySeconds: 2000)
            #expect(alice.confirmations(of: carol) + carol.confirmations(of: alice) == 0)
            #expect(!(try await carol.contact(alice)).presence.isPresent)
            let kinds = simulation.network.sightings(from: alice.host).map(\.kind)
            #expect(!kinds.contains { if case .instanceQuery = $0 { true } else { false } })
        }
    }
}

/// Creates two people who hold each other's cards and nothing else.
private func peopleWithCards(in simulation: Simulation) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation)
    let bob = try Person("Bob", in: simulation)
    await simulation.settle()
    try await alice.node.add(bob.node.ownCard())
    try await bob.node.add(alice.node.ownCard())
    return (alice, bob)
}

private func questions(in simulation: Simulation) -> Int {
    simulation.network.sightings.count { if case .instanceQuery = $0.kind { true } else { false } }
}
