import InklingKeys
import InklingTesting
import Testing

@testable import InklingVault
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

    /// Covers INK-AUD-012.
    @Test func `over many epochs a revoked matcher hits as often as one that was never granted anything`() throws {
        var randomness = SeededGenerator(seed: 5)
        var (revoked, stranger, kept, trials) = (0, 0, 0, 0)
        for _ in 0..<6 {
            var contents = emptyContents()
            contents.audiences = [Audience(from: examplePeriod, using: &randomness)]
            let other = Audience(from: examplePeriod, using: &randomness)
            let held = contents.audiences[0].tree
            contents.apply(.renew([contents.audiences[0].renewed(from: examplePeriod, using: &randomness)]))
            for number in examplePeriod.number..<examplePeriod.number + 1000 {
                let period = try #require(Period(number))
                let shown = try unwrap(contents.audiences[0].tree.value.periodKey(period)).deviceKeys(.first)
                let old = try unwrap(held.value.periodKey(period)).deviceKeys(.first)
                let never = try unwrap(other.tree.value.periodKey(period)).deviceKeys(.first)
                for offset in 0..<4 as Range<UInt32> {
                    let epoch = try #require(Epoch(period.firstEpoch.number + offset))
                    let minor = shown.beacon.minor(epoch)
                    trials += 1
                    if old.beacon.minor(epoch) == minor { revoked += 1 }
                    if never.beacon.minor(epoch) == minor { stranger += 1 }
                    // Keys that were kept hit always.
                    if shown.beacon.minor(epoch) == minor { kept += 1 }
                    #expect(old.mdns.serviceName(epoch) != shown.mdns.serviceName(epoch))
                }
            }
        }
        #expect(trials == 24_000 && kept == trials)
        // 0.37 hits are expected by chance; six or more have a probability below 10^-5.
        #expect(revoked < 6 && stranger < 6)
    }
}
