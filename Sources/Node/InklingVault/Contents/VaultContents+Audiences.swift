public import InklingKeys
internal import InklingWire

/// A former contact who can still recognise this user.
public struct FormerContact: Hashable, Sendable {
    /// The user id.
    public var user: UserID
    /// The name that the user last saw, at most 64 bytes of UTF-8.
    public var name: String
    /// The grants that were sent, at least one, at most one for each audience.
    public var granted: [IssuedGrant]

    /// Creates a record of a former contact.
    public init(user: UserID, name: String, granted: [IssuedGrant]) {
        self.user = user
        self.name = name
        self.granted = granted
    }
}

// The members of each audience, and the people who can recognise the user by it (`Specs/audiences.md`).
extension VaultContents {
    /// The name of the audience of all contacts; no other audience has it.
    public static let generalAudienceName = "all"

    /// The audience to which every contact belongs; nil once its keys are used up.
    package var generalAudience: Audience? { audiences.first }

    /// Returns the audience with an id; nil if there is none.
    package func audience(_ id: AudienceID) -> Audience? { audiences.first { $0.id == id } }

    /// Returns the user's name for an audience.
    package func name(of audience: Audience) -> String {
        audience.id == generalAudience?.id ? Self.generalAudienceName : audience.name
    }

    /// Returns the audiences to which a contact belongs, that of all contacts first.
    package func audiences(of contact: StoredContact) -> [Audience] {
        audiences.filter { isMember(contact, of: $0.id) }
    }

    /// Returns whether a contact belongs to an audience.
    package func isMember(_ contact: StoredContact, of id: AudienceID) -> Bool {
        id == generalAudience?.id || contact.assigned.contains(id)
    }

    /// Returns an audience and its enclosing ones, from the inside to the outside, without that of all contacts.
    package func around(_ id: AudienceID) -> [AudienceID] {
        var path: [AudienceID] = []
        var next: AudienceID? = id
        while let one = next, one != generalAudience?.id, !path.contains(one), let audience = audience(one) {
            path.append(one)
            next = audience.within
        }
        return path
    }

    /// Returns an audience and those inside it.
    package func inside(_ id: AudienceID) -> [AudienceID] { audiences.map(\.id).filter { around($0).contains(id) } }

    /// Returns the audience that a visibility shows; nil for a pair audience and for none.
    package func audience(shownBy visibility: Visibility) -> Audience? {
        switch visibility {
        case .all: generalAudience
        case .audience(let id): audience(id)
        case .contact, .nobody: nil
        }
    }

    /// Returns whether a visibility shows this device to a contact, and looks for the contact.
    package func shows(_ visibility: Visibility, to contact: StoredContact) -> Bool {
        switch visibility {
        case .all: true
        case .audience(let id): isMember(contact, of: id)
        case .contact(let user): contact.user == user
        case .nobody: false
        }
    }

    /// Replaces audiences by their new generations, of which nothing has been granted yet.
    mutating func begin(_ generations: [Audience]) {
        for audience in generations {
            guard let index = audiences.firstIndex(where: { $0.id == audience.id }) else { continue }
            own.keepFormer(audiences[index])
            audiences[index] = audience
        }
        let renewed = Set(generations.map(\.id))
        for index in contacts.indices { contacts[index].withdraw(renewed) }
        for index in formerContacts.indices {
            formerContacts[index].granted.removeAll { renewed.contains($0.audience) }
        }
        formerContacts.removeAll(where: \.granted.isEmpty)
    }

    /// Adds a contact to an audience and its enclosing ones, or removes it from an audience and those inside it.
    mutating func assign(_ user: UserID, to id: AudienceID, isMember: Bool) {
        guard let index = index(of: user) else { return }
        if isMember {
            let missing = around(id).filter { !contacts[index].assigned.contains($0) }
            contacts[index].assigned += missing
        } else {
            let left = inside(id)
            contacts[index].assigned.removeAll(where: left.contains)
        }
    }

    /// Removes an audience; those inside it move into the enclosing one. It no longer identifies the user.
    mutating func removeAudience(_ id: AudienceID) {
        guard let removed = audience(id), id != generalAudience?.id else { return }
        own.keepFormer(removed)
        audiences.removeAll { $0.id == id }
        for index in audiences.indices where audiences[index].within == id { audiences[index].within = removed.within }
        for index in contacts.indices {
            contacts[index].assigned.removeAll { $0 == id }
            contacts[index].withdraw([id])
        }
        for index in formerContacts.indices { formerContacts[index].granted.removeAll { $0.audience == id } }
        formerContacts.removeAll(where: \.granted.isEmpty)
        // An audience shown to few must not be replaced by one shown to more.
        if visibility == .audience(id) { visibility = .nobody }
    }

    /// Removes a contact; one who can still recognise the user is kept as a former contact.
    mutating func removeContact(_ user: UserID) {
        guard let contact = contact(user) else { return }
        contacts.removeAll { $0.user == user }
        guard !contact.granted.isEmpty else { return }
        formerContacts.removeAll { $0.user == user }
        formerContacts.append(FormerContact(user: user, name: contact.lastName, granted: contact.granted))
    }

    /// Returns the grants sent to a former contact, and drops the former contact.
    mutating func takeFormer(_ user: UserID) -> [IssuedGrant] {
        defer { formerContacts.removeAll { $0.user == user } }
        return formerContacts.first { $0.user == user }?.granted ?? []
    }

    /// Completes what earlier versions did not store: every contact belonged to every audience, and had a grant of each
    /// that ended when the longest did.
    mutating func completeEarlierAudiences() {
        for index in audiences.indices.dropFirst() { audiences[index].name = "audience \(index + 1)" }
        let others = audiences.dropFirst().map(\.id)
        for index in contacts.indices {
            contacts[index].assigned = others
            guard let end = contacts[index].agreement.grantedUntil else { continue }
            contacts[index].granted = unrecorded(audiences, of: contacts[index], until: end)
        }
    }
}
