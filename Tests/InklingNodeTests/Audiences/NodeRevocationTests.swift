import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct NodeRevocationTests {
    /// Covers INK-AUD-010, INK-AUD-014.
    @Test func `a blocked contact has no session and gets no answer from that moment on`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let outlook = try await alice.node.outlook(ofRevoking: bob.user, to: .block)
            #expect(outlook.recognisesUsUntil != nil)
            #expect(outlook.recognisesUsAfterwards == outlook.recognisesUsUntil)
            #expect(outlook.renewed.isEmpty && outlook.holdersOfGrants == 0 && !outlook.changesIdentifiers)
            #expect(try await alice.node.revoke(bob.user, to: .block) == outlook)
            #expect(await alice.node.status().sessions == 0)
            try await bob.stop()
            #expect(try await isAnswered(by: alice, calling: bob, seed: 1) == false)
            #expect(await alice.node.recognisers().map(\.relation) == [.blocked])
            #expect(await alice.node.recognisers().first?.grants.count == 1)
        }
    }

    /// Covers INK-AUD-010.
    @Test func `a node that goes on to answer a contact that should be blocked is found`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.node.revoke(bob.user, to: .block)
            try await bob.stop()
            // A restart of a node whose vault has forgotten the block.
            try await alice.stop()
            var contents = await alice.keeper.contents
            contents.contacts[0].isBlocked = false
            try await alice.keeper.save(contents)
            try await alice.restart()
            try await simulation.wait(forSeconds: 60) { await alice.isShown() }
            #expect(try await isAnswered(by: alice, calling: bob, seed: 2))
        }
    }

    /// Covers INK-AUD-014.
    @Test(arguments: [true, false])
    func `no invitation leads to a first contact with somebody who is blocked`(invites: Bool) async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.node.block(bob.user)
            let meeting = try await firstContact(of: invites ? alice : bob, with: invites ? bob : alice)
            let ours = invites ? meeting.inviter : meeting.joiner
            #expect(ours.isFailure)
            #expect((invites ? meeting.shownToInviter : meeting.shownToJoiner) == nil)
            #expect(try await alice.contact(bob).isBlocked)
            #expect(await alice.node.status().sessions == 0)
            await #expect(throws: NodeError.blocked) { try await grant(from: bob, to: alice) }
            try await alice.node.unblock(bob.user)
            let next = try await firstContact(of: invites ? alice : bob, with: invites ? bob : alice)
            _ = try (next.inviter.get(), next.joiner.get())
        }
    }

    /// Covers INK-AUD-011.
    @Test func `without renewal a contact is met until its grants end, and is a stranger from then on`() async throws {
        try await Simulation.run(seed: 3, limit: 200 * 86_400) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let carol = try Person("Carol", in: simulation)
            await simulation.settle()
            try await acquaint(alice, carol)
            try await meet(alice, bob)
            let revocation = try await alice.node.revoke(bob.user, to: .lapse)
            let until = try #require(revocation.recognisesUsUntil)
            #expect(revocation.recognisesUsAfterwards == until)
            await #expect(throws: NodeError.lapsing) { try await alice.node.sealedGrants(for: bob.user) }
            // A meeting each week, in which Carol's grant is renewed and Bob's is not.
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            for person in [alice, bob, carol] { try await person.stop() }
            for _ in 0..<13 {
                await simulation.advance(bySeconds: 7 * 86_400)
                for person in [alice, bob, carol] { try await person.restart() }
                try await meet(alice, bob, withinSeconds: 1000)
                try await meet(alice, carol, withinSeconds: 1000)
                await simulation.advance(bySeconds: 5)
                #expect(await alice.node.recognisers().first { $0.user == bob.user }?.grants.map(\.until) == [until])
                for person in [alice, bob, carol] { try await person.stop() }
            }
            let left = UInt64(until.number - now.number) * 3600 - 13 * 7 * 86_400
            await simulation.advance(bySeconds: left + 7200)
            for person in [alice, bob, carol] { try await person.restart() }
            let met = bob.confirmations(of: alice) + alice.confirmations(of: bob)
            try await meet(alice, carol, withinSeconds: 1000)
            await simulation.advance(bySeconds: 2000)
            #expect(bob.confirmations(of: alice) + alice.confirmations(of: bob) == met)
            #expect(!(try await bob.contact(alice)).presence.isPresent)
            let listed = try #require(await alice.node.recognisers().first { $0.user == bob.user })
            #expect(listed.relation == .lapsing && listed.grants.isEmpty)
            // The user changes his mind: he is called, and gets a grant.
            try await alice.node.setLapsing(bob.user, false)
            try await meet(alice, bob, withinSeconds: 1000)
            try await simulation.wait(forSeconds: 10) { await bob.grants(of: alice) == 1 }
        }
    }

    /// Covers INK-AUD-011.
    @Test func `an end of renewal is kept while the node runs over the end of the grants`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            // As if the grants ended soon.
            try await alice.node.revoke(bob.user, to: .lapse)
            try await alice.stop()
            var contents = await alice.keeper.contents
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            contents.contacts[0].granted[0].to = try #require(Period(now.number + 1))
            try await alice.keeper.save(contents)
            try await alice.restart()
            try await meet(alice, bob, withinSeconds: 1000)
            await simulation.advance(bySeconds: 7200)
            #expect(await alice.node.status().sessions == 0)
            let met = bob.confirmations(of: alice) + alice.confirmations(of: bob)
            await simulation.advance(bySeconds: 2000)
            #expect(bob.confirmations(of: alice) + alice.confirmations(of: bob) == met)
            // The grants that he still holds let him call: he gets no answer.
            try await bob.stop()
            #expect(try await isAnswered(by: alice, calling: bob, seed: 1) == false)
        }
    }

    /// Covers INK-AUD-012, INK-AUD-015, INK-AUD-016.
    @Test func `after new generations nobody whom they are against matches above chance, and the others heal`()
        async throws
    {
        for seed: UInt64 in 1...2 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contacts(in: simulation)
                let carol = try Person("Carol", in: simulation)
                await simulation.settle()
                try await acquaint(alice, carol)
                try await meet(alice, bob, withinSeconds: 120)
                try await meet(alice, carol, withinSeconds: 120)
                let held = try #require(await bob.keeper.contents.contacts.first?.grants.first)
                let outlook = try await alice.node.outlook(ofRevoking: bob.user, to: .blind)
                #expect(outlook.recognisesUsAfterwards == nil && outlook.renewed.count == 1)
                #expect(outlook.holdersOfGrants == 1 && outlook.holdersWhomWeRecognise == 1)
                #expect(outlook.changesIdentifiers)
                let change = simulation.elapsed
                try await alice.node.revoke(bob.user, to: .blind)
                // Blind until they meet: she calls, because she recognises Carol.
                #expect(await alice.node.recognisers().flatMap(\.grants).isEmpty)
                try await meet(alice, carol, withinSeconds: 1000)
                try await simulation.wait(forSeconds: 10) {
                    await carol.keeper.contents.contacts.first?.grants.first?.generation != held.generation
                }
                await simulation.advance(bySeconds: 6 * 900)
                let game = try await RevocationGame(of: alice, since: change, held.tree)
                #expect(game.epochs > 5)
                #expect(game.hits == 0)
                #expect(!(try await bob.contact(alice)).presence.isPresent)
                #expect(try await carol.contact(alice).presence.isPresent)
                #expect(await alice.node.recognisers().map { $0.grants.count } == [0, 1])
            }
        }
    }

    /// Covers INK-AUD-012.
    @Test func `a renewal that keeps the keys and changes only the number is found`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let held = try #require(await bob.keeper.contents.contacts.first?.grants.first)
            try await alice.stop()
            var contents = await alice.keeper.contents
            contents.audiences[0].generation += 1
            contents.contacts[0].isBlocked = true
            try await alice.keeper.save(contents)
            let change = simulation.elapsed
            try await alice.restart()
            await simulation.advance(bySeconds: 6 * 900)
            let game = try await RevocationGame(of: alice, since: change, held.tree)
            #expect(game.epochs > 5 && game.hits == game.epochs)
        }
    }

    /// Covers INK-AUD-013.
    @Test func `a revoked device of a contact is a stranger, and the contact's other device gets new grants`()
        async throws
    {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            await #expect(throws: NodeError.unknownDevice) {
                try await alice.node.revoke(bob.user, to: .device, device: DeviceIndex(7))
            }
            let revocation = try await alice.node.revoke(bob.user, to: .device, device: .first)
            #expect(revocation.device == .first && revocation.renewed.count == 1)
            #expect(await alice.node.status().sessions == 0)
            await #expect(throws: NodeError.unknownDevice) {
                try await alice.node.revoke(bob.user, to: .device, device: .first)
            }
            // The only device that he has.
            #expect(try await alice.node.sealedGrants(for: bob.user).isEmpty)
            let met = bob.confirmations(of: alice) + alice.confirmations(of: bob)
            await simulation.advance(bySeconds: 2000)
            #expect(bob.confirmations(of: alice) + alice.confirmations(of: bob) == met)
            #expect(!(try await alice.contact(bob)).presence.isPresent)
            #expect(!(try await bob.contact(alice)).presence.isPresent)
            #expect(await alice.keeper.contents.contacts[0].revokedDevices == bob.firstCard.certificates.map(\.key))
        }
    }

    /// Covers INK-AUD-017.
    @Test func `removing a device of one's own signs a card without it and renews every audience`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            try await alice.node.createAudience(named: "friends")
            try await alice.stop()
            var contents = await alice.keeper.contents
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            let seed = try #require(contents.rootSeed)
            let otherKey = Octets32(first: Octets16(high: 7, low: 7), second: Octets16(high: 7, low: 7))
            let second = try DeviceCertificate(
                index: try #require(DeviceIndex(1)), key: otherKey, from: now,
                to: try #require(Period(now.number + 9)),
                isPrimary: false, signedBy: seed.value.identityKey(generation: 1))
            let both = try ContactCard(
                identity: seed.value.identityKey(generation: 1), generation: 1, serial: 2,
                presence: seed.value.presenceKey(generation: 1).publicKey,
                certificates: alice.firstCard.certificates + [second], name: "Alice")
            (contents.card, contents.cardSerial) = (both.bytes, 2)
            try await alice.keeper.save(contents)
            try await alice.restart()
            await simulation.advance(bySeconds: 30)
            #expect(try await alice.node.ownCard().certificates.count == 2)
            await #expect(throws: NodeError.ownDevice) { try await alice.node.removeDevice(.first) }
            await #expect(throws: NodeError.unknownDevice) {
                try await alice.node.removeDevice(try #require(DeviceIndex(2)))
            }
            let before = await alice.keeper.contents.audiences.map(\.generation)
            try await alice.node.removeDevice(second.index)
            let card = try await alice.node.ownCard()
            #expect(card.certificates.map(\.index) == [.first] && card.serial > 2)
            let after = await alice.keeper.contents
            #expect(before.count == 2 && after.audiences.count == 2)
            #expect(zip(before, after.audiences.map(\.generation)).allSatisfy { $0 < $1 })
            #expect(after.audiences.map { after.name(of: $0) } == ["all", "friends"])
        }
    }

    /// Covers INK-AUD-012.
    @Test func `a revocation that cannot be stored changes nothing`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let before = await alice.keeper.contents.audiences.map(\.generation)
            await alice.keeper.fail(with: .diskFull)
            for level in [RevocationLevel.block, .lapse, .blind] {
                await #expect(throws: NodeError.self) { try await alice.node.revoke(bob.user, to: level) }
            }
            await alice.keeper.fail(with: nil)
            #expect(await alice.node.audiences().map(\.generation) == before)
            #expect(await alice.node.recognisers().map(\.relation) == [.complete])
            try await meet(alice, bob, withinSeconds: 1000)
        }
    }
}

