internal import InklingJSON

extension ConformanceReport {
    /// The report as one HTML page without scripts or external resources. Failures come first: the first `shown` cases
    /// of each family in full.
    public func html(shown: Int) -> String {
        var body =
            "<header><p class=\"kind\">Inkling conformance report</p><h1><code>\(marked(implementation))</code></h1>"
        body += "<p class=\"verdict \(verdict.rawValue)\">\(verdictSentence)</p>\(bar)\(tiles)"
        body += profileList
        body += specVersion.map { "<p>It declares <code>\(marked($0))</code>.</p>" } ?? ""
        body += "</header>"
        if !stale.isEmpty {
            let items = stale.map { "<li><code>\(marked($0))</code></li>" }.joined()
            body += "<h2>Listed as known failures, and did not fail</h2><ul>\(items)</ul>"
        }
        let failing = families.filter { $0.counts.failed > 0 }
        if !failing.isEmpty {
            body += "\n<main><h2>What failed</h2>\(brokenRequirements)"
            for family in failing { body += failures(of: family, shown: shown) }
            if !isLive {
                body +=
                    "<p><small>One case alone: <code>inkling-kit conform --filter ID -- …</code> · every value of it: "
                body += "<code>inkling-kit conform explain ID</code></small></p>"
            }
            body += "</main>"
        }
        body += "\n<h2>All families</h2>\(filters)<table class=\"overview\">"
        for (page, families) in pages {
            for family in families { body += row(family, of: page) }
        }
        body += "</table>\n<h2>All requirements</h2><ul class=\"chips\">"
        for (number, counts) in requirements {
            let state = State(counts)
            body += "<li class=\"\(state.kind)\">\(state.mark) \(marked(number)) "
            body += "<small>\(counts.passed)/\(counts.total)</small></li>"
        }
        return HTMLPage.document(title: "Inkling: conformance of \(implementation)", body: body + "</ul>")
    }

    /// The state of a row. Each has a symbol and a word, so that the page does not rely on colour alone.
    private struct State {
        let kind: String
        let mark: String

        init(_ counts: Counts) {
            if counts.failed > 0 {
                (kind, mark) = ("failed", "✗")
            } else if counts.passed == counts.total {
                (kind, mark) = ("passed", "✓")
            } else if counts.passed + counts.known > 0 {
                (kind, mark) = ("known", "~")
            } else {
                (kind, mark) = ("unsupported", "–")
            }
        }
    }

    private var verdictSentence: String {
        switch verdict {
        case .conforms where isLive: "✓ Conforms: every check passed."
        case .conforms: "✓ Conforms: every reply is correct."
        case .partial where isLive:
            "~ Partial: every check that was made passed, but some were not made."
        case .partial: "~ Partial: every reply is correct, but some cases were not run."
        case .differs where isLive: "✗ Does not conform: \(Self.counted(counts.failed, "check", "checks")) failed."
        case .differs where !saidWhatItHas: "✗ Not a shim, or it fails at the first request."
        case .differs where counts.failed == 0: "✗ The list of known failures is stale."
        case .differs:
            "✗ Does not conform: \(counts.failed) of \(counts.passed + counts.failed + counts.known) replies are wrong."
        }
    }

    private var shares: [(kind: String, words: String, count: Int)] {
        [
            ("passed", "passed", counts.passed), ("failed", "failed", counts.failed),
            ("known", "known failures", counts.known), ("unsupported", "not listed", counts.unsupported),
            ("unsupported", "not run", counts.notRun),
        ].filter { $0.2 > 0 }
    }

    private var bar: String {
        let parts = shares.map { "<span class=\"\($0.kind)\" style=\"flex-grow:\($0.count)\"></span>" }.joined()
        return "<div class=\"bar\" aria-hidden=\"true\">\(parts)</div>"
    }

