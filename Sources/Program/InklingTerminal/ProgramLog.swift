import ArgumentParser
import FoundationEssentials
package import InklingJSON
import Synchronization

/// The format of the log of a running program.
package enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// Sentences for a person; events go to standard output.
    case text
    /// One JSON object per line; events are such lines too.
    case json
}

/// The log of a running program for its operator, on standard error.
package enum ProgramLog {
    /// The severity of a line.
    package enum Level: String {
        case info, warning, error
    }

    private static let format = Mutex(LogFormat.text)

    /// Whether lines are JSON objects.
    package static var isStructured: Bool { format.withLock { $0 } == .json }

    /// Chooses the format for the rest of the process.
    package static func use(_ chosen: LogFormat) { format.withLock { $0 = chosen } }

    /// Writes a line: the sentence, or an object with these members, whose member `id` says what it is about and does
    /// not change. Without a sentence nothing is written when lines are sentences.
    package static func write(_ level: Level, _ id: String, _ members: JSONObject, sentence: String? = nil) {
        guard isStructured else {
            if let sentence { writeError(sentence + "\n") }
            return
        }
        var line: JSONObject = [
            "time": .text(Date.now.formatted(.iso8601)), "level": .text(level.rawValue), "id": .text(id),
        ]
        for name in members.names { line[name] = members[name] }
        writeError(JSON.object(line).compact + "\n")
    }
}
