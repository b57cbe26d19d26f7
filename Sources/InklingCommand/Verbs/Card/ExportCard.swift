import ArgumentParser
import InklingJSON

/// `inkling card export`
struct ExportCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print your card's text and nothing else.",
        discussion: """
            Example:
              $ inkling card export --home ada > ada.card
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            for fact in try await NodeRequest(options: options, request: ["do": "card"], place: .vault).answer() {
                write(fact, asJSON: json) { ($0["card"]?.text ?? "") + "\n" }
            }
        }
    }
}
