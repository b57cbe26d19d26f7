import ArgumentParser
import InklingJSON

/// `inkling send`
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deliver a text to a contact that is here now.",
        discussion: """
            Ends with 0 when the contact's node has confirmed the text, 69 when the contact is not here.

            Example:
              $ inkling send Bob 'Tea?' --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The text, at most 8192 bytes.") var text: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "send", "contact": .text(contact), "text": .text(text)]
            for fact in try await NodeRequest(options: options, request: request, place: .runningNode).answer() {
                write(fact, asJSON: json) { "Delivered to \(printable($0["contact"]?.text ?? "")).\n" }
            }
        }
    }
}
