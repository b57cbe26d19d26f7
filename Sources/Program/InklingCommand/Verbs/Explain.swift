import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling explain`
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain why a contact is, or is not, recognised.",
        discussion: """
            Shows which values the contact is expected to show now, which of them were seen, which came closest, how far \
            its clock is off, and the reason for its state. Without a running node, only the expected values are known. \
            The values identify the contact's devices: do not publish them.

            Examples:
              $ inkling explain Bob --home ada
              $ inkling explain Bob --home ada --json
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Explain(contact: contact), on: .vault, asJSON: json) {
                $0.text(for: options)
            }
        }
    }
}
