import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

/// A person who waits with an open invitation for a joiner that the test plays.
private struct Stage {
    let alice: Person
    let bob: Person
    let invitation: Invitation
    let port: UInt16
    /// The number of times that Alice was asked.
    let asked: Noted<Int>

    init(in simulation: Simulation, agrees: Bool = true, isSecondVisible: Bool = false) async throws {
        alice = try Person("Alice", in: simulation)
        bob = try Person("Bob", in: simulation, isVisible: isSecondVisible)
        let (alice, bob, asked) = (alice, bob, Noted(0))
        try await simulation.wait(forSeconds: 20) { await alice.isShown() }
        try await bob.stop()
        self.asked = asked
        (invitation, port) = try await alice.node.invite(lasting: .seconds(600)) { _ in
            asked.value += 1
            return agrees
        }
    }

    func join(card: ContactCard? = nil) async throws -> SpokenSession {
        try await SpokenSession.join(invitation, of: alice, port: port, as: bob, card: card)
    }

    func listed() async -> ContactSummary? { await alice.node.contacts().first }

    /// The outcome of the invitation.
    func outcome() async -> Result<ContactSummary, NodeError> {
        do throws(NodeError) { return .success(try await alice.node.invitationOutcome()) } catch {
            return .failure(error)
        }
    }

    var period: UInt32 {
        get throws { try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period.number }
    }
}

