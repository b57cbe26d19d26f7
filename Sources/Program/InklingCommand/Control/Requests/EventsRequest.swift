import FoundationEssentials
import InklingAccess
import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingPlatforms
import InklingTerminal
import InklingVault

extension Request {
    /// Reports every event from now on, until the node or the peer ends.
    struct Events: NodeRequest {
        static let name = "events"

        func run(on served: ServedNode, for peer: Peer<EventFact>) async throws(Failure) {
            var names = ContactNames(of: served.node)
            for await event in served.node.events { await peer.take(await names.fact(of: event)) }
        }
    }
}

/// One event of a running node: its members are those of its one JSON form, which is a line of `inkling run --json` and a
/// fact of the control socket.
struct EventFact: Reported, Encodable, Hashable {
    /// The kind of an event, as the member `event` names it.
    enum Kind: String {
        case visibility, visible, silent, presence, arrived, left, plan, confirmed
        case handedOver = "hand-over"
        case outsideWindow = "replay-suspected"
        case contested, imitated, replayed, renewed, message, delivered, expired, file, trouble
    }

    /// The version of the members; it changes when a member is removed or its meaning changes.
    static let schema = 1

    let kind: Kind
    /// The members of the JSON, in its order.
    let members: JSONObject

    func encode(to encoder: any Encoder) throws { try JSONCopy(json: .object(members)).encode(to: encoder) }

    var factLine: FactLine { FactLine(kind: "event", value: .object(members)) }

    init(_ line: FactLine) throws(JSONShapeError) {
        guard line.kind == "event", let members = line.value.object,
            let kind = members["event"]?.text.flatMap(Kind.init(rawValue:))
        else { throw JSONShapeError(path: [line.kind], what: "is not a known event") }
        (self.kind, self.members) = (kind, members)
    }

    /// The text of a member; nil if it has none.
    func text(_ member: String) -> String? { members[member]?.text }

    /// The time as RFC 3339 in UTC, and in Unix milliseconds, by the real clock even in a demonstration.
    var time: String { text("time") ?? "" }
    var unixMilliseconds: UInt64 { number("unixMilliseconds") ?? 0 }

    private func number(_ member: String) -> UInt64? { members[member]?.integer.map { UInt64(clamping: $0) } }
}

extension EventFact {
    /// Creates the fact of an event that has just happened; `name` returns the name of a contact, and `audience` that
    /// of an audience.
    init(_ event: NodeEvent, name: (UserID) -> String, audience: (AudienceID) -> String = { _ in "" }) {
        func text(_ value: String?) -> JSON { value.map { .text($0) } ?? .null }
        func number(_ value: UInt64?) -> JSON { value.map { .integer($0) } ?? .null }
        func of(_ user: UserID?, _ rest: JSONObject = [:]) -> JSONObject {
            let person: JSONObject = ["contact": text(user.map(name)), "id": text(user?.octets.description)]
            return person.appending(rest)
        }
        let content: JSONObject
        switch event {
        case .visibility(let choice):
            kind = .visibility
            content = JSON(encoding: VisibilityFact(choice, name: name, audience: audience)).object ?? [:]
        case .showing(let epoch, let technology):
            (kind, content) = (.visible, ["technology": technology.json, "epoch": .integer(epoch.number)])
        case .silent(let reason, let technology):
            (kind, content) = (.silent, ["technology": technology.json, "reason": .text(reason.sentence)])
        case .presence(let user, let state): (kind, content) = (.presence, of(user, ["presence": .text(state.word)]))
        case .arrived(let user): (kind, content) = (.arrived, of(user))
        case .left(let user): (kind, content) = (.left, of(user))
        case .planned(let user, let plan):
            kind = .plan
            let step = plan.steps.first
            content = of(
                user,
                [
                    "transport": text(step?.transport.rawValue),
                    "completes": number(step.flatMap(\.completes.wholeMilliseconds)),
                    "refused": .list(plan.refusals.map { $0.json }),
                ])
        case .confirmed(let user, let technology, let taken):
            kind = .confirmed
            let milliseconds = taken.map { UInt64(max(0, $0 / .milliseconds(1))) }
            content = of(user, ["technology": technology.json, "milliseconds": number(milliseconds)])
        case .handedOver(let user, let old, let new):
            (kind, content) = (.handedOver, of(user, ["technology": new.json, "from": old.json]))
        case .outsideWindow(let user): (kind, content) = (.outsideWindow, of(user))
        case .contested(let user): (kind, content) = (.contested, of(user))
        case .imitated: (kind, content) = (.imitated, [:])
        case .replayed: (kind, content) = (.replayed, [:])
        case .renewed(let user): (kind, content) = (.renewed, of(user))
        case .message(let user, let words): (kind, content) = (.message, of(user, ["text": .text(words)]))
        case .delivered(let user, let id):
            (kind, content) = (.delivered, of(user, ["message": .text(id.description)]))
        case .expired(let user, let id): (kind, content) = (.expired, of(user, ["message": .text(id.description)]))
        case .file(let transfer):
            kind = .file
            content = JSON(encoding: TransferFact(transfer, contact: name(transfer.contact))).object ?? [:]
        case .messagesSkipped(let user, let count):
            kind = .trouble
            let what = "\(plural(Int(clamping: count), "message")) missing: expired, or lost here earlier"
            content = of(user, ["what": .text(what), "refusal": .null])
        case .trouble(let trouble):
            kind = .trouble
            let refusal = text(trouble.refusal?.description)
            content = of(trouble.user, ["what": .text(trouble.sentence), "refusal": refusal])
        case .missed(let count):
            kind = .trouble
            let what = "\(plural(count, "event")) lost: the reader is too slow"
            content = of(nil, ["what": .text(what), "refusal": .null])
        }
        let now = Date.now
        let first: JSONObject = ["schema": .integer(Self.schema), "event": .text(kind.rawValue)]
        members = first.appending(content).appending([
            "time": .text(now.formatted(.iso8601)),
            "unixMilliseconds": .integer(UInt64(max(0, now.timeIntervalSince1970 * 1000))),
        ])
    }

