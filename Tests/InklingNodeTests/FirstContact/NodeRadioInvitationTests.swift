import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeRadioInvitationTests {
    /// Covers INK-INV-009, INK-INV-014, INK-INV-015.
    @Test func `two nodes with radios alone make first contact, and a stranger who watches sees no value twice`()
        async throws
    {
        for seed: UInt64 in 1...3 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioStrangers(in: simulation)
                let stranger = simulation.air.addStranger()
                let own = try await alice.copyOfPublication(by: stranger)
                let seen = Noted<RecognitionTag?>(nil)
                simulation.start {
                    // The stranger reads the tag that Alice shows while her invitation is open.
                    for _ in 0..<600 where seen.value == nil {
                        try? await alice.host.clock.sleep(
                            until: alice.host.clock.read().tick.advanced(byMilliseconds: 200))
                        guard let shown = simulation.air.broadcasts(from: alice.radio).last, shown.minor != own.minor,
                            let address = alice.radio.address, shown.address == address,
                            let link = try? await stranger.connect(to: address)
                        else { continue }
                        seen.value = try? await link.readTag(within: .seconds(5))
                        await link.close()
                    }
                }
                let meeting = try await firstContact(of: alice, with: bob)
                #expect(try meeting.inviter.get().user == bob.user)
                #expect(try meeting.joiner.get().user == alice.user)
                #expect(meeting.shownToInviter?.fingerprint == meeting.shownToJoiner?.fingerprint)
                #expect(seen.value != nil && seen.value != own.tag)
                // No call went over a network, and the joiner's link looks like every other.
                let link = try #require(simulation.air.links(from: bob.radio).first)
                #expect(link.exchanges.map(\.outline).prefix(2) == ["read", "tag"])
                #expect(link.initiatorType == .resolvablePrivate)
                // The two recognise each other by their ordinary values, in the same epoch.
                await simulation.advance(bySeconds: 8)
                try await meet(alice, bob, withinSeconds: 90)
                #expect(try await alice.contact(bob).reachableOver == [.bluetooth])
                #expect(
                    alice.confirmations(of: bob, over: .bluetooth) + bob.confirmations(of: alice, over: .bluetooth) > 0)
                try await expectNothingTwice(by: alice, in: simulation)
                let again = try await alice.copyOfPublication(by: stranger)
                #expect(again.minor == own.minor && again.tag == own.tag, "in the same epoch")
            }
        }
    }

    /// Covers INK-INV-015.
    @Test func `copies of the invitation's minor keep the joiner from nothing, and get a first message to nobody`()
        async throws
    {
        try await Simulation.run(seed: 11) { simulation in
            let (alice, bob) = try await radioStrangers(in: simulation)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            let shown = try #require(publication(of: invitation, at: bob.host.clock.read().unixSeconds))
            let stranger = simulation.addStranger(
                showing: RadioPublication(minor: shown.minor, tag: RecognitionTag(Octets16(high: 4, low: 5))))
            defer { withExtendedLifetime(stranger) {} }
            async let outcome = alice.node.invitationOutcome()
            let joined = try await bob.node.accept(invitation) { _ in true }
            let met = try await outcome
            #expect(joined.user == alice.user && met.user == bob.user)
            for link in simulation.air.links(from: bob.radio) where link.advertiser == (try strangeAddress(3)) {
                #expect(link.exchanges.map(\.outline) == ["read", "tag", "write 129"])
            }
        }
    }

    /// Covers INK-INV-015, INK-INV-016.
    @Test func `a mute copy of the minor and the tag of an invitation does not keep the joiner from the inviter`()
        async throws
    {
        let copiesCalled = Noted(0)
        for seed: UInt64 in 21...26 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioStrangers(in: simulation)
                let (invitation, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
                let shown = try #require(publication(of: invitation, at: bob.host.clock.read().unixSeconds))
                let stranger = simulation.addStranger(showing: shown)
                defer { withExtendedLifetime(stranger) {} }
                async let outcome = alice.node.invitationOutcome()
                let joined = try await bob.node.accept(invitation) { _ in true }
                let met = try await outcome
                #expect(joined.user == alice.user && met.user == bob.user)
                let links = simulation.air.links(from: bob.radio)
                let copies = try links.filter { $0.advertiser == (try strangeAddress(3)) }
                copiesCalled.value += copies.count
                // Each copy gets a first message of its own, as the inviter does, which proves nothing to it.
                #expect(copies.count <= 1)
                #expect(copies.allSatisfy { $0.exchanges.map(\.outline) == ["read", "tag", "write 129"] })
                let writes = links.compactMap { $0.exchanges.first { $0.outline == "write 129" }?.fragment }
                #expect(Set(writes).count == writes.count)
            }
        }
        #expect(copiesCalled.value > 0)
    }

    /// Covers INK-INV-009.
    @Test func `what shows the invitation says so, and an invisible inviter shows it and nothing else`() async throws {
        for isVisible in [true, false] {
            try await Simulation.run(seed: 31) { simulation in
                let (alice, bob) = try await radioStrangers(in: simulation, isInviterVisible: isVisible)
                let before = simulation.air.broadcasts(from: alice.radio).count
                #expect(before == (isVisible ? 1 : 0))
                let (invitation, _) = try await alice.node.invite(lasting: .seconds(120)) { _ in true }
                let shown = try #require(publication(of: invitation, at: alice.host.clock.read().unixSeconds))
                try await simulation.wait(forSeconds: 30) {
                    simulation.air.broadcasts(from: alice.radio).count == before + 1
                }
                await simulation.advance(bySeconds: 2)
                #expect(simulation.air.broadcasts(from: alice.radio).last?.minor == shown.minor)
                let status = try await alice.bluetooth()
                #expect(status.showing == nil && status.silence == (isVisible ? .inviting : .invisible))
                async let outcome = alice.node.invitationOutcome()
                #expect(try await bob.node.accept(invitation) { _ in true }.user == alice.user)
                #expect(try await outcome.user == bob.user)
                await simulation.advance(bySeconds: 30)
                let after = try await alice.bluetooth()
                #expect((after.showing != nil) == isVisible)
                #expect(simulation.air.broadcasts(from: alice.radio).count == before + (isVisible ? 2 : 1))
                #expect((alice.radio.address == nil) == !isVisible)
            }
        }
    }

    /// Covers INK-INV-009.
    @Test func `an invitation that ends just before a boundary is not shown after it`() async throws {
        try await Simulation.run(seed: 32) { simulation in
            let (alice, _) = try await radioStrangers(in: simulation)
            await simulation.advance(byMilliseconds: 500_000 - simulation.elapsed)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            await simulation.advance(byMilliseconds: 593_000 - simulation.elapsed)
            let shown = try #require(publication(of: invitation, at: alice.host.clock.read().unixSeconds))
            #expect(simulation.air.broadcasts(from: alice.radio).last?.minor == shown.minor)
            await alice.node.withdrawInvitation()
            await simulation.advance(byMilliseconds: 640_000 - simulation.elapsed)
            let later = simulation.air.broadcasts(from: alice.radio).filter { $0.last > 600_000 }
            let next = try #require(publication(of: invitation, at: alice.host.clock.read().unixSeconds))
            #expect(later.count == 1 && later.first?.minor != next.minor)
            #expect(try await alice.bluetooth().showing != nil)
        }
    }

    /// Covers INK-INV-009, INK-PAIR-011.
    @Test func `a change of visibility under an open invitation shows no identifiers of the inviter`() async throws {
        try await Simulation.run(seed: 33) { simulation in
            let (alice, _) = try await radioStrangers(in: simulation)
            let own = try #require(simulation.air.broadcasts(from: alice.radio).last?.minor)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            await simulation.advance(bySeconds: 20)
            for choice in [Visibility.nobody, .all] {
                try await alice.node.becomeVisible(to: choice)
                await simulation.advance(bySeconds: 20)
                let shown = try #require(publication(of: invitation, at: alice.host.clock.read().unixSeconds))
                let status = try await alice.bluetooth()
                #expect(status.silence == (choice == .all ? .inviting : .invisible))
                #expect(simulation.air.broadcasts(from: alice.radio).dropFirst().allSatisfy { $0.minor == shown.minor })
            }
            await alice.node.withdrawInvitation()
            await simulation.advance(bySeconds: 20)
            #expect(simulation.air.broadcasts(from: alice.radio).last?.minor == own)
        }
    }

    /// Covers INK-INV-009.
    @Test func `a radio that carries no links goes on showing its owner while an invitation is open`() async throws {
        try await Simulation.run(seed: 34) { simulation in
            let (alice, _) = try await radioStrangers(in: simulation, carriesLinks: false)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(120)) { _ in true }
            #expect(invitation.transports == .tcp)
            await simulation.advance(bySeconds: 40)
            #expect(simulation.air.broadcasts(from: alice.radio).count == 1)
            #expect(try await alice.bluetooth().showing != nil)
        }
    }

    /// Covers INK-INV-009.
    @Test func `an invitation that is open over a boundary shows other values, and is accepted after it`() async throws
    {
        try await Simulation.run(seed: 12) { simulation in
            let (alice, bob) = try await radioStrangers(in: simulation)
            await simulation.advance(byMilliseconds: 500_000 - simulation.elapsed)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(600)) { _ in true }
            try await simulation.wait(forSeconds: 30) { alice.radio.address != nil }
            let before = try #require(simulation.air.broadcasts(from: alice.radio).last)
            await simulation.advance(byMilliseconds: 620_000 - simulation.elapsed)
            try await alice.waitForRadio()
            let after = try #require(simulation.air.broadcasts(from: alice.radio).last)
            #expect(before.minor != after.minor && before.address != after.address)
            async let outcome = alice.node.invitationOutcome()
            let joined = try await bob.node.accept(invitation) { _ in true }
            let met = try await outcome
            #expect(joined.user == alice.user && met.user == bob.user)
            try await expectNothingTwice(by: alice, in: simulation)
        }
    }

    /// Covers INK-INV-014.
    @Test func `an inviter calls nobody over Bluetooth and answers no contact while its invitation is shown`()
        async throws
    {
        try await Simulation.run(seed: 13) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            _ = try await alice.node.invite(lasting: .seconds(120)) { _ in true }
            await simulation.advance(bySeconds: 40)
            let calls = simulation.air.calls(from: alice.radio).count
            let confirmations = alice.confirmations(of: bob) + bob.confirmations(of: alice)
            #expect(try await alice.contact(bob).reachableOver.isEmpty)
            await simulation.advance(bySeconds: 40)
            #expect(simulation.air.calls(from: alice.radio).count == calls)
            #expect(alice.confirmations(of: bob) + bob.confirmations(of: alice) == confirmations)
            await alice.node.withdrawInvitation()
            try await meet(alice, bob, withinSeconds: 90)
        }
    }
}

