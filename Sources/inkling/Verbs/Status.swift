import ArgumentParser
import InklingJSON

/// `inkling status`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what the running node shows, and whom it knows to be near.",
        discussion: """
            Example:
              $ inkling status --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print JSON objects: the node's state, then one for each contact.") var json = false

    func run() async throws {
        try await reporting {
            let state = NodeRequest(options: options, request: ["do": "status"], place: .runningNode)
            try await state.perform { fact in write(json ? JSON.object(fact).compact + "\n" : Self.text(fact)) }
            let contacts = NodeRequest(options: options, request: ["do": "contacts"], place: .runningNode)
            try await contacts.perform { fact in write(json ? JSON.object(fact).compact + "\n" : contactLine(fact)) }
        }
    }

    private static func text(_ fact: JSONObject) -> String {
        let visibility =
            fact["visible"]?.flag == true
            ? "visible, epoch \(fact["epoch"]?.integer ?? 0)" : "silent: \(fact["silence"]?.text ?? "")"
        return """
            node      \(visibility)
            sessions  \(fact["sessions"]?.integer ?? 0)   refused messages \(fact["refusedMessages"]?.integer ?? 0)
            contacts  \(fact["contacts"]?.integer ?? 0), \(fact["present"]?.integer ?? 0) present

            """
    }
}

/// One line about a contact.
func contactLine(_ fact: JSONObject) -> String {
    let name = printable(fact["contact"]?.text ?? "")
    let state = fact["presence"]?.text ?? ""
    let until = fact["recognisedUntil"]?.text.map { "recognisable until \($0)" } ?? "no grant"
    let review = fact["needsReview"]?.flag == true ? "  (review needed)" : ""
    func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
    return pad(name, 20) + pad(state, 12) + until + review + "\n"
}

/// A text of somebody else's making, without characters that would act on a terminal.
func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: "\u{fffd}"
                default: scalar
                }
            }))
}
