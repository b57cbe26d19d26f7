import ArgumentParser
import InklingTerminal

/// `inkling card export`
struct ExportCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the text of your card and nothing else.",
        discussion: """
            Example:
              $ inkling card export --home ada > ada.card
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            for fact in try await NodeRequest(options: options, request: .card, place: .vault).facts() {
                guard case .card(let card) = fact else { continue }
                writeFact(card, asJSON: json) { $0.card + "\n" }
            }
        }
    }
}
