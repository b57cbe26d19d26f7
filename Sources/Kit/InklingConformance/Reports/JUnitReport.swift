internal import InklingJSON

extension ConformanceReport {
    /// The report as JUnit XML, for continuous integration, with one suite per family. Known failures and unsupported
    /// operations are skipped cases.
    public var junit: String {
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
        lines.append(
            "<testsuites name=\"\(marked("inkling-kit conform: \(implementation)"))\" tests=\"\(counts.total)\" "
                + "failures=\"\(counts.failed + stale.count)\" skipped=\"\(counts.total - counts.passed - counts.failed)\">"
        )
        if !profiles.isEmpty {
            lines.append("  <properties>")
            for one in profiles {
                lines.append(
                    "    <property name=\"profile.\(one.profile.rawValue)\" value=\"\(one.verdict.words)\"/>")
            }
            lines.append("  </properties>")
        }
        for family in families {
            let counts = family.counts
            lines.append(
                "  <testsuite name=\"\(marked(family.name))\" tests=\"\(counts.total)\" failures=\"\(counts.failed)\" "
                    + "skipped=\"\(counts.total - counts.passed - counts.failed)\">")
            for entry in family.entries { lines.append(testCase(entry)) }
            lines.append("  </testsuite>")
        }
        if !stale.isEmpty {
            lines.append("  <testsuite name=\"known failures\" tests=\"\(stale.count)\" failures=\"\(stale.count)\">")
            for line in stale {
                lines.append(
                    "    <testcase classname=\"known failures\" name=\"\(marked(line))\">"
                        + "<failure message=\"listed as a known failure and did not fail\"/></testcase>")
            }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private func testCase(_ entry: Entry) -> String {
        let question = entry.result.question
        let head =
            "    <testcase classname=\"\(marked("\(page(of: question.specification)).\(question.family)"))\" "
            + "name=\"\(marked("\(question.id) \(question.comment)"))\""
        switch entry.result.outcome {
        case .passed: return head + "/>"
        case .unsupported: return head + "><skipped message=\"unsupported\"/></testcase>"
        case .skipped(let why): return head + "><skipped message=\"\(marked(why))\"/></testcase>"
        case .notRun: return head + "><skipped message=\"not run\"/></testcase>"
        case .failed where entry.result.isKnown: return head + "><skipped message=\"known failure\"/></testcase>"
        case .failed(let failure):
            return head + "><failure type=\"\(failure.name)\" message=\"\(marked(entry.headline))\">"
                + marked(entry.explanation.joined(separator: "\n")) + "</failure></testcase>"
        }
    }
}

/// Escapes a text for XML and HTML, and replaces characters that XML does not allow.
func marked(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\n", "\t": result.unicodeScalars.append(scalar)
        case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar.value & 0xfffe == 0xfffe:
            result += "\u{fffd}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
