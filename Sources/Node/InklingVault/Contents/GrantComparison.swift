package import InklingKeys
internal import InklingWire

/// A comparison of the grants that a contact reports to hold with those it could hold.
package struct GrantComparison {
    /// The minimum gain for which a new grant is sent, in periods beyond the end of the held one.
    static let renewalGain: UInt32 = 24

    /// The contact's audiences of which it holds no grant of the current generation.
    package let unnamed: [Audience]
    /// The contact's audiences of which it holds no such grant, or one that a new grant would outlast by a day.
    package let lacking: [Audience]
    /// Whether the contact holds a grant of ours.
    package let namesOurs: Bool
    /// Whether we hold a grant of the contact.
    package let holdsTheirs: Bool

    /// Compares grants; nil if nothing may be granted to the contact: after a restore, while it needs review, is
    /// blocked or its grants are not renewed, and on a device that is not the primary. A contact that named a card
    /// older than ours, `heldSerial`, may hold grants that lack a device, and so counts as lacking all.
    package init?(of contact: StoredContact, in contents: VaultContents, now: Period, heldSerial: UInt32? = nil) {
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

extension VaultContents {
    /// Parses a grant of a contact and drops the keys of past periods, except the previous one.
    ///
    /// - Throws: `GrantError`.
    package func parseGrant(
        _ bytes: Span<UInt8>, from contact: StoredContact, card: ContactCard, grantee: UserID, now: Period
    ) throws(GrantError) -> ReceivedGrant {
        // Read the audience first: the lowest generation accepted depends on the grant held of it.
        let audience = Grant.audience(ofUnverified: bytes)
        let held = contact.grants.first { $0.audience == audience }
        let grant = try Grant(
            parsing: bytes, issuer: card.identity, grantee: grantee, now: now, heldGeneration: held?.generation ?? 0)
        let listed = Set(card.certificates.map(\.index))
        let devices = grant.certificates.reduce(UInt16(0)) { map, certificate in
            listed.contains(certificate.index) ? map | 1 << UInt16(certificate.index.number) : map
        }
        let from = max(grant.from, now.previous ?? now)
        guard let rest = grant.tree.value.constrained(from: from, to: grant.to) else { throw .notHeld }
        return ReceivedGrant(
            audience: grant.audience, generation: grant.generation, from: from, to: grant.to, devices: devices,
            tree: SecretBox(rest))
    }

    /// Creates a grant of an audience to a contact from this period on; nil without a root seed or a valid card.
    package func grant(of audience: Audience, to user: UserID, now: Period, until end: Period) -> Grant? {
        guard let rootSeed, let card = try? ownCard(now: now) else { return nil }
        return try? audience.grant(
            from: now, to: end, certificates: card.certificates, to: user,
            issuer: rootSeed.value.identityKey(generation: identityGeneration))
    }
}