/// A matcher that holds keys of the past, against what a person has shown.
private struct RevocationGame {
    /// The epochs that were shown.
    private(set) var epochs = 0
    /// The epochs in which a name was the one that the matcher expected.
    private(set) var hits = 0

    init(of person: Person, since start: UInt64, _ tree: SecretBox<AudienceTree>) async throws {
        var expected: Set<OpaqueServiceName> = []
        let now = try #require(Epoch(containing: person.host.clock.read().unixSeconds))
        for number in now.number - 16...now.number + 1 {
            let epoch = try #require(Epoch(number))
            guard let keys = tree.value.periodKey(epoch.period)?.deviceKeys(.first) else { continue }
            expected.insert(keys.mdns.serviceName(epoch))
        }
        var names: Set<OpaqueServiceName> = []
        for sighting in person.simulation.network.sightings(from: person.host) where sighting.time > start + 1000 {
            if case .announcement(let instance) = sighting.kind { names.insert(instance.name) }
        }
        epochs = names.count
        hits = names.intersection(expected).count
    }
}

/// Whether a node answers a first message of a contact whose own node is stopped, with the grant that the contact holds.
private func isAnswered(by callee: Person, calling caller: Person, seed: UInt64) async throws -> Bool {
    let tree = try #require(await caller.keeper.contents.contacts.first { $0.user == callee.user }?.grants.first).tree
    try await callee.simulation.wait(forSeconds: 60) { await callee.isShown() }
    return try await isAnswered(by: callee, calling: caller, under: tree, seed: seed)
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
