import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeLifeTests {
    /// Covers INK-REC-028, INK-REC-033, INK-ROT-010.
    @Test(arguments: 1...8)
    func `every link ends with its epoch, and contacts confirm each other again after the gap`(
        seed: UInt64
    ) async throws {
        try await Simulation.run(seed: seed) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            for _ in 0..<5 {
                try await meet(alice, bob, withinSeconds: 60)
                // Calls that cross leave one link within two seconds.
                try await simulation.wait(forSeconds: 3) { simulation.network.linkCount == 1 }
                let confirmations = alice.confirmations(of: bob) + bob.confirmations(of: alice)
                await simulation.advance(byMilliseconds: untilBoundary(alice) - 100)
                #expect(simulation.network.linkCount == 0)
                #expect(await alice.node.status().sessions == 0)
                #expect(await alice.node.contacts().first?.presence.isPresent == true)
                try await simulation.wait(forSeconds: 60) {
                    alice.confirmations(of: bob) + bob.confirmations(of: alice) >= confirmations + 2
                }
            }
        }
    }

    /// Covers INK-KEY-008, INK-KEY-010.
    @Test func `nothing on the network contains a name, a user id, a public key or a card`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.node.send("a text for Bob alone", to: bob.user)
            await simulation.advance(bySeconds: 2000)
            var secrets: [(String, [UInt8])] = [("a text", Array("a text for Bob alone".utf8))]
            for person in [alice, bob] {
                let card = try await person.node.ownCard()
                secrets += [
                    ("the name", Array(person.name.utf8)), ("the identity", octets(card.identity)),
                    ("the presence key", octets(card.presence)),
                    ("the device key", octets(try #require(card.certificates.first).key)),
                    ("the user id", octets(person.user.octets)),
                ]
            }
            var packetCount = 0
            for sighting in simulation.network.sightings {
                let shown: [UInt8]
                switch sighting.kind {
                case .packet(_, let bytes):
                    shown = bytes
                    packetCount += 1
                case .announcement(let instance), .answer(let instance):
                    shown = octets(instance.name.octets) + octets(instance.host.octets)
                case .goodbye(let name), .instanceQuery(let name): shown = octets(name.octets)
                default: continue
                }
                for (what, secret) in secrets { #expect(!contains(shown, secret), "\(what)") }
            }
            #expect(packetCount > 10)
        }
    }

    /// Covers INK-HSK-013, INK-HSK-017.
    @Test func `a call that is not answered ends after five seconds`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await bob.isShown() }
            try await bob.stop()
            // Mallory takes Bob's place and knows only his current name.
            let shown = try #require(announced(by: bob, in: simulation).first)
            let mallory = simulation.addHost()
            let listener = try await mallory.links.listen()
            let session = try await mallory.discovery.open(
                Publication(announced: ServiceInstance(name: shown.name, host: shown.host, port: listener.port)),
                recognising: KnownNames())
            var waiting = listener.links.makeAsyncIterator()
            let link = try #require(await waiting.next())
            let first = try await link.receive(upTo: 65_535, within: .seconds(10))
            #expect(first.count == 129)
            let start = simulation.elapsed
            await #expect(throws: LinkError.closed) { try await link.receive(upTo: 65_535, within: .seconds(60)) }
            #expect((4900...5100).contains(simulation.elapsed - start))
            // It is not called again in this epoch.
            let confirmations = alice.confirmations(of: bob)
            await simulation.advance(byMilliseconds: untilBoundary(alice) - 2000)
            let calls = simulation.network.sightings(from: alice.host).count {
                if case .connection(let target) = $0.kind { target.address == mallory.address } else { false }
            }
            #expect(calls == 1)
            #expect(alice.confirmations(of: bob) == confirmations)
            await session.close(goodbye: false)
        }
    }

    /// Covers INK-CRD-002, INK-REC-006.
    @Test func `a certificate is renewed before it expires, and the new card reaches the contacts`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let old = try await alice.node.ownCard()
            try await alice.stop()
            // A certificate most of whose year has passed.
            var contents = await alice.keeper.contents
            let now = try period(alice)
            contents.card = try await card(of: alice, serial: 2, device: 0, until: now.number + 2000).bytes
            contents.cardSerial = 2
            try await alice.keeper.save(contents)
            try await alice.restart()
            await simulation.settle()
            let new = try await alice.node.ownCard()
            #expect(new.serial == now.number)
            #expect(new.certificates.map(\.index) == old.certificates.map(\.index))
            #expect(new.certificates.map(\.key) == old.certificates.map(\.key))
            #expect(try #require(new.certificates.first).to.number > now.number + 8000)
            try await simulation.wait(forSeconds: 1000) { bob.events.contains(.renewed(alice.user)) }
            #expect(await bob.keeper.contents.contacts.first?.card == new.bytes)
            // The card is not sent again after a HELLO has named it.
            let renewals = bob.events.count { $0 == .renewed(alice.user) }
            await simulation.advance(bySeconds: 4000)
            #expect(bob.events.count { $0 == .renewed(alice.user) } == renewals)
        }
    }

    /// Covers INK-CRD-021, INK-GRA-021, INK-HSK-011.
    @Test func `a device that the newest card does not list is neither called nor answered`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await bob.stop()
            // Alice's newest card no longer lists device 0, for which Bob still holds a grant.
            var contents = await bob.keeper.contents
            contents.contacts[0].card = try await card(of: alice, serial: 2, device: 1, until: 999_999).bytes
            try await bob.keeper.save(contents)
            try await bob.restart()
            try await simulation.wait(forSeconds: 30) { await bob.isShown() }
            let (start, heard) = (simulation.elapsed, bob.confirmations(of: alice))
            let refused = await bob.node.status().refusedMessages
            await simulation.advance(bySeconds: 3000)
            #expect(bob.confirmations(of: alice) == heard)
            #expect(
                !simulation.network.sightings(from: bob.host).contains {
                    if case .connection = $0.kind { $0.time > start } else { false }
                })
            #expect(await bob.node.status().refusedMessages > refused)
        }
    }

    /// Covers INK-REC-006.
    @Test func `a grant counts as delivered when a later HELLO names it`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            try await alice.node.add(bob.node.ownCard())
            try await bob.node.add(alice.node.ownCard())
            try await grant(from: alice, to: bob)
            simulation.network.conditions.delay = 50...50
            try await meet(alice, bob)
            // Bob's grant has arrived, but Bob does not count it as delivered before Alice's next HELLO has.
            try await simulation.wait(forSeconds: 5) { alice.events.contains(.renewed(bob.user)) }
            #expect(await bob.node.contacts().first?.standing == .halfFinished)
            #expect(await bob.keeper.contents.contacts.first?.reported.isEmpty == true)
            try await simulation.wait(forSeconds: 5) { await bob.node.contacts().first?.standing == .complete }
            await simulation.advance(byMilliseconds: untilBoundary(alice))
            try await meet(alice, bob)
            let held = await alice.node.contacts().first?.recognisedUntil
            #expect(held != nil)
            #expect(await bob.node.contacts().first?.recognisesUsUntil == held)
        }
    }

    /// Covers INK-GRA-006, INK-KEY-028, INK-REC-007, INK-ROT-032, INK-VLT-028.
    @Test func `after a restore every audience gets a new generation, and nothing is granted before a review`()
        async throws
    {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            await simulation.advance(bySeconds: 7200)
            try await alice.stop()
            let before = await alice.keeper.contents
            var restored = before
            restored.restored = RestoredCopy(generation: 4, latestAcceptedTime: before.latestAcceptedTime)
            restored.contacts[0].needsReview = true
            restored.highWaterEpoch = .init(1)
            try await alice.keeper.save(restored)
            let atRest = try #require(
                Node(contents: restored, keeper: alice.keeper, ports: alice.host.ports(run: 50), isVisible: false))
            try await atRest.beginNewGenerations()

            let now = try period(alice).number
            let after = await alice.keeper.contents
            #expect(after.restored == nil)
            #expect(after.audiences.map(\.id) == before.audiences.map(\.id))
            // Above what contacts may hold, even if the copy does not know it.
            for (new, old) in zip(after.audiences, before.audiences) {
                #expect((max(old.generation + 1, now + 1)...now + 8).contains(new.generation))
            }
            #expect(after.audiences[0].generation > before.audiences[0].generation)
            #expect(after.contacts[0].needsReview)

            try await alice.restart()
            try await meet(alice, bob, withinSeconds: 1000)
            await simulation.advance(bySeconds: 2000)
            let old = before.audiences[0].generation
            #expect(await bob.keeper.contents.contacts.first?.grants.map(\.generation) == [old])
            await #expect(throws: NodeError.needsReview) { try await alice.node.sealedGrants(for: bob.user) }
            try await alice.node.markReviewed(bob.user)
            try await simulation.wait(forSeconds: 1000) {
                await bob.keeper.contents.contacts.first?.grants.map(\.generation) == after.audiences.map(\.generation)
            }
        }
    }

    /// Covers INK-CRD-001, INK-GRA-009, INK-INV-007.
    @Test func `a device without the identity key signs neither cards nor grants and opens no invitation`() async throws
    {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await alice.stop()
            var contents = await alice.keeper.contents
            contents.rootSeed = nil
            contents.card = try await card(of: alice, serial: 1, device: 0, until: period(alice).number + 2000).bytes
            try await alice.keeper.save(contents)
            try await alice.restart()
            try await meet(alice, bob)
            await simulation.advance(bySeconds: 26 * 3600)
            #expect(await alice.keeper.contents.card == contents.card)
            #expect(!bob.events.contains(.renewed(alice.user)))
            await #expect(throws: NodeError.notPrimary) { try await alice.node.sealedGrants(for: bob.user) }
            await #expect(throws: NodeError.notPrimary) {
                try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            }
            let carol = try Person("Carol", in: simulation, isVisible: false)
            await simulation.settle()
            let card = try await carol.node.ownCard()
            await #expect(throws: NodeError.notPrimary) { try await alice.node.add(card) }
        }
    }

    /// Covers INK-CRD-026.
    @Test func `two people with the same name are two contacts`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            let other = try Person("Bob", in: simulation)
            await simulation.settle()
            try await alice.node.add(bob.node.ownCard())
            let before = try #require(await alice.keeper.contents.contacts.first)
            try await alice.node.add(other.node.ownCard())
            let stored = await alice.keeper.contents.contacts
            #expect(stored.map(\.user) == [bob.user, other.user])
            #expect(stored.first?.card == before.card)
            #expect(await alice.node.contacts().map(\.cardName) == ["Bob", "Bob"])
        }
    }
}