/// A joiner that suppresses one message after another: whoever may hold a grant is listed, with its end.
@Suite struct WithholdingTests {
    /// Covers INK-FCT-007, INK-FCT-008, INK-FCT-020, INK-FCT-024.
    @Test func `a joiner that does not accept gets no grant, and is listed as waiting`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let stage = try await Stage(in: simulation)
            let joiner = try await stage.join()
            #expect(try await joiner.rest().map(\.type) == [.accept])
            await simulation.advance(bySeconds: 301)
            #expect(try await joiner.rest().map(\.type) == [.close])
            #expect(await joiner.hasEnded())
            #expect(try await stage.outcome().get().standing == .waiting)
            let contact = try #require(await stage.listed())
            #expect(contact.standing == .waiting)
            #expect(contact.recognisesUsUntil == nil)
            // Nothing is sealed for a user who has not accepted.
            await #expect(throws: NodeError.notAccepted) {
                try await stage.alice.node.sealedGrants(for: stage.bob.user)
            }
        }
    }

    /// Covers INK-FCT-006.
    @Test func `a joiner hears DECLINE when the user does not answer within 300 s`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation, isVisible: false)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            try await bob.stop()
            let thought = Reply<Bool>()
            let (invitation, port) = try await alice.node.invite(lasting: .seconds(600)) { _ in await thought.value() }
            let joiner = try await SpokenSession.join(invitation, of: alice, port: port, as: bob)
            try await joiner.accept()
            await simulation.advance(bySeconds: 301)
            #expect(try await joiner.rest().map(\.type) == [.decline])
            #expect(await joiner.hasEnded())
            thought.send(true)
            await simulation.settle()
            // A yes that comes too late has no effect.
            #expect(await alice.node.contacts() == [])
            await #expect(throws: NodeError.declined) { try await alice.node.invitationOutcome() }
        }
    }

    /// Covers INK-FCT-021, INK-FCT-030, INK-FCT-043.
    @Test func `a joiner that accepts and says no HELLO gets no grant`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let stage = try await Stage(in: simulation)
            let joiner = try await stage.join()
            // The body is ignored.
            try await joiner.say(RecordType.accept.rawValue, [1, 2, 3])
            #expect(try await joiner.rest().map(\.type) == [.accept, .hello])
            await simulation.advance(bySeconds: 11)
            #expect(try await stage.outcome().get().standing == .halfFinished)
            #expect(try await joiner.rest() == [])
            #expect(await stage.listed()?.recognisesUsUntil == nil)
        }
    }

    /// Covers INK-FCT-021, INK-FCT-030.
    @Test func `a joiner that withholds its grant holds one of 48 periods, and is listed with its end`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let stage = try await Stage(in: simulation)
            let joiner = try await stage.join()
            try await joiner.accept()
            #expect(try await joiner.rest().map(\.type) == [.accept, .hello])
            try await joiner.hello(of: stage.alice, to: stage.bob)
            let heard = try await joiner.rest()
            #expect(heard.map(\.type) == [.grant])
            let first = try #require(heard.first)
            let grant = try await joiner.parsed(first, of: stage.alice, to: stage.bob)
            #expect(grant.to.number == (try stage.period) + 47)
            // Further HELLOs bring no longer one.
            try await joiner.hello(naming: first, of: stage.alice, to: stage.bob)
            try await joiner.hello(of: stage.alice, to: stage.bob)
            for another in try await joiner.rest() {
                #expect(try await joiner.parsed(another, of: stage.alice, to: stage.bob).to == grant.to)
            }
            await simulation.advance(bySeconds: 11)
            #expect(try await stage.outcome().get().standing == .halfFinished)
            let contact = try #require(await stage.listed())
            #expect(contact.recognisesUsUntil == grant.to)
            #expect(await stage.alice.node.status().unfinished == 1)
        }
    }

    /// Covers INK-FCT-022, INK-FCT-023, INK-FCT-044.
    @Test func `a joiner that gives a grant and names the other's gets the full one, and not for every HELLO`()
        async throws
    {
        try await Simulation.run(seed: 5) { simulation in
            let stage = try await Stage(in: simulation)
            let joiner = try await stage.join()
            try await joiner.accept()
            _ = try await joiner.rest()
            try await joiner.hello(of: stage.alice, to: stage.bob)
            let first = try #require(try await joiner.rest().last)
            try await joiner.grant(of: stage.bob, to: stage.alice)
            // The grant has been stored, so another HELLO names it.
            #expect(try await joiner.rest().map(\.type) == [.hello])
            #expect(await stage.listed()?.standing == .halfFinished)
            try await joiner.hello(naming: first, of: stage.alice, to: stage.bob)
            let full = try #require(try await joiner.rest().last)
            #expect(full.type == .grant)
            let end = try await joiner.parsed(full, of: stage.alice, to: stage.bob).to
            #expect(end.number == (try stage.period) + Grant.longestSpan - 1)
            #expect(await stage.listed()?.standing == .complete)
            #expect(await stage.listed()?.recognisesUsUntil == end)
            #expect(try await stage.outcome().get().standing == .complete)
            for _ in 0..<10 { try await joiner.hello(of: stage.alice, to: stage.bob) }
            #expect(try await joiner.rest().count { $0.type == .grant } == SessionTable.helloLimit - 2)
        }
    }

    /// Covers INK-FCT-023.
    @Test func `a joiner whose HELLO arrives while its grant is being stored hears a HELLO that names the grant`()
        async throws
    {
        try await Simulation.run(seed: 15) { simulation in
            let stage = try await Stage(in: simulation)
            let joiner = try await stage.join()
            try await joiner.accept()
            _ = try await joiner.rest()
            try await joiner.hello(of: stage.alice, to: stage.bob)
            let first = try #require(try await joiner.rest().last)
            await stage.alice.keeper.hold()
            try await joiner.grant(of: stage.bob, to: stage.alice)
            try await joiner.hello(naming: first, of: stage.alice, to: stage.bob)
            #expect(try await joiner.rest() == [])
            await stage.alice.keeper.release()
            let heard = try await joiner.rest()
            #expect(heard.map(\.type) == [.hello, .grant])
            let named = try #require(heard.first).body
            #expect(try Hello(parsing: named.span).grants.count == 1)
        }
    }

    @Test func `what does not open before both have accepted ends the link without a reply`() async throws {
        for (number, isFirst) in [true, false].enumerated() {
            try await Simulation.run(seed: 6 + UInt64(number)) { simulation in
                let stage = try await Stage(in: simulation, agrees: !isFirst)
                let joiner = try await stage.join()
                if !isFirst { #expect(try await joiner.rest().map(\.type) == [.accept]) }
                try await joiner.send([0x90] + [UInt8](repeating: 7, count: 112))
                let heard = try await joiner.rest().map(\.type)
                #expect(heard == [] || heard == [.decline])
                #expect(await joiner.hasEnded())
                #expect(await stage.listed()?.recognisesUsUntil == nil)
            }
        }
    }

    /// Covers INK-FCT-042.
    @Test func `a joiner that declines after the user has accepted is no contact`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let stage = try await Stage(in: simulation)
            let joiner = try await stage.join()
            #expect(try await joiner.rest().map(\.type) == [.accept])
            #expect(await stage.listed()?.standing == .waiting)
            try await joiner.say(RecordType.decline.rawValue)
            #expect(try await joiner.rest() == [])
            #expect(await stage.listed() == nil)
            #expect(await stage.alice.keeper.contents.contacts.isEmpty)
            #expect(await stage.outcome() == .failure(.declined))
        }
    }

    /// Covers INK-FCT-001.
    @Test func `an older card of a contact, and another card of the same serial, are refused before the user is asked`()
        async throws
    {
        for (number, serial) in [UInt32(2), 3, 4].enumerated() {
            try await Simulation.run(seed: 9 + UInt64(number)) { simulation in
                let stage = try await Stage(in: simulation)
                try await stage.alice.node.add(renamedCard(of: stage.bob, serial: 3, name: "Bob"))
                let joiner = try await stage.join(card: renamedCard(of: stage.bob, serial: serial, name: "Robert"))
                let heard = try await joiner.rest()
                #expect(heard.map(\.type) == (serial > 3 ? [.accept] : []))
                #expect(stage.asked.value == (serial > 3 ? 1 : 0))
                if serial <= 3 { #expect(await stage.outcome() == .failure(.olderCard)) }
                #expect(await stage.listed()?.cardName == (serial > 3 ? "Robert" : "Bob"))
            }
        }
    }

    /// Covers INK-ROT-012.
    @Test func `an invisible node with an open invitation does not answer confirm`() async throws {
        try await Simulation.run(seed: 12) { simulation in
            let (alice, bob) = try await contacts(in: simulation, isSecondVisible: false)
            try await bob.stop()
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            let epoch = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
            for isVisible in [true, false] {
                try await alice.node.becomeVisible(to: isVisible ? .all : .nobody)
                let (_, port) = try await alice.node.invite(lasting: .seconds(300)) { _ in false }
                if isVisible { try await simulation.wait(forSeconds: 20) { await alice.node.status().showing != nil } }
                let endpoint = Endpoint(address: alice.host.address, port: port)
                let link = try await bob.host.links.connect(to: endpoint, within: .seconds(3))
                try await link.send(try await confirmMessage(to: alice, in: epoch, from: bob, seed: isVisible ? 1 : 2))
                let answer = try? await link.receive(upTo: 65_535, within: .seconds(4))
                #expect((answer != nil) == isVisible)
                await link.close()
                await alice.node.withdrawInvitation()
                await simulation.settle()
            }
        }
    }

    /// Covers INK-FCT-031.
    @Test func `a first message that is being stored when its sender is removed is not answered`() async throws {
        try await Simulation.run(seed: 14) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await bob.stop()
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            for (seed, isRemoved) in [(UInt64(1), false), (2, true)] {
                await alice.keeper.hold()
                let isAnswered = Noted<Bool?>(nil)
                simulation.start {
                    isAnswered.value = (try? await SpokenSession.call(alice, as: bob, seed: seed)) != nil
                }
                await simulation.settle()
                if isRemoved { simulation.start { _ = try? await alice.node.remove(bob.user) } }
                await simulation.settle()
                #expect(isAnswered.value == nil)
                await alice.keeper.release()
                try await simulation.wait(forSeconds: 70) { isAnswered.value != nil }
                #expect(isAnswered.value == !isRemoved)
            }
        }
    }

    /// Covers INK-FCT-031.
    @Test func `a removed contact is answered no more, and renewing the audience ends its recognition`() async throws {
        try await Simulation.run(seed: 13) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            _ = try await firstContact(of: alice, with: bob).inviter.get()
            let carol = try Person("Carol", in: simulation)
            await simulation.settle()
            try await acquaint(alice, carol)
            try await meet(alice, bob)
            await simulation.advance(bySeconds: 2)
            let held = try #require(await bob.node.contacts().first?.recognisedUntil)
            let removal = try await alice.node.remove(bob.user)
            #expect(removal.recognisesUsUntil == held)
            #expect(removal.holdersOfGrants == 1 && removal.holdersWhomWeRecognise == 1)
            await simulation.advance(bySeconds: 1)
            #expect(await alice.node.contacts().map(\.user) == [carol.user])
            #expect(await bob.node.contacts().first?.isReachable == false)

            let before = announced(by: alice, in: simulation)
            try await alice.node.renewAudiences()
            // Nothing of the new generation has been granted yet.
            #expect(await alice.node.contacts().first?.recognisesUsUntil == nil)
            try await simulation.wait(forSeconds: 20) { announced(by: alice, in: simulation) != before }
            let epoch = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
            let known = try #require(await bob.keeper.contents.contacts.first?.grants.first)
            let name = try unwrap(known.tree.value.periodKey(epoch.period)).deviceKeys(.first).mdns.serviceName(epoch)
            let new = announced(by: alice, in: simulation).subtracting(before)
            #expect(!new.contains { $0.name == name })
            // Carol is recognised, called and given a new grant.
            let generation = try #require(await alice.keeper.contents.audiences.first).generation
            try await simulation.wait(forSeconds: 2000) {
                await carol.keeper.contents.contacts.first?.grants.first?.generation == generation
            }
            #expect(await alice.node.contacts().first?.recognisesUsUntil != nil)
        }
    }
}

/// Creates a card that a person could have signed, with another serial and name.
private func renamedCard(of person: Person, serial: UInt32, name: String) async throws -> ContactCard {
    let contents = await person.keeper.contents
    let seed = try #require(contents.rootSeed)
    return try ContactCard(
        identity: seed.value.identityKey(generation: 1), generation: 1, serial: serial,
        presence: seed.value.presenceKey(generation: 1).publicKey, certificates: person.firstCard.certificates,
        name: name)
}
