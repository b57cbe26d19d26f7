import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

/// Waits until two devices of one person have met, and the second has stored the state of the primary.
private func settleDevices(_ primary: Person, _ other: Person, in simulation: Simulation) async throws {
    try await simulation.wait(forSeconds: 2 * 900 + 300) {
        await other.keeper.contents.own.mark == primary.keeper.contents.stateMark
    }
}

/// Makes two people contacts by cards and sealed grants; of the grants for a user with two devices, each device takes its own.
private func befriend(_ one: Person, _ other: Person) async throws {
    try await one.node.add(other.node.ownCard())
    try await other.node.add(one.node.ownCard())
    for (from, to) in [(one, other), (other, one)] {
        for sealed in try await from.node.sealedGrants(for: to.user) {
            _ = try? await to.node.acceptSealedGrant(sealed)
        }
    }
}

/// Returns the contents without what the device link gave for later sessions: the planted fault, a device as it was before
/// own devices recognised each other.
private func withoutLink(_ contents: VaultContents) -> VaultContents {
    var contents = contents
    contents.own = OwnDevices()
    return contents
}

@Suite struct NodeOwnDeviceTests {
    /// Covers INK-DEV-009, INK-DEV-013, INK-DEV-014, INK-DEV-016, INK-DEV-017, INK-DEV-019, INK-DEV-022.
    @Test(arguments: [true, false])
    func `a device learns of a contact made later without being linked again, and not without the key of the link`(
        isLinkKept: Bool
    ) async throws {
        try await Simulation.run(seed: 11) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let joined = try #require(try await linkDevice(to: alice, in: simulation).device.contents)
            let second = try await Person("Alice", from: isLinkKept ? joined : withoutLink(joined), in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            try await befriend(alice, bob)
            try await meet(alice, bob)
            guard isLinkKept else {
                await simulation.advance(bySeconds: 3 * 900)
                #expect(await second.keeper.contents.contacts.isEmpty)
                return
            }
            try await simulation.wait(forSeconds: 2 * 900 + 300) {
                await second.keeper.contents.contacts.map(\.user) == [bob.user]
            }
            try await settleDevices(alice, second, in: simulation)
            let (here, there) = (await alice.node.devicesLastMet(), await second.node.devicesLastMet())
            #expect(Array(here.keys) == [joined.device])
            #expect(Array(there.keys) == [.first])
            // Own devices are in no list, no count and no event.
            #expect(await alice.node.contacts().map(\.user) == [bob.user])
            #expect(await alice.node.status().present == 1)
            #expect(await second.node.status().contacts == 1)
            for person in [alice, second] {
                #expect(
                    !person.events.contains {
                        switch $0 {
                        case .presence(alice.user, _), .arrived(alice.user), .confirmed(alice.user, _, _): true
                        default: false
                        }
                    })
            }
            // The second device meets the contact when the primary is away, and holds grants of the full span.
            try await alice.stop()
            let before = second.confirmations(of: bob)
            try await simulation.wait(forSeconds: 2 * 900) { second.confirmations(of: bob) > before }
            let end = try #require(await second.keeper.contents.linked.grants.first?.to)
            let now = try #require(Epoch(containing: second.host.clock.read().unixSeconds)).period
            #expect(end.number + 24 > now.number + Grant.longestSpan - 1)
        }
    }

    /// Covers INK-DEV-012, INK-DEV-018.
    @Test func `blocks, removals and new generations reach the other device, and its own names and blocks stay`()
        async throws
    {
        try await Simulation.run(seed: 12) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let carol = try Person("Carol", in: simulation)
            await simulation.settle()
            try await acquaint(alice, carol)
            try await meet(alice, bob)
            try await meet(alice, carol)
            let second = try await linked(to: alice, in: simulation)
            try await settleDevices(alice, second, in: simulation)
            try await second.node.rename(bob.user, to: "Bobby")
            try await second.node.block(carol.user)
            try await alice.node.block(bob.user)
            try await settleDevices(alice, second, in: simulation)
            let blocked = await second.keeper.contents
            #expect(blocked.contact(bob.user)?.isBlocked == true)
            #expect(blocked.contact(bob.user)?.petname == "Bobby")
            #expect(blocked.contact(carol.user)?.isBlocked == true)
            try await alice.node.unblock(bob.user)
            try await settleDevices(alice, second, in: simulation)
            #expect(await second.keeper.contents.contact(bob.user)?.isBlocked == false)
            #expect(await second.keeper.contents.contact(carol.user)?.isBlocked == true)

            // The second device is away while the audience is renewed twice, and shows the first generation when it is back.
            try await second.stop()
            let old = await second.keeper.contents.audiences[0].generation
            for _ in 0..<2 {
                try await alice.node.revoke(carol.user, to: .blind)
                try await alice.node.unblock(carol.user)
            }
            _ = try await alice.node.remove(carol.user)
            await simulation.advance(bySeconds: 900)
            let renewed = await alice.keeper.contents
            #expect(renewed.audiences[0].generation > old)
            #expect(renewed.own.generations.contains { $0.former != nil && $0.generation == old })
            try await second.restart()
            try await settleDevices(alice, second, in: simulation)
            let refreshed = await second.keeper.contents
            #expect(refreshed.audiences[0].generation == renewed.audiences[0].generation)
            #expect(refreshed.contacts.map(\.user) == [bob.user])
            // Nothing of earlier generations is kept once the device has named the state.
            try await simulation.wait(forSeconds: 60) {
                await alice.keeper.contents.own.generations.allSatisfy { $0.former == nil }
            }
        }
    }

    /// Covers INK-DEV-020, INK-DEV-021.
    @Test func `a removed device gets nothing, is not recognised, and the third device is refreshed`() async throws {
        try await Simulation.run(seed: 13) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let second = try await linked(to: alice, in: simulation)
            let third = try await linked(to: alice, in: simulation)
            try await settleDevices(alice, second, in: simulation)
            try await settleDevices(alice, third, in: simulation)
            await #expect(throws: NodeError.notPrimary) { try await third.node.revoke(bob.user, to: .blind) }
            let lost = await second.keeper.contents
            try await alice.node.removeDevice(lost.device)
            // The control: the device that stays has the new generation.
            try await settleDevices(alice, third, in: simulation)
            let generation = await alice.keeper.contents.audiences[0].generation
            #expect(await third.keeper.contents.audiences[0].generation == generation)
            #expect(generation > lost.audiences[0].generation)
            await simulation.advance(bySeconds: 3 * 900)
            let met = await alice.node.devicesLastMet()
            #expect(met.keys.map(\.number) == [2])
            let kept = await second.keeper.contents
            #expect(kept.own.mark == lost.own.mark)
            #expect(kept.audiences[0].generation == lost.audiences[0].generation)
            #expect(await second.node.sessions.sessions(with: alice.user).isEmpty)
            #expect(await alice.keeper.contents.own.generations.allSatisfy { $0.former == nil })
        }
    }

    /// Covers INK-DEV-015.
    @Test func `a state of many records goes in parts, and one that is cut short changes nothing`() async throws {
        try await Simulation.run(seed: 14) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let second = try await linked(to: alice, in: simulation)
            try await second.stop()
            try await alice.stop()
            var random = SeededGenerator(seed: 3)
            var contents = await alice.keeper.contents
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            let first = PairwiseKeyNumber(rawValue: 1)
            var agreement = Agreement()
            (agreement.standing, agreement.keys, agreement.shared) = (.complete, [first], first)
            (agreement.turn, agreement.grantedUntil) = (2, now)
            for number in 0..<200 {
                let other = try NodeIdentity.makeContents(name: "\(number)", now: now, using: &random)
                let card = try other.ownCard(now: now)
                contents.contacts.append(
                    StoredContact(
                        user: card.userID, card: card.bytes, petname: "", agreement: agreement,
                        pairwiseKeys: [
                            StoredPairwiseKey(
                                number: first, origin: .firstContact,
                                key: SecretBox(SecretBytes(count: keyByteCount, from: &random)))
                        ], added: now))
            }
            try await alice.keeper.save(contents)
            try await alice.restart()
            try await second.restart()
            try await settleDevices(alice, second, in: simulation)
            #expect(await second.keeper.contents.contacts.count == 200)
            #expect(await second.keeper.contents.linked.grants.count == 200)
            #expect(await second.node.contacts().count == 200)
        }
    }
}
