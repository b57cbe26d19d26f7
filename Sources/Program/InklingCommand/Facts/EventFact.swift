import FoundationEssentials
import InklingEngine
import InklingKeys
import InklingNode
import InklingPlatforms
import InklingTerminal

/// One event of a running node, as a line of `inkling run --json` and as a fact of the control socket.
struct EventFact: Hashable, Sendable {
    /// The version of the members; it changes when a member is removed or its meaning changes.
    static let schema = 1

    /// A contact: the name that the user sees, and an id that never changes.
    struct Person: Hashable, Sendable {
        let contact: String
        let id: String
    }

    /// A transport that a plan does not use, with the number of the rule and the reason.
    struct Refusal: Codable, Hashable, Sendable {
        let transport: String
        let number: Int
        let reason: String
    }

    enum Content: Hashable, Sendable {
        case visibility(VisibilityFact)
        case visible(LinkTechnologyID, epoch: UInt32)
        case silent(LinkTechnologyID, reason: String)
        case presence(Person, String)
        case arrived(Person)
        case left(Person)
        /// The transport that is tried first and its expected milliseconds, nil without one; and the transports not
        /// used.
        case plan(Person, transport: String?, completes: UInt64?, refused: [Refusal])
        /// A handshake and its duration; nil when the contact started it.
        case confirmed(Person, LinkTechnologyID, milliseconds: UInt64?)
        /// The session continues over another technology.
        case handedOver(Person, from: LinkTechnologyID, to: LinkTechnologyID)
        case outsideWindow(Person)
        case contested(Person)
        case imitated
        case replayed
        case renewed(Person)
        case message(Person, text: String)
        /// A message with this id was stored by the contact's device, or expired.
        case delivered(Person, message: String)
        case expired(Person, message: String)
        /// The state of a file's transfer has changed.
        case file(TransferFact)
        /// A failure; `refusal` is the code of the refusal behind it, `stage/reason`, if there is one.
        case trouble(Person?, what: String, refusal: String?)
    }

    let content: Content
    /// The time as RFC 3339 in UTC, by the real clock even in a demonstration.
    let time: String
    let unixMilliseconds: UInt64

