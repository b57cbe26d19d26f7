internal import InklingKeys
internal import InklingSession

/// What a peer lacks according to its HELLO: our newer card, and grants that are missing or that would last longer.
struct HelloAnswer {
    /// A new grant is sent when it lasts at least this many periods longer than the one held.
    private static let renewalGain: UInt32 = 24

    /// The grants of ours that the peer reports to hold.
    let reported: [ReportedGrant]
    /// Whether our card is newer than the one the peer holds.
    let needsCard: Bool
    /// The audiences of which a grant is sent.
    let audiences: [Audience]
    /// Whether the peer holds a grant that does not need to be renewed yet.
    let holdsGrant: Bool
    /// Whether we hold a grant within a day of the longest that the peer could send, so that none is expected.
    let isComplete: Bool

    /// Creates the answer to a HELLO.
    ///
    /// - Parameters:
    ///   - hello: the peer's HELLO.
    ///   - contact: the stored contact.
    ///   - contents: the contents of this node, with its card and audiences.
    ///   - now: the current period; nil while the clock is not accepted, and then nothing is granted.
    init(_ hello: Hello, of contact: StoredContact, in contents: VaultContents, now: Period?) {
        reported = hello.grants.map {
            ReportedGrant(audience: $0.audience, generation: $0.generation, to: $0.to)
        }
        needsCard = contents.cardSerial > hello.peerSerial
        guard contents.restored == nil, !contact.needsReview, !contact.isBlocked else {
            audiences = []
            holdsGrant = false
            isComplete = false
            return
        }
        var missing: [Audience] = []
        var holdsGrant = false
        if let now, contents.rootSeed != nil {
            let to = Period(now.number + Grant.longestSpan - 1) ?? .last
            for audience in contents.audiences {
                let held = hello.grants.first {
                    $0.audience == audience.id && $0.generation >= audience.generation
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
