public import InklingJSON

/// The results of several implementations, side by side.
public struct ConformanceMatrix: Sendable {
    /// The results of one implementation.
    public struct Column: Sendable {
        public let implementation: String
        let specVersion: String?
        let verdict: ConformanceReport.Verdict
        let counts: ConformanceReport.Counts
        /// The counts, by page and family.
        let families: [String: ConformanceReport.Counts]
        /// The requirements violated by the failures.
        let broken: Set<String>
        /// The verdict for each profile that was run.
        let profiles: [ConformanceProfile: ConformanceReport.Verdict]
    }

    /// The implementations, in the order of the reports.
    public let columns: [Column]
    /// The pages with their families, in alphabetical order.
    private let rows: [(page: String, families: [String])]

    /// Creates a matrix of reports, each the output of `inkling-kit conform --json`.
    ///
    /// - Throws: `ReportError` for any input that is not a complete report.
    public init(parsing reports: [[UInt8]]) throws(ReportError) {
        var columns: [Column] = []
        var places: [String: Set<String>] = [:]
        for report in reports {
            var reader = ReportReader()
            try reader.read(report)
            columns.append(try reader.column())
            for (page, families) in reader.places { places[page, default: []].formUnion(families) }
        }
        self.columns = columns
        rows = places.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }

    /// Creates a matrix of one run.
    public init(_ report: ConformanceReport) {
        var families: [String: ConformanceReport.Counts] = [:]
        for family in report.families { families[family.name] = family.counts }
        columns = [
            Column(
                implementation: report.implementation, specVersion: report.specVersion, verdict: report.verdict,
                counts: report.counts, families: families,
                broken: Set(report.entries.filter { !$0.result.isKnown }.flatMap(\.brokenRequirements)),
                profiles: Dictionary(report.profiles.map { ($0.profile, $0.verdict) }) { first, _ in first })
        ]
        rows = report.pages.map { ($0.name, $0.families.map(\.name).sorted()) }
    }

