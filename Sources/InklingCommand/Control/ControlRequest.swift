import InklingKeys

/// A request of a command to a node. `README.md` describes the JSON of each.
enum ControlRequest: Sendable {
    case status
    case contacts
    case contact(named: String)
    case rename(contact: String, name: String)
    case remove(contact: String)
    case renew
    case visible(to: Audience)
    case reviewed(contact: String)
    case card
    case add(text: String)
    case invite(minutes: UInt64)
    /// The text is nil until its line has arrived.
    case accept(text: SecretBox<SecretBytes>?, address: String?)
    case send(contact: String, text: String)
    /// The path is absolute.
    case sendFile(contact: String, path: String, staysInEpoch: Bool = false, waits: Bool = true)
    case files
    case file(transfer: String, TransferChange)
    case explain(contact: String)
    /// Of the contacts, or with `own` of this node itself.
    case predictions(from: Epoch, through: Epoch, own: Bool = false)
    case presence
    case events

    /// To whom the node is to be visible.
    enum Audience: Hashable {
        case all
        case nobody
        case contact(named: String)

        /// Creates the audience that a person means: `all`, `nobody`, or a contact.
        init(_ text: String) {
            switch text {
            case "all": self = .all
            case "nobody": self = .nobody
            default: self = .contact(named: text)
            }
        }
    }

    /// The most epochs of one request for predictions: two days.
    static let predictionLimit: UInt32 = 192

    /// Whether the line of a text follows the request.
    var awaitsText: Bool { if case .accept(nil, _) = self { true } else { false } }

    /// Returns the request with the text that it awaits.
    func with(_ text: SecretBox<SecretBytes>) -> ControlRequest {
        if case .accept(nil, let address) = self { .accept(text: text, address: address) } else { self }
    }

    /// The name of a request in the member `do`.
    enum Name: String, Codable, CaseIterable {
        case status, contacts, contact, rename, remove, renew, visible, reviewed, card, add, invite, accept, send,
            explain
        case sendFile = "send-file"
        case files, file
        case predictions, presence, events
    }

    var name: Name {
        switch self {
        case .status: .status
        case .contacts: .contacts
        case .contact: .contact
        case .rename: .rename
        case .remove: .remove
        case .renew: .renew
        case .visible: .visible
        case .reviewed: .reviewed
        case .card: .card
        case .add: .add
        case .invite: .invite
        case .accept: .accept
        case .send: .send
        case .sendFile: .sendFile
        case .files: .files
        case .file: .file
        case .explain: .explain
        case .predictions: .predictions
        case .presence: .presence
        case .events: .events
        }
    }
}

extension ControlRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case request = "do"
        case contact, name, text, minutes
        case address = "at"
        case from, own
        case to
        case path, transfer, change
        case staysInEpoch = "within-epoch"
        case waits = "wait"
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .request)
        switch self {
        case .status, .contacts, .renew, .card, .presence, .events, .files: break
        case .contact(let contact), .remove(let contact), .reviewed(let contact), .explain(let contact):
            try members.encode(contact, forKey: .contact)
        case .visible(let audience):
            switch audience {
            case .all: try members.encode("all", forKey: .to)
            case .nobody: try members.encode("nobody", forKey: .to)
            case .contact(let contact):
                try members.encode("contact", forKey: .to)
                try members.encode(contact, forKey: .contact)
            }
        case .rename(let contact, let name):
            try members.encode(contact, forKey: .contact)
            try members.encode(name, forKey: .name)
        case .add(let text): try members.encode(text, forKey: .text)
        case .invite(let minutes): try members.encode(minutes, forKey: .minutes)
        case .accept(_, let address):
            try members.encodeIfPresent(address, forKey: .address)
        case .send(let contact, let text):
            try members.encode(contact, forKey: .contact)
            try members.encode(text, forKey: .text)
        case .sendFile(let contact, let path, let staysInEpoch, let waits):
            try members.encode(contact, forKey: .contact)
            try members.encode(path, forKey: .path)
            if staysInEpoch { try members.encode(staysInEpoch, forKey: .staysInEpoch) }
            if !waits { try members.encode(waits, forKey: .waits) }
        case .file(let transfer, let change):
            try members.encode(transfer, forKey: .transfer)
            try members.encode(change, forKey: .change)
        case .predictions(let from, let through, let own):
            try members.encode(from.number, forKey: .from)
            try members.encode(through.number, forKey: .to)
            if own { try members.encode(own, forKey: .own) }
        }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try members.decode(String.self, forKey: key) }
        switch try members.decode(Name.self, forKey: .request) {
        case .status: self = .status
        case .contacts: self = .contacts
        case .contact: self = .contact(named: try text(.contact))
        case .rename: self = .rename(contact: try text(.contact), name: try text(.name))
        case .remove: self = .remove(contact: try text(.contact))
        case .renew: self = .renew
        case .visible:
            switch try text(.to) {
            case "all": self = .visible(to: .all)
            case "nobody": self = .visible(to: .nobody)
            case "contact": self = .visible(to: .contact(named: try text(.contact)))
            default: throw JSONShapeError(path: [CodingKeys.to.rawValue], what: "must be all, contact or nobody")
            }
        case .reviewed: self = .reviewed(contact: try text(.contact))
        case .card: self = .card
        case .add: self = .add(text: try text(.text))
        case .invite:
            let minutes = try members.decode(UInt64.self, forKey: .minutes)
            let longest = UInt64(Invitation.longestLife / .seconds(60))
            guard (1...longest).contains(minutes) else {
                throw JSONShapeError(path: [CodingKeys.minutes.rawValue], what: "must be 1 to \(longest)")
            }
            self = .invite(minutes: minutes)
        case .accept:
            guard !members.contains(.text) else {
                throw JSONShapeError(path: [CodingKeys.text.rawValue], what: "must follow on a line of its own")
            }
            self = .accept(text: nil, address: try members.decodeIfPresent(String.self, forKey: .address))
        case .send: self = .send(contact: try text(.contact), text: try text(.text))
        case .sendFile:
            let path = try text(.path)
            guard path.hasPrefix("/") else {
                throw JSONShapeError(path: [CodingKeys.path.rawValue], what: "must be an absolute path")
            }
            self = .sendFile(
                contact: try text(.contact), path: path,
                staysInEpoch: try members.decodeIfPresent(Bool.self, forKey: .staysInEpoch) ?? false,
                waits: try members.decodeIfPresent(Bool.self, forKey: .waits) ?? true)
        case .files: self = .files
        case .file:
            guard let change = TransferChange(rawValue: try text(.change)) else {
                throw JSONShapeError(path: [CodingKeys.change.rawValue], what: "must be accept, refuse or cancel")
            }
            self = .file(transfer: try text(.transfer), change)
        case .explain: self = .explain(contact: try text(.contact))
        case .predictions:
            guard let from = Epoch(try members.decode(UInt32.self, forKey: .from)),
                let through = Epoch(try members.decode(UInt32.self, forKey: .to)), from <= through,
                through.number - from.number < Self.predictionLimit
            else {
                let range = "must be 1 to \(Self.predictionLimit) epochs"
                throw JSONShapeError(path: [CodingKeys.from.rawValue, CodingKeys.to.rawValue], what: range)
            }
            let own = try members.decodeIfPresent(Bool.self, forKey: .own) ?? false
            self = .predictions(from: from, through: through, own: own)
        case .presence: self = .presence
        case .events: self = .events
        }
    }
}
