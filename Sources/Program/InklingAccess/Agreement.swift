import InklingJSON
package import InklingNode
import InklingTerminal

/// The facts that two people compare before they become contacts.
package struct IntroductionFact: Codable, Hashable, Sendable {
    let name: String
    let fingerprint: String
    /// Whether this person is a contact already.
    let known: Bool

    package init(_ introduction: Introduction) {
        name = introduction.name
        fingerprint = introduction.fingerprint
        known = introduction.isKnown
    }
}

/// Shows an introduction to the person at the terminal and returns whether the person agrees.
///
/// - Parameters:
///   - question: the introduction.
///   - always: whether to agree without asking.
///   - json: whether the introduction is printed as a JSON object.
///   - aside: whether everything goes to standard error, because standard output has another purpose.
/// - Returns: whether the person agrees; false when standard input ends or is not a terminal.
package func agree(to question: IntroductionFact, always: Bool, json: Bool, aside: Bool = false) -> Bool {
    let known = question.known ? " (a contact already)" : ""
    let text = """
        Name         \(printable(question.name))\(known)
        Fingerprint  \(question.fingerprint)

        """
    if aside {
        writeError(text)
    } else {
        write(["question": JSON(encoding: question)] as JSONObject, asJSON: json) { _ in text }
    }
    if always { return true }
    guard isTerminal(0) else {
        writeError(
            "\(programName): declined: standard input is not a terminal, so no person can compare the fingerprint (--yes agrees without comparing)\n"
        )
        return false
    }
    return asks("Does the other person see the same? [y/n] ", aside: json || aside)
}

/// Asks the person at the terminal until the answer is yes or no; the end of the input counts as no.
package func asks(_ question: String, aside: Bool = false) -> Bool {
    while true {
        if aside { writeError(question) } else { write(question) }
        guard let answer = readLine() else { return false }
        switch answer.filter({ !$0.isWhitespace }).lowercased() {
        case "y", "yes": return true
        case "n", "no": return false
        default: continue
        }
    }
}
