import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct NodeRecoveryTests {
    /// Covers INK-ROT-033.
    @Test func `no generation begins from a clock that nothing supports`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            try await alice.stop()
            let before = await alice.keeper.contents
            func node(trustsClock: Bool = false) throws -> Node {
                try #require(
                    Node(
                        contents: before, keeper: alice.keeper, ports: alice.host.ports(run: 9), isVisible: false,
                        trustsClock: trustsClock))
            }
            // Nothing supports the clock.
            alice.host.timeEvidence.set(FixedTimeEvidence.none)
            await #expect(throws: NodeError.clockNotAccepted) { try await node().beginNewGenerations() }
            // A time server has set it ten years ahead a moment ago.
            alice.host.timeEvidence.set(FixedTimeEvidence.synchronised)
            alice.host.clock.step(byMilliseconds: 3650 * 86_400_000)
            await #expect(throws: NodeError.clockNotAccepted) { try await node().beginNewGenerations() }
            #expect(await alice.keeper.contents.audiences.map(\.generation) == before.audiences.map(\.generation))
            // The operator vouches for this time.
            try await node(trustsClock: true).beginNewGenerations()
            let after = try #require(await alice.keeper.contents.audiences.first).generation
            let generation = try #require(before.audiences.first).generation
            #expect(after > generation + 80_000)
        }
    }

    /// Covers INK-ROT-033.
    @Test func `generations begin from a supported clock behind the time that the operator discards`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let alice = try Person("Alice", in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            try await alice.stop()
            alice.host.clock.step(byMilliseconds: -40 * 86_400_000)
            let contents = await alice.keeper.contents
            let node = try #require(
                Node(contents: contents, keeper: alice.keeper, ports: alice.host.ports(run: 9), isVisible: false))
            try await node.beginNewGenerations()
            #expect(await alice.keeper.contents.latestAcceptedTime == nil)
        }
    }

    /// Covers INK-CRD-009.
    @Test func `a changed card has at least the number of the period as its serial`() throws {
        var randomness = SeededGenerator(seed: 1)
        let born = try #require(Period(490_000)), now = try #require(Period(497_000))
        var contents = try NodeIdentity.makeContents(name: "Ada", now: born, using: &randomness)
        #expect(contents.cardSerial == 1)
        let isRenewed = try contents.renewCertificate(now: now)
        #expect(isRenewed)
        #expect(contents.cardSerial == 497_000)
        #expect(try contents.ownCard(now: now).serial == 497_000)
        // A second change in the same period, and a contact that names a higher serial.
        try contents.signCard(now: now)
        #expect(contents.cardSerial == 497_001)
        let isRaised = try contents.raiseSerial(above: 497_500, now: now)
        #expect(isRaised)
        #expect(contents.cardSerial == 497_501)
        for reported: UInt32 in [497_501, 1, 498_025, .max] {
            let isRaised = try contents.raiseSerial(above: reported, now: now)
            #expect(!isRaised)
        }
        #expect(contents.cardSerial == 497_501)
    }

    /// Covers INK-CRD-009.
    @Test func `after a restored backup a contact that holds a newer card gets one that is newer still`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            // Bob holds a card that the restored copy does not know.
            let seed = try #require(await alice.keeper.contents.rootSeed)
            let forgotten = try ContactCard(
                identity: seed.value.identityKey(generation: 1), generation: 1, serial: 70,
                presence: seed.value.presenceKey(generation: 1).publicKey,
                certificates: alice.firstCard.certificates, name: "Alice before")
            try await bob.node.add(forgotten)
            try await alice.node.add(bob.node.ownCard())
            try await grant(from: alice, to: bob)
            try await grant(from: bob, to: alice)
            try await meet(alice, bob)
            try await simulation.wait(forSeconds: 10) { await bob.node.contacts().map(\.cardName) == ["Alice"] }
            #expect(await alice.keeper.contents.cardSerial > 70)
        }
    }

    /// Covers INK-CRD-009.
    @Test func `new generations after a restore come with a new card`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            try await alice.stop()
            var contents = await alice.keeper.contents
            contents.restored = RestoredCopy(generation: 1, latestAcceptedTime: contents.latestAcceptedTime)
            let node = try #require(
                Node(contents: contents, keeper: alice.keeper, ports: alice.host.ports(run: 9), isVisible: false))
            try await node.beginNewGenerations()
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            let after = await alice.keeper.contents
            // Above the serials that the original gives to its cards in this period.
            #expect((now.number + 1...now.number + 513).contains(after.cardSerial))
            #expect(try after.ownCard(now: now).serial == after.cardSerial)
        }
    }

    /// Covers INK-VLT-012.
    @Test(arguments: [true, false])
    func `answered messages of the past are dropped, also while the node is invisible`(isVisible: Bool) async throws {
        try await Simulation.run(seed: 5) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            try await alice.stop()
            var contents = await alice.keeper.contents
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
            let old = try #require(Epoch(now.number - 40))
            contents.answeredMessages = (0..<8192).map { number in
                AnsweredMessage(
                    epoch: number < 4096 ? old : old.next ?? old,
                    ephemeral: Octets32(
                        first: Octets16(high: 0, low: UInt64(number)), second: Octets16(high: 0, low: 0)))
            }
            try await alice.keeper.save(contents)
            try await alice.restart(isVisible: isVisible)
            await simulation.advance(bySeconds: 30)
            #expect(await alice.keeper.contents.answeredMessages.isEmpty)
        }
    }

    /// Covers INK-ROT-028.
    @Test func `an invisible node keeps no table of its contacts' names`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            #expect(await alice.node.predictions.table.count > 0)
            try await alice.node.becomeVisible(to: .nobody)
            await simulation.settle()
            #expect(await alice.node.predictions.table.count == 0)
            // Changes of contacts derive none, and neither do boundaries.
            try await alice.node.block(bob.user)
            try await alice.node.unblock(bob.user)
            for _ in 0..<8 {
                await simulation.advance(bySeconds: 900)
                #expect(await alice.node.predictions.table.count == 0)
            }
            // An invitation is published, and contacts are still not looked for.
            _ = try await alice.node.invite(lasting: .seconds(600)) { _ in false }
            for _ in 0..<30 {
                await simulation.advance(bySeconds: 20)
                #expect(await alice.node.predictions.table.count == 0)
            }
            // The table that was made for the invitation is not taken for one of the contacts.
            await alice.node.withdrawInvitation()
            _ = try await alice.node.invite(lasting: .seconds(600)) { _ in false }
            await simulation.advance(bySeconds: 20)
            try await alice.node.becomeVisible(to: .all)
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    /// Covers INK-ROT-012.
    @Test func `an invisible node answers no confirm at the port of its invitation`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await bob.stop()
            try await alice.node.becomeVisible(to: .nobody)
            await simulation.settle()
            let (_, port) = try await alice.node.invite(lasting: .seconds(600)) { _ in false }
            await simulation.advance(bySeconds: 11)
            let epoch = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
            let link = try await bob.host.links.connect(
                to: Endpoint(address: alice.host.address, port: port), within: .seconds(3))
            try await link.send(confirmMessage(to: alice, in: epoch, from: bob, seed: 4))
            await #expect(throws: LinkError.self) { try await link.receive(upTo: 65_535, within: .seconds(60)) }
            #expect(await alice.node.status().sessions == 0)
            await link.close()
        }
    }
}
