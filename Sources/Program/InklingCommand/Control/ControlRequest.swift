import InklingKeys
import InklingNode
import InklingTerminal
import InklingVault

/// A request of a command to a node. `README.md` describes the JSON of each.
enum ControlRequest: Sendable {
    case status
    case contacts
    case contact(named: String)
    case rename(contact: String, name: String)
    /// Sets delays of a contact in seconds; a nil delay is kept or, with `isReset`, set to the default.
    case delay(contact: String, arrive: UInt32?, leave: UInt32?, goodbye: UInt32?, isReset: Bool = false)
    case remove(contact: String)
    /// Starts new generations of these audiences, or of all audiences without names.
    case renew(audiences: [String])
    case audiences
    case createAudience(name: String, within: String?)
    case renameAudience(audience: String, name: String)
    case removeAudience(audience: String)
    case assign(contact: String, audience: String, isMember: Bool)
    case recognisers
    /// With `isTrial`, only reports what would change.
    case revoke(contact: String, level: RevocationLevel, device: UInt8?, isTrial: Bool)
    case block(contact: String)
    case unblock(contact: String)
    /// Makes sealed grants for a contact, and resumes the renewal of its grants.
    case grant(contact: String)
    case visible(to: Audience)
    case reviewed(contact: String)
    case card
    case add(text: String)
    case invite(minutes: UInt64)
    /// Links another device of this user.
    case addDevice(minutes: UInt64)
    case devices
    case removeDevice(index: DeviceIndex)
    /// The text is nil until its line has arrived.
    case accept(text: SecretBox<SecretBytes>?, address: String?)
    /// Queues a text that expires after `expires` seconds, and waits `wait` seconds for its acknowledgement.
    case send(contact: String, text: String, expires: UInt64, wait: UInt64)
    /// Reports the stored messages with one contact, or with all.
    case messages(contact: String?)
    /// Reports one message with its text, by the beginning of its id.
    case message(id: String)
    /// Marks this message, and all earlier ones of the same device, as read.
    case acknowledge(id: String)
    case removeMessage(id: String)
    /// Sends the file at an absolute path.
    case sendFile(contact: String, path: String, staysInEpoch: Bool = false, waits: Bool = true)
    case files
    case file(transfer: String, TransferChange)
    case explain(contact: String)
    /// Predicts for the contacts or, with `own`, for this node.
    case predictions(from: Epoch, through: Epoch, own: Bool = false)
    case presence
    case events
    case dashboard

    /// The audience to which the node becomes visible.
    enum Audience: Hashable {
        case all
        case nobody
        /// An audience or a contact.
        case named(String)

        /// Parses `all`, `nobody`, or the name of an audience or a contact.
        init(_ text: String) {
            switch text {
            case "all": self = .all
            case "nobody": self = .nobody
            default: self = .named(text)
            }
        }
    }

    /// The default lifetime of a queued text in seconds: 30 days.
    static let defaultExpiry: UInt64 = 30 * 86_400
    /// The maximum number of epochs in one request for predictions: two days.
    static let predictionLimit: UInt32 = 192

    /// Whether a line with a text follows the request.
    var awaitsText: Bool { if case .accept(nil, _) = self { true } else { false } }

    /// Returns the request with the text that it awaits.
    func with(_ text: SecretBox<SecretBytes>) -> ControlRequest {
        if case .accept(nil, let address) = self { .accept(text: text, address: address) } else { self }
    }

    /// The name of a request in the member `do`.
    enum Name: String, Codable, CaseIterable {
        case status, contacts, contact, rename, delay, remove, renew, visible, reviewed, card, add, invite, accept,
            send,
            explain, messages, message, acknowledge
        case removeMessage = "remove-message"
        case sendFile = "send-file"
        case files, file
        case predictions, presence, events, dashboard
        case audiences
        case createAudience = "create-audience"
        case renameAudience = "rename-audience"
        case removeAudience = "remove-audience"
        case assign, recognisers, revoke, block, unblock, grant
        case devices
        case addDevice = "add-device"
        case removeDevice = "remove-device"
    }

