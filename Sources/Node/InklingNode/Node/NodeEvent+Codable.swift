internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingVault
internal import InklingWire

// Events are coded in the names of the control socket: `event` names the event, `id` is the contact's. The members of a
// reason, a presence, a plan and a trouble stand beside them.

extension NodeEvent: Codable {
    private enum Name: String, Codable {
        case visibility, visible, silent, presence, arrived, left, plan, confirmed
        case handedOver = "hand-over"
        case outsideWindow = "replay-suspected"
        case contested, imitated, replayed, renewed, message, delivered, expired, file, trouble, missed
        case messagesSkipped = "messages-skipped"
    }

    private enum CodingKeys: String, CodingKey {
        case event, technology, from, epoch, id, milliseconds, text, message, count, file
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func user() throws -> UserID { try members.decode(UserID.self, forKey: .id) }
        func technology() throws -> LinkTechnologyID { try members.decode(LinkTechnologyID.self, forKey: .technology) }
        switch try members.decode(Name.self, forKey: .event) {
        case .visibility: self = .visibility(try Visibility(from: decoder))
        case .visible: self = .showing(try members.decode(Epoch.self, forKey: .epoch), over: try technology())
        case .silent: self = .silent(try SilenceReason(from: decoder), over: try technology())
        case .presence: self = .presence(try user(), try PresenceState(from: decoder))
        case .arrived: self = .arrived(try user())
        case .left: self = .left(try user())
        case .plan: self = .planned(try user(), try TransportPlan(from: decoder))
        case .confirmed:
            let milliseconds = try members.decodeIfPresent(Int64.self, forKey: .milliseconds)
            self = .confirmed(
                try user(), over: try technology(), after: milliseconds.map { .milliseconds($0) })
        case .handedOver:
            self = .handedOver(
                try user(), from: try members.decode(LinkTechnologyID.self, forKey: .from), to: try technology())
        case .outsideWindow: self = .outsideWindow(try user())
        case .contested: self = .contested(try user())
        case .imitated: self = .imitated
        case .replayed: self = .replayed
        case .renewed: self = .renewed(try user())
        case .message: self = .message(try user(), try members.decode(String.self, forKey: .text))
        case .delivered: self = .delivered(try user(), try members.decode(TextID.self, forKey: .message))
        case .expired: self = .expired(try user(), try members.decode(TextID.self, forKey: .message))
        case .messagesSkipped: self = .messagesSkipped(try user(), try members.decode(UInt64.self, forKey: .count))
        case .file: self = .file(try members.decode(FileTransfer.self, forKey: .file))
        case .trouble: self = .trouble(try Trouble(from: decoder))
        case .missed: self = .missed(try members.decode(Int.self, forKey: .count))
        }
    }

    /// Encodes the event; a duration in whole milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        func encode(_ name: Name, _ user: UserID? = nil) throws {
            try members.encode(name, forKey: .event)
            if let user { try members.encode(user, forKey: .id) }
        }
        switch self {
        case .visibility(let choice):
            try encode(.visibility)
            try choice.encode(to: encoder)
        case .showing(let epoch, let technology):
            try encode(.visible)
            try members.encode(technology, forKey: .technology)
            try members.encode(epoch, forKey: .epoch)
        case .silent(let reason, let technology):
            try encode(.silent)
            try members.encode(technology, forKey: .technology)
            try reason.encode(to: encoder)
        case .presence(let user, let state):
            try encode(.presence, user)
            try state.encode(to: encoder)
        case .arrived(let user): try encode(.arrived, user)
        case .left(let user): try encode(.left, user)
        case .planned(let user, let plan):
            try encode(.plan, user)
            try plan.encode(to: encoder)
        case .confirmed(let user, let technology, let taken):
            try encode(.confirmed, user)
            try members.encode(technology, forKey: .technology)
            try members.encodeIfPresent(taken?.wholeMilliseconds, forKey: .milliseconds)
        case .handedOver(let user, let old, let new):
            try encode(.handedOver, user)
            try members.encode(old, forKey: .from)
            try members.encode(new, forKey: .technology)
        case .outsideWindow(let user): try encode(.outsideWindow, user)
        case .contested(let user): try encode(.contested, user)
        case .imitated: try encode(.imitated)
        case .replayed: try encode(.replayed)
        case .renewed(let user): try encode(.renewed, user)
        case .message(let user, let text):
            try encode(.message, user)
            try members.encode(text, forKey: .text)
        case .delivered(let user, let id):
            try encode(.delivered, user)
            try members.encode(id, forKey: .message)
        case .expired(let user, let id):
            try encode(.expired, user)
            try members.encode(id, forKey: .message)
        case .messagesSkipped(let user, let count):
            try encode(.messagesSkipped, user)
            try members.encode(count, forKey: .count)
        case .file(let file):
            try encode(.file, file.contact)
            try members.encode(file, forKey: .file)
        case .trouble(let trouble):
            try encode(.trouble)
            try trouble.encode(to: encoder)
        case .missed(let count):
            try encode(.missed)
            try members.encode(count, forKey: .count)
        }
    }
}

