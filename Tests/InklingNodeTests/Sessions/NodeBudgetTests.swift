import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeBudgetTests {
    /// Covers INK-REC-039.
    @Test func `grants that a contact sends without end cause a bounded number of writes`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, session, bob) = try await spoken(in: simulation)
            let before = await alice.keeper.saves
            // Each lasts a period longer than the one before.
            for periods: UInt32 in 30..<330 {
                try await session.say(0x03, try await signedGrant(from: bob, to: alice, periods: periods))
            }
            _ = try await session.rest()
            let writes = await alice.keeper.saves - before
            #expect((1...20).contains(writes), "\(writes) writes")
            // The session goes on, and after a minute so does the exchange of grants.
            let held = try #require(await alice.keeper.contents.contacts.first?.grants.first).to
            await simulation.advance(bySeconds: 61)
            try await session.say(0x03, try await signedGrant(from: bob, to: alice, periods: 400))
            _ = try await session.rest()
            #expect(try #require(await alice.keeper.contents.contacts.first?.grants.first).to > held)
        }
    }

    /// Covers INK-REC-039, INK-REC-040.
    @Test func `cards that a contact sends without end cause a bounded number of writes`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, session, bob) = try await spoken(in: simulation)
            let before = await alice.keeper.saves
            for serial: UInt32 in 2..<102 { try await session.say(0x02, try await signedCard(of: bob, serial: serial)) }
            _ = try await session.rest()
            let writes = await alice.keeper.saves - before
            #expect((1...20).contains(writes), "\(writes) writes")
            #expect(await alice.node.status().sessions == 1)
        }
    }

    /// Covers INK-REC-040.
    @Test func `a card or a grant that changes nothing costs no write, and leaves room for one that does`() async throws
    {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, session, bob) = try await spoken(in: simulation)
            let grant = try await signedGrant(from: bob, to: alice, periods: 100)
            let card = try await signedCard(of: bob, serial: 5)
            try await session.say(0x03, grant)
            try await session.say(0x02, card)
            _ = try await session.rest()
            let (before, events) = (await alice.keeper.saves, alice.events.count)
            for _ in 0..<200 {
                try await session.say(0x03, grant)
                try await session.say(0x02, card)
                try await session.say(0x02, try await signedCard(of: bob, serial: 4))
            }
            _ = try await session.rest()
            #expect(await alice.keeper.saves == before)
            #expect(alice.events.count == events)
            try await session.say(0x02, try await signedCard(of: bob, serial: 6))
            _ = try await session.rest()
            #expect(await alice.keeper.saves > before)
        }
    }

    /// Covers INK-SYN-029.
    @Test func `texts without end are taken in order as long as the inbox has room, and cost no save of the vault`()
        async throws
    {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, session, bob) = try await spoken(in: simulation)
            try await session.beginTexts()
            let before = await alice.keeper.saves
            for number: UInt64 in 1...1000 { try await session.say(text: "\(number)", number: number) }
            let receipts = try await session.rest().filter { $0.type == .receipt }
            let texts = alice.events.compactMap { event -> String? in
                if case .message(bob.user, let text) = event { text } else { nil }
            }
            #expect(texts == (1...1000).map(String.init))
            #expect(try receipts.last?.receipt.last?.number == 1000)
            #expect(try receipts.allSatisfy { try $0.receipt.room <= 64 })
            #expect(await alice.keeper.saves == before)
            #expect(await alice.node.status().sessions == 1)
        }
    }
}

/// A session with a node, in which the test speaks for a contact.
private func spoken(in simulation: Simulation) async throws -> (Person, SpokenSession, Person) {
    let alice = try Person("Alice", in: simulation)
    let bob = try Person("Bob", in: simulation, isVisible: false)
    await simulation.settle()
    try await alice.node.add(bob.node.ownCard())
    try await bob.node.add(alice.node.ownCard())
    try await grant(from: alice, to: bob)
    try await bob.stop()
    try await simulation.wait(forSeconds: 20) { await alice.isShown() }
    let session = try await SpokenSession.begin(with: alice, as: bob, seed: 1)
    _ = try await session.rest()
    return (alice, session, bob)
}

/// Signs a grant of a person's audience for another person.
private func signedGrant(from issuer: Person, to reader: Person, periods: UInt32) async throws -> [UInt8] {
    let contents = await issuer.keeper.contents
    let audience = try #require(contents.audiences.first)
    let seed = try #require(contents.rootSeed)
    let now = try #require(Epoch(containing: issuer.host.clock.read().unixSeconds)).period
    let grant = try Grant(
        issuer: seed.value.identityKey(generation: 1), audience: audience.id, generation: audience.generation,
        of: audience.tree.value, from: now, to: try #require(Period(now.number + periods - 1)),
        certificates: issuer.firstCard.certificates, grantee: reader.user)
    return grant.signed(by: seed.value.identityKey(generation: 1)).withBytes { bytes in
        bytes.indices.map { bytes[$0] }
    }
}

/// Signs a person's card with another serial.
private func signedCard(of person: Person, serial: UInt32) async throws -> [UInt8] {
    let seed = try #require(await person.keeper.contents.rootSeed)
    return try ContactCard(
        identity: seed.value.identityKey(generation: 1), generation: 1, serial: serial,
        presence: seed.value.presenceKey(generation: 1).publicKey, certificates: person.firstCard.certificates,
        name: person.name
    ).bytes
}
