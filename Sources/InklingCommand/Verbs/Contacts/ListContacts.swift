import ArgumentParser
import InklingJSON

/// `inkling contacts list`
struct ListContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all contacts.",
        discussion: """
            Presence is known to a running node; without one every contact is unseen.

            Example:
              $ inkling contacts list --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object a line.") var json = false

    func run() async throws {
        try await reporting {
            let contacts = try await NodeRequest(options: options, request: ["do": "contacts"], place: .vault).answer()
            for contact in contacts { write(contact, asJSON: json, otherwise: contactLine) }
            if contacts.isEmpty, !json { write("No contacts yet. Make one with: inkling invite\n") }
        }
    }
}
