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
        var members: JSONObject = [:]
        for name in event.loggedMembers { members[name == "what" ? "reason" : name] = event.members[name] ?? .null }
        // A choice of visibility may name a contact, and a file has one.
        if namesContacts, ![.visibility, .file].contains(event.kind), let contact = event.text("contact") {
            members["contact"] = .text(contact)
            members["contact-id"] = .text(event.text("id") ?? "")
        }
        ProgramLog.write(event.isWarning ? .warning : .info, event.kind.rawValue, members)
    }
}

extension EventFact {
    /// The members that a log shows. Names, message texts and the names of files do not belong in one.
    fileprivate var loggedMembers: [String] {
        switch kind {
        case .visibility: ["to"]
        case .visible: ["technology", "epoch"]
        case .silent: ["technology", "reason"]
        case .presence: ["presence"]
        case .plan: ["transport"]
        case .confirmed: ["technology", "milliseconds"]
        case .handedOver: ["from", "technology"]
        case .file: ["state", "direction"]
        case .trouble: ["what", "refusal"]
        case .arrived, .left, .renewed, .message, .delivered, .expired, .outsideWindow, .contested, .imitated,
            .replayed:
            []
        }
    }

    fileprivate var isWarning: Bool {
        [.outsideWindow, .contested, .imitated, .replayed, .trouble].contains(kind)
    }
}
