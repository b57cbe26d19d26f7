internal import InklingJSON

extension ConformanceReport {
    /// The report as one page that needs nothing else: no script, no font, no picture from elsewhere.
    public func html(shown: Int) -> String {
        let shares = [
            ("passed", counts.passed), ("failed", counts.failed), ("known", counts.known),
            ("unsupported", counts.unsupported + counts.notRun),
        ]
        let bar = shares.filter { $0.1 > 0 }.map { kind, count in
            "<span class=\"\(kind)\" style=\"flex-grow:\(count)\" title=\"\(count) \(kind)\"></span>"
        }.joined()
        var body = """
            <h1>\(marked(implementation))</h1>
            <p class="verdict \(verdict.rawValue)">\(verdictSentence)</p>
            <div class="bar">\(bar)</div>
            <p>\(marked(summary)).\(claim)</p>
            """
        if !stale.isEmpty {
            let items = stale.map { "<li><code>\(marked($0))</code></li>" }.joined()
            body += "<p>Listed as known failures, and did not fail:</p><ul>\(items)</ul>"
        }
        let broken = requirements.filter { $0.counts.failed > 0 }
        if !broken.isEmpty {
            let items = broken.map { "<li><b>\(marked($0.number))</b> \($0.counts.failed) cases</li>" }.joined()
            body += "<h2>Requirements that are broken</h2><ul class=\"chips\">\(items)</ul>"
        }
        for (page, families) in pages {
            body += "\n<h2>\(marked(page))</h2>"
            for family in families { body += section(family, shown: shown) }
        }
        body += "\n<h2>All requirements</h2><ul class=\"chips\">"
        for (number, counts) in requirements {
            let kind = counts.failed > 0 ? "failed" : counts.passed > 0 ? "passed" : "unsupported"
            body += "<li class=\"\(kind)\">\(marked(number)) <small>\(counts.passed)/\(counts.total)</small></li>"
        }
        return HTMLPage.document(title: "Inkling: conformance of \(implementation)", body: body + "</ul>")
    }

    /// What a program says of itself; a running node is not asked.
    private var claim: String {
        isLive ? "" : " It says that it implements <code>\(marked(specVersion ?? "nothing"))</code>."
    }

    private var isLive: Bool { entries.first?.isLive == true }

    private var verdictSentence: String {
        switch verdict {
        case .conforms: isLive ? "Conforms: every check is passed." : "Conforms: every case is answered as it must be."
        case .partial:
            isLive
                ? "Conforms as far as it was looked at: every check that was made is passed, and some were not made."
                : "Conforms as far as it goes: every case that was asked is right, and some were not."
        case .differs:
            isLive
                ? "Differs: \(counts.failed) checks are not passed."
                : "Differs: \(counts.failed) cases are not answered as they must be."
        }
    }

    private func section(_ family: Family, shown: Int) -> String {
        let counts = family.counts
        let failures = family.entries.filter { $0.result.outcome.failure != nil && !$0.result.isKnown }
        let kind =
            counts.failed > 0
            ? "failed"
            : counts.passed == counts.total ? "passed" : counts.passed + counts.known > 0 ? "known" : "unsupported"
        let words = counts.unsupported == counts.total ? "unsupported" : "\(counts.passed) of \(counts.total)"
        var text =
            "\n<details class=\"\(kind)\"\(failures.isEmpty ? "" : " open")><summary><b>\(marked(family.name))</b> "
        text += "<span>\(words)</span></summary>"
        for entry in failures.prefix(shown) { text += article(entry) }
        if failures.count > shown { text += "<p>And \(failures.count - shown) more.</p>" }
        let rest = family.entries.filter { $0.result.outcome.failure == nil || $0.result.isKnown }
        if !rest.isEmpty {
            text += "<details><summary>\(rest.count) other cases</summary><table>"
            for entry in rest {
                let word = entry.result.isKnown ? "known failure" : entry.result.outcome.word
                text += "<tr><td><code>\(marked(entry.result.question.id))</code></td>"
                text += "<td>\(marked(entry.result.question.comment))</td><td>\(word)</td>"
                text += "<td>\(marked(entry.measured ?? ""))</td></tr>"
            }
            text += "</table></details>"
        }
        return text + "</details>"
    }