    /// Creates the fact of an event that has just happened; `name` returns the name of a contact, and `audience` that
    /// of an audience.
    init(_ event: NodeEvent, name: (UserID) -> String, audience: (AudienceID) -> String = { _ in "" }) {
        func person(_ user: UserID) -> Person { Person(contact: name(user), id: user.octets.description) }
        content =
            switch event {
            case .visibility(let choice): .visibility(VisibilityFact(choice, name: name, audience: audience))
            case .showing(let epoch, let technology): .visible(technology, epoch: epoch.number)
            case .silent(let reason, let technology): .silent(technology, reason: reason.sentence)
            case .presence(let user, let state): .presence(person(user), state.word)
            case .arrived(let user): .arrived(person(user))
            case .left(let user): .left(person(user))
            case .planned(let user, let plan):
                .plan(
                    person(user), transport: plan.steps.first?.transport.rawValue,
                    completes: plan.steps.first?.completes.wholeMilliseconds, refused: plan.refusals.map { Refusal($0) }
                )
            case .confirmed(let user, let technology, let taken):
                .confirmed(person(user), technology, milliseconds: taken.map { UInt64(max(0, $0 / .milliseconds(1))) })
            case .handedOver(let user, let old, let new): .handedOver(person(user), from: old, to: new)
            case .outsideWindow(let user): .outsideWindow(person(user))
            case .contested(let user): .contested(person(user))
            case .imitated: .imitated
            case .replayed: .replayed
            case .renewed(let user): .renewed(person(user))
            case .message(let user, let text): .message(person(user), text: text)
            case .delivered(let user, let id): .delivered(person(user), message: id.description)
            case .expired(let user, let id): .expired(person(user), message: id.description)
            case .messagesSkipped(let user, let count):
                .trouble(
                    person(user),
                    what: "\(plural(Int(clamping: count), "message")) missing: expired, or lost here earlier",
                    refusal: nil)
            case .file(let transfer): .file(TransferFact(transfer, contact: name(transfer.contact)))
            case .trouble(let trouble):
                .trouble(
                    trouble.user.map(person), what: trouble.sentence, refusal: trouble.refusal?.description)
            case .missed(let count):
                .trouble(nil, what: "\(plural(count, "event")) lost: the reader is too slow", refusal: nil)
            }
        let now = Date.now
        time = now.formatted(.iso8601)
        unixMilliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000))
    }

    /// The event in words, without the time.
    var sentence: String {
        func name(_ person: Person) -> String { printable(person.contact) }
        return switch content {
        case .visibility(let choice): "from now on \(choice.sentence)"
        case .visible(let technology, let epoch):
            "\(technology.prefix)visible until \(timestamp((UInt64(epoch) + 1) * Epoch.seconds))"
        case .silent(let technology, let reason): "\(technology.prefix)silent: \(reason)"
        case .presence(let person, let presence): "\(name(person)): \(presence)"
        case .arrived(let person): "\(name(person)) has arrived"
        case .left(let person): "\(name(person)) has left"
        case .plan(let person, let transport?, let completes?, _):
            "\(name(person)): by \(transport), expected within \(completes) ms"
        case .plan(let person, _, _, _): "\(name(person)): no transport can be used now"
        case .confirmed(let person, let technology, let milliseconds?):
            "\(name(person)): handshake\(technology.suffix) after \(milliseconds) ms"
        case .confirmed(let person, let technology, nil):
            "\(name(person)): handshake\(technology.suffix), started by the contact"
        case .handedOver(let person, let old, let new):
            "\(name(person)): the session goes on over \(new.rawValue) instead of \(old.rawValue)"
        case .outsideWindow(let person): "\(name(person)): ignored its identifier, shown outside its time window"
        case .contested(let person):
            "\(name(person)): two Bluetooth devices show its identifier; a handshake decides"
        case .imitated: "another device on the network shows the name of this one; contacts decide by handshake"
        case .replayed:
            "someone shows copies of contacts' names; until the next quarter of an hour, this node connects only to contacts met today"
        case .renewed(let person): "\(name(person)): card or grant renewed"
        case .message(let person, let text): "\(name(person)) says: \(printable(text))"
        case .delivered(let person, let id): "\(name(person)): message \(id.prefix(8)) delivered"
        case .expired(let person, let id): "\(name(person)): message \(id.prefix(8)) expired"
        case .file(let transfer): transfer.sentence
        case .trouble(let person?, let what, _): "\(name(person)): \(what)"
        case .trouble(nil, let what, _): what
        }
    }
}

extension EventFact.Refusal {
    fileprivate init(_ refusal: TransportPlan.Refusal) {
        self.init(
            transport: refusal.transport.rawValue, number: Int(refusal.reason.number), reason: refusal.reason.rawValue)
    }
}

extension EventFact: Codable {
    /// The kind of an event, as the member `event` names it.
    enum Kind: String, Codable {
        case visibility, visible, silent, presence, arrived, left, plan, confirmed
        case handedOver = "hand-over"
        case outsideWindow = "replay-suspected"
        case contested, imitated, replayed, renewed, message, delivered, expired, file, trouble
    }

    /// The kind of the event.
    var kind: Kind {
        switch content {
        case .visibility: .visibility
        case .visible: .visible
        case .silent: .silent
        case .presence: .presence
        case .arrived: .arrived
        case .left: .left
        case .plan: .plan
        case .confirmed: .confirmed
        case .handedOver: .handedOver
        case .outsideWindow: .outsideWindow
        case .contested: .contested
        case .imitated: .imitated
        case .replayed: .replayed
        case .renewed: .renewed
        case .message: .message
        case .delivered: .delivered
        case .expired: .expired
        case .file: .file
        case .trouble: .trouble
        }
    }

