import ArgumentParser
import InklingJSON

/// `inkling contacts rename`
struct RenameContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a contact a name of your own; an empty one brings back the card's.",
        discussion: """
            Example:
              $ inkling contacts rename Bob 'Bob from work' --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The new name, at most 64 bytes.") var name: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "rename", "contact": .text(contact), "name": .text(name)]
            for fact in try await NodeRequest(options: options, request: request, place: .vault).answer() {
                write(fact, asJSON: json) { fact in
                    let was = printable(fact["was"]?.text ?? "")
                    return "\(was) is now called \(printable(fact["contact"]?.text ?? "")).\n"
                }
            }
        }
    }
}
