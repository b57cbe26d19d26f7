import ArgumentParser
import FoundationEssentials
import InklingJSON
import InklingNode
import InklingWire
import Synchronization

/// The format of a running node's log.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// Sentences for a person; events go to standard output.
    case text
    /// One JSON object per line; events are such lines too.
    case json
}

/// The log of a running node for its operator, on standard error (`README.md`, "The log").
enum NodeLog {
    /// The severity of a line.
    enum Level: String {
        case info, warning, error
    }

    /// The subject of a line that is not an event. The raw value is the member `id`, which does not change.
    enum Subject: String, CaseIterable {
        case brokerConnected = "broker-connected"
        case brokerFailed = "broker-failed"
        case sightingRefused = "sighting-refused"
        case sightingsNotShown = "sightings-not-shown"
        case failed
    }

    private static let format = Mutex(LogFormat.text)

    /// Whether lines are JSON objects.
    static var isStructured: Bool { format.withLock { $0 } == .json }

    /// Chooses the format for the rest of the process.
    static func use(_ chosen: LogFormat) { format.withLock { $0 = chosen } }

    /// Writes a line: the sentence, or an object with these members.
    static func write(_ level: Level, _ subject: Subject, _ members: JSONObject, sentence: String) {
        if isStructured { write(level, subject.rawValue, members) } else { writeError(sentence + "\n") }
    }

    /// Writes an event as an object, which names the contact only with `namesContacts`; does nothing when lines are
    /// sentences, since those are written elsewhere.
    static func write(_ event: EventFact, namesContacts: Bool) {
        guard isStructured else { return }
        var members: JSONObject = [:]
        for name in event.loggedMembers { members[name == "what" ? "reason" : name] = event.members[name] ?? .null }
        // A choice of visibility may name a contact, and a file has one.
        if namesContacts, ![.visibility, .file].contains(event.kind), let contact = event.text("contact") {
            members["contact"] = .text(contact)
            members["contact-id"] = .text(event.text("id") ?? "")
        }
        write(event.isWarning ? .warning : .info, event.kind.rawValue, members)
    }

    private static func write(_ level: Level, _ id: String, _ members: JSONObject) {
        var line: JSONObject = [
            "time": .text(Date.now.formatted(.iso8601)), "level": .text(level.rawValue), "id": .text(id),
        ]
        for name in members.names { line[name] = members[name] }
        writeError(JSON.object(line).compact + "\n")
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