    private enum CodingKeys: String, CodingKey {
        case schema, event, technology, from, epoch, reason, contact, id, presence, transport, completes, refused
        case milliseconds, text, message, what, refusal, time, unixMilliseconds
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(Self.schema, forKey: .schema)
        try members.encode(kind, forKey: .event)
        func encode(_ person: Person?) throws {
            try members.encodeIfPresent(person?.contact, forKey: .contact)
            try members.encodeIfPresent(person?.id, forKey: .id)
        }
        switch content {
        case .visibility(let choice):
            try choice.encode(to: encoder)
        case .visible(let technology, let epoch):
            try members.encode(technology, forKey: .technology)
            try members.encode(epoch, forKey: .epoch)
        case .silent(let technology, let reason):
            try members.encode(technology, forKey: .technology)
            try members.encode(reason, forKey: .reason)
        case .presence(let person, let presence):
            try encode(person)
            try members.encode(presence, forKey: .presence)
        case .arrived(let person): try encode(person)
        case .left(let person): try encode(person)
        case .plan(let person, let transport, let completes, let refused):
            try encode(person)
            try members.encodeIfPresent(transport, forKey: .transport)
            try members.encodeIfPresent(completes, forKey: .completes)
            try members.encode(refused, forKey: .refused)
        case .confirmed(let person, let technology, let milliseconds):
            try encode(person)
            try members.encode(technology, forKey: .technology)
            try members.encodeIfPresent(milliseconds, forKey: .milliseconds)
        case .handedOver(let person, let old, let new):
            try encode(person)
            try members.encode(new, forKey: .technology)
            try members.encode(old, forKey: .from)
        case .outsideWindow(let person): try encode(person)
        case .contested(let person): try encode(person)
        case .imitated, .replayed: break
        case .renewed(let person): try encode(person)
        case .message(let person, let text):
            try encode(person)
            try members.encode(text, forKey: .text)
        case .delivered(let person, let id):
            try encode(person)
            try members.encode(id, forKey: .message)
        case .expired(let person, let id):
            try encode(person)
            try members.encode(id, forKey: .message)
        case .file(let transfer):
            try transfer.encode(to: encoder)
        case .trouble(let person, let what, let refusal):
            try encode(person)
            try members.encode(what, forKey: .what)
            try members.encodeIfPresent(refusal, forKey: .refusal)
        }
        try members.encode(time, forKey: .time)
        try members.encode(unixMilliseconds, forKey: .unixMilliseconds)
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try members.decode(String.self, forKey: key) }
        func person() throws -> Person { Person(contact: try text(.contact), id: try text(.id)) }
        func technology() throws -> LinkTechnologyID { try members.decode(LinkTechnologyID.self, forKey: .technology) }
        content =
            switch try members.decode(Kind.self, forKey: .event) {
            case .visibility: .visibility(try VisibilityFact(from: decoder))
            case .visible: .visible(try technology(), epoch: try members.decode(UInt32.self, forKey: .epoch))
            case .silent: .silent(try technology(), reason: try text(.reason))
            case .presence: .presence(try person(), try text(.presence))
            case .arrived: .arrived(try person())
            case .left: .left(try person())
            case .plan:
                .plan(
                    try person(), transport: try members.decodeIfPresent(String.self, forKey: .transport),
                    completes: try members.decodeIfPresent(UInt64.self, forKey: .completes),
                    refused: try members.decode([Refusal].self, forKey: .refused))
            case .confirmed:
                .confirmed(
                    try person(), try technology(),
                    milliseconds: try members.decodeIfPresent(UInt64.self, forKey: .milliseconds))
            case .handedOver:
                .handedOver(
                    try person(), from: try members.decode(LinkTechnologyID.self, forKey: .from), to: try technology())
            case .outsideWindow: .outsideWindow(try person())
            case .contested: .contested(try person())
            case .imitated: .imitated
            case .replayed: .replayed
            case .renewed: .renewed(try person())
            case .message: .message(try person(), text: try text(.text))
            case .delivered: .delivered(try person(), message: try text(.message))
            case .expired: .expired(try person(), message: try text(.message))
            case .file: .file(try TransferFact(from: decoder))
            case .trouble:
                .trouble(
                    try members.decodeIfPresent(String.self, forKey: .contact) == nil ? nil : try person(),
                    what: try text(.what), refusal: try members.decodeIfPresent(String.self, forKey: .refusal))
            }
        time = try text(.time)
        unixMilliseconds = try members.decode(UInt64.self, forKey: .unixMilliseconds)
    }
}