    /// The event in words, without the time.
    var sentence: String {
        let name = printable(text("contact") ?? "")
        let isBluetooth = text("technology") != LinkTechnologyID.lan.rawValue
        let place = isBluetooth ? "Bluetooth: " : ""
        switch kind {
        case .visibility:
            let choice: VisibilityFact? = try? JSON.object(members).decoded()
            return "from now on \(choice?.sentence ?? "")"
        case .visible:
            return "\(place)visible until \(timestamp(((number("epoch") ?? 0) + 1) * Epoch.seconds))"
        case .silent: return "\(place)silent: \(text("reason") ?? "")"
        case .presence: return "\(name): \(text("presence") ?? "")"
        case .arrived: return "\(name) has arrived"
        case .left: return "\(name) has left"
        case .plan:
            guard let transport = text("transport"), let completes = number("completes") else {
                return "\(name): no transport can be used now"
            }
            return "\(name): by \(transport), expected within \(completes) ms"
        case .confirmed:
            let start = "\(name): handshake\(isBluetooth ? " over Bluetooth" : "")"
            return start + (number("milliseconds").map { " after \($0) ms" } ?? ", started by the contact")
        case .handedOver:
            return "\(name): the session goes on over \(text("technology") ?? "") instead of \(text("from") ?? "")"
        case .outsideWindow: return "\(name): ignored its identifier, shown outside its time window"
        case .contested: return "\(name): two Bluetooth devices show its identifier; a handshake decides"
        case .imitated:
            return "another device on the network shows the name of this one; contacts decide by handshake"
        case .replayed:
            return
                "someone shows copies of contacts' names; until the next quarter of an hour, this node connects only to contacts met today"
        case .renewed: return "\(name): card or grant renewed"
        case .message: return "\(name) says: \(printable(text("text") ?? ""))"
        case .delivered, .expired:
            return "\(name): message \(text("message")?.prefix(8) ?? "") \(kind.rawValue)"
        case .file:
            let transfer: TransferFact? = try? JSON.object(members).decoded()
            return transfer?.sentence ?? ""
        case .trouble: return (text("contact") == nil ? "" : "\(name): ") + (text("what") ?? "")
        }
    }
}

extension JSONObject {
    fileprivate func appending(_ others: JSONObject) -> JSONObject {
        var joined = self
        for (name, value) in others.members { joined[name] = value }
        return joined
    }
}

extension LinkTechnologyID {
    fileprivate var json: JSON { .text(rawValue) }
}

extension TransportPlan.Refusal {
    /// A transport that a plan does not use, with the number of the rule and the reason.
    fileprivate var json: JSON {
        .object([
            "transport": .text(transport.rawValue), "number": .integer(reason.number), "reason": .text(reason.rawValue),
        ])
    }
}

/// The names of a node's contacts and audiences, including removed ones.
struct ContactNames {
    private let node: Node
    private var names: [UserID: String] = [:]
    private var audiences: [AudienceID: String] = [:]

    init(of node: Node) { self.node = node }

    /// Returns the fact of an event that has just happened.
    mutating func fact(of event: NodeEvent) async -> EventFact {
        for contact in await node.contacts() { names[contact.user] = contact.name }
        if case .visibility(.audience) = event {
            for audience in await node.audiences() { audiences[audience.id] = audience.name }
        }
        return EventFact(event, name: { names[$0] ?? "a former contact" }, audience: { audiences[$0] ?? "" })
    }
}

extension NodeEvent.Trouble {
    /// The description of the trouble.
    var sentence: String {
        switch self {
        case .notSaved(let error): "not saved: \(error)"
        case .certificateNotRenewed(let error): "your own card could not be renewed: \(error)"
        case .refused(_, let stage, let reason):
            "rejected a card or grant of the contact: \(RefusalCode(stage: stage, reason: reason).objectSentence)"
        case .radioDeaf(.scanAgain): "Bluetooth hears nothing: the scan begins again"
        case .radioDeaf(.powerCycle): "Bluetooth hears nothing: the adapter is switched off and on"
        case .radioDeaf(.none): "Bluetooth hears nothing, and nothing helped; run inkling doctor"
        case .messages(let error): "messages cannot be used: \(error)"
        case .messagesFound(let finding): "\(finding); messages may be lost or duplicated"
        case .radioCrowded:
            "Bluetooth hears too many strangers: it listens only for contacts until the next silent gap"
        case .antenna(let trouble): trouble.sentence
        }
    }

    /// The code of the refusal; nil for other troubles.
    var refusal: RefusalCode? {
        switch self {
        case .notSaved, .certificateNotRenewed, .radioDeaf, .radioCrowded, .antenna, .messages,
            .messagesFound:
            nil
        case .refused(_, let stage, let reason): RefusalCode(stage: stage, reason: reason)
        }
    }

    /// The contact concerned; nil for other troubles.
    var user: UserID? {
        switch self {
        case .notSaved, .certificateNotRenewed, .radioDeaf, .radioCrowded, .antenna, .messages,
            .messagesFound:
            nil
        case .refused(let user, _, _): user
        }
    }
}

extension AntennaTrouble {
    /// The description of the trouble.
    var sentence: String {
        let name = printable(antenna)
        return switch problem {
        case .deaf: "the antenna \(name) hears nothing at all"
        case .failed(let error): "the antenna \(name) does not listen: \(error)"
        case .ended: "the antenna \(name) has ended"
        }
    }
}
