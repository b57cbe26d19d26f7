import ArgumentParser
import InklingJSON

/// `inkling contacts remove`
struct RemoveContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a contact: from now on it gets silence.",
        discussion: """
            What the contact was granted lets it recognise this node until the grant ends.

            Example:
              $ inkling contacts remove Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "remove", "contact": .text(contact)]
            for fact in try await NodeRequest(options: options, request: request, place: .vault).answer() {
                write(fact, asJSON: json) { "\(printable($0["removed"]?.text ?? "")) is no contact any more.\n" }
            }
        }
    }
}
