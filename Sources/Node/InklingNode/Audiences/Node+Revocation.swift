public import InklingKeys
internal import InklingVault
internal import InklingWire

// Revocation of contacts and devices, in four levels (`Specs/audiences.md`).
extension Node {
    /// Returns the effects that a revocation would have, without changing anything.
    ///
    /// - Throws: as `revoke`.
    public func outlook(
        ofRevoking user: UserID, to level: RevocationLevel, device: DeviceIndex? = nil
    ) throws(NodeError) -> Revocation {
        takeWaitingInputs()
        return try plan(user, level, device).revocation
    }

    /// Revokes a contact, or one of its devices.
    ///
    /// - R1 blocks the contact: its links are closed and it gets no answer, at once. The grants it holds still let it
    ///   recognise this user until they end.
    /// - R2 stops renewing its grants: it is met as before until they end, and from then on treated as a stranger.
    /// - R3 is R1, and the audiences of which it holds a grant begin new generations, as by `renewAudiences`.
    /// - R4 revokes the device `device` on its card: it gets no answer, and the audiences that the contact holds begin
    ///   new generations; the contact's other devices get new grants.
    ///
    /// - Returns: the effects.
    /// - Throws: `NodeError.unknownContact`, `.unknownDevice`, `.clockNotAccepted`, `.notPrimary` for R3 and R4,
    ///   `.notSaved`.
    @discardableResult
    public func revoke(
        _ user: UserID, to level: RevocationLevel, device: DeviceIndex? = nil
    ) async throws(NodeError) -> Revocation {
        try await ask { .revoke(user, level, device, $0) }
    }

    /// Stops or resumes the renewal of a contact's grants.
    ///
    /// - Throws: `NodeError.unknownContact`, `.notSaved`.
    public func setLapsing(_ user: UserID, _ isLapsing: Bool) async throws(NodeError) {
        try await ask { .setLapsing(user, isLapsing, $0) }
    }

    // MARK: Requests

    func revoke(
        _ user: UserID, _ level: RevocationLevel, _ device: DeviceIndex?, _ answer: Answer<Revocation>
    ) throws(NodeError) {
        let (revocation, key) = try plan(user, level, device)
        let change: ContentsChange
        switch level {
        case .block: change = .setBlocked(user, true)
        case .lapse: change = .setLapsing(user, true)
        case .blind: change = .blind(user, try newGenerations(of: Set(revocation.renewed)))
        case .device:
            guard let key else { throw .unknownDevice }
            change = .revokeDevice(key, of: user, try newGenerations(of: Set(revocation.renewed)))
        }
        // Stop answering before anything is stored.
        if level == .block || level == .blind { endSessions(with: user) }
        store(change, then: .revoked(revocation, answer))
    }

    private func plan(
        _ user: UserID, _ level: RevocationLevel, _ device: DeviceIndex?
    ) throws(NodeError) -> (revocation: Revocation, key: Octets32?) {
        guard let contact = contents.contact(user) else { throw .unknownContact }
        guard let now = clockPeriod else { throw .clockNotAccepted }
        var key: Octets32?
        if level == .device {
            let certificates = (try? book.card(of: contact, now: now))?.certificates ?? []
            guard let device, let certificate = certificates.first(where: { $0.index == device }),
                !contact.isRevoked(certificate)
            else { throw .unknownDevice }
            key = certificate.key
        }
        let renews = level == .blind || level == .device
        let held = usableAudiences(of: contact)
        let until = contents.usable(contact.granted, in: now).map(\.to).max()
        let price = price(ofRenewing: renews ? held : [], without: user)
        let shown = contents.audience(shownBy: visibility)?.id
        let revocation = Revocation(
            user: user, level: level, device: level == .device ? device : nil, recognisesUsUntil: until,
            recognisesUsAfterwards: renews ? nil : until, renewed: renews ? held : [],
            holdersOfGrants: price.holders, holdersWhomWeRecognise: price.recognised,
            changesIdentifiers: renews && shown.map(held.contains) == true)
        return (revocation, key)
    }

    /// Returns the next generations of some audiences, or of all.
    ///
    /// - Throws: `NodeError.notPrimary`, `.unknownAudience`, `.clockNotAccepted`.
    func newGenerations(of wanted: Set<AudienceID>?) throws(NodeError) -> [Audience] {
        // No generation is granted that the primary device does not know.
        guard contents.rootSeed != nil else { throw .notPrimary }
        guard let now = currentPeriod else { throw .clockNotAccepted }
        let audiences = contents.audiences.filter { wanted?.contains($0.id) != false }
        guard wanted.map({ $0.count == audiences.count }) != false else { throw .unknownAudience }
        return audiences.map { $0.renewed(from: now, using: &randomness) }
    }

    /// Applies new generations that were stored: withdraws what was shown of the earlier ones.
    func generationsBegan(of audiences: [Audience]) {
        firstContacts.generationsBegan { contents.contact($0)?.agreement.grantedUntil }
        let renewed = Set(audiences.map(\.id))
        guard let shown = contents.audience(shownBy: visibility), renewed.contains(shown.id) else {
            unannouncedChanged()
            for contact in contents.contacts { compareGrants(with: contact.user) }
            return
        }
        changeAudience()
    }

    // MARK: Costs

    /// Returns the audiences by which a contact can recognise this user now.
    func usableAudiences(of contact: StoredContact) -> [AudienceID] {
        guard let now = clockPeriod else { return contact.granted.map(\.audience) }
        let usable = contents.usable(contact.granted, in: now).map(\.audience)
        return contents.audiences.map(\.id).filter(usable.contains)
    }

    /// Returns how many other contacts hold a grant of these audiences, and how many of those this node recognises.
    func price(ofRenewing audiences: [AudienceID], without user: UserID) -> (holders: Int, recognised: Int) {
        let now = clockPeriod
        let others = contents.contacts.filter { other in
            other.user != user && !other.isBlocked && !usableAudiences(of: other).allSatisfy { !audiences.contains($0) }
        }
        let recognised = others.count { other in other.grants.contains { grant in now.map { grant.to >= $0 } ?? true } }
        return (others.count, recognised)
    }
}
