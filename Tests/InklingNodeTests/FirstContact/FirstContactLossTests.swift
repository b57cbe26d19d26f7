import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

/// First contacts whose link is lost, or whose nodes end, at every moment after the link was made.
@Suite struct FirstContactLossTests {
    private enum Accident: CaseIterable {
        case linkLost
        case inviterEnds
        case joinerEnds
    }

    /// Covers INK-FCT-010, INK-FCT-012, INK-FCT-016, INK-FCT-030, INK-FCT-032.
    @Test(arguments: [0, 1, 2])
    func `whatever is lost when, nobody is recognised by somebody unlisted, and both become contacts`(
        number: Int
    ) async throws {
        let accident = Accident.allCases[number]
        let seen = Noted<Set<Standing>>([])
        var moment: UInt64 = 0
        while moment <= 200 {
            let at = moment
            try await Simulation.run(seed: 100 + at) { simulation in
                simulation.network.conditions.delay = 10...10
                let (alice, bob) = try await strangers(in: simulation)
                let (invitation, _) = try await alice.node.invite(lasting: .seconds(600)) { _ in true }
                simulation.start { [node = bob.node] in _ = try? await node.accept(invitation) { _ in true } }
                try await simulation.wait(forSeconds: 20) { simulation.network.linkCount > 0 }
                await simulation.advance(byMilliseconds: at)
                switch accident {
                case .linkLost: bob.host.resetLinks()
                case .inviterEnds:
                    try await alice.stop()
                    try await alice.restart()
                case .joinerEnds:
                    try await bob.stop()
                    try await bob.restart()
                }
                await simulation.advance(bySeconds: 2)
                try await nobodyRecognisesUnlisted(alice, bob)
                for person in [alice, bob] {
                    let standing = await person.node.contacts().first?.standing ?? Standing.none
                    seen.value.insert(standing)
                }
                try await finish(alice, bob, in: simulation)
                try await nobodyRecognisesUnlisted(alice, bob)
            }
            moment += 10
        }
        // The moments reach from before the first consent to after the last grant.
        #expect(seen.value.isSuperset(of: [.none, .complete]))
        #expect(seen.value.contains(.halfFinished) || seen.value.contains(.waiting))
    }

    /// Meets again, without a first contact where both hold a grant.
    private func finish(_ alice: Person, _ bob: Person, in simulation: Simulation) async throws {
        try await simulation.wait(forSeconds: 40) {
            guard await alice.isShown() else { return false }
            return await bob.isShown()
        }
        let ours = await alice.keeper.contents.contacts.first?.grants.isEmpty == false
        let theirs = await bob.keeper.contents.contacts.first?.grants.isEmpty == false
        let hold = ours && theirs
        if !hold {
            await alice.node.withdrawInvitation()
            let meeting = try await firstContact(of: alice, with: bob)
            _ = try (meeting.inviter.get(), meeting.joiner.get())
        }
        try await simulation.wait(forSeconds: 2000) {
            let ours = await alice.node.contacts().first?.standing
            let theirs = await bob.node.contacts().first?.standing
            return ours == .complete && theirs == .complete
        }
        let before = alice.confirmations(of: bob)
        try await simulation.wait(forSeconds: 1000) { alice.confirmations(of: bob) > before }
    }

    private func nobodyRecognisesUnlisted(_ one: Person, _ other: Person) async throws {
        for (issuer, holder) in [(one, other), (other, one)] {
            let held = await holder.keeper.contents.contacts.first { $0.user == issuer.user }?.grants ?? []
            guard let latest = held.map(\.to).max() else { continue }
            let listed = try #require(await issuer.node.contacts().first { $0.user == holder.user })
            #expect(listed.standing >= .halfFinished)
            #expect(try #require(listed.recognisesUsUntil) >= latest)
        }
    }

    /// Covers INK-FCT-009, INK-ROT-010.
    @Test
    func `two people who decide over a boundary become contacts, and the link is a session no longer than others`()
        async throws
    {
        try await Simulation.run(seed: 300) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            await simulation.advance(bySeconds: try secondsToBoundary(of: alice) - 30)
            let (thought, also) = (Reply<Bool>(), Reply<Bool>())
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(600)) { _ in await thought.value() }
            let joined = Noted<ContactSummary?>(nil)
            simulation.start { [node = bob.node] in
                joined.value = try? await node.accept(invitation) { _ in await also.value() }
            }
            try await simulation.wait(forSeconds: 20) { simulation.network.linkCount > 0 }
            await simulation.advance(bySeconds: 60)
            #expect(simulation.network.linkCount > 0)
            for answer in [thought, also] { answer.send(true) }
            try await simulation.wait(forSeconds: 20) { joined.value?.standing == .complete }
            #expect(try await alice.node.invitationOutcome().standing == .complete)
            try await simulation.wait(forSeconds: 1000) { await alice.node.status().showing == nil }
            await simulation.settle()
            #expect(await alice.node.status().sessions == 0)
        }
    }

    /// Covers INK-FCT-002.
    @Test func `two people who invite each other at the same time make one first contact`() async throws {
        try await Simulation.run(seed: 301) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (hers, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            let (his, _) = try await bob.node.invite(lasting: .seconds(300)) { _ in true }
            simulation.start { [node = bob.node] in _ = try? await node.accept(hers) { _ in true } }
            simulation.start { [node = alice.node] in _ = try? await node.accept(his) { _ in true } }
            try await simulation.wait(forSeconds: 60) {
                let ours = await alice.node.contacts().first?.standing
                let theirs = await bob.node.contacts().first?.standing
                return ours == .complete && theirs == .complete
            }
            let before = alice.confirmations(of: bob)
            try await simulation.wait(forSeconds: 1000) { alice.confirmations(of: bob) > before }
        }
    }

    /// Covers INK-FCT-003.
    @Test func `a fifth first contact is refused while no session has followed the four`() async throws {
        try await Simulation.run(seed: 302) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            for count in 1...4 {
                let (invitation, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
                let thought = Reply<Bool>()
                let hasEnded = Noted(false)
                simulation.start { [node = bob.node] in
                    _ = try? await node.accept(invitation) { _ in await thought.value() }
                    hasEnded.value = true
                }
                try await simulation.wait(forSeconds: 20) {
                    await alice.keeper.contents.contacts.first?.pairwiseKeys.count == count
                }
                bob.host.resetLinks()
                try await simulation.wait(forSeconds: 20) { hasEnded.value }
                #expect(try await alice.node.invitationOutcome().standing == .waiting)
                thought.send(false)
            }
            #expect(await alice.keeper.contents.contacts.first?.pairwiseKeys.count == 4)
            let meeting = try await firstContact(of: alice, with: bob)
            #expect(meeting.inviter == .failure(.tooManyKeys))
        }
    }
}
