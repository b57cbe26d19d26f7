import InklingAccess
import InklingTerminal

/// The finding of one check, as text and as JSON.
struct FindingFact: Encodable, Hashable, Sendable {
    /// A step to take: exactly one of `command`, `line` and `sentence` has a value.
    struct Remedy: Encodable, Hashable, Sendable {
        var command: String?
        /// A line to write into `section` of `file`.
        var line: String?
        var section: String?
        var file: String?
        var sentence: String?
    }

    let check: String
    let verdict: String
    let text: String
    let remedies: [Remedy]

    /// Creates the fact of a finding, for a person who named the home as in `options`.
    init(_ finding: Finding, for options: HomeOptions?) {
        check = finding.check.rawValue
        verdict = finding.verdict.rawValue
        text = finding.text
        remedies = finding.remedies.map { remedy in
            switch remedy {
            case .command(let command): Remedy(command: command)
            case .inkling(let command): Remedy(command: options.hint(command))
            case .line(let line, let section, let file): Remedy(line: line, section: section, file: file)
            case .sentence(let sentence): Remedy(sentence: sentence)
            }
        }
    }

    /// The human-readable lines.
    var lines: String {
        let width = 15
        let heading = "\(Finding.Verdict(rawValue: verdict)?.sign ?? "?") \(padded(check, to: width))\(text)\n"
        return heading + remedies.map { padded("", to: width + 2) + "→ \($0.text)\n" }.joined()
    }
}

extension FindingFact.Remedy {
    /// The remedy in words.
    fileprivate var text: String {
        if let command { return "run: \(command)" }
        guard let line, let file else { return sentence ?? "" }
        return "write in \(file)\(section.map { ", below [\($0)]" } ?? ""): \(line)"
    }
}

extension Finding.Verdict {
    /// The sign at the beginning of its line.
    var sign: String {
        switch self {
        case .ok: "✓"
        case .advice: "!"
        case .fault: "✗"
        case .unknown: "?"
        }
    }
}
