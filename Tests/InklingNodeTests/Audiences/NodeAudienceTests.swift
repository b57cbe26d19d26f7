import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct NodeAudienceTests {
    /// Covers INK-AUD-001, INK-AUD-002, INK-AUD-003, INK-AUD-005, INK-AUD-006.
    @Test func `a node shows one audience at a time, and only its members recognise and meet it`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let people = try await FourPeople(in: simulation)
            let (alice, bob, carol, dave) = (people.alice, people.bob, people.carol, people.dave)
            // Bob is close, Carol a friend, Dave a contact.
            #expect(await bob.grants(of: alice) == 3)
            #expect(await carol.grants(of: alice) == 2)
            #expect(await dave.grants(of: alice) == 1)
            let (friends, close) = (people.friends, people.close)
            var shown: [AudienceID] = [try #require(await alice.keeper.contents.audiences.first).id]
            let expected: [(Visibility, [Person], [Person])] = [
                (.audience(friends), [bob, carol], [dave]), (.audience(close), [bob], [carol, dave]),
                (.all, [bob, carol, dave], []),
            ]
            for (choice, members, others) in expected {
                try await alice.node.becomeVisible(to: choice)
                #expect(await alice.node.status().visibility == choice)
                let id = try #require(await alice.node.audiences().first(where: \.isShown)).id
                shown.append(id)
                await simulation.advance(bySeconds: 1)
                let met = others.map { $0.confirmations(of: alice) + alice.confirmations(of: $0) }
                for member in members { try await meet(alice, member, withinSeconds: 1000) }
                await simulation.advance(bySeconds: 1900)
                for member in members { try await meet(alice, member, withinSeconds: 120) }
                #expect(others.map { $0.confirmations(of: alice) + alice.confirmations(of: $0) } == met)
                for other in others {
                    #expect(!(try await other.contact(alice)).presence.isPresent)
                    #expect(!(try await alice.contact(other)).presence.isPresent)
                }
            }
            // Every announced name is of the audience that was chosen then, and none of two at once.
            let audiences = try await people.sequence()
            #expect(audiences == shown)
        }
    }

    /// Covers INK-AUD-004, INK-AUD-008.
    @Test func `who joins an audience gets its grant in the open session, and who leaves it is no longer met`()
        async throws
    {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let friends = try await alice.node.createAudience(named: "friends")
            let close = try await alice.node.createAudience(named: "close", within: friends)
            try await alice.node.assign(bob.user, to: close)
            try await simulation.wait(forSeconds: 5) { await bob.grants(of: alice) == 3 }
            // The record of the sent grants was stored before.
            let noted = try #require(await alice.keeper.contents.contacts.first).granted
            #expect(Set(noted.map(\.audience)) == Set(await alice.keeper.contents.audiences.map(\.id)))
            try await alice.node.becomeVisible(to: .audience(close))
            try await meet(alice, bob, withinSeconds: 60)
            try await alice.node.unassign(bob.user, from: close)
            await simulation.advance(bySeconds: 1)
            #expect(await alice.node.status().sessions == 0)
            let met = bob.confirmations(of: alice) + alice.confirmations(of: bob)
            await simulation.advance(bySeconds: 1900)
            #expect(bob.confirmations(of: alice) + alice.confirmations(of: bob) == met)
            // He can still see that she is there, until the end that is named, or until the audience is renewed.
            let candidate = try await bob.contact(alice)
            #expect(candidate.presence.isPresent)
            let listed = try #require(await alice.node.recognisers().first)
            #expect(listed.grants.map(\.name) == ["all", "friends", "close"])
            #expect(listed.grants.map(\.isRenewed) == [true, true, false])
            #expect(listed.grants.map(\.isShown) == [false, false, true])
            try await alice.node.renewAudiences([close])
            await simulation.advance(bySeconds: 1900)
            #expect(!(try await bob.contact(alice)).presence.isPresent)
            #expect(await alice.node.recognisers().first?.grants.map(\.name) == ["all", "friends"])
            // The others were not renewed, so he needs nothing.
            try await alice.node.becomeVisible(to: .audience(friends))
            try await meet(alice, bob, withinSeconds: 60)
        }
    }

    /// Covers INK-AUD-002, INK-AUD-007.
    @Test func `who is in an inner audience is in those around it, and leaving one leaves those inside`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let family = try await alice.node.createAudience(named: "family")
            let friends = try await alice.node.createAudience(named: "friends")
            let close = try await alice.node.createAudience(named: "close", within: friends)
            let closest = try await alice.node.createAudience(named: "closest", within: close)
            func assigned() async -> Set<AudienceID> { Set(await alice.keeper.contents.contacts[0].assigned) }
            try await alice.node.assign(bob.user, to: closest)
            #expect(await assigned() == [friends, close, closest])
            try await alice.node.assign(bob.user, to: family)
            try await alice.node.unassign(bob.user, from: close)
            #expect(await assigned() == [family, friends])
            // Without the audience in between, the inner one is inside of the one around it.
            try await alice.node.assign(bob.user, to: closest)
            try await alice.node.removeAudience(close)
            #expect(await alice.node.audiences().map(\.name) == ["all", "family", "friends", "closest"])
            #expect(await alice.node.audiences().last?.within == friends)
            #expect(await assigned() == [family, friends, closest])
            #expect(await alice.node.audiences().map(\.members) == [1, 1, 1, 1])
        }
    }

    /// Covers INK-AUD-009.
    @Test func `who shows an audience that is removed is visible to nobody, also after a restart`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let friends = try await alice.node.createAudience(named: "friends")
            try await alice.node.assign(bob.user, to: friends)
            try await alice.node.becomeVisible(to: .audience(friends))
            await simulation.advance(bySeconds: 30)
            try await alice.stop()
            try await alice.restart()
            try await meet(alice, bob, withinSeconds: 960)
            #expect(await alice.node.status().visibility == .audience(friends))
            try await alice.node.removeAudience(friends)
            await simulation.advance(bySeconds: 2)
            #expect(await alice.node.status().visibility == .nobody)
            #expect(await alice.keeper.contents.visibility == .nobody)
            let count = simulation.network.sightings(from: alice.host).count
            await simulation.advance(bySeconds: 1000)
            #expect(simulation.network.sightings(from: alice.host).count == count)
        }
    }

    @Test func `names must be fit and of one audience, there are at most eight, and that of all contacts stays`()
        async throws
    {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let node = alice.node
            let all = try #require(await node.audiences().first)
            #expect(all.name == "all" && all.within == nil && all.isShown && all.members == 1)
            for name in ["", "all", "nobody", "a\u{1b}b", String(repeating: "x", count: 65)] {
                await #expect(throws: NodeError.badAudienceName) { try await node.createAudience(named: name) }
            }
            let friends = try await node.createAudience(named: "friends", within: all.id)
            await #expect(throws: NodeError.badAudienceName) { try await node.createAudience(named: "friends") }
            await #expect(throws: NodeError.unknownAudience) {
                try await node.createAudience(named: "close", within: AudienceID(1))
            }
            for number in 3...8 { try await node.createAudience(named: "audience number \(number)") }
            await #expect(throws: NodeError.tooManyAudiences) { try await node.createAudience(named: "ninth") }
            await #expect(throws: NodeError.generalAudience) { try await node.renameAudience(all.id, to: "everyone") }
            await #expect(throws: NodeError.generalAudience) { try await node.removeAudience(all.id) }
            await #expect(throws: NodeError.generalAudience) { try await node.unassign(bob.user, from: all.id) }
            await #expect(throws: NodeError.unknownContact) { try await node.assign(alice.user, to: friends) }
            await #expect(throws: NodeError.unknownAudience) {
                try await node.becomeVisible(to: .audience(AudienceID(1)))
            }
            try await node.renameAudience(friends, to: "friends")
            try await node.renameAudience(friends, to: "mates")
            #expect(await node.audiences().map(\.name).contains("mates"))
            try await node.becomeVisible(to: .audience(all.id))
            #expect(await node.status().visibility == .all)
            await alice.keeper.fail(with: .diskFull)
            await #expect(throws: NodeError.self) { try await node.removeAudience(friends) }
            #expect(await node.audiences().count == 8)
        }
    }

    /// Covers INK-AUD-021.
    @Test func `who was removed is listed until the last grant ends, and not longer`() async throws {
        try await Simulation.run(seed: 7, limit: 200 * 86_400) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let until = try #require(await alice.node.recognisers().first?.grants.first?.until)
            let removal = try await alice.node.remove(bob.user)
            #expect(removal.recognisesUsUntil == until)
            #expect(removal.audiences == (await alice.keeper.contents.audiences.map(\.id)))
            for _ in 0..<2 {
                let listed = await alice.node.recognisers()
                #expect(listed.map(\.relation) == [.removed] && listed.map(\.name) == ["Bob"])
                #expect(listed.first?.grants.map(\.until) == [until])
                try await alice.stop()
                try await alice.restart()
            }
            try await alice.stop()
            try await bob.stop()
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            var left = UInt64(until.number - now.number - 1) * 3600
            // After a jump of more than 31 days the time would not be accepted.
            while left > 0 {
                let step = min(left, 30 * 86_400)
                await simulation.advance(bySeconds: step)
                left -= step
                try await alice.restart()
                await simulation.advance(bySeconds: 60)
                if left > 0 { try await alice.stop() }
            }
            #expect(await alice.node.recognisers().map(\.relation) == [.removed])
            await simulation.advance(bySeconds: 7200)
            #expect(await alice.node.recognisers().isEmpty)
            #expect(await alice.keeper.contents.formerContacts.isEmpty)
        }
    }

    /// Covers INK-AUD-021.
    @Test func `who is removed and renewed against is listed no more, and who returns is listed as a contact`()
        async throws
    {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let held = await alice.node.recognisers().first?.grants
            try await alice.node.remove(bob.user)
            try await alice.node.add(bob.node.ownCard())
            #expect(await alice.node.recognisers().map(\.relation) == [.waiting])
            #expect(await alice.node.recognisers().first?.grants.map(\.until) == held?.map(\.until))
            try await alice.node.remove(bob.user)
            try await alice.node.renewAudiences()
            #expect(await alice.node.recognisers().isEmpty)
        }
    }
}