    private var tiles: String {
        let items = shares.map { "<li class=\"\($0.kind)\"><b>\($0.count)</b> \($0.words)</li>" }.joined()
        let left = [(digestCount, "longer digests excluded"), (filteredCount, "filtered out")]
        let rest = left.filter { $0.0 > 0 }.map { "<li><b>\($0.0)</b> \($0.1)</li>" }.joined()
        return "<ul class=\"tiles\">\(items)\(rest)</ul>"
    }

    private var profileList: String {
        let items = profiles.map { one in
            "<li class=\"\(one.kind)\"><b>\(one.mark) \(one.profile.rawValue)</b> \(one.verdict.words), "
                + "\(marked(one.words))</li>"
        }
        return items.isEmpty ? "" : "<ul class=\"tiles\">\(items.joined())</ul>"
    }

    private var brokenRequirements: String {
        let items = requirements.filter { $0.counts.failed > 0 }.map {
            "<li class=\"failed\">✗ \(marked($0.number)) <small>\(Self.counted($0.counts.failed, "case", "cases"))</small></li>"
        }
        return items.isEmpty ? "" : "<ul class=\"chips\">\(items.joined())</ul>"
    }

    /// Check boxes that hide rows through the style sheet alone.
    private var filters: String {
        let kinds = [("passed", "passed"), ("unsupported", "not listed or not run")].filter { kind, _ in
            families.contains { State($0.counts).kind == kind }
        }
        guard kinds.count + (counts.failed > 0 ? 1 : 0) > 1 else { return "" }
        return "<p class=\"filters\">"
            + kinds.map { kind, words in
                "<label><input type=\"checkbox\" id=\"show-\(kind)\" checked> \(words)</label>"
            }.joined(separator: " ") + "</p>"
    }

    // Every row repeats the name of its page, because any row can be hidden.
    private func row(_ family: Family, of page: String) -> String {
        let counts = family.counts
        let state = State(counts)
        let rest = family.entries.filter { $0.result.outcome.failure == nil || $0.result.isKnown }
        let words =
            counts.unsupported == counts.total
            ? "not listed" : counts.notRun == counts.total ? "not run" : "\(counts.passed) of \(counts.total)"
        var text = "\n<tbody class=\"\(state.kind)\"><tr>"
        text += "<th scope=\"row\">\(marked(page))</th>"
        let isSilent = rest.allSatisfy { $0.measured == nil }
        guard !rest.isEmpty, counts.unsupported < counts.total, counts.notRun < counts.total || !isSilent else {
            return text + "<td>\(marked(family.name))</td><td>\(state.mark) \(words)</td></tr></tbody>"
        }
        text += "<td><details><summary>\(marked(family.name))</summary><table class=\"cases\">"
        for entry in rest {
            let word = entry.result.isKnown ? "known failure" : entry.result.outcome.word
            text += "<tr><td><code>\(marked(entry.result.question.id))</code></td>"
            text += "<td>\(marked(entry.result.question.comment))</td><td>\(word)</td>"
            text += entry.measured.map { "<td>\(marked($0))</td></tr>" } ?? "</tr>"
        }
        return text + "</table></details></td><td>\(state.mark) \(words)</td></tr></tbody>"
    }

    private func failures(of family: Family, shown: Int) -> String {
        let failures = family.entries.filter { $0.result.outcome.failure != nil && !$0.result.isKnown }
        var text = "\n<section><h3>\(marked(family.name)) <small>\(marked(family.page)) · \(failures.count) of "
        text += "\(family.counts.total) failed</small></h3>"
        for (place, entry) in failures.prefix(shown).enumerated() { text += article(entry, isOpen: place < 2) }
        if failures.count > shown { text += "<p>And \(failures.count - shown) more.</p>" }
        return text + "</section>"
    }

