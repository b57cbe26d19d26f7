internal import InklingKeys
internal import InklingSession

/// What a peer's HELLO shows to be missing on its side: a newer card, and grants that are missing or would end later.
struct HelloAnswer {
    /// A grant that would last this many hours longer than the one held is worth sending.
    private static let renewalGain: UInt32 = 24

    /// What the peer says it holds from us.
    let reported: [ReportedGrant]
    let needsCard: Bool
    /// The audiences of which a grant is sent.
    let audiences: [OwnedAudience]
    /// Whether the peer holds a grant of some audience that need not be renewed.
    let holdsGrant: Bool
    /// Whether we hold all but the last day of what the peer could grant, so that no grant of it is to be expected.
    let isComplete: Bool

    /// Compares a HELLO with what is stored.
    ///
    /// - Parameters:
    ///   - hello: what the peer says.
    ///   - contact: what is stored about the peer's user.
    ///   - contents: what this node would give.
    ///   - now: the current period; nil while the clock is not accepted, when nothing is granted.
    init(_ hello: Hello, of contact: StoredContact, in contents: VaultContents, now: Period?) {
        reported = hello.grants.map {
            ReportedGrant(audience: $0.audience.value, generation: $0.generation, to: $0.to)
        }
        needsCard = contents.cardSerial > hello.peerSerial
        guard contents.restored == nil, !contact.needsReview, !contact.isBlocked else {
            audiences = []
            holdsGrant = false
            isComplete = false
            return
        }
        var missing: [OwnedAudience] = []
        var holdsGrant = false
        if let now, contents.rootSeed != nil {
            let to = Period(now.number + Grant.longestSpan - 1) ?? .last
            for audience in contents.audiences {
                let held = hello.grants.first {
                    $0.audience.value == audience.id && $0.generation >= audience.generation
                }
                if let held, to.number < held.to.number + Self.renewalGain {
                    holdsGrant = true
                } else {
                    missing.append(audience)
                }
            }
        }
        audiences = missing
        self.holdsGrant = holdsGrant
        isComplete =
            now.map { now in
                contact.grants.contains { $0.to.number + Self.renewalGain > now.number + Grant.longestSpan - 1 }
            } ?? false
    }
}
