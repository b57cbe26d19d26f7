import ArgumentParser

/// `inkling contacts remove`
struct RemoveContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a contact; this node no longer answers it.",
        discussion: """
            The contact can recognise this node until its grant expires. The command says until when, and what it \
            costs to end that at once.

            Example:
              $ inkling contacts remove Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(for: options) {
            let request = ControlRequest.remove(contact: contact)
            for fact in try await NodeRequest(options: options, request: request, place: .vault).facts() {
                guard case .removed(let removal) = fact else { continue }
                writeFact(removal, asJSON: json) { $0.text(for: options) }
            }
        }
    }
}
