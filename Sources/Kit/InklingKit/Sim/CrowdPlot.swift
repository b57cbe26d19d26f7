import InklingEngine
import InklingNode
import InklingSimulation
import InklingTerminal

/// A drawing of a simulated afternoon: who was near, what the observer believed, and when it tried handshakes.
///
/// The file is SVG without scripts or external references, for light and dark backgrounds.
struct CrowdPlot {
    /// Contacts beyond this number are left out.
    static let rowLimit = 24

    private let report: CrowdReport
    private let settings: CrowdSettings
    private let rows: Int
    private let left = 96.0, right = 24.0, top = 96.0, rowHeight = 18.0, chartHeight = 90.0, width = 1000.0

    /// Creates the drawing of a report.
    init(_ report: CrowdReport, of settings: CrowdSettings) {
        self.report = report
        self.settings = settings
        rows = min(settings.contacts, Self.rowLimit)
    }

    private var rowsEnd: Double { top + Double(rows) * rowHeight }
    private var chartTop: Double { rowsEnd + 56 }
    private var height: Double { chartTop + chartHeight + 56 }
    private var duration: Double { Double(settings.minutes) * 60_000 }

    /// The text of the file.
    var svg: String {
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(width)) \(n(height))" role="img" \
            aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="11">
            <title id="title">A simulated afternoon: who was near, and what was believed</title>
            <desc id="desc">\(description)</desc>
            <style>
              svg { color: #222 } .paper { fill: #fff }
              text { fill: currentColor } .soft { fill: #666 } .axis { stroke: #999; stroke-width: 1 }
              .grid { stroke: #ddd; stroke-width: 1 } .near { fill: #e4e4e4 } .candidate { fill: #f2c94c }
              .probable { fill: #f2994a } .confirmed { fill: #2d9c5a } .stale { fill: #8fb8de }
              .try { stroke: #222; stroke-width: 1.2 } .wasted { stroke: #c0392b; stroke-width: 1.6 }
              .crowd { fill: #9aa7b4; fill-opacity: .45; stroke: #5c6b7a; stroke-width: 1 }
              @media (prefers-color-scheme: dark) {
                svg { color: #e8e8e8 } .paper { fill: #16181b } .soft { fill: #a0a0a0 } .axis { stroke: #777 }
                .grid { stroke: #2c3036 } .near { fill: #34383e } .confirmed { fill: #3fbf74 } .try { stroke: #eee }
                .wasted { stroke: #ff7a68 } .crowd { fill: #6b7885; stroke: #aab6c2 }
              }
            </style>
            <rect width="100%" height="100%" class="paper"/>
            <text x="\(n(left))" y="24" font-size="16">\(plural(settings.contacts, "contact")) and \
            \(plural(settings.strangers, "stranger")), \(plural(settings.minutes, "minute")), seed \(settings.seed)</text>
            <text x="\(n(left))" y="42" class="soft">\(summary)</text>
            """
        ]
        parts.append(legend)
        parts.append(grid)
        for contact in 0..<rows { parts.append(row(contact)) }
        parts.append(chart)
        parts.append("</svg>")
        return parts.joined(separator: "\n")
    }

    private var description: String {
        "One row for each of \(plural(rows, "contact")): grey where the contact was near, coloured where the observer believed "
            + "so, a tick for each handshake that was tried. Below, the number of strangers near. "
            + "\(report.longVisits.count - report.missed) of \(report.longVisits.count) stays were confirmed."
    }

    private var summary: String {
        let delay = report.delay(ofPart: 0.5).map { "\(figure(Double($0) / 1000)) s" } ?? "–"
        return "\(report.longVisits.count - report.missed) of \(report.longVisits.count) stays confirmed, half within "
            + "\(delay); \(report.falseConfirmations) confirmed wrongly; \(report.tries.count) tries; "
            + "\(report.falseFriends) false friends by minor, \(figure(report.falseFriendsExpected)) expected"
    }

    private var legend: String {
        let entries = [
            ("near", "near"), ("candidate", "candidate"), ("probable", "probable"), ("confirmed", "confirmed"),
            ("stale", "stale"),
        ]
        var x = left
        var parts: [String] = []
        for (style, label) in entries {
            parts.append("<rect x=\"\(n(x))\" y=\"56\" width=\"14\" height=\"10\" class=\"\(style)\"/>")
            parts.append("<text x=\"\(n(x + 19))\" y=\"65\">\(label)</text>")
            x += 100
        }
        for (style, label) in [("try", "try"), ("wasted", "try with another device")] {
            parts.append("<path d=\"M\(n(x + 6)) 54v14\" class=\"\(style)\"/>")
            parts.append("<text x=\"\(n(x + 16))\" y=\"65\">\(label)</text>")
            x += 80
        }
        return parts.joined(separator: "\n")
    }

    /// The axis of time with its lines, and the names of the rows.
    private var grid: String {
        let step = [5, 10, 15, 30, 60, 120, 240, 720, 1440].first { settings.minutes / $0 <= 10 } ?? 2880
        var parts: [String] = []
        for minute in stride(from: 0, through: settings.minutes, by: step) {
            let x = place(UInt64(minute) * 60_000)
            parts.append("<path d=\"M\(n(x)) \(n(top))V\(n(chartTop + chartHeight))\" class=\"grid\"/>")
            let clock = (settings.start / 60 + UInt64(minute)) % 1440
            let label = "\(clock / 60):\(clock % 60 < 10 ? "0" : "")\(clock % 60)"
            parts.append(
                "<text x=\"\(n(x))\" y=\"\(n(chartTop + chartHeight + 18))\" text-anchor=\"middle\">\(label)</text>")
        }
        parts.append(
            "<text x=\"\(n((left + width - right) / 2))\" y=\"\(n(chartTop + chartHeight + 40))\" "
                + "text-anchor=\"middle\" class=\"soft\">time of day, UTC</text>")
        parts.append("<text x=\"\(n(left))\" y=\"\(n(top - 8))\" class=\"soft\">contacts</text>")
        if rows < settings.contacts {
            parts.append(
                "<text x=\"\(n(left))\" y=\"\(n(rowsEnd + 14))\" class=\"soft\">… and \(settings.contacts - rows) more</text>"
            )
        }
        return parts.joined(separator: "\n")
    }

    private func row(_ contact: Int) -> String {
        let y = top + Double(contact) * rowHeight
        var parts = [
            "<text x=\"\(n(left - 8))\" y=\"\(n(y + 12))\" text-anchor=\"end\">contact \(contact + 1)</text>"
        ]
        for visit in report.visits where visit.contact == contact {
            parts.append(bar(from: visit.from, to: visit.to, y: y + 1, height: rowHeight - 3, style: "near"))
        }
        var before: CrowdReport.Change?
        for change in report.changes where change.contact == contact {
            if let before { parts.append(belief(before, until: change.at, y)) }
            before = change
        }
        if let before { parts.append(belief(before, until: UInt64(duration), y)) }
        for one in report.tries where one.contact == contact {
            let style = one.isGenuine ? "try" : "wasted"
            parts.append("<path d=\"M\(n(place(one.at))) \(n(y + 1))v\(n(rowHeight - 3))\" class=\"\(style)\"/>")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func belief(_ change: CrowdReport.Change, until: UInt64, _ y: Double) -> String {
        switch change.state {
        case .unseen, .gone: ""
        case .candidate, .probable, .confirmed, .stale:
            bar(from: change.at, to: until, y: y + 5, height: rowHeight - 11, style: change.state.word)
        }
    }

    private func bar(from: UInt64, to: UInt64, y: Double, height: Double, style: String) -> String {
        let x = place(from)
        return "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(max(0.5, place(to) - x)))\" height=\"\(n(height))\" "
            + "class=\"\(style)\"/>"
    }

    /// The number of strangers near, minute by minute.
    private var chart: String {
        let most = max(1, report.strangersNear.max() ?? 1)
        let base = chartTop + chartHeight
        var outline = "M\(n(left)) \(n(base))"
        for (minute, count) in report.strangersNear.enumerated() {
            let y = base - chartHeight * Double(count) / Double(most)
            outline += "L\(n(place(UInt64(minute + 1) * 60_000))) \(n(y))"
        }
        outline += "L\(n(place(UInt64(report.strangersNear.count) * 60_000))) \(n(base))Z"
        return """
            <text x="\(n(left))" y="\(n(chartTop - 8))" class="soft">strangers near</text>
            <path d="\(outline)" class="crowd"/>
            <path d="M\(n(left)) \(n(chartTop))V\(n(base))H\(n(width - right))" fill="none" class="axis"/>
            <text x="\(n(left - 8))" y="\(n(chartTop + 8))" text-anchor="end">\(most)</text>
            <text x="\(n(left - 8))" y="\(n(base))" text-anchor="end">0</text>
            """
    }

    private func place(_ milliseconds: UInt64) -> Double {
        left + (width - left - right) * min(1, Double(milliseconds) / duration)
    }

    /// Formats a length with at most one decimal place.
    private func n(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let rest = abs(tenths) % 10
        return "\(sign)\(abs(tenths) / 10)" + (rest == 0 ? "" : ".\(rest)")
    }
}
