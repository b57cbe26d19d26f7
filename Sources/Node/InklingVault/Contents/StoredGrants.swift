public import InklingKeys
internal import InklingWire

/// A grant received from a contact, with the keys that are still of use.
public struct ReceivedGrant: Sendable {
    /// The contact's audience.
    public var audience: AudienceID
    /// The generation of the audience's root.
    public var generation: UInt32
    /// The first period of the grant, or the first one kept on arrival.
    public var from: Period
    /// The last period of the grant.
    public var to: Period
    /// The contact's devices that the grant names: bit d stands for device d.
    public var devices: UInt16
    /// The nodes that have not been forgotten.
    public var tree: SecretBox<AudienceTree>

    /// Creates a grant from its stored fields.
    public init(
        audience: AudienceID, generation: UInt32, from: Period, to: Period, devices: UInt16,
        tree: SecretBox<AudienceTree>
    ) {
        self.audience = audience
        self.generation = generation
        self.from = from
        self.to = to
        self.devices = devices
        self.tree = tree
    }
}

/// A grant of ours that was sent, or that a contact reports to hold: until its end its holder may recognise this user.
public struct IssuedGrant: Hashable, Sendable {
    /// The user's audience that was granted.
    public var audience: AudienceID
    /// The generation of the audience's root.
    public var generation: UInt32
    /// The last period of the grant.
    public var to: Period

    /// Creates a record of a grant.
    public init(audience: AudienceID, generation: UInt32, to: Period) {
        self.audience = audience
        self.generation = generation
        self.to = to
    }
}

extension VaultContents {
    /// Returns the grants of ours that a contact can use in a period.
    package func usable(_ granted: [IssuedGrant], in period: Period) -> [IssuedGrant] {
        granted.filter { grant in
            grant.to >= period && audience(grant.audience)?.generation == grant.generation
        }
    }

    /// Returns the grants to be recorded before grants of these audiences with this end are sent.
    package func unrecorded(_ audiences: [Audience], of contact: StoredContact, until end: Period) -> [IssuedGrant] {
        audiences.filter { audience in
            !contact.granted.contains {
                $0.audience == audience.id && $0.generation == audience.generation && $0.to >= end
            }
        }.map { IssuedGrant(audience: $0.id, generation: $0.generation, to: end) }
    }

    /// Drops the records of grants that ended before the period `now`.
    mutating func forgetIssued(before now: Period) {
        for index in contacts.indices { contacts[index].granted.removeAll { $0.to < now } }
        for index in formerContacts.indices { formerContacts[index].granted.removeAll { $0.to < now } }
        formerContacts.removeAll(where: \.granted.isEmpty)
    }

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

extension StoredContact {
    /// The maximum number of grants kept per contact. One more replaces the one that expires first.
    private static let grantLimit = 8

    /// Returns whether a grant with these terms would change nothing: one of the same audience, generation and devices
    /// is held that lasts at least as long.
    package func holds(_ terms: Grant.Terms) -> Bool {
        grants.contains {
            $0.audience == terms.audience && $0.generation == terms.generation && $0.devices == terms.devices
                && $0.to.number >= terms.to
        }
    }

    /// Stores a grant, replacing an earlier one of the same audience.
    package mutating func keep(_ grant: ReceivedGrant) {
        grants.removeAll { $0.audience == grant.audience }
        if grants.count >= Self.grantLimit, let first = grants.indices.min(by: { grants[$0].to < grants[$1].to }) {
            grants.remove(at: first)
        }
        grants.append(grant)
    }

    /// Records grants that are about to be sent.
    mutating func noteIssued(_ grants: [IssuedGrant]) {
        for grant in grants {
            let held = granted.first { $0.audience == grant.audience && $0.generation == grant.generation }
            granted.removeAll { $0.audience == grant.audience }
            granted.append(
                IssuedGrant(
                    audience: grant.audience, generation: grant.generation, to: max(grant.to, held?.to ?? grant.to)))
        }
    }

    /// Records that grants of these audiences no longer identify the user.
    mutating func withdraw(_ audiences: Set<AudienceID>) {
        granted.removeAll { audiences.contains($0.audience) }
        agreement.grantedUntil = granted.map(\.to).max()
    }
}

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
        func held(_ audience: Audience) -> IssuedGrant? {
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
