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
            for fact in try await state.answer() { write(fact, asJSON: json, otherwise: Self.text) }
            let contacts = NodeRequest(options: options, request: ["do": "contacts"], place: .runningNode)
            for fact in try await contacts.answer() { write(fact, asJSON: json, otherwise: contactLine) }
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
