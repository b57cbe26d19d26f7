import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault
@testable import InklingWire

/// The state that a primary device sends to a new one, and with which the new one begins.
private struct Stage {
    let state: [OwnState]
    let card: ContactCard
    let noiseKey: SecretBox<SecretBytes>
    let now: Period

    /// The device that links the new one.
    var primary: OwnDevices.Device {
        get throws {
            let certificate = try #require(card.certificates.first { $0.isPrimary })
            return OwnDevices.Device(
                index: certificate.index, key: certificate.key, pairwiseKey: SecretBox(secret(8)), lastMet: nil)
        }
    }

    init() throws {
        var random = SeededGenerator(seed: 5)
        now = try #require(Period(497_000))
        var alice = try NodeIdentity.makeContents(name: "Alice", now: now, using: &random)
        let bob = try NodeIdentity.makeContents(name: "Bob", now: now, using: &random)
        let bobCard = try bob.ownCard(now: now)
        let end = try #require(Period(now.number + 100))
        var contact = StoredContact(
            user: bobCard.userID, card: bobCard.bytes, petname: "", agreement: agreement(.complete, [1]),
            pairwiseKeys: [
                StoredPairwiseKey(
                    number: PairwiseKeyNumber(rawValue: 1), origin: .firstContact, key: SecretBox(secret(7)))
            ], added: now)
        contact.agreement.grantedUntil = end
        contact.granted = [
            IssuedGrant(audience: alice.audiences[0].id, generation: alice.audiences[0].generation, to: end)
        ]
        contact.grants = [
            ReceivedGrant(
                audience: bob.audiences[0].id, generation: bob.audiences[0].generation, from: now, to: end, devices: 1,
                tree: SecretBox(try unwrap(bob.audiences[0].tree.value.constrained(from: now, to: end))))
        ]
        alice.contacts = [contact]
        noiseKey = SecretBox(secret(9))
        let key = X25519.publicKey(of: noiseKey.value)
        try alice.signCard(now: now, with: [ListedDevice(index: try #require(DeviceIndex(1)), key: key)])
        card = try alice.ownCard(now: now)
        state = alice.state(for: try #require(card.certificate(ofKey: key, in: now)), now: now)
    }

    /// Returns whether a new device that is sent this state can begin.
    func accepts(_ state: [OwnState], _ other: ContactCard? = nil) -> Bool {
        var linked = LinkedContents(card, noiseKey: noiseKey, now: now)
        do {
            let bytes = (other ?? card).bytes
            try linked.take(try Record(.card, copying: bytes.span))
            for part in state { try linked.take(try part.record()) }
            _ = try linked.contents(linkedWith: try primary)
            return true
        } catch {
            return false
        }
    }
}

@Suite struct LinkedContentsTests {
    /// Covers INK-DEV-010.
    @Test func `a new device begins with what it was sent whole, and with nothing that does not fit`() throws {
        let stage = try Stage()
        // Certificate, audience, contact, received grant, signed grant.
        #expect(stage.state.map(\.tag) == [1, 2, 3, 4, 5])
        #expect(stage.accepts(stage.state))
        let parts = stage.state
        #expect(!stage.accepts(Array(parts.dropFirst())), "without its certificate")
        #expect(!stage.accepts([parts[0], parts[1], parts[1]]), "an audience twice")
        #expect(!stage.accepts([parts[0], parts[1], parts[2], parts[2]]), "a contact twice")
        #expect(!stage.accepts([parts[0], parts[3]]), "a grant of somebody who is no contact")
        #expect(!stage.accepts([parts[0], parts[4]]), "a signed grant for nobody")
        guard case .contact(let key, let shown, let expected, let theirs) = parts[2] else {
            Issue.record("not a contact")
            return
        }
        let own = OwnState.contact(pairwiseKey: key, shown: shown, expected: expected, card: stage.card.bytes)
        #expect(!stage.accepts([parts[0], own]), "itself as a contact")
        let other = try ContactCard(parsing: theirs.span, now: stage.now)
        #expect(!stage.accepts(parts, other), "the card of somebody else")
        var encoded: [UInt8] = []
        other.certificates[0].append(to: &encoded)
        #expect(!stage.accepts([.certificate(encoded)]), "the certificate of somebody else")
    }
}