/// Creates two people with radios alone, who do not know each other and are on the air.
private func radioStrangers(
    in simulation: Simulation, isInviterVisible: Bool = true, carriesLinks: Bool = true
) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation, isVisible: isInviterVisible, hasRadio: true)
    let bob = try Person("Bob", in: simulation, hasRadio: true)
    for person in [alice, bob] { person.radio.carriesLinks = carriesLinks }
    simulation.network.partition([[alice.host], [bob.host]])
    for person in isInviterVisible ? [alice, bob] : [bob] {
        try await simulation.wait(forSeconds: 30) {
            await person.node.status().technologies.allSatisfy { $0.showing != nil }
        }
    }
    return (alice, bob)
}

/// Expects that no address is used for two minors, and no minor under two addresses except after the invitation.
private func expectNothingTwice(by person: Person, in simulation: Simulation) async throws {
    let shown = simulation.air.broadcasts(from: person.radio)
    #expect(shown.count >= 2)
    #expect(Set(shown.map(\.address)).count == shown.count)
    for (one, next) in zip(shown, shown.dropFirst()) {
        #expect(one.minor != next.minor)
        #expect(next.first > one.last)
    }
}

/// Returns the publication of an invitation by radio at this time.
private func publication(of invitation: Invitation, at unixSeconds: UInt64) -> RadioPublication? {
    let tree = AudienceTree(root: invitation.keys().root.duplicate())
    guard let epoch = Epoch(containing: unixSeconds), let period = tree.periodKey(epoch.period) else { return nil }
    let keys = period.deviceKeys(.first)
    return RadioPublication(minor: keys.beacon.minor(epoch), tag: keys.gatt.tag(epoch))
}

extension Simulation {
    /// Adds a stranger that shows this publication, and sends nothing over links.
    fileprivate func addStranger(showing publication: RadioPublication) -> SimulatedRadioSession? {
        guard let address = try? strangeAddress(3) else { return nil }
        return try? air.addStranger().open(publication, at: address)
    }
}
