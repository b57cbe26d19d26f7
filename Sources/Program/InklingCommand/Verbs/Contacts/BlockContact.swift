import ArgumentParser
import InklingTerminal

/// `inkling contacts block`
struct BlockContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Block a contact: no session, no answer, no invitation, until it is unblocked.",
        discussion: """
            This is level R1 of 'inkling contacts revoke'. The contact can recognise you until its grants expire; \
            level R3 ends that, too.

            Example:
              $ inkling contacts block Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await writeContacts(.block(contact: contact), options, json: json)
        }
    }
}

/// `inkling contacts unblock`
struct UnblockContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock", abstract: "Unblock a contact.",
        discussion: """
            Example:
              $ inkling contacts unblock Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await writeContacts(.unblock(contact: contact), options, json: json)
        }
    }
}

/// Carries out a request and prints the contacts that it changes.
private func writeContacts(_ request: ControlRequest, _ options: HomeOptions, json: Bool) async throws {
    for case .contact(let contact) in try await NodeRequest(options: options, request: request, place: .vault).facts() {
        writeFact(contact, asJSON: json) { $0.line(for: options) }
    }
}
