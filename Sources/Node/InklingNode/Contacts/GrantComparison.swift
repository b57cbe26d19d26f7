internal import InklingKeys
internal import InklingWire

/// A comparison of the grants that a contact reports to hold with those it could hold.
struct GrantComparison {
    /// The minimum gain for which a new grant is sent, in periods beyond the end of the held one.
    static let renewalGain: UInt32 = 24

    /// The contact's audiences of which it holds no grant of the current generation.
    let unnamed: [Audience]
    /// The contact's audiences of which it holds no such grant, or one that a new grant would outlast by a day.
    let lacking: [Audience]
    /// Whether the contact holds a grant of ours.
    let namesOurs: Bool
    /// Whether we hold a grant of the contact.
    let holdsTheirs: Bool

    /// Compares grants; nil if nothing may be granted to the contact: after a restore, while it needs review, is
    /// blocked or its grants are not renewed, and on a device that is not the primary. A contact that named a card
    /// older than ours, `heldSerial`, may hold grants that lack a device, and so counts as lacking all.
    init?(of contact: StoredContact, in contents: VaultContents, now: Period, heldSerial: UInt32? = nil) {
        guard contents.restored == nil, !contact.needsReview, !contact.isBlocked, !contact.isLapsing,
            contents.rootSeed != nil
        else {
            return nil
        }
        let end = FirstContactMachine.Span.full.end(from: now)
        func held(_ audience: Audience) -> ReportedGrant? {
            contact.reported.first {
                $0.audience == audience.id && $0.generation >= audience.generation
                    && Grant.counts($0.generation, now: now) && $0.to >= now
            }
        }
        let audiences = contents.audiences(of: contact)
        unnamed = audiences.filter { held($0) == nil }
        let isOutdated = heldSerial.map { $0 < contents.cardSerial } ?? false
        lacking = audiences.filter { audience in
            isOutdated || held(audience).map { end.number >= $0.to.number + Self.renewalGain } != false
        }
        namesOurs = unnamed.count < audiences.count
        holdsTheirs = contact.grants.contains { $0.to >= now }
    }
}