    private func article(_ entry: Entry) -> String {
        let question = entry.result.question
        var rows: [(String, String)] = []
        if let arguments = question.arguments {
            rows += arguments.members.map { ($0.name, shortened($0.value.text ?? $0.value.compact, to: 2000)) }
        } else {
            rows.append(
                (entry.isLive ? "did" : "sent", shortened(String(decoding: question.line, as: UTF8.self), to: 2000)))
        }
        var text = "<article><h3><code>\(marked(question.id))</code> \(marked(question.comment))</h3>"
        text += "<p>\(marked(entry.brokenRequirements.joined(separator: ", ")))"
        text += " · <code>\(marked(question.operation ?? question.family))</code></p>"
        text += Self.table(rows, kind: "input")
        rows = []
        if let sentence = entry.result.outcome.failure?.sentence {
            rows.append((entry.isLive ? "saw" : "but it", sentence))
        }
        if let difference = entry.difference {
            rows.append(("differs at", difference.place))
            rows.append(("expected", shortened(difference.expected ?? "nothing", to: 2000)))
            rows.append(("got", shortened(difference.got ?? "nothing", to: 2000)))
        }
        text += Self.table(rows, kind: "outcome")
        if let cause = entry.difference?.cause { text += "<p class=\"cause\">It looks as if \(marked(cause)).</p>" }
        let inner = (question.intermediates?.members ?? []).map {
            ($0.name, shortened($0.value.text ?? $0.value.compact, to: 2000))
        }
        if !inner.isEmpty {
            text += "<details><summary>values on the way</summary>\(Self.table(inner, kind: "inner"))</details>"
        }
        return text + "</article>"
    }

    private static func table(_ rows: [(String, String)], kind: String) -> String {
        guard !rows.isEmpty else { return "" }
        let body = rows.map { "<tr><th>\(marked($0.0))</th><td><code>\(marked($0.1))</code></td></tr>" }.joined()
        return "<table class=\"\(kind)\">\(body)</table>"
    }
}

/// What the pages of all reports share.
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

    private static let style = """

        :root { color-scheme: light dark; --good: #1a7f47; --bad: #c0271d; --part: #9a6700; --none: #8b949e;
          --line: #8884; --soft: #8881; }
        @media (prefers-color-scheme: dark) { :root { --good: #3fb37a; --bad: #ff7b72; --part: #d29922; } }
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
        h3 { font-size: 1rem; margin: 0; }
        code { font: 0.875em ui-monospace, monospace; overflow-wrap: anywhere; }
        .verdict { font-weight: 600; } .conforms { color: var(--good); } .differs { color: var(--bad); }
        .verdict.partial, span.partial { color: var(--part); }
        .bar { display: flex; height: 0.75rem; border-radius: 0.4rem; overflow: hidden; gap: 2px; }
        .bar span { min-width: 3px; } .bar .passed { background: var(--good); } .bar .failed { background: var(--bad); }
        .bar .known { background: var(--part); } .bar .unsupported { background: var(--none); }
        details { border-left: 3px solid var(--line); padding-left: 0.75rem; margin: 0.4rem 0; }
        details.passed { border-color: var(--good); } details.failed { border-color: var(--bad); }
        details.known { border-color: var(--part); } summary { cursor: pointer; }
        summary span { color: var(--none); margin-left: 0.5rem; }
        article { background: var(--soft); border-radius: 0.5rem; padding: 0.75rem 1rem; margin: 0.75rem 0; }
        article p { margin: 0.25rem 0; } .cause { font-weight: 600; color: var(--part); }
        table { border-collapse: collapse; width: 100%; margin: 0.4rem 0; font-size: 0.9rem; }
        th, td { text-align: left; vertical-align: top; padding: 0.15rem 0.6rem 0.15rem 0;
          border-bottom: 1px solid var(--line); }
        article th { width: 9rem; font-weight: 500; color: var(--none); }
        .chips { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem; }
        .chips li { border: 1px solid var(--line); border-radius: 1rem; padding: 0 0.6rem; font-size: 0.85rem; }
        .chips .passed { border-color: var(--good); } .chips .failed { border-color: var(--bad); }
        .matrix td.passed { color: var(--good); } .matrix td.failed { color: var(--bad); font-weight: 600; }
        .matrix td.partial { color: var(--part); } .matrix td.unsupported, .matrix td.absent { color: var(--none); }

        """
}
