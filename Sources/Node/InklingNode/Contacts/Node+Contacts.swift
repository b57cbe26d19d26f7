internal import InklingEngine
public import InklingKeys
internal import InklingVault
internal import InklingWire

// The user's operations on contacts. A change takes effect once it is stored, and not at all if that fails.
extension Node {
    /// Returns all contacts, sorted by name and then by user id.
    public func contacts() -> [ContactSummary] {
        takeWaitingInputs()
        return contents.contacts.map(summary).sorted { ($0.name, $0.user) < ($1.name, $1.user) }
    }

    /// Returns the node's current state, with counts of contacts, sessions and refused messages.
    public func status() -> NodeStatus {
        takeWaitingInputs()
        let now = clockPeriod
        let certificate = now.flatMap { try? contents.ownCard(now: $0) }?.certificates.first {
            $0.index == contents.device
        }
        let shown = technologies.lazy.compactMap(\.shown).max()
        return NodeStatus(
            visibility: visibility, showing: shown,
            silence: shown == nil ? technologies.compactMap { silence(of: $0) }.first : nil,
            technologies: technologies.map {
                NodeStatus.Technology(
                    technology: $0.id, showing: $0.shown, silence: silence(of: $0), carriesLinks: $0.mayConnect)
            },
            present: book.roster.ids.count {
                book.roster[$0] != ownUser && recognition.state(of: $0)?.isPresent == true
            },
            contacts: contents.contacts.count,
            unfinished: contents.contacts.count { $0.agreement.standing != .complete }, sessions: sessions.openCount,
            refusedMessages: refusedMessages,
            certifiedUntil: certificate?.to, antennas: antennas.summaries(at: ports.clock.read()),
            owner: ownerState)
    }

    /// Returns why a technology is silent. An apparent quiet period may be one that does not end.
    func silence(of technology: any LinkTechnology) -> NodeEvent.SilenceReason? {
        guard technology.silence == .gap, let now = Epoch(containing: ports.clock.read().unixSeconds) else {
            return technology.silence
        }
        if let mark = contents.highWaterEpoch, mark > now { return .highWater(mark) }
        let interval = shownAudience()?.tree.value.interval
        return interval?.contains(now.period.number) == true ? .gap : .noKeys
    }

    /// Returns the user's own card, which others need to add the user as a contact.
    ///
    /// - Throws: `NodeError.ownCard` if its certificates have expired; `.clockNotAccepted` after August 2089.
    public func ownCard() throws(NodeError) -> ContactCard {
        takeWaitingInputs()
        let now = try period()
        do throws(CardError) { return try contents.ownCard(now: now) } catch { throw .ownCard(error) }
    }

    /// Sets the user's own name for a contact; an empty name restores the name on the card.
    ///
    /// - Throws: `NodeError.unknownContact`, `.badName`, `.notSaved`.
    public func rename(_ user: UserID, to name: String) async throws(NodeError) {
        try await ask { .rename(user, to: name, $0) }
    }

    /// Blocks a contact: ends its sessions, and no longer recognises, calls or answers it or sends it grants.
    ///
    /// Grants that the contact holds stay valid until they expire, so it can still recognise this node, unless `revoke`
    /// begins new generations. No invitation or first contact of a blocked contact is accepted.
    /// - Throws: `NodeError.unknownContact`, `.notSaved`.
    public func block(_ user: UserID) async throws(NodeError) { try await ask { .setBlocked(user, true, $0) } }

    /// Unblocks a contact; does nothing if it is not blocked.
    ///
    /// - Throws: `NodeError.unknownContact`, `.notSaved`.
    public func unblock(_ user: UserID) async throws(NodeError) { try await ask { .setBlocked(user, false, $0) } }

    /// Removes a contact: closes its links, and no longer answers or recognises it.
    ///
    /// Grants that the contact holds stay valid until they expire or the audiences are renewed.
    /// - Returns: until when the contact can recognise this node, and the cost of `renewAudiences`.
    /// - Throws: `NodeError.unknownContact`, `.tooManyFormerContacts`, `.notSaved`.
    @discardableResult
    public func remove(_ user: UserID) async throws(NodeError) -> Removal { try await ask { .remove(user, $0) } }

    /// Begins a new generation of some audiences, or of all, so that no grant sent before identifies this node. If one
    /// of them is shown, the node is silent for a moment and then shows new identifiers. Members need a new grant:
    /// those that this node recognises get it when it calls them, the others by an invitation, a sealed grant, or on a
    /// common network.
    ///
    /// - Parameter audiences: the audiences; nil for all.
    /// - Throws: `NodeError.notPrimary`, `.unknownAudience`, `.clockNotAccepted`, `.notSaved`.
    public func renewAudiences(_ audiences: Set<AudienceID>? = nil) async throws(NodeError) {
        try await ask { .renewAudiences(audiences, $0) }
    }

