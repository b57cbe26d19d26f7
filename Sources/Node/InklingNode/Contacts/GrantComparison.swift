internal import InklingKeys
internal import InklingWire

/// What a contact reports to hold of our grants, beside what it could hold.
struct GrantComparison {
    /// A new grant is sent when it lasts at least this many periods longer than the one held.
    static let renewalGain: UInt32 = 24

    /// Audiences of the contact of which it holds no grant of the current generation.
    let unnamed: [Audience]
    /// Audiences of the contact of which it holds no such grant, or one that could last a day longer.
    let lacking: [Audience]
    /// Whether the contact holds a grant of ours.
    let namesOurs: Bool
    /// Whether we hold a grant of the contact.
    let holdsTheirs: Bool

    /// Compares grants; nil when nothing may be granted to the contact: after a restore, while it is blocked or its grants
    /// are not renewed, and on a device that is not the primary. A contact that named an older card than ours, `heldSerial`,
    /// may hold grants that lack a device, and lacks every grant.
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
