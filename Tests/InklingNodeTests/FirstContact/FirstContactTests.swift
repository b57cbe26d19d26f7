import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct FirstContactTests {
    @Test func `two strangers become contacts by an invitation and meet again in the next epoch`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let start = simulation.elapsed
            let meeting = try await firstContact(of: alice, with: bob)
            // A first contact does not wait for a boundary.
            #expect(simulation.elapsed - start < 5000)
            #expect(try meeting.inviter.get().name == "Bob")
            #expect(try meeting.joiner.get().name == "Alice")
            #expect(meeting.shownToInviter?.name == "Bob")
            #expect(meeting.shownToJoiner?.name == "Alice")
            #expect(meeting.shownToInviter?.isKnown == false)
            // Both see the same fingerprint.
            let fingerprint = try #require(meeting.shownToInviter?.fingerprint)
            #expect(fingerprint.utf8.count == 19)
            #expect(meeting.shownToJoiner?.fingerprint == fingerprint)
            try await alice.node.send("welcome", to: bob.user)
            let before = bob.confirmations(of: alice)
            try await simulation.wait(forSeconds: 1000) {
                alice.confirmations(of: bob) > 0 && bob.confirmations(of: alice) > before
            }
            #expect(await alice.keeper.contents.contacts.first?.grants.count == 1)
            #expect(await bob.keeper.contents.contacts.first?.grants.count == 1)
        }
    }

    /// Covers INK-INV-008.
    @Test func `two invisible nodes meet by an invitation and emit nothing before and after it`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await strangers(in: simulation, areVisible: false)
            #expect(simulation.network.sightings == [])
            let meeting = try await firstContact(of: alice, with: bob)
            _ = try (meeting.inviter.get(), meeting.joiner.get())
            await simulation.settle()
            #expect(simulation.network.discoverySessionCount == 0)
            #expect(!simulation.network.sightings.contains { if case .announcement = $0.kind { true } else { false } })
            // Only the session is left, and it ends when it has been idle for long enough.
            let asked = simulation.network.sightings.count(where: \.isDiscovery)
            try await simulation.wait(forSeconds: 1800) { simulation.network.linkCount == 0 }
            let count = simulation.network.sightings.count
            await simulation.advance(bySeconds: 7200)
            #expect(simulation.network.sightings.count == count)
            #expect(simulation.network.sightings.count(where: \.isDiscovery) == asked)
        }
    }

    /// Covers INK-FCT-020, INK-REC-007.
    @Test func `when the inviter declines, neither becomes a contact of the other`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let meeting = try await firstContact(of: alice, with: bob, inviterAgrees: false)
            #expect(meeting.inviter == .failure(.declined))
            #expect(meeting.joiner == .failure(.declined))
            try await nobodyKnowsAnybody(alice, bob)
        }
    }

    /// Covers INK-FCT-020, INK-FCT-042.
    @Test func `when the joiner declines, neither becomes a contact of the other`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let meeting = try await firstContact(of: alice, with: bob, joinerAgrees: false)
            #expect(meeting.inviter == .failure(.declined))
            #expect(meeting.joiner == .failure(.declined))
            try await nobodyKnowsAnybody(alice, bob)
        }
    }

    @Test func `a joiner with a wrong secret does not find the inviter, and gets no answer at its port`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (_, port) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            var randomness = SeededGenerator(seed: 99)
            let other = Invitation(
                to: try await alice.node.ownCard(), transports: .tcp, lasting: .seconds(300),
                from: alice.host.clock.read().unixSeconds, using: &randomness)
            await #expect(throws: NodeError.inviterNotFound) { try await bob.node.accept(other) { _ in true } }
            let endpoint = Endpoint(address: alice.host.address, port: port)
            await #expect(throws: NodeError.firstContactFailed(stage: "link", reason: "closed or silent")) {
                try await bob.node.accept(other, at: endpoint) { _ in true }
            }
            #expect(await alice.node.status().refusedMessages == 1)
        }
    }

    /// Covers INK-INV-004.
    @Test func `an invitation that has expired accepts no joiner`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(60)) { _ in true }
            await simulation.advance(bySeconds: 121)
            await #expect(throws: NodeError.invitationEnded) { try await alice.node.invitationOutcome() }
            await #expect(throws: NodeError.inviterNotFound) { try await bob.node.accept(invitation) { _ in true } }
            _ = try await alice.node.invite(lasting: .seconds(60)) { _ in true }
        }
    }

    @Test func `an invitation can be used only once`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let carol = try Person("Carol", in: simulation)
            let invitation = Noted<Invitation?>(nil)
            let meeting = try await firstContact(of: alice, with: bob, noting: invitation)
            _ = try meeting.inviter.get()
            let used = try #require(invitation.value)
            await #expect(throws: NodeError.inviterNotFound) { try await carol.node.accept(used) { _ in true } }
            #expect(await alice.node.contacts().count == 1)
        }
    }

    /// Covers INK-INV-004.
    @Test func `eight failed attempts end an invitation`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (invitation, port) = try await alice.node.invite(lasting: .seconds(600)) { _ in true }
            let stranger = simulation.addHost()
            let endpoint = Endpoint(address: alice.host.address, port: port)
            for number in 1...8 {
                let packet = try firstMessage(for: invitation, from: bob, seed: UInt64(number))
                let link = try await stranger.links.connect(to: endpoint, within: .seconds(3))
                try await link.send(packet)
                // Each attempt is answered with the card, and sends nothing more.
                #expect(try await link.receive(upTo: 65_535, within: .seconds(1)).count > 256)
                await link.close()
            }
            let link = try await stranger.links.connect(to: endpoint, within: .seconds(3))
            try await link.send(try firstMessage(for: invitation, from: bob, seed: 9))
            await #expect(throws: LinkError.closed) { try await link.receive(upTo: 65_535, within: .seconds(60)) }
            await simulation.advance(bySeconds: 61)
            await #expect(throws: NodeError.invitationEnded) { try await alice.node.invitationOutcome() }
        }
    }

    @Test func `a replayed attempt does not count and gets no answer`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (invitation, port) = try await alice.node.invite(lasting: .seconds(600)) { _ in true }
            let stranger = simulation.addHost()
            let endpoint = Endpoint(address: alice.host.address, port: port)
            let packet = try firstMessage(for: invitation, from: bob, seed: 1)
            let first = try await stranger.links.connect(to: endpoint, within: .seconds(3))
            try await first.send(packet)
            _ = try await first.receive(upTo: 65_535, within: .seconds(1))
            for _ in 0..<8 {
                let link = try await stranger.links.connect(to: endpoint, within: .seconds(3))
                try await link.send(packet)
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 65_535, within: .seconds(60)) }
            }
            _ = try await bob.node.accept(invitation) { _ in true }
            #expect(try await alice.node.invitationOutcome().name == "Bob")
        }
    }

    /// Covers INK-FCT-010.
    @Test func `contacts who repeat a first contact are told that they know each other, and stay one contact`()
        async throws
    {
        try await Simulation.run(seed: 10) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            _ = try await firstContact(of: alice, with: bob).inviter.get()
            let again = try await firstContact(of: bob, with: alice)
            #expect(again.shownToInviter?.isKnown == true)
            #expect(again.shownToJoiner?.isKnown == true)
            #expect(await alice.node.contacts().count == 1)
            #expect(await bob.node.contacts().count == 1)
            let declined = try await firstContact(of: alice, with: bob, joinerAgrees: false)
            #expect(declined.inviter == .failure(.declined))
            // The existing contact is unchanged.
            #expect(await alice.node.contacts().first?.recognisedUntil != nil)
            let before = alice.confirmations(of: bob)
            try await simulation.wait(forSeconds: 1000) { alice.confirmations(of: bob) > before }
        }
    }

    @Test func `an invitation survives the boundary of an epoch and the silent gap`() async throws {
        try await Simulation.run(seed: 11) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            await simulation.advance(bySeconds: try secondsToBoundary(of: alice) - 20)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            await simulation.advance(bySeconds: 20)
            let summary = try await bob.node.accept(invitation) { _ in true }
            #expect(summary.name == "Alice")
            #expect(try await alice.node.invitationOutcome().name == "Bob")
        }
    }

    /// Covers INK-ROT-011.
    @Test func `an inviter learns its port of the next epoch, and a joiner who is told it comes in there`() async throws
    {
        try await Simulation.run(seed: 15) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            await simulation.advance(bySeconds: try secondsToBoundary(of: alice) - 20)
            let later = Noted<UInt16?>(nil)
            let (invitation, port) = try await alice.node.invite(
                lasting: .seconds(300), portChanged: { later.value = $0 }, confirm: { _ in true })
            await simulation.advance(bySeconds: 15)
            #expect(later.value == nil)
            await simulation.advance(bySeconds: 20)
            let next = try #require(later.value)
            #expect(next != port)
            let endpoint = Endpoint(address: alice.host.address, port: next)
            #expect(try await bob.node.accept(invitation, at: endpoint) { _ in true }.name == "Alice")
            #expect(try await alice.node.invitationOutcome().name == "Bob")
        }
    }

    /// Covers INK-INV-002.
    @Test func `only one invitation can be open, and a withdrawn one accepts no joiner`() async throws {
        try await Simulation.run(seed: 12) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            await #expect(throws: NodeError.invitationOpen) {
                try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            }
            await alice.node.withdrawInvitation()
            await #expect(throws: NodeError.inviterNotFound) { try await bob.node.accept(invitation) { _ in true } }
        }
    }

    /// Covers INK-CRD-023.
    @Test func `rejects a card with a key of ours or of another contact`() async throws {
        try await Simulation.run(seed: 13) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            let bobs = try await bob.node.ownCard()
            let alices = try await alice.node.ownCard()
            for stolen in [try #require(bobs.certificates.first).key, try #require(alices.certificates.first).key] {
                var randomness = SeededGenerator(seed: 5)
                let seed = RootSeed(from: &randomness)
                let identity = seed.identityKey(generation: 1)
                let certificate = try DeviceCertificate(
                    index: .first, key: stolen, from: now, to: now, isPrimary: true, signedBy: identity)
                let card = try ContactCard(
                    identity: identity, generation: 1, serial: 1, presence: seed.presenceKey(generation: 1).publicKey,
                    certificates: [certificate], name: "Mallory")
                await #expect(throws: NodeError.keyOfAnother) { try await alice.node.add(card) }
            }
            await #expect(throws: NodeError.keyOfAnother) { try await alice.node.add(alices) }
            await #expect(throws: NodeError.knownContact) { try await alice.node.add(bobs) }
        }
    }
}

