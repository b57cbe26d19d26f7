import ArgumentParser
import InklingJSON

/// `inkling contacts show`
struct ShowContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what is known about one contact.",
        discussion: """
            Example:
              $ inkling contacts show Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "contact", "contact": .text(contact)]
            for fact in try await NodeRequest(options: options, request: request, place: .vault).answer() {
                write(fact, asJSON: json, otherwise: Self.text)
            }
        }
    }

    private static func text(_ fact: JSONObject) -> String {
        let devices = (fact["devices"]?.list ?? []).compactMap(\.integer).map { "\($0)" }.joined(separator: ", ")
        return """
            name                \(printable(fact["contact"]?.text ?? ""))
            name on the card    \(printable(fact["cardName"]?.text ?? ""))
            id                  \(fact["id"]?.text ?? "")
            devices             \(devices)
            presence            \(fact["presence"]?.text ?? "")
            needs review        \(fact["needsReview"]?.flag == true ? "yes: inkling recover --reviewed" : "no")
            met                 \(fact["met"]?.flag == true ? "yes" : "no, known by card")
            we recognise it     \(fact["recognisedUntil"]?.text.map { "until \($0)" } ?? "no: it has granted us nothing")
            it recognises us    \(fact["recognisesUsUntil"]?.text.map { "until \($0)" } ?? "not that it has said")

            """
    }
}
