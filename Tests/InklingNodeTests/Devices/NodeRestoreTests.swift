import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

/// Restores a backup of a person, as it was made now, as another device.
private func restored(
    _ person: Person, in simulation: Simulation, hasRadio: Bool = false
) async throws -> Person {
    var random = SeededGenerator(seed: 77)
    let date = person.host.clock.read().unixSeconds
    let copy = await person.keeper.contents.backedUp(at: date, using: &random)
    let backup = Backup(contents: copy, date: date, clock: .real, generation: 5, profile: nil)
    return try await Person(
        person.name, from: backup.restoredContents(vouches: []), in: simulation, hasRadio: hasRadio
    ) { try await $0.beginNewGenerations() }
}

/// The names and minors that a person has shown.
private func shown(by person: Person, in simulation: Simulation) -> Set<String> {
    let names = announced(by: person, in: simulation).map { "\($0.name)" }
    let minors = simulation.air.broadcasts(from: person.host.radio).compactMap { $0.minor.map { "\($0)" } }
    return Set(names + minors)
}

@Suite struct NodeRestoreTests {
    /// Covers INK-BAK-012, INK-BAK-013, INK-BAK-014.
    @Test(arguments: [UInt64(1), 2, 3])
    func
        `a restored device and the device of the backup, both running, share no index, number, key of an audience or value`(
            seed: UInt64
        ) async throws
    {
        try await Simulation.run(seed: seed) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let second = try await restored(alice, in: simulation)
            let third = try await restored(alice, in: simulation)
            try await bob.stop()
            // All three renew and sign in the same period, as often as their contacts could make them.
            var serials: [UInt32] = [], generations: [UInt32] = []
            for person in [alice, second, third] {
                await simulation.settle()
                let contents = await person.keeper.contents
                serials.append(contents.cardSerial)
                generations.append(contents.audiences[0].generation)
            }
            try await alice.node.renewAudiences()
            generations.append(await alice.keeper.contents.audiences[0].generation)
            #expect(serials[0] < serials[1] && serials[0] < serials[2])
            #expect(generations[0] < generations[1] && generations[0] < generations[2])
            let original = await alice.keeper.contents
            for person in [second, third] {
                let copy = await person.keeper.contents
                #expect(copy.device != original.device)
                #expect(copy.restored == nil)
                #expect(person.user == alice.user)
                #expect(person.firstCard.certificates.map(\.index) == [copy.device])
            }
            await simulation.advance(bySeconds: 3 * 3600)
            let values = [alice, second, third].map { shown(by: $0, in: simulation) }
            for one in values { #expect(one.count > 10) }
            #expect(values[0].isDisjoint(with: values[1]))
            #expect(values[0].isDisjoint(with: values[2]))
            #expect(values[1].isDisjoint(with: values[2]))
        }
    }

    /// Covers INK-BAK-013, INK-VLT-028.
    @Test func `a restored device grants nothing before the review, and then its contact holds its grant alone`()
        async throws
    {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let date = alice.host.clock.read().unixSeconds
            let second = try await restored(alice, in: simulation)
            try await alice.stop()
            let old = try #require(await bob.keeper.contents.contacts.first?.grants.first).generation
            // It recognises Bob and calls him, and brings its card, but no grant.
            try await meet(second, bob, withinSeconds: 2000)
            try await simulation.wait(forSeconds: 1000) {
                await bob.node.contacts().first?.devices == [second.firstCard.certificates[0].index]
            }
            #expect(await bob.keeper.contents.contacts.first?.grants.map(\.generation) == [old])
            let listed = try #require(await second.node.contacts().first)
            #expect(listed.needsReview)
            #expect(listed.restoredFrom == date)
            await #expect(throws: NodeError.needsReview) { try await second.node.sealedGrants(for: bob.user) }

            try await second.node.markReviewed(bob.user)
            #expect(await second.node.contacts().first?.restoredFrom == nil)
            let generation = await second.keeper.contents.audiences[0].generation
            try await simulation.wait(forSeconds: 2000) {
                await bob.keeper.contents.contacts.first?.grants.map(\.generation) == [generation]
            }
            #expect(await alice.keeper.contents.audiences[0].generation < generation)
        }
    }

    /// Covers INK-BAK-012.
    @Test func `each restore takes an index that no device on the card has`() throws {
        var random = SeededGenerator(seed: 9)
        let now = try #require(Period(497_000))
        var contents = try NodeIdentity.makeContents(name: "Ada", now: now, using: &random)
        var seen: [UInt8] = [contents.device.number]
        for _ in 0..<20 {
            let card = try contents.restoredCard(now: now, using: &random)
            #expect(card.device != contents.device)
            #expect(card.serial > contents.cardSerial)
            contents.device = card.device
            contents.card = card.bytes
            contents.cardSerial = card.serial
            seen.append(card.device.number)
        }
        #expect(Array(seen.prefix(17)) == (0...15).map { UInt8($0) } + [0])
    }
}