/// Alice and her contacts: Bob is close, and so a friend; Carol is a friend; Dave is a contact.
private struct FourPeople {
    let alice, bob, carol, dave: Person
    let friends, close: AudienceID
    private var audiences: [OpaqueServiceName: AudienceID] = [:]

    init(in simulation: Simulation) async throws {
        let people = try ["Alice", "Bob", "Carol", "Dave"].map { try Person($0, in: simulation) }
        (alice, bob, carol, dave) = (people[0], people[1], people[2], people[3])
        await simulation.settle()
        friends = try await alice.node.createAudience(named: "friends")
        close = try await alice.node.createAudience(named: "close", within: friends)
        for person in people[1...] { try await acquaint(alice, person) }
        try await alice.node.assign(bob.user, to: close)
        try await alice.node.assign(carol.user, to: friends)
        for person in people[1...] { try await meet(alice, person, withinSeconds: 120) }
        await simulation.advance(bySeconds: 5)
        let first = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
        for audience in await alice.keeper.contents.audiences {
            for number in first.number..<first.number + 16 {
                let epoch = try #require(Epoch(number))
                let keys = try unwrap(audience.tree.value.periodKey(epoch.period)).deviceKeys(.first)
                audiences[keys.mdns.serviceName(epoch)] = audience.id
            }
        }
    }

    /// The audiences that Alice has announced one after the other.
    func sequence() async throws -> [AudienceID] {
        var sequence: [AudienceID] = []
        for sighting in alice.simulation.network.sightings(from: alice.host) {
            guard case .announcement(let instance) = sighting.kind else { continue }
            let audience = try #require(audiences[instance.name])
            if sequence.last != audience { sequence.append(audience) }
        }
        return sequence
    }
}

extension Person {
    /// Returns the number of grants of another person that are held.
    func grants(of other: Person) async -> Int {
        await keeper.contents.contacts.first { $0.user == other.user }?.grants.count ?? 0
    }
}
