import InklingJSON
import InklingNode
import InklingTerminal
import InklingWire

/// The lines of a running node in its log (`README.md`, "The log").
enum NodeLog {
    /// The subject of a line that is not an event. The raw value is the member `id`, which does not change.
    enum Subject: String, CaseIterable {
        case brokerConnected = "broker-connected"
        case brokerFailed = "broker-failed"
        case sightingRefused = "sighting-refused"
        case sightingsNotShown = "sightings-not-shown"
    }

    /// Writes a line: the sentence, or an object with these members.
    static func write(_ level: ProgramLog.Level, _ subject: Subject, _ members: JSONObject, sentence: String) {
        ProgramLog.write(level, subject.rawValue, members, sentence: sentence)
    }

    /// Writes an event as an object, which names the contact only with `namesContacts`; does nothing when lines are
    /// sentences, since those are written elsewhere.
    static func write(_ event: EventFact, namesContacts: Bool) {
        guard ProgramLog.isStructured else { return }
        var level = ProgramLog.Level.info
        var members: JSONObject = [:]
        var person: EventFact.Person?
        switch event.content {
        // A choice of visibility may name a contact.
        case .visibility(let choice): members["to"] = .text(choice.to.rawValue)
        case .visible(let technology, let epoch):
            members["technology"] = .text(technology.rawValue)
            members["epoch"] = .integer(epoch)
        case .silent(let technology, let reason):
            members["technology"] = .text(technology.rawValue)
            members["reason"] = .text(reason)
        case .presence(let one, let state): (person, members["presence"]) = (one, .text(state))
        case .arrived(let one), .left(let one), .renewed(let one): person = one
        case .plan(let one, let transport, _, _):
            (person, members["transport"]) = (one, transport.map { .text($0) } ?? .null)
        case .confirmed(let one, let technology, let milliseconds):
            person = one
            members["technology"] = .text(technology.rawValue)
            members["milliseconds"] = milliseconds.map { .integer($0) } ?? .null
        case .handedOver(let one, let old, let new):
            person = one
            members["from"] = .text(old.rawValue)
            members["technology"] = .text(new.rawValue)
        case .outsideWindow(let one), .contested(let one): (person, level) = (one, .warning)
        case .imitated, .replayed: level = .warning
        // Message texts and the names of files do not belong in a log.
        case .message(let one, _), .delivered(let one, _), .expired(let one, _): person = one
        case .file(let transfer):
            members["state"] = .text(transfer.state.rawValue)
            members["direction"] = .text(transfer.direction.rawValue)
        case .trouble(let one, let what, let refusal):
            (person, level) = (one, .warning)
            members["reason"] = .text(what)
            members["refusal"] = refusal.map { .text($0) } ?? .null
        }
        if namesContacts, let person {
            members["contact"] = .text(person.contact)
            members["contact-id"] = .text(person.id)
        }
        ProgramLog.write(level, event.kind.rawValue, members)
    }
}
