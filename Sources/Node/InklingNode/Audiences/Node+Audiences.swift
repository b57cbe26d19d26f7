public import InklingKeys
internal import InklingVault
internal import InklingWire

// The user's audiences: their members, and the people who can recognise this user by them (`Specs/audiences.md`).
extension Node {
    /// Returns the audiences, that of all contacts first.
    public func audiences() -> [AudienceSummary] {
        takeWaitingInputs()
        let shown = contents.audience(shownBy: chosen)?.id
        let recognisers = recognisers()
        return contents.audiences.map { audience in
            AudienceSummary(
                id: audience.id, name: contents.name(of: audience),
                within: audience.id == contents.generalAudience?.id
                    ? nil : audience.within ?? contents.generalAudience?.id,
                generation: audience.generation,
                members: contents.contacts.count { contents.isMember($0, of: audience.id) },
                holders: recognisers.count { $0.grants.contains { $0.audience == audience.id } },
                isShown: audience.id == shown)
        }
    }

    /// Returns all contacts, and all former contacts who can still recognise this user, each with the usable grants
    /// that were sent, sorted by name and then by user id.
    public func recognisers() -> [Recogniser] {
        takeWaitingInputs()
        let contacts = contents.contacts.map { contact in
            Recogniser(
                user: contact.user, name: summary(contact).name, relation: relation(to: contact),
                grants: held(contact.granted) { contents.isMember(contact, of: $0) && relation(to: contact).isRenewed },
                isShownPair: chosen == .contact(contact.user), recognisedUntil: contact.grants.map(\.to).max())
        }
        let former = contents.formerContacts.map { person in
            Recogniser(
                user: person.user, name: person.name, relation: .removed, grants: held(person.granted) { _ in false },
                isShownPair: false, recognisedUntil: nil)
        }.filter { !$0.grants.isEmpty }
        return (contacts + former).sorted { ($0.name, $0.user) < ($1.name, $1.user) }
    }

    /// Adds an audience without members, who recognise this user also while the node shows itself to them only.
    ///
    /// - Parameters:
    ///   - name: the user's own name for it, 1 to 64 bytes; not `all` or `nobody`.
    ///   - outer: the enclosing audience, which its members join too; nil for the audience of all contacts.
    /// - Returns: the id of the audience.
    /// - Throws: `NodeError.badAudienceName`, `.tooManyAudiences`, `.unknownAudience`, `.clockNotAccepted`, `.notSaved`.
    @discardableResult
    public func createAudience(
        named name: String, within outer: AudienceID? = nil
    ) async throws(NodeError) -> AudienceID {
        let id = AudienceID(randomness.next())
        try await ask { .audience(.create(id, name: name, within: outer), $0) }
        return id
    }

    /// Renames an audience. Names are local to this device; contacts never see them.
    ///
    /// - Throws: `NodeError.badAudienceName`, `.unknownAudience`, `.generalAudience`, `.notSaved`.
    public func renameAudience(_ id: AudienceID, to name: String) async throws(NodeError) {
        try await ask { .audience(.rename(id, to: name), $0) }
    }

    /// Removes an audience. It no longer lets anybody recognise this user; a node that shows it becomes invisible.
    ///
    /// - Throws: `NodeError.unknownAudience`, `.generalAudience`, `.notSaved`.
    public func removeAudience(_ id: AudienceID) async throws(NodeError) {
        try await ask { .audience(.remove(id), $0) }
    }

    /// Adds a contact to an audience and to its enclosing ones. The grants go out in the open session or the next one.
    ///
    /// - Throws: `NodeError.unknownContact`, `.unknownAudience`, `.generalAudience`, `.notSaved`.
    public func assign(_ user: UserID, to id: AudienceID) async throws(NodeError) {
        try await ask { .audience(.assign(user, to: id, isMember: true), $0) }
    }

    /// Removes a contact from an audience and from those inside it. Grants that were sent stay usable until they end,
    /// or until `renewAudiences`.
    ///
    /// - Throws: `NodeError.unknownContact`, `.unknownAudience`, `.generalAudience`, `.notSaved`.
    public func unassign(_ user: UserID, from id: AudienceID) async throws(NodeError) {
        try await ask { .audience(.assign(user, to: id, isMember: false), $0) }
    }

    /// Returns the change that carries out a request of the user.
    func change(_ request: AudienceRequest) throws(NodeError) -> ContentsChange {
        let contents = pendingContents
        switch request {
        case .create(let id, let name, let outer):
            guard let now = currentPeriod else { throw .clockNotAccepted }
            guard contents.audiences.count < Int(VaultContents.maximumAudiences) else { throw .tooManyAudiences }
            try check(name, in: contents)
            if let outer, contents.audience(outer) == nil { throw .unknownAudience }
            var audience = Audience(id: id, generation: max(1, now.number), from: now, using: &randomness)
            audience.name = name
            audience.within = outer == contents.generalAudience?.id ? nil : outer
            return .createAudience(audience)
        case .rename(let id, let name):
            try checkInner(id, in: contents)
            try check(name, in: contents, except: id)
            return .renameAudience(id, to: name)
        case .remove(let id):
            try checkInner(id, in: contents)
            return .removeAudience(id)
        case .assign(let user, let id, let isMember):
            guard contents.contact(user) != nil else { throw .unknownContact }
            try checkInner(id, in: contents)
            return .assign(user, to: id, isMember: isMember)
        }
    }

    private func checkInner(_ id: AudienceID, in contents: VaultContents) throws(NodeError) {
        guard contents.audience(id) != nil else { throw .unknownAudience }
        guard id != contents.generalAudience?.id else { throw .generalAudience }
    }

    private func check(_ name: String, in contents: VaultContents, except id: AudienceID? = nil) throws(NodeError) {
        let isTaken = contents.audiences.contains { $0.id != id && contents.name(of: $0) == name }
        guard !name.isEmpty, name != VaultContents.generalAudienceName, name != "nobody", !isTaken,
            ContactCard.isFitName(name)
        else { throw .badAudienceName }
    }

    /// Applies a contact's new memberships.
    func assigned(_ user: UserID, isMember: Bool) {
        guard let contact = contents.contact(user) else { return }
        if !contents.shows(visibility, to: contact) { endSessions(with: user) }
        contactsChanged()
        unannouncedChanged(adding: isMember ? user : nil)
        if isMember { compareGrants(with: user) }
    }

    /// The visibility of the running node, or the stored one that it will have when it runs.
    private var chosen: Visibility { life == .running ? visibility : contents.visibility }

    private func relation(to contact: StoredContact) -> Recogniser.Relation {
        if contact.isBlocked { return .blocked }
        if contact.isLapsing { return .lapsing }
        switch contact.agreement.standing {
        case .none, .waiting: return .waiting
        case .halfFinished: return .halfFinished
        case .complete: return .complete
        }
    }

    private func held(_ granted: [IssuedGrant], isMember: (AudienceID) -> Bool) -> [Recogniser.Held] {
        guard let now = clockPeriod else { return [] }
        let shown = contents.audience(shownBy: chosen)?.id
        let usable = contents.usable(granted, in: now)
        return contents.audiences.compactMap { audience in
            usable.first { $0.audience == audience.id }.map { grant in
                Recogniser.Held(
                    audience: audience.id, name: contents.name(of: audience), generation: audience.generation,
                    until: grant.to, isRenewed: isMember(audience.id), isShown: audience.id == shown)
            }
        }
    }
}

extension Recogniser.Relation {
    /// Whether the person's grants are renewed when they meet.
    fileprivate var isRenewed: Bool { self == .complete || self == .halfFinished }
}
