import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct KeyClaimsTests {
    /// Covers INK-CRD-023.
    @Test func `a key on a card whose certificates have ended is not free`() throws {
        let bob = try person("Bob", seed: 1, bornIn: 400_000)
        let mallory = try person("Mallory", seed: 2, bornIn: 500_000)
        let claim = try card(of: mallory, claiming: bob.key, now: 500_000)
        var contents = try person("Alice", seed: 3, bornIn: 500_000).contents
        contents.contacts = [stored(bob.card, .cards)]
        // Bob's certificates ended long ago.
        #expect(throws: CardError.self) { try ContactCard(parsing: bob.card.bytes.span, now: period(500_000)) }
        let book = ContactBook(contents.contacts)
        #expect(throws: NodeError.keyOfAnother) { try book.checkKeys(of: claim, proven: nil, in: contents) }
        #expect(throws: Never.self) { try book.checkKeys(of: mallory.card, proven: nil, in: contents) }
    }

    /// Covers INK-CRD-023.
    @Test func `a proven key wins over a claim, but not over another proof`() throws {
        let bob = try person("Bob", seed: 1, bornIn: 500_000)
        let mallory = try person("Mallory", seed: 2, bornIn: 500_000)
        let claim = try card(of: mallory, claiming: bob.key, now: 500_000)
        var contents = try person("Alice", seed: 3, bornIn: 500_000).contents
        contents.contacts = [stored(claim, .cards)]
        var book = ContactBook(contents.contacts)
        #expect(throws: NodeError.keyOfAnother) { try book.checkKeys(of: bob.card, proven: nil, in: contents) }
        // Another key that the session proves does not help.
        #expect(throws: NodeError.keyOfAnother) {
            try book.checkKeys(of: bob.card, proven: mallory.key, in: contents)
        }
        #expect(throws: Never.self) { try book.checkKeys(of: bob.card, proven: bob.key, in: contents) }

        // The device that is called and answered under the key is the one that proved it.
        contents.contacts.append(stored(bob.card, .firstContact))
        book = ContactBook(contents.contacts)
        _ = (book.enroll(mallory.card.userID), book.enroll(bob.card.userID))
        book.indexDevices(of: contents, now: try period(500_000))
        #expect(book.devices[bob.key]?.user == bob.card.userID)

        // A user who has proven the key keeps it.
        book.prove(bob.key, by: mallory.card.userID)
        #expect(throws: NodeError.keyOfAnother) { try book.checkKeys(of: bob.card, proven: bob.key, in: contents) }
    }

    @Test func `the own keys are refused in every case`() throws {
        let alice = try person("Alice", seed: 3, bornIn: 500_000)
        let mallory = try person("Mallory", seed: 2, bornIn: 500_000)
        let claim = try card(of: mallory, claiming: alice.key, now: 500_000)
        let book = ContactBook([])
        #expect(throws: NodeError.keyOfAnother) {
            try book.checkKeys(of: claim, proven: alice.key, in: alice.contents)
        }
    }

    @Test func `a contact that is removed or has another card gives its keys back`() throws {
        let bob = try person("Bob", seed: 1, bornIn: 500_000)
        let mallory = try person("Mallory", seed: 2, bornIn: 500_000)
        let contact = stored(try card(of: mallory, claiming: bob.key, now: 500_000), .cards)
        var claims = KeyClaims([contact])
        #expect(claims.claimants(of: bob.key, except: bob.card.userID) == [contact.user])
        #expect(claims.claimants(of: bob.key, except: contact.user).isEmpty)
        claims.note(mallory.card.bytes, of: contact.user)
        #expect(claims.claimants(of: bob.key, except: bob.card.userID).isEmpty)
        claims.note(contact.card, of: contact.user)
        claims.remove(contact.user)
        #expect(claims.claimants(of: bob.key, except: bob.card.userID).isEmpty)
    }

    @Test func `a key that is proven stays proven when its card is replaced`() throws {
        let bob = try person("Bob", seed: 1, bornIn: 500_000)
        let mallory = try person("Mallory", seed: 2, bornIn: 500_000)
        let contact = stored(bob.card, .cards)
        var claims = KeyClaims([contact])
        claims.prove(bob.key, by: contact.user)
        claims.note(bob.card.bytes, of: contact.user)
        #expect(claims.isProven(bob.key, by: contact.user, hasMet: false))
        claims.note(mallory.card.bytes, of: contact.user)
        claims.note(bob.card.bytes, of: contact.user)
        #expect(!claims.isProven(bob.key, by: contact.user, hasMet: false))
    }

    @Test func `a claim on a contact's key does not keep the contact away`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let key = try #require(bob.firstCard.certificates.first).key
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            let mallory = try person("Mallory", seed: 9, bornIn: now.number)
            let claim = try card(of: mallory, claiming: key, now: now.number)
            try await alice.node.add(claim)
            let meeting = try await firstContact(of: alice, with: bob)
            #expect(try meeting.inviter.get().user == bob.user)
            try await meet(alice, bob, withinSeconds: 1000)
        }
    }
}

private func period(_ number: UInt32) throws -> Period { try #require(Period(number)) }

/// A user with a card and the public key of one device.
private func person(
    _ name: String, seed: UInt64, bornIn number: UInt32
) throws -> (contents: VaultContents, card: ContactCard, key: Octets32) {
    var randomness = SeededGenerator(seed: seed)
    let now = try period(number)
    let contents = try NodeIdentity.makeContents(name: name, now: now, using: &randomness)
    let card = try ContactCard(parsing: contents.card.span, now: now)
    return (contents, card, try #require(card.certificates.first).key)
}

/// A card that a user signs although it has another user's key on it.
private func card(
    of user: (contents: VaultContents, card: ContactCard, key: Octets32), claiming key: Octets32, now number: UInt32
) throws -> ContactCard {
    let seed = try #require(user.contents.rootSeed)
    let identity = seed.value.identityKey(generation: 1)
    let certificate = try DeviceCertificate(
        index: .first, key: key, from: period(number - 1), to: period(number + 2000), isPrimary: true,
        signedBy: identity)
    return try ContactCard(
        identity: identity, generation: 1, serial: 2, presence: seed.value.presenceKey(generation: 1).publicKey,
        certificates: [certificate], name: user.card.name)
}

private func stored(_ card: ContactCard, _ origin: PairwiseKeyOrigin) -> StoredContact {
    let number = PairwiseKeyNumber(rawValue: 1)
    var agreement = Agreement()
    agreement.standing = .complete
    agreement.keys = [number]
    let key = SecretBytes(copying: [UInt8](repeating: 1, count: 32).span)
    return StoredContact(
        user: card.userID, card: card.bytes, petname: "", agreement: agreement,
        pairwiseKeys: [StoredPairwiseKey(number: number, origin: origin, key: SecretBox(key))],
        added: Period(1) ?? .last)
}
