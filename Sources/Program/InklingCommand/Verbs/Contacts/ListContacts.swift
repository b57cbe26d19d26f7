import ArgumentParser
import InklingTerminal

/// `inkling contacts list`
struct ListContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all contacts.",
        discussion: """
            Only a running node knows who is present; without one, every contact is unseen.

            Example:
              $ inkling contacts list --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each contact.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let facts = try await NodeRequest(options: options, request: .contacts, place: .vault).facts()
            for fact in facts {
                guard case .contact(let contact) = fact else { continue }
                guard writeFact(contact, asJSON: json, otherwise: { $0.line(for: options) }) else { return }
            }
            if facts.isEmpty, !json { write("No contacts yet. Add one with: \(options.hint("invite"))\n") }
        }
    }
}
