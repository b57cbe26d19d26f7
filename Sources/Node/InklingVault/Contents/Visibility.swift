public import InklingKeys

/// The choice of whom a node shows itself to and looks for; it lasts until the user's next choice
/// (`Specs/pair-audiences.md`).
///
/// A node shows one audience at a time, over all link technologies. A change is treated as an epoch boundary: silence,
/// then other identifiers after a fresh quiet period.
public enum Visibility: Hashable, Sendable {
    /// Every contact that holds a grant.
    case all
    /// The members of an audience inside that of all contacts, if they hold a grant of it.
    case audience(AudienceID)
    /// One contact: the node shows the pair audience that only this contact can recognise, and looks for it alone.
    case contact(UserID)
    /// Invisible: the node emits nothing except for an invitation that the user opens or accepts.
    case nobody
}

extension Visibility: CustomStringConvertible {
    /// The choice in words; an audience and a contact by their ids.
    public var description: String {
        switch self {
        case .all: "all contacts"
        case .audience(let id): "audience \(id)"
        case .contact(let user): "\(user.octets) only"
        case .nobody: "nobody"
        }
    }
}

extension Visibility: Codable {
    private enum Choice: String, Codable { case all, audience, contact, nobody }

    private enum CodingKeys: String, CodingKey { case to, id, audience }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(Choice.self, forKey: .to) {
        case .all: self = .all
        case .audience: self = .audience(try members.decode(AudienceID.self, forKey: .audience))
        case .contact: self = .contact(try members.decode(UserID.self, forKey: .id))
        case .nobody: self = .nobody
        }
    }

    /// Encodes the choice as `to`, a contact as `id`, and an audience as `audience`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .all: try members.encode(Choice.all, forKey: .to)
        case .audience(let id):
            try members.encode(Choice.audience, forKey: .to)
            try members.encode(id, forKey: .audience)
        case .contact(let user):
            try members.encode(Choice.contact, forKey: .to)
            try members.encode(user, forKey: .id)
        case .nobody: try members.encode(Choice.nobody, forKey: .to)
        }
    }
}