    /// Adds a contact from its card. Recognition starts with a sealed grant or a first contact.
    ///
    /// - Throws: `NodeError.knownContact`, `.notPrimary`, `.keyOfAnother`, `.tooManyContacts`, `.card` if the key
    ///   agreement fails, `.clockNotAccepted` after August 2089, `.notSaved`.
    @discardableResult
    public func add(_ card: ContactCard) async throws(NodeError) -> ContactSummary {
        try await ask { .add(card, $0) }
    }

    /// Creates sealed grants for a contact without a session: one for each audience and each of the contact's devices.
    ///
    /// - Throws: `NodeError.unknownContact`, `.blocked`, `.lapsing`, `.needsReview`, `.notPrimary`,
    ///   `.clockNotAccepted`, `.notAccepted`, `.card`, `.notSaved`.
    public func sealedGrants(for user: UserID) async throws(NodeError) -> [[UInt8]] {
        try await ask { .sealGrants(user, $0) }
    }

    /// Creates the sealed grants whose end has been stored.
    func sealGrants(_ end: Period, for user: UserID) -> [[UInt8]] {
        guard let contact = contents.contact(user), let rootSeed = contents.rootSeed, let now = currentPeriod,
            let card = try? book.card(of: contact, now: now), let key = contact.likelyKey
        else { return [] }
        var sealed: [[UInt8]] = []
        for audience in contents.audiences(of: contact) {
            guard let grant = contents.grant(of: audience, to: user, now: now, until: end) else { continue }
            let bytes = grant.signed(by: rootSeed.value.identityKey(generation: contents.identityGeneration))
            for certificate in card.certificates where certificate.isValid(in: now) && !contact.isRevoked(certificate) {
                let one = bytes.withBytes { bytes in
                    try? SealedGrant.seal(
                        bytes, deviceKey: deviceKey.value, recipient: certificate.key,
                        pairwiseKey: key.key.value, ephemeral: NoiseKeyPair(from: &randomness))
                }
                if let one { sealed.append(one) }
            }
        }
        return sealed
    }

    /// Opens and stores a grant that a contact sealed for this device.
    ///
    /// - Throws: `NodeError.sealedGrantForAnother`, `.blocked`, `.unknownDevice`, `.grant`, `.clockNotAccepted`,
    ///   `.notSaved`.
    @discardableResult
    public func acceptSealedGrant(_ sealed: [UInt8]) async throws(NodeError) -> ContactSummary {
        try await ask { .acceptSealedGrant(sealed, $0) }
    }

    /// Begins a new generation of every audience and forgets the high-water marks. For an operator who no longer trusts
    /// the stored state, such as a restored copy; not for a running node.
    ///
    /// - Throws: `NodeError.notSaved`; `.clockNotAccepted` if nothing supports the clock, if it is more than 744 hours
    ///   ahead of the latest accepted time and the operator does not vouch for it, and after August 2089.
    public func beginNewGenerations() async throws(NodeError) { try await ask { .beginNewGenerations($0) } }

    /// Records that the user has reviewed a contact after a restore and keeps it.
    ///
    /// - Throws: `NodeError.unknownContact`, `.notSaved`.
    @discardableResult
    public func markReviewed(_ user: UserID) async throws(NodeError) -> ContactSummary {
        try await ask { .keepReviewed(user, $0) }
    }

    /// Returns the current period by the node's clock, accepted or not.
    ///
    /// - Throws: `NodeError.clockNotAccepted` after August 2089.
    public func period() throws(NodeError) -> Period {
        guard let now = clockPeriod else { throw .clockNotAccepted }
        return now
    }

    /// Returns the current minute of Unix time by the node's clock.
    public func minute() -> UInt32 { UInt32(clamping: ports.clock.read().unixSeconds / 60) }

    /// The current period by the clock, accepted or not; nil after August 2089.
    var clockPeriod: Period? { Epoch(containing: ports.clock.read().unixSeconds)?.period }

    func summary(_ contact: StoredContact) -> ContactSummary {
        let card = clockPeriod.flatMap { try? book.card(of: contact, now: $0) }
        let cardName = card?.name ?? ""
        let id = book.roster[contact.user]
        return ContactSummary(
            user: contact.user, name: contact.petname.isEmpty ? cardName : contact.petname, cardName: cardName,
            devices: card?.certificates.map(\.index) ?? [], recognisedUntil: contact.grants.map(\.to).max(),
            recognisesUsUntil: contact.agreement.grantedUntil, standing: contact.agreement.standing,
            hasMet: contact.hasMet,
            needsReview: contact.needsReview,
            restoredFrom: contact.needsReview ? contents.restoredFrom : nil, isBlocked: contact.isBlocked,
            chosenDelays: contact.delays, delays: ContactDelays(contact.delays.applied(to: contactOptions)),
            presence: id.flatMap { recognition.state(of: $0) } ?? .unseen,
            reachableOver: sessions.technologies(with: contact.user))
    }
}
