import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeRandomWalkTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `under random network faults no contact is falsely confirmed and no earlier epoch is shown again`(
        seed: UInt64
    ) async throws {
        try await Simulation.run(seed: seed) { simulation in
            var chance = SeededGenerator(seed: seed)
            var people: [Person] = []
            for number in 0..<Int.random(in: 3...5, using: &chance) {
                let error = Int64.random(in: -50_000...50_000, using: &chance)
                people.append(try Person("P\(number)", in: simulation, clockError: error))
            }
            await simulation.settle()
            // Each person and the next are contacts; all others are strangers to each other.
            for (one, other) in zip(people, people.dropFirst()) { try await acquaint(one, other) }
            simulation.network.conditions.loss = 0.2
            simulation.network.conditions.duplication = 0.1
            simulation.network.conditions.delay = 1...400
            for _ in 0..<12 {
                let person = people[Int.random(in: 0..<people.count, using: &chance)]
                switch Int.random(in: 0..<7, using: &chance) {
                case 0:
                    simulation.network.partition([
                        people.filter { $0 === person }.map(\.host), people.filter { $0 !== person }.map(\.host),
                    ])
                case 1: simulation.network.heal()
                case 2: person.host.resetLinks()
                case 3: person.host.changeAddress()
                case 4: person.host.discovery.crash(with: .server(code: 1))
                case 5:
                    try await person.stop()
                    try await person.restart()
                default:
                    person.host.clock.suspend()
                    await simulation.advance(bySeconds: 120)
                    person.host.clock.resume()
                }
                await simulation.advance(bySeconds: UInt64.random(in: 10...700, using: &chance))
                for person in people { try await check(person, among: people) }
            }
            simulation.network.heal()
            simulation.network.conditions = NetworkConditions()
            // Without faults, all contacts meet again, in the next epoch at the latest.
            for (one, other) in zip(people, people.dropFirst()) { try await meet(one, other, withinSeconds: 1900) }
            #expect(simulation.network.linkCount <= people.count * 2)
            #expect(simulation.network.discoverySessionCount == people.count)
        }
    }
}

/// Checks the invariants of every moment.
private func check(_ person: Person, among people: [Person]) async throws {
    // Only contacts can have confirmed each other.
    guard let place = people.firstIndex(where: { $0 === person }) else { return }
    let known = Set([place - 1, place + 1].filter(people.indices.contains).map { people[$0].user })
    for event in person.events {
        if case .confirmed(let user, _, _) = event { #expect(known.contains(user)) }
        if case .outsideWindow = event { Issue.record("no name is replayed in this test") }
    }
    // Every confirmation as the responder has a confirmation as the initiator on the other side.
    for other in people where known.contains(other.user) {
        let answered = person.events.count { $0 == .confirmed(other.user, over: .lan, after: nil) }
        let called = other.events.count {
            if case .confirmed(person.user, _, .some) = $0 { true } else { false }
        }
        #expect(answered <= called)
    }
    let shown = person.events.compactMap { if case .showing(let epoch, _) = $0 { epoch } else { nil } }
    #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 <= $1 })
    // No two people show the same name.
    for other in people where other !== person {
        let names = Set(announced(by: person, in: person.simulation).map(\.name))
        #expect(names.isDisjoint(with: announced(by: other, in: person.simulation).map(\.name)))
    }
    let status = await person.node.status()
    #expect(status.sessions <= 4)
    #expect(await person.keeper.contents.answeredMessages.count <= 200)
}