/// The outcome of a first contact on both sides, and what each user was shown.
struct Meeting: Sendable {
    var inviter: Result<ContactSummary, NodeError>
    var joiner: Result<ContactSummary, NodeError>
    var shownToInviter: Introduction?
    var shownToJoiner: Introduction?
}

/// Creates two people on the network who are not contacts.
func strangers(in simulation: Simulation, areVisible: Bool = true) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation, isVisible: areVisible)
    let bob = try Person("Bob", in: simulation, isVisible: areVisible)
    if areVisible {
        try await simulation.wait(forSeconds: 20) {
            guard await alice.isShown() else { return false }
            return await bob.isShown()
        }
    }
    await simulation.settle()
    return (alice, bob)
}

/// Runs a first contact: one person opens an invitation and the other accepts it.
func firstContact(
    of inviter: Person, with joiner: Person, inviterAgrees: Bool = true, joinerAgrees: Bool = true,
    noting noted: Noted<Invitation?>? = nil
) async throws -> Meeting {
    let shownToInviter = Noted<Introduction?>(nil)
    let shownToJoiner = Noted<Introduction?>(nil)
    let (invitation, _) = try await inviter.node.invite(lasting: .seconds(600)) { introduction in
        shownToInviter.value = introduction
        return inviterAgrees
    }
    noted?.value = invitation
    async let theirs = result { () async throws(NodeError) in
        try await joiner.node.accept(invitation) { introduction in
            shownToJoiner.value = introduction
            return joinerAgrees
        }
    }
    let ours = await result { () async throws(NodeError) in try await inviter.node.invitationOutcome() }
    return Meeting(
        inviter: ours, joiner: await theirs, shownToInviter: shownToInviter.value, shownToJoiner: shownToJoiner.value)
}

private func result(
    of body: () async throws(NodeError) -> ContactSummary
) async -> Result<ContactSummary, NodeError> {
    do throws(NodeError) { return .success(try await body()) } catch { return .failure(error) }
}

private func nobodyKnowsAnybody(_ people: Person...) async throws {
    for person in people {
        // The state that was stored for the one who had accepted is dropped again.
        await person.simulation.settle()
        #expect(await person.node.contacts() == [])
        #expect(await person.keeper.contents.contacts.isEmpty)
        #expect(await person.node.status().sessions == 0)
    }
}

/// Returns the seconds until the current epoch of a person's clock ends.
func secondsToBoundary(of person: Person) throws -> UInt64 {
    let now = person.host.clock.read().unixSeconds
    return try #require(Epoch(containing: now)).end - now
}
