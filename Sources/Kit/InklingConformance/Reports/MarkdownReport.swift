extension ConformanceReport {
    /// The report as Markdown: the matrix of this one implementation, and the first `shown` failures of each family.
    public func markdown(shown: Int) -> String {
        var text = "# Conformance of `\(implementation.filter { $0 != "`" && $0 != "\n" })`\n\n\(summary)\n\n"
        if !profiles.isEmpty {
            text += "| profile | verdict | |\n|---|---|---|\n"
            text += profiles.map { "| \($0.profile.rawValue) | \($0.verdict.words) | \($0.words) |\n" }.joined() + "\n"
        }
        text += ConformanceMatrix(self).markdown
        if !stale.isEmpty {
            text +=
                "\nListed as known failures, and did not fail: \(stale.map { "`\($0)`" }.joined(separator: ", ")).\n"
        }
        for family in families {
            let failures = family.entries.filter { $0.result.outcome.failure != nil && !$0.result.isKnown }
            guard !failures.isEmpty else { continue }
            text += "\n## \(family.name): \(failures.count) failed\n"
            for entry in failures.prefix(shown) {
                // Four spaces make the reply of the program a code block.
                text += "\n" + entry.explanation.map { "    \($0)\n" }.joined()
            }
            if failures.count > shown { text += "\nAnd \(failures.count - shown) more.\n" }
        }
        let remarks = entries.compactMap(\.remark)
        if !remarks.isEmpty {
            text += "\n## Measured, and not run\n\n" + remarks.map { "    \($0)\n" }.joined()
        }
        return text
    }
}
