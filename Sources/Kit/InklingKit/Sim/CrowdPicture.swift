import InklingEngine
import InklingNode
import InklingSimulation
import InklingTerminal

/// A simulated afternoon in characters: a line for each contact, time from left to right.
struct CrowdPicture {
    private static let columns = 72
    /// Contacts beyond this number are left out.
    private static let rowLimit = 24

    private let report: CrowdReport
    private let settings: CrowdSettings

    /// Creates the picture of a report.
    init(_ report: CrowdReport, of settings: CrowdSettings) {
        self.report = report
        self.settings = settings
    }

    /// The text, with a legend.
    var text: String {
        let rows = min(settings.contacts, Self.rowLimit)
        let minutes = figure(Double(settings.minutes) / Double(Self.columns))
        var lines = [
            "",
            "each character is \(minutes) min: . away, - near but not noticed, ? candidate or probable, # confirmed,",
            "= confirmed before, not seen lately, ! believed present while away",
        ]
        for contact in 0..<rows {
            let label = "contact \(contact + 1)"
            lines.append(label + String(repeating: " ", count: max(1, 13 - label.count)) + row(contact))
        }
        if rows < settings.contacts { lines.append("… and \(settings.contacts - rows) more") }
        lines.append("strangers    " + crowd)
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ contact: Int) -> String {
        let visits = report.visits.filter { $0.contact == contact }
        let changes = report.changes.filter { $0.contact == contact }
        return String(
            (0..<Self.columns).map { column -> Character in
                let moment = middle(of: column)
                let isNear = visits.contains { ($0.from..<$0.to).contains(moment) }
                switch changes.last(where: { $0.at <= moment })?.state ?? .unseen {
                case .confirmed: return isNear ? "#" : "!"
                case .stale(.some): return "="
                case .candidate, .probable, .stale(.none): return "?"
                case .unseen, .gone: return isNear ? "-" : "."
                }
            })
    }

    /// The number of strangers near, as a digit for tenths of the maximum.
    private var crowd: String {
        let most = max(1, report.strangersNear.max() ?? 1)
        let digits = (0..<Self.columns).map { column -> Character in
            let minute = min(Int(middle(of: column) / 60_000), report.strangersNear.count - 1)
            guard report.strangersNear.indices.contains(minute) else { return " " }
            return Character("\(min(9, report.strangersNear[minute] * 10 / most))")
        }
        return String(digits) + "  (9: about \(most))"
    }

    private func middle(of column: Int) -> UInt64 {
        UInt64(settings.minutes) * 60_000 * UInt64(2 * column + 1) / UInt64(2 * Self.columns)
    }
}
