import ArgumentParser
import InklingJSON

/// `inkling card show`
struct ShowCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show your card as a QR code and as text.",
        discussion: """
            A card says which keys are yours. It is no secret, but it names you: give it to people.

            Example:
              $ inkling card show --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            for fact in try await NodeRequest(options: options, request: ["do": "card"], place: .vault).answer() {
                let text = fact["card"]?.text ?? ""
                if !json { showQRCode(of: text) }
                write(fact, asJSON: json) { "\(printable($0["name"]?.text ?? ""))\n\(text)\n" }
            }
        }
    }
}
