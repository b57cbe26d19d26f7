import InklingKeys
import InklingSimulation
import InklingTesting
import Testing

@testable import InklingNode
@testable import InklingWire

@Suite struct ContentsChangeTests {
    @Test func `consent adds a key and the card, and an agreement without the key drops it again`() throws {
        var contents = try fullContents()
        let known = contents.contacts[0]
        let key = StoredPairwiseKey(
            number: PairwiseKeyNumber(rawValue: 2), origin: .firstContact, key: SecretBox(secret(0xc1)))
        // Of a higher serial than the known one.
        let card = [UInt8](repeating: 0xff, count: 41)
        contents.apply(
            .agree(
                known.user, agreement(.complete, [1, 2]),
                [ContentsChange.Consent(card: card, key: key, added: examplePeriod)]))
        #expect(contents.contacts[0].card == card)
        #expect(!contents.contacts[0].needsReview)
        // Periods pass and another grant arrives before the other user declines.
        contents.forgetPast(before: try #require(Period(examplePeriod.number + 5)))
        let forgotten = contents.contacts[0].grants[0].tree
        var newer = known.grants[0]
        newer.audience = 78
        contents.apply(.keepGrant(newer, of: known.user))
        contents.apply(.agree(known.user, agreement(.complete, [1]), []))
        let contact = contents.contacts[0]
        let areKept = contact.pairwiseKeys.map(\.key).elementsEqual(known.pairwiseKeys.map(\.key), by: ===)
        #expect(areKept)
        #expect(contact.grants.map(\.audience) == [77, 78])
        #expect(contact.grants[0].tree === forgotten)
        _ = try encoded(contents)
    }

    @Test func `a newer card that has come while the user decided stays`() throws {
        var contents = emptyContents()
        let user = UserID(Octets16(high: 1, low: 2))
        func consent(_ number: UInt32, _ serial: UInt8) -> ContentsChange.Consent {
            ContentsChange.Consent(
                // Only the serial matters here.
                card: [UInt8](repeating: 7, count: 37) + [0, 0, 0, serial],
                key: StoredPairwiseKey(
                    number: PairwiseKeyNumber(rawValue: number), origin: .firstContact, key: SecretBox(secret(1))),
                added: examplePeriod)
        }
        contents.apply(.agree(user, agreement(.waiting, [1]), [consent(1, 5)]))
        for (number, serial, kept) in [(UInt32(2), UInt8(4), UInt32(5)), (3, 6, 6), (4, 5, 6)] {
            contents.apply(.agree(user, agreement(.waiting, Array(1...number)), [consent(number, serial)]))
            #expect(contents.contacts[0].cardSerial == kept)
            #expect(contents.contacts[0].pairwiseKeys.count == Int(number))
        }
    }

    @Test func `of a new generation nothing has been granted yet`() throws {
        for isRestored in [true, false] {
            var contents = try fullContents()
            contents.contacts[0].agreement.grantedUntil = examplePeriod
            let audiences = contents.audiences
            contents.apply(isRestored ? .beginGenerations(audiences, nil) : .renew(audiences))
            #expect(contents.contacts.allSatisfy { $0.agreement.grantedUntil == nil })
        }
    }

    @Test func `an agreement without a standing removes the contact`() throws {
        var contents = try fullContents()
        let declined = contents.contacts[1]
        contents.apply(.agree(declined.user, Agreement(), []))
        #expect(contents.contact(declined.user) == nil)
        // Nothing is stored for a user who is not a contact and has not been accepted.
        contents.apply(.agree(declined.user, agreement(.waiting, [1]), []))
        #expect(contents.contact(declined.user) == nil)
    }

    @Test func `a change to a removed contact has no effect`() throws {
        var contents = try fullContents()
        let removed = contents.contacts[1]
        contents.apply(.remove(removed.user))
        let before = try encoded(contents)
        contents.apply(.rename(removed.user, to: "Bob"))
        contents.apply(.setBlocked(removed.user, true))
        contents.apply(.keepReviewed(removed.user))
        #expect(try encoded(contents) == before)
    }

    @Test func `a ninth grant replaces the one that ends first`() throws {
        var contact = try contact(1)
        let first = contact.grants[0]
        for audience: AudienceID in (100...107).map({ AudienceID($0) }) {
            var grant = first
            grant.audience = audience
            grant.to = try #require(Period(first.to.number + 1))
            contact.keep(grant)
        }
        #expect(contact.grants.map(\.audience) == (100...107).map { AudienceID($0) })
    }
}

@Suite struct NodeQueueTests {
    @Test func `a second request to add the same card fails with knownContact`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            let card = bob.firstCard
            let outcomes = Noted<[String]>([])
            for _ in 0..<2 {
                simulation.start {
                    do throws(NodeError) {
                        _ = try await alice.node.add(card)
                        outcomes.value.append("added")
                    } catch {
                        outcomes.value.append("\(error)")
                    }
                }
            }
            await simulation.settle()
            #expect(outcomes.value.sorted() == ["added", "the user is a contact already"])
            #expect(await alice.keeper.contents.contacts.count == 1)
        }
    }

    @Test func `requests are carried out in the order in which they were made`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            for name in ["A", "B", "C"] {
                simulation.start { try? await alice.node.rename(bob.user, to: name) }
            }
            try await alice.node.becomeVisible(to: .nobody)
            // A request sees the effects of the earlier ones without waiting.
            #expect(await alice.node.status().silence == .invisible)
            await simulation.settle()
            #expect(await alice.node.contacts().first?.name == "C")
            #expect(await alice.keeper.contents.contacts.first?.petname == "C")
        }
    }

    @Test func `a node that is not running still saves changes and replies to requests`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await alice.stop()
            try await alice.node.rename(bob.user, to: "Robert")
            #expect(await alice.keeper.contents.contacts.first?.petname == "Robert")
            let atRest = try #require(
                Node(
                    contents: await alice.keeper.contents, keeper: alice.keeper, ports: alice.host.ports(run: 9)))
            try await atRest.rename(bob.user, to: "Rob")
            #expect(await alice.keeper.contents.contacts.first?.petname == "Rob")
            await #expect(throws: NodeError.notReachable) { try await atRest.send("hello?", to: bob.user) }
            await #expect(throws: NodeError.invitationEnded) { try await atRest.invitationOutcome() }
            var randomness = SeededGenerator(seed: 1)
            let invitation = Invitation(
                to: bob.firstCard, transports: .tcp, lasting: .seconds(300), from: alice.host.clock.read().unixSeconds,
                using: &randomness)
            await #expect(throws: NodeError.clockNotAccepted) { try await atRest.accept(invitation) { _ in true } }
        }
    }
}
