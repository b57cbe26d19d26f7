import ArgumentParser
import InklingTerminal

/// `inkling card show`
struct ShowCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show your card as a QR code and as text.",
        discussion: """
            A card lists your keys. It is not secret, but it identifies you: give it only to people you know.

            Example:
              $ inkling card show --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            for fact in try await NodeRequest(options: options, request: .card, place: .vault).facts() {
                guard case .card(let card) = fact else { continue }
                if !json { showQRCode(of: card.card) }
                writeFact(card, asJSON: json) { "\(printable($0.name))\n\($0.card)\n" }
            }
        }
    }
}