extension NodeEvent.SilenceReason: Codable {
    private enum Name: String, Codable {
        case gap
        case networkChanged = "network-changed"
        case highWater = "high-water"
        case noKeys = "no-keys"
        case clock, unconfirmed, discovery, links, radio, vault, asleep, inviting, invisible, stopped
    }

    private enum CodingKeys: String, CodingKey {
        case reason, error, epoch
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func error<Value: Decodable>() throws -> Value { try members.decode(Value.self, forKey: .error) }
        self =
            switch try members.decode(Name.self, forKey: .reason) {
            case .gap: .gap
            case .networkChanged: .networkChanged
            case .clock: .clock(try error())
            case .highWater: .highWater(try members.decode(Epoch.self, forKey: .epoch))
            case .noKeys: .noKeys
            case .unconfirmed: .unconfirmed(shownFrom: try members.decodeIfPresent(Epoch.self, forKey: .epoch))
            case .discovery: .discovery(try error())
            case .links: .links(try error())
            case .radio: .radio(try error())
            case .vault: .vault(try error())
            case .asleep: .asleep
            case .inviting: .inviting
            case .invisible: .invisible
            case .stopped: .stopped
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        func encode(_ name: Name) throws { try members.encode(name, forKey: .reason) }
        func encode(_ name: Name, _ error: some Encodable) throws {
            try encode(name)
            try members.encode(error, forKey: .error)
        }
        switch self {
        case .gap: try encode(.gap)
        case .networkChanged: try encode(.networkChanged)
        case .clock(let refusal): try encode(.clock, refusal)
        case .highWater(let epoch):
            try encode(.highWater)
            try members.encode(epoch, forKey: .epoch)
        case .noKeys: try encode(.noKeys)
        case .unconfirmed(let epoch):
            try encode(.unconfirmed)
            try members.encodeIfPresent(epoch, forKey: .epoch)
        case .discovery(let error): try encode(.discovery, error)
        case .links(let error): try encode(.links, error)
        case .radio(let error): try encode(.radio, error)
        case .vault(let error): try encode(.vault, error)
        case .asleep: try encode(.asleep)
        case .inviting: try encode(.inviting)
        case .invisible: try encode(.invisible)
        case .stopped: try encode(.stopped)
        }
    }
}

extension NodeEvent.Trouble: Codable {
    private enum Name: String, Codable {
        case notSaved = "not-saved"
        case certificateNotRenewed = "certificate-not-renewed"
        case refused
        case radioDeaf = "radio-deaf"
        case radioCrowded = "radio-crowded"
        case antenna
        case messages
        case messagesFound = "messages-found"
    }

    private enum CodingKeys: String, CodingKey {
        case what, error, id, stage, reason, step, finding, trouble
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try members.decode(String.self, forKey: key) }
        switch try members.decode(Name.self, forKey: .what) {
        case .notSaved: self = .notSaved(try members.decode(VaultError.self, forKey: .error))
        case .certificateNotRenewed:
            self = .certificateNotRenewed(try members.decode(CardError.self, forKey: .error))
        case .refused:
            self = .refused(
                try members.decode(UserID.self, forKey: .id), stage: try text(.stage), reason: try text(.reason))
        case .radioDeaf: self = .radioDeaf(try members.decode(RadioRecovery.self, forKey: .step))
        case .radioCrowded: self = .radioCrowded
        case .antenna: self = .antenna(try members.decode(AntennaTrouble.self, forKey: .trouble))
        case .messages: self = .messages(try members.decode(MessageStoreError.self, forKey: .error))
        case .messagesFound: self = .messagesFound(try members.decode(MessageStoreFinding.self, forKey: .finding))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .notSaved(let error):
            try members.encode(Name.notSaved, forKey: .what)
            try members.encode(error, forKey: .error)
        case .certificateNotRenewed(let error):
            try members.encode(Name.certificateNotRenewed, forKey: .what)
            try members.encode(error, forKey: .error)
        case .refused(let user, let stage, let reason):
            try members.encode(Name.refused, forKey: .what)
            try members.encode(user, forKey: .id)
            try members.encode(stage, forKey: .stage)
            try members.encode(reason, forKey: .reason)
        case .radioDeaf(let step):
            try members.encode(Name.radioDeaf, forKey: .what)
            try members.encode(step, forKey: .step)
        case .radioCrowded: try members.encode(Name.radioCrowded, forKey: .what)
        case .antenna(let trouble):
            try members.encode(Name.antenna, forKey: .what)
            try members.encode(trouble, forKey: .trouble)
        case .messages(let error):
            try members.encode(Name.messages, forKey: .what)
            try members.encode(error, forKey: .error)
        case .messagesFound(let finding):
            try members.encode(Name.messagesFound, forKey: .what)
            try members.encode(finding, forKey: .finding)
        }
    }
}
