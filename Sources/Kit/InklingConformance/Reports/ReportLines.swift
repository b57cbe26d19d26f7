public import InklingJSON

/// A report as JSON, one object per line: the output of `inkling-kit conform --json`, the input of `inkling-kit conform merge`.
public enum ReportLines {
    static let format = "inkling-conform/1"

    /// Returns the line before the first case.
    public static func start(implementation: String, caseCount: Int) -> JSONObject {
        [
            "event": "start", "format": .text(format), "implementation": .text(implementation),
            "cases": .integer(caseCount),
        ]
    }

    /// Returns the line of a case.
    public static func line(_ entry: ConformanceReport.Entry) -> JSONObject {
        let question = entry.result.question
        var line: JSONObject = [
            "event": "case", "id": .text(question.id), "profile": .text(question.profile.rawValue),
            "family": .text(question.family),
            "page": .text(page(of: question.specification)), "comment": .text(question.comment),
            "requirements": .list(question.requirements.map(JSON.text)), "outcome": .text(entry.result.outcome.word),
        ]
        if let measured = entry.measured { line["note"] = .text(measured) }
        guard let failure = entry.result.outcome.failure else { return line }
        line["known"] = .flag(entry.result.isKnown)
        line["failure"] = .text(failure.name)
        line["broken"] = .list(entry.brokenRequirements.map(JSON.text))
        line["request"] = .text(shortened(String(decoding: question.line, as: UTF8.self), to: 4096))
        if let sentence = failure.sentence { line["message"] = .text(sentence) }
        if let difference = entry.difference {
            line["place"] = .text(difference.place)
            line["expected"] = difference.expected.map(JSON.text) ?? .null
            line["got"] = difference.got.map { .text(shortened($0, to: 4096)) } ?? .null
            if let value = difference.onTheWay {
                line["onTheWay"] = .object([
                    "name": .text(value.name), "expected": .text(value.expected),
                    "got": .text(shortened(value.got, to: 4096)),
                ])
            }
            line["cause"] = difference.cause.map(JSON.text) ?? .null
        }
        return line
    }

    /// Returns the verdict for each profile, by its name.
    private static func profiles(_ report: ConformanceReport) -> JSON {
        var verdicts: JSONObject = [:]
        for one in report.profiles { verdicts[one.profile.rawValue] = .text(one.verdict.rawValue) }
        return .object(verdicts)
    }

    /// Returns the line after the last case.
    public static func end(_ report: ConformanceReport) -> JSONObject {
        let counts = report.counts
        return [
            "event": "end", "verdict": .text(report.verdict.rawValue),
            "profiles": profiles(report),
            "specVersion": report.specVersion.map(JSON.text) ?? .null, "passed": .integer(counts.passed),
            "failed": .integer(counts.failed), "known": .integer(counts.known),
            "unsupported": .integer(counts.unsupported), "notRun": .integer(counts.notRun),
            "stale": .list(report.stale.map(JSON.text)), "digestsLeftOut": .integer(report.digestCount),
            "filteredOut": .integer(report.filteredCount),
        ]
    }
}
