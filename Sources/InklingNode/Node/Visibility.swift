public import InklingKeys

/// To whom a node shows itself, and for whom it looks: a choice of the user that lasts until the next one
/// (`Specs/pair-audiences.md`).
///
/// A node shows one audience at a time, over all link technologies. A change is treated as a boundary of epochs: silence,
/// then other identifiers after a fresh gap.
public enum Visibility: Hashable, Sendable {
    /// Every contact that holds a grant.
    case all
    /// One contact: the node shows the pair audience that only this contact can recognise, and looks for it alone.
    case contact(UserID)
    /// Nobody: the node emits nothing except for an invitation that the user opens or accepts.
    case nobody

    /// Whether the node shows itself to this contact, if the contact holds what it needs, and looks for it.
    public func includes(_ user: UserID) -> Bool {
        switch self {
        case .all: true
        case .contact(let one): one == user
        case .nobody: false
        }
    }
}

extension Visibility: CustomStringConvertible {
    /// The choice in words; the contact by its user id.
    public var description: String {
        switch self {
        case .all: "all contacts"
        case .contact(let user): "\(user.octets) only"
        case .nobody: "nobody"
        }
    }
}

extension Visibility: Codable {
    private enum Choice: String, Codable { case all, contact, nobody }

    private enum CodingKeys: String, CodingKey { case to, id }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(Choice.self, forKey: .to) {
        case .all: self = .all
        case .contact: self = .contact(try members.decode(UserID.self, forKey: .id))
        case .nobody: self = .nobody
        }
    }

    /// Encodes the choice as `to`, and a contact as `id`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .all: try members.encode(Choice.all, forKey: .to)
        case .contact(let user):
            try members.encode(Choice.contact, forKey: .to)
            try members.encode(user, forKey: .id)
        case .nobody: try members.encode(Choice.nobody, forKey: .to)
        }
    }
}