    /// The matrix as a Markdown table.
    public var markdown: String {
        func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        func text(_ text: String) -> String {
            String(text.map { $0 == "|" || $0 == "\n" || $0 == "`" ? " " : $0 })
        }
        var lines = [row(["page", "family"] + columns.map { "`\(text($0.implementation))`" })]
        lines.append("|---|---|" + String(repeating: "---|", count: columns.count))
        for (page, families) in rows {
            for family in families {
                lines.append(row([page, family] + columns.map { Self.cell($0.families[family]).text }))
            }
        }
        lines.append(row(["**all**", ""] + columns.map { "**\(Self.cell($0.counts).text)**" }))
        for profile in profiles {
            lines.append(row(["profile", profile.rawValue] + columns.map { $0.profiles[profile]?.words ?? "" }))
        }
        lines.append(row(["verdict", ""] + columns.map(\.verdict.rawValue)))
        for column in columns where !column.broken.isEmpty {
            lines += [
                "", "`\(text(column.implementation))` breaks: \(column.broken.sorted().joined(separator: ", ")).",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The profiles that at least one implementation was run with.
    private var profiles: [ConformanceProfile] {
        ConformanceProfile.allCases.filter { profile in columns.contains { $0.profiles[profile] != nil } }
    }

    /// The matrix as one HTML page without external resources.
    public var html: String {
        let heads = columns.map { column in
            "<th scope=\"col\"><code>\(marked(column.implementation))</code><br>"
                + "<span class=\"\(column.verdict.rawValue)\">\(column.verdict.rawValue)</span><br>"
                + "<small>\(marked(column.specVersion ?? ""))</small></th>"
        }.joined()
        var body = ""
        for (page, families) in rows {
            for (place, family) in families.enumerated() {
                let first =
                    place == 0
                    ? "<th scope=\"rowgroup\" rowspan=\"\(families.count)\">\(marked(page))</th>" : ""
                let cells = columns.map { column in
                    let cell = Self.cell(column.families[family])
                    return "<td class=\"\(cell.kind)\">\(marked(cell.text))</td>"
                }.joined()
                body += "<tr>\(first)<th scope=\"row\">\(marked(family))</th>\(cells)</tr>\n"
            }
        }
        for (place, profile) in profiles.enumerated() {
            let first = place == 0 ? "<th scope=\"rowgroup\" rowspan=\"\(profiles.count)\">profile</th>" : ""
            let cells = columns.map { column in
                let verdict = column.profiles[profile]
                return "<td class=\"\(verdict?.kind ?? "absent")\">\(verdict?.words ?? "")</td>"
            }.joined()
            body += "<tr>\(first)<th scope=\"row\">\(profile.rawValue)</th>\(cells)</tr>\n"
        }
        let all = columns.map { "<th>\(marked(Self.cell($0.counts).text))</th>" }.joined()
        let broken = columns.filter { !$0.broken.isEmpty }.map { column in
            let items = column.broken.sorted().map { "<li class=\"failed\">✗ \(marked($0))</li>" }.joined()
            return "<h2><code>\(marked(column.implementation))</code> breaks</h2><ul class=\"chips\">\(items)</ul>"
        }.joined(separator: "\n")
        return HTMLPage.document(
            title: "Inkling: \(columns.count) implementations",
            body: """
                <p class="kind">Inkling conformance</p><h1>\(columns.count) implementations</h1>
                <p><small>✓ all cases passed · ✗ passed of all, some failed · ~ passed of all, the rest not run or known failures ·
                – not listed by the implementation · empty: not part of that run</small></p>
                <div class="scroll"><table class="matrix"><thead><tr><th class="page">page</th><th>family</th>\(heads)</tr></thead>
                <tbody>
                \(body)</tbody><tfoot><tr><th class="page"></th><th>all</th>\(all)</tr></tfoot></table></div>
                \(broken)
                """)
    }

    private static func cell(_ counts: ConformanceReport.Counts?) -> (text: String, kind: String) {
        guard let counts, counts.total > 0 else { return ("", "absent") }
        if counts.passed == counts.total { return ("✓ \(counts.passed)", "passed") }
        if counts.unsupported == counts.total { return ("–", "unsupported") }
        if counts.notRun == counts.total { return ("not run", "unsupported") }
        let mark = counts.failed > 0 ? "✗" : "~"
        return ("\(mark) \(counts.passed)/\(counts.total)", counts.failed > 0 ? "failed" : "partial")
    }
}

/// A reason why a text is not a valid report.
public enum ReportError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON(line: Int, JSONError.Fault)
    case unknownLine(Int)
    case incomplete
    case wrongCount(declared: Int, found: Int)

    public var description: String {
        switch self {
        case .notJSON(let line, let fault): "line \(line) is not JSON: \(fault.rawValue)"
        case .unknownLine(let line): "line \(line) is not a line of a report"
        case .incomplete: "the first or the last line of the report is missing"
        case .wrongCount(let declared, let found): "the report declares \(declared) cases and holds \(found)"
        }
    }
}

/// Parses the lines of one report.
private struct ReportReader {
    var places: [String: Set<String>] = [:]
    private var families: [String: ConformanceReport.Counts] = [:]
    private var broken: Set<String> = []
    private var total = ConformanceReport.Counts()
    private var implementation: String?
    private var declared = 0
    private var end: JSONObject?

    mutating func read(_ bytes: [UInt8]) throws(ReportError) {
        for (place, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty {
            let json: JSON
            do { json = try JSON(parsing: Array(line)) } catch { throw .notJSON(line: place + 1, error.fault) }
            guard let object = json.object, let event = object["event"]?.text, end == nil else {
                throw .unknownLine(place + 1)
            }
            switch event {
            case "start" where implementation == nil && object["format"]?.text == ReportLines.format:
                implementation = object["implementation"]?.text ?? ""
                declared = Int(object["cases"]?.integer ?? 0)
            case "case" where implementation != nil:
                guard let family = object["family"]?.text, let page = object["page"]?.text,
                    let outcome = object["outcome"]?.text
                else { throw .unknownLine(place + 1) }
                let isKnown = object["known"]?.flag == true
                places[page, default: []].insert(family)
                families[family, default: ConformanceReport.Counts()].count(outcome, isKnown: isKnown)
                total.count(outcome, isKnown: isKnown)
                if !isKnown { broken.formUnion((object["broken"]?.list ?? []).compactMap(\.text)) }
            case "end" where implementation != nil: end = object
            default: throw .unknownLine(place + 1)
            }
        }
    }

    func column() throws(ReportError) -> ConformanceMatrix.Column {
        guard let implementation, let end,
            let verdict = (end["verdict"]?.text).flatMap(ConformanceReport.Verdict.init(rawValue:))
        else { throw .incomplete }
        guard total.total == declared else { throw .wrongCount(declared: declared, found: total.total) }
        return ConformanceMatrix.Column(
            implementation: implementation, specVersion: end["specVersion"]?.text, verdict: verdict, counts: total,
            families: families, broken: broken, profiles: Self.profiles(in: end))
    }

    /// Returns the verdicts for profiles; reports of earlier versions have none.
    private static func profiles(in end: JSONObject) -> [ConformanceProfile: ConformanceReport.Verdict] {
        var verdicts: [ConformanceProfile: ConformanceReport.Verdict] = [:]
        for profile in ConformanceProfile.allCases {
            verdicts[profile] = (end["profiles"]?.object?[profile.rawValue]?.text).flatMap(
                ConformanceReport.Verdict.init(rawValue:))
        }
        return verdicts
    }
}