    var name: Name {
        switch self {
        case .status: .status
        case .contacts: .contacts
        case .contact: .contact
        case .rename: .rename
        case .delay: .delay
        case .remove: .remove
        case .renew: .renew
        case .visible: .visible
        case .reviewed: .reviewed
        case .card: .card
        case .add: .add
        case .invite: .invite
        case .addDevice: .addDevice
        case .devices: .devices
        case .removeDevice: .removeDevice
        case .accept: .accept
        case .send: .send
        case .messages: .messages
        case .message: .message
        case .acknowledge: .acknowledge
        case .removeMessage: .removeMessage
        case .sendFile: .sendFile
        case .files: .files
        case .file: .file
        case .explain: .explain
        case .predictions: .predictions
        case .presence: .presence
        case .events: .events
        case .dashboard: .dashboard
        case .audiences: .audiences
        case .createAudience: .createAudience
        case .renameAudience: .renameAudience
        case .removeAudience: .removeAudience
        case .assign: .assign
        case .recognisers: .recognisers
        case .revoke: .revoke
        case .block: .block
        case .unblock: .unblock
        case .grant: .grant
        }
    }
}

extension ControlRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case request = "do"
        case contact, name, text, minutes, device, expires, wait, message
        case address = "at"
        case from, own
        case to
        case audience, audiences, within, member, level, trial
        case path, transfer, change
        case arrive, leave, goodbye
        case isReset = "default"
        case staysInEpoch = "within-epoch"
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .request)
        switch self {
        case .status, .contacts, .card, .presence, .events, .dashboard, .audiences, .recognisers, .devices, .files:
            break
        case .renew(let audiences): try members.encode(audiences, forKey: .audiences)
        case .createAudience(let name, let outer):
            try members.encode(name, forKey: .name)
            try members.encodeIfPresent(outer, forKey: .within)
        case .renameAudience(let audience, let name):
            try members.encode(audience, forKey: .audience)
            try members.encode(name, forKey: .name)
        case .removeAudience(let audience): try members.encode(audience, forKey: .audience)
        case .assign(let contact, let audience, let isMember):
            try members.encode(contact, forKey: .contact)
            try members.encode(audience, forKey: .audience)
            try members.encode(isMember, forKey: .member)
        case .revoke(let contact, let level, let device, let isTrial):
            try members.encode(contact, forKey: .contact)
            try members.encode(level, forKey: .level)
            try members.encodeIfPresent(device, forKey: .device)
            try members.encode(isTrial, forKey: .trial)
        case .contact(let contact), .remove(let contact), .reviewed(let contact), .explain(let contact),
            .block(let contact), .unblock(let contact), .grant(let contact):
            try members.encode(contact, forKey: .contact)
        case .visible(let audience):
            switch audience {
            case .all: try members.encode("all", forKey: .to)
            case .nobody: try members.encode("nobody", forKey: .to)
            case .named(let name):
                try members.encode("named", forKey: .to)
                try members.encode(name, forKey: .name)
            }
        case .rename(let contact, let name):
            try members.encode(contact, forKey: .contact)
            try members.encode(name, forKey: .name)
        case .delay(let contact, let arrive, let leave, let goodbye, let isReset):
            try members.encode(contact, forKey: .contact)
            try members.encodeIfPresent(arrive, forKey: .arrive)
            try members.encodeIfPresent(leave, forKey: .leave)
            try members.encodeIfPresent(goodbye, forKey: .goodbye)
            if isReset { try members.encode(isReset, forKey: .isReset) }
        case .add(let text): try members.encode(text, forKey: .text)
        case .removeDevice(let index): try members.encode(index, forKey: .device)
        case .invite(let minutes), .addDevice(let minutes): try members.encode(minutes, forKey: .minutes)
        case .accept(_, let address):
            try members.encodeIfPresent(address, forKey: .address)
        case .send(let contact, let text, let expires, let wait):
            try members.encode(contact, forKey: .contact)
            try members.encode(text, forKey: .text)
            try members.encode(expires, forKey: .expires)
            try members.encode(wait, forKey: .wait)
        case .messages(let contact): try members.encodeIfPresent(contact, forKey: .contact)
        case .message(let id), .acknowledge(let id), .removeMessage(let id):
            try members.encode(id, forKey: .message)
        case .sendFile(let contact, let path, let staysInEpoch, let waits):
            try members.encode(contact, forKey: .contact)
            try members.encode(path, forKey: .path)
            if staysInEpoch { try members.encode(staysInEpoch, forKey: .staysInEpoch) }
            if !waits { try members.encode(waits, forKey: .wait) }
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
        case .delay:
            func delay(_ key: CodingKeys, _ range: ClosedRange<UInt32>) throws -> UInt32? {
                guard let seconds = try members.decodeIfPresent(UInt32.self, forKey: key) else { return nil }
                guard range.contains(seconds) else {
                    let what = "must be \(range.lowerBound) to \(range.upperBound)"
                    throw JSONShapeError(path: [key.rawValue], what: what)
                }
                return seconds
            }
            self = .delay(
                contact: try text(.contact), arrive: try delay(.arrive, ContactDelays.arrivals),
                leave: try delay(.leave, ContactDelays.departures),
                goodbye: try delay(.goodbye, ContactDelays.departures),
                isReset: try members.decodeIfPresent(Bool.self, forKey: .isReset) ?? false)
        case .remove: self = .remove(contact: try text(.contact))
        case .renew: self = .renew(audiences: try members.decodeIfPresent([String].self, forKey: .audiences) ?? [])
        case .audiences: self = .audiences
        case .recognisers: self = .recognisers
        case .createAudience:
            self = .createAudience(
                name: try text(.name), within: try members.decodeIfPresent(String.self, forKey: .within))
        case .renameAudience: self = .renameAudience(audience: try text(.audience), name: try text(.name))
        case .removeAudience: self = .removeAudience(audience: try text(.audience))
        case .assign:
            self = .assign(
                contact: try text(.contact), audience: try text(.audience),
                isMember: try members.decode(Bool.self, forKey: .member))
        case .revoke:
            self = .revoke(
                contact: try text(.contact), level: try members.decode(RevocationLevel.self, forKey: .level),
                device: try members.decodeIfPresent(UInt8.self, forKey: .device),
                isTrial: try members.decode(Bool.self, forKey: .trial))
        case .block: self = .block(contact: try text(.contact))
        case .unblock: self = .unblock(contact: try text(.contact))
        case .grant: self = .grant(contact: try text(.contact))
        case .visible:
            switch try text(.to) {
            case "all": self = .visible(to: .all)
            case "nobody": self = .visible(to: .nobody)
            case "named": self = .visible(to: .named(try text(.name)))
            default: throw JSONShapeError(path: [CodingKeys.to.rawValue], what: "must be all, named or nobody")
            }
        case .reviewed: self = .reviewed(contact: try text(.contact))
        case .card: self = .card
        case .add: self = .add(text: try text(.text))
        case .invite: self = .invite(minutes: try Self.minutes(of: members))
        case .addDevice: self = .addDevice(minutes: try Self.minutes(of: members))
        case .devices: self = .devices
        case .removeDevice: self = .removeDevice(index: try members.decode(DeviceIndex.self, forKey: .device))
        case .accept:
            guard !members.contains(.text) else {
                throw JSONShapeError(path: [CodingKeys.text.rawValue], what: "must follow on a line of its own")
            }
            self = .accept(text: nil, address: try members.decodeIfPresent(String.self, forKey: .address))
        case .send:
            self = .send(
                contact: try text(.contact), text: try text(.text),
                expires: try members.decodeIfPresent(UInt64.self, forKey: .expires) ?? Self.defaultExpiry,
                wait: try members.decodeIfPresent(UInt64.self, forKey: .wait) ?? 0)
        case .messages: self = .messages(contact: try members.decodeIfPresent(String.self, forKey: .contact))
        case .message: self = .message(id: try text(.message))
        case .acknowledge: self = .acknowledge(id: try text(.message))
        case .removeMessage: self = .removeMessage(id: try text(.message))
        case .sendFile:
            let path = try text(.path)
            guard path.hasPrefix("/") else {
                throw JSONShapeError(path: [CodingKeys.path.rawValue], what: "must be an absolute path")
            }
            self = .sendFile(
                contact: try text(.contact), path: path,
                staysInEpoch: try members.decodeIfPresent(Bool.self, forKey: .staysInEpoch) ?? false,
                waits: try members.decodeIfPresent(Bool.self, forKey: .wait) ?? true)
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
        case .dashboard: self = .dashboard
        }
    }
    private static func minutes(of members: KeyedDecodingContainer<CodingKeys>) throws -> UInt64 {
        let minutes = try members.decode(UInt64.self, forKey: .minutes)
        let longest = UInt64(Invitation.longestLife / .seconds(60))
        guard (1...longest).contains(minutes) else {
            throw JSONShapeError(path: [CodingKeys.minutes.rawValue], what: "must be 1 to \(longest)")
        }
        return minutes
    }
}
