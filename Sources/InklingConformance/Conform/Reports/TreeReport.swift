internal import InklingJSON

extension ConformanceReport {
    /// The report as a tree of text: pages, families, and of each family the first `shown` failures.
    public func tree(shown: Int) -> String {
        var lines: [String] = []
        for (page, families) in pages {
            lines.append(page)
            let width = (families.map(\.name.count).max() ?? 0) + 2
            for family in families { lines += branch(family, width: width, shown: shown) }
        }
        lines += ["", summary]
        lines += stale.map { "stale: \($0) is in the list of known failures and did not fail" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The report in one sentence.
    public var summary: String {
        var parts = ["\(counts.passed) passed", "\(counts.failed) failed"]
        if counts.known > 0 { parts.append("\(counts.known) failed as known") }
        if counts.unsupported > 0 { parts.append("\(counts.unsupported) unsupported") }
        if counts.notRun > 0 { parts.append("\(counts.notRun) not run") }
        if digestCount > 0 { parts.append("\(digestCount) digests left out") }
        return parts.joined(separator: ", ")
    }

    private func branch(_ family: Family, width: Int, shown: Int) -> [String] {
        let counts = family.counts
        let name = family.name + String(repeating: " ", count: width - family.name.count)
        if counts.unsupported == counts.total { return ["  – \(name)unsupported"] }
        let remarks = family.entries.compactMap { $0.remark.map { "      \($0)" } }
        if counts.notRun == counts.total { return ["  – \(name)not run"] + remarks }
        let mark = counts.failed > 0 ? "✗" : counts.passed == counts.total ? "✓" : "~"
        var lines = ["  \(mark) \(name)\(counts.passed) of \(counts.total)"]
        let failures = family.entries.filter { $0.result.outcome.failure != nil && !$0.result.isKnown }
        for entry in failures.prefix(shown) { lines += entry.explanation.map { "      \($0)" } }
        if failures.count > shown { lines.append("      and \(failures.count - shown) more") }
        if counts.known > 0 { lines.append("      \(counts.known) failed as known") }
        return lines + remarks
    }
}

extension ConformanceReport.Entry {
    /// What was measured, or why the case could not be asked.
    var measured: String? {
        if case .skipped(let why) = result.outcome { return why }
        return result.note
    }

    private var isSkipped: Bool { if case .skipped = result.outcome { true } else { false } }

    /// The same as a line of the tree.
    var remark: String? {
        measured.map { "\(result.question.id)  \(isSkipped ? "not run: " : "")\($0)" }
    }

    /// Whether a running node was looked at, and not a program asked.
    var isLive: Bool { result.question.expected.members.isEmpty }

    /// A failure, in lines: what it is about, what was asked, what was expected and given, and why it may be so.
    var explanation: [String] {
        let question = result.question
        var lines = ["\(question.id)  \(brokenRequirements.joined(separator: " "))  \(question.comment)"]
        if let arguments = question.arguments {
            let words = arguments.members.map { "\($0.name)=\(shortened($0.value.text ?? $0.value.compact, to: 72))" }
            lines.append("  asked     \(question.operation ?? "") \(shortened(words.joined(separator: " "), to: 400))")
        } else {
            lines.append(
                "  \(isLive ? "did " : "sent")      \(shortened(String(decoding: question.line, as: UTF8.self)))")
        }
        if let sentence = result.outcome.failure?.sentence {
            lines.append("  \(isLive ? "saw   " : "but it")    \(sentence)")
        }
        guard let difference else { return lines }
        lines.append("  differs   at \(difference.place)")
        lines.append("  expected  \(difference.expected.map { shortened($0) } ?? "nothing")")
        lines.append("  got       \(difference.got.map { shortened($0) } ?? "nothing")")
        if let cause = difference.cause { lines.append("  likely    \(cause)") }
        for (name, value) in (question.intermediates?.members ?? []).prefix(6) {
            lines.append("  on the way  \(name) = \(shortened(value.text ?? value.compact, to: 160))")
        }
        return lines
    }
}
