internal import InklingJSON
internal import InklingVectors

extension ConformanceReport {
    /// The report as a text tree: pages, families, and the first `shown` failures of each family; then the pages
    /// without a listed operation, the profiles and the summary. If the program did not send its capabilities, the
    /// report only gives the reason.
    public func tree(shown: Int) -> String {
        if !saidWhatItHas, let first = entries.first, first.result.outcome.failure != nil {
            return noShim(first)
        }
        var lines: [String] = []
        var left: [String] = []
        for (page, families) in pages {
            let asked = families.filter { $0.counts.unsupported < $0.counts.total }
            let rest = families.filter { $0.counts.unsupported == $0.counts.total }
            if asked.isEmpty {
                left.append("\(page) (\(Self.counted(rest.count, "family", "families")))")
                continue
            }
            lines.append(page)
            let width = (asked.map(\.name.count).max() ?? 0) + 2
            for family in asked { lines += branch(family, width: width, shown: shown) }
            if !rest.isEmpty { lines.append("  – not listed: \(rest.map(\.name).joined(separator: ", "))") }
        }
        if !left.isEmpty { lines += ["", "No operation listed: \(left.joined(separator: ", "))."] }
        lines.append("")
        for one in profiles {
            let name = one.profile.rawValue
            lines.append(
                "\(one.mark) \(name)\(String(repeating: " ", count: max(1, 11 - name.count)))\(one.verdict.words), "
                    + one.words)
        }
        lines += ["", summary]
        lines += stale.map { "stale: \($0) is in the list of known failures and did not fail" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The report in one sentence.
    public var summary: String {
        var parts = ["\(counts.passed) passed", "\(counts.failed) failed"]
        if counts.known > 0 { parts.append(Self.counted(counts.known, "known failure", "known failures")) }
        if counts.unsupported > 0 { parts.append("\(counts.unsupported) not listed by the program") }
        if counts.notRun > 0 { parts.append("\(counts.notRun) not run") }
        if digestCount > 0 { parts.append("\(Self.counted(digestCount, "longer digest", "longer digests")) excluded") }
        if filteredCount > 0 { parts.append("\(filteredCount) filtered out") }
        return parts.joined(separator: ", ")
    }

    /// The id of the first failed case that is not a known failure; `nil` if there is none.
    public var firstFailure: String? {
        entries.first { $0.result.outcome.failure != nil && !$0.result.isKnown }?.result.question.id
    }

    /// Whether the program sent its capabilities, without which no case runs; true for a running node.
    public var saidWhatItHas: Bool { specVersion != nil || isLive }

    /// Whether the report is about a running node rather than a program.
    var isLive: Bool { entries.first?.isLive == true }

    /// Returns the report of a program that sent no valid reply to the first request.
    private func noShim(_ first: Entry) -> String {
        let sentence = first.result.outcome.failure?.sentence ?? first.headline
        var lines = [
            "✗ Not a shim, or it fails at the first request: it \(sentence).", "",
            "  request   \(shortened(String(decoding: first.result.question.line, as: UTF8.self)))",
            "  expected  {\"id\":\"capabilities\",\"result\":{\"specVersion\":\"inkling/\(Shim.specVersion)\","
                + "\"operations\":[\"epoch\",…]}}",
        ]
        if case .difference(let got)? = first.result.outcome.failure {
            lines.append("  got       \(shortened(JSON.object(got).compact))")
        }
        if let advice = first.advice { lines.append("  likely    \(advice)") }
        lines += [
            "",
            "A shim reads one JSON object per line and replies to each at once, on one line: Specs/conformance.md. The",
            "smallest is Tests/Rigs/shims/minimal.c; a complete one is Tests/Rigs/shims/reference/shim.py.",
            "", summary,
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    static func counted(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    private func branch(_ family: Family, width: Int, shown: Int) -> [String] {
        let counts = family.counts
        let name = family.name + String(repeating: " ", count: width - family.name.count)
        let remarks = family.entries.compactMap { $0.remark.map { "      \($0)" } }
        if counts.notRun == counts.total { return ["  – \(name)not run"] + remarks }
        let mark = counts.failed > 0 ? "✗" : counts.passed == counts.total ? "✓" : "~"
        let failures = family.entries.filter { $0.result.outcome.failure != nil && !$0.result.isKnown }
        let broken = Set(failures.flatMap(\.brokenRequirements)).sorted()
        var line = "  \(mark) \(name)\(counts.passed) of \(counts.total)"
        if counts.unsupported > 0 { line += ", \(counts.unsupported) not listed" }
        if counts.notRun > 0 { line += ", \(counts.notRun) not run" }
        if !broken.isEmpty { line += "  \(broken.joined(separator: " "))" }
        var lines = [line]
        for entry in failures.prefix(shown) { lines += entry.explanation.map { "      \($0)" } }
        if failures.count > shown {
            let cause = failures[0].difference?.cause
            let alike = failures.filter { $0.difference?.cause == cause }.count
            let words = cause == nil || alike < 2 ? "" : "; \(alike) of \(failures.count) look alike"
            lines.append("      and \(failures.count - shown) more\(words)")
        }
        if counts.known > 0 { lines.append("      \(Self.counted(counts.known, "known failure", "known failures"))") }
        return lines + remarks
    }
}

extension ConformanceReport.Entry {
    /// The largest size in bytes of values shown in the headline.
    private static let shortValue = 40

    /// The failure in one line.
    var headline: String {
        if let sentence = result.outcome.failure?.sentence { return sentence }
        guard let difference, case .difference(let got)? = result.outcome.failure else { return "" }
        let right = result.question.expected["error"]?.object
        let given = got["error"]?.object
        switch (right, given) {
        case (.some(let right), .none): return "was accepted, must be rejected as \(Self.name(right))"
        case (.some(let right), .some(let given)):
            return "was rejected as \(Self.name(given)), must be rejected as \(Self.name(right))"
        case (.none, .some(let given)): return "was rejected as \(Self.name(given)), must be accepted"
        case (.none, .none): break
        }
        let values: String
        switch (difference.expected, difference.got) {
        case (.none, _): values = "\(difference.place) is unexpected"
        case (_, .none): values = "\(difference.place) is missing"
        case (.some(let expected), .some(let got)):
            let isShort = max(expected.utf8.count, got.utf8.count) <= Self.shortValue
            values =
                isShort ? "\(difference.place) is \(got), must be \(expected)" : "\(difference.place) differs"
        }
        return difference.cause.map { "\(values): \($0)" } ?? values
    }

    private static func name(_ error: JSONObject) -> String {
        "\(shortened(error["stage"]?.text ?? "?"))/\(shortened(error["reason"]?.text ?? "?"))"
    }

    /// A hint about a program that sent no valid reply; `nil` if there is none.
    var advice: String? {
        let question = String(decoding: result.question.line, as: UTF8.self)
        return switch result.outcome.failure {
        case .noReply(let json) where json.compact == question: "it sends back its input"
        case .notJSON(let beginning) where beginning.isEmpty: "it sends empty lines"
        case .notJSON: "something else writes to standard output: send messages to standard error"
        case .overdue: "it does not read its input, keeps its output in a buffer (flush each line), or needs --timeout"
        case .ended(127): "a shell exits with 126 or 127 when it cannot start a program"
        case .ended(let status) where status < 0: "it crashed"
        case .ended: "see its messages on standard error above"
        case .chatter: "it writes without a request"
        case .difference(let reply) where reply["unsupported"]?.flag == true:
            "every shim must have the operation `capabilities`"
        default: nil
        }
    }

    /// The measurement, or the reason why the case was not run.
    var measured: String? {
        if case .skipped(let why) = result.outcome { return why }
        return result.note
    }

    private var isSkipped: Bool { if case .skipped = result.outcome { true } else { false } }

    /// `measured` as a line of the tree.
    var remark: String? {
        measured.map { "\(result.question.id)  \(isSkipped ? "not run: " : "")\($0)" }
    }

    /// Whether the report is about a running node rather than a program.
    var isLive: Bool { result.question.expected.members.isEmpty }

    /// The failure in lines: the fault, the case, the request, the expected value, the given value, the likely cause.
    var explanation: [String] {
        let question = result.question
        var lines = ["\(question.id)  \(brokenRequirements.joined(separator: " "))  \(headline)"]
        if !question.comment.isEmpty { lines.append("  about     \(question.comment)") }
        if let arguments = question.arguments {
            let words = arguments.members.map { "\($0.name)=\(shortened($0.value.text ?? $0.value.compact, to: 72))" }
            lines.append("  request   \(question.operation ?? "") \(shortened(words.joined(separator: " "), to: 400))")
        } else {
            lines.append(
                "  \(isLive ? "did " : "sent")      \(shortened(String(decoding: question.line, as: UTF8.self)))")
        }
        guard let difference, case .difference(let got)? = result.outcome.failure else {
            if let advice { lines.append("  likely    \(advice)") }
            return lines
        }
        lines.append("  expected  \(difference.expected.map { shortened($0) } ?? "nothing")")
        lines.append("  got       \(given.map { shortened($0) } ?? "nothing")")
        if got["error"] != nil || question.expected["error"] != nil, let cause = difference.cause {
            lines.append("  likely    \(cause)")
        }
        if let value = difference.onTheWay {
            lines.append("  first     \(value.name) is \(shortened(value.got)), must be \(shortened(value.expected))")
        } else {
            for (name, value) in (question.intermediates?.members ?? []).prefix(6) {
                lines.append("  value     \(name) = \(shortened(value.text ?? value.compact, to: 160))")
            }
        }
        return lines
    }

    /// The value in the reply that differs, or the whole result if that value is missing.
    var given: String? {
        guard case .difference(let got)? = result.outcome.failure else { return nil }
        return difference?.got ?? (got["result"] ?? got["error"])?.compact
    }
}