    private func article(_ entry: Entry, isOpen: Bool) -> String {
        let question = entry.result.question
        var text = "\n<details class=\"case\"\(isOpen ? " open" : "")><summary><code>\(marked(question.id))</code> "
        text += "<span>\(marked(entry.headline))</span></summary>"
        text += "<p>\(marked(entry.brokenRequirements.joined(separator: ", "))) · \(marked(question.comment))</p>"
        var rows: [Row] = []
        if let difference = entry.difference {
            let (expected, got) = HTMLPage.compared(
                shortened(difference.expected ?? "nothing", to: 2000), shortened(entry.given ?? "nothing", to: 2000))
            rows.append(Row("at", marked(difference.place)))
            rows.append(Row("expected", expected))
            rows.append(Row("got", got))
            if let value = difference.onTheWay {
                let (right, given) = HTMLPage.compared(
                    shortened(value.expected, to: 2000), shortened(value.got, to: 2000))
                rows.append(Row("first wrong value", marked(value.name)))
                rows.append(Row("expected", right))
                rows.append(Row("got", given))
            }
        }
        text += Self.table(rows)
        if let cause = entry.difference?.cause ?? entry.advice {
            text += "<p class=\"cause\">Likely: \(marked(cause.filter { $0 != "`" })).</p>"
        }
        let asked =
            question.arguments.map { arguments in
                arguments.members.map { Row($0.name, marked(shortened($0.value.text ?? $0.value.compact, to: 2000))) }
            } ?? [
                Row(
                    entry.isLive ? "did" : "sent",
                    marked(shortened(String(decoding: question.line, as: UTF8.self), to: 2000)))
            ]
        if !entry.isLive { text += "<h4>Request \(question.operation.map { "<code>\(marked($0))</code>" } ?? "")</h4>" }
        text += Self.table(asked)
        let inner = (question.intermediates?.members ?? []).map {
            Row($0.name, marked(shortened($0.value.text ?? $0.value.compact, to: 2000)))
        }
        if !inner.isEmpty { text += "<h4>Intermediate values</h4>" + Self.table(inner) }
        return text + "</details>"
    }

    /// A row of a table: a name, and its value as markup.
    private struct Row {
        let name: String
        let markup: String

        init(_ name: String, _ markup: String) {
            self.name = name
            self.markup = markup
        }
    }

    private static func table(_ rows: [Row]) -> String {
        guard !rows.isEmpty else { return "" }
        let items = rows.map { "<dt>\(marked($0.name))</dt><dd><code>\($0.markup)</code></dd>" }.joined()
        return "<dl>\(items)</dl>"
    }
}

/// The frame and the style sheet of the HTML pages.
enum HTMLPage {
    static func document(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(marked(title))</title>
        <style>\(style)</style>
        </head>
        <body>
        \(body)
        </body>
        </html>

        """
    }

    /// Returns two texts as markup with the difference marked: everything between the common prefix and the common
    /// suffix, unless that is most of the text.
    static func compared(_ one: String, _ other: String) -> (String, String) {
        let left = Array(one.unicodeScalars)
        let right = Array(other.unicodeScalars)
        let start = zip(left, right).prefix { $0 == $1 }.count
        let rest = min(left.count, right.count) - start
        let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
        let common = min(end, rest)
        guard 2 * (start + common) >= max(left.count, right.count) else { return (marked(one), marked(other)) }
        func text(_ scalars: ArraySlice<UnicodeScalar>) -> String {
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            return marked(text)
        }
        func markup(_ scalars: [UnicodeScalar]) -> String {
            let middle = scalars[start..<scalars.count - common]
            let inside = middle.isEmpty ? "" : "<mark>\(text(middle))</mark>"
            return text(scalars[..<start]) + inside + text(scalars[(scalars.count - common)...])
        }
        return (markup(left), markup(right))
    }

    private static let style = """

        :root { color-scheme: light dark; --good: #1a7f47; --bad: #b3241b; --part: #7d5700; --none: #57606a;
          --line: #8886; --soft: #8881; --mark: #b3241b22; }
        @media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --bad: #ff8f87; --part: #e0ac3f;
          --none: #a3adb8; --mark: #ff8f8733; } body { background: #14171a; color: #e6e8ea; } }
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 1.5rem auto; padding: 0 1rem; }
        h1 { font-size: 1.35rem; margin: 0; overflow-wrap: anywhere; } h1 code { font-size: 1em; }
        h2 { font-size: 1.2rem; margin: 2.2rem 0 0.5rem; } h3 { font-size: 1.05rem; margin: 1.5rem 0 0.25rem; }
        h4 { font-size: 0.9rem; margin: 0.6rem 0 0; font-weight: 600; color: var(--none); }
        small, .kind { color: var(--none); font-weight: 400; font-size: 0.875rem; } .kind { margin: 0; }
        code { font: 0.875em ui-monospace, monospace; overflow-wrap: anywhere; }
        .verdict { font-weight: 600; font-size: 1.1rem; margin: 0.5rem 0; }
        .conforms { color: var(--good); } .differs { color: var(--bad); } .partial { color: var(--part); }
        .bar { display: flex; height: 0.75rem; border-radius: 0.4rem; overflow: hidden; gap: 2px; }
        .bar span { min-width: 3px; } .bar .passed { background: var(--good); } .bar .failed { background: var(--bad); }
        .bar .known { background: var(--part); } .bar .unsupported { background: var(--none); opacity: 0.5; }
        .tiles, .chips { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem 1.5rem; }
        .tiles b { font-size: 1.3rem; } .tiles .passed b { color: var(--good); } .tiles .failed b { color: var(--bad); }
        .chips { gap: 0.4rem; } .chips li { border: 1px solid var(--line); border-radius: 1rem; padding: 0 0.6rem;
          font-size: 0.85rem; white-space: nowrap; }
        .chips .passed { border-color: var(--good); } .chips .failed { border-color: var(--bad); color: var(--bad); }
        summary { cursor: pointer; overflow-wrap: anywhere; }
        .case { background: var(--soft); border-left: 3px solid var(--bad); border-radius: 0 0.5rem 0.5rem 0;
          padding: 0.5rem 0.9rem; margin: 0.5rem 0; }
        .case summary span { font-weight: 600; } .case p { margin: 0.25rem 0; } .cause { font-weight: 600; }
        dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0.1rem 1rem; margin: 0.3rem 0; }
        dt { color: var(--none); font-size: 0.9rem; } dd { margin: 0; overflow-wrap: anywhere; }
        mark { background: var(--mark); color: inherit; font-weight: 700; border-bottom: 2px solid var(--bad); }
        table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
        th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.6rem 0.2rem 0;
          border-bottom: 1px solid var(--line); font-weight: 400; }
        .overview th { color: var(--none); } .overview tr > td:last-child { white-space: nowrap; text-align: right; }
        .overview .failed > tr > td:last-child { color: var(--bad); font-weight: 600; }
        .overview .passed > tr > td:last-child { color: var(--good); }
        .overview .known > tr > td:last-child { color: var(--part); }
        .cases td { border: 0; } .filters label { margin-right: 1rem; }
        body:has(#show-passed:not(:checked)) .overview .passed,
        body:has(#show-unsupported:not(:checked)) .overview .unsupported { display: none; }
        .scroll { overflow-x: auto; } .matrix th { font-weight: 600; } .matrix tbody th { font-weight: 400; }
        .matrix thead th { overflow-wrap: anywhere; min-width: 6rem; vertical-align: bottom; }
        .matrix td, .matrix tfoot th { white-space: nowrap; }
        .matrix td.passed { color: var(--good); } .matrix td.failed { color: var(--bad); font-weight: 600; }
        .tiles .partial b { color: var(--part); } .matrix td.partial { color: var(--part); } .matrix td.unsupported, .matrix td.absent { color: var(--none); }
        @media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.3rem; }
          .overview th, .matrix th[scope=rowgroup], .matrix .page { display: none; } }
        @media print { details:not([open]) > summary { list-style: none; } }

        """
}