private func period(_ person: Person) throws -> Period {
    try #require(Epoch(containing: person.host.clock.read().unixSeconds)).period
}

/// Returns the milliseconds until the current epoch of a person's clock ends.
private func untilBoundary(_ person: Person) -> UInt64 { 900_000 - person.host.clock.read().unixMilliseconds % 900_000 }

/// Creates a card that a person could have signed, with one device whose certificate is valid from the current period
/// on.
private func card(of person: Person, serial: UInt32, device: UInt8, until last: UInt32) async throws -> ContactCard {
    let contents = await person.keeper.contents
    let seed = try #require(contents.rootSeed)
    let identity = seed.value.identityKey(generation: 1)
    let now = try period(person)
    let longest = now.number + DeviceCertificate.longestSpan - 2
    let certificate = try DeviceCertificate(
        index: #require(DeviceIndex(device)),
        // A different key for a different device.
        key: X25519.publicKey(of: device == 0 ? contents.noiseKey.value.duplicate() : key(41)), from: now,
        to: #require(Period(min(last, longest))), isPrimary: true, signedBy: identity)
    return try ContactCard(
        identity: identity, generation: 1, serial: serial, presence: seed.value.presenceKey(generation: 1).publicKey,
        certificates: [certificate], name: person.name)
}

private func key(_ byte: UInt8) -> SecretBytes { SecretBytes(copying: [UInt8](repeating: byte, count: 32).span) }

private func octets(_ octets: Octets32) -> [UInt8] { bytes(octets.description) }

private func octets(_ octets: Octets16) -> [UInt8] { bytes(octets.description) }

private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { bytes[$0..<$0 + part.count].elementsEqual(part) }
}
