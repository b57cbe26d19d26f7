import ArgumentParser

/// `inkling status`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what the running node shows, and which contacts are near.",
        discussion: """
            For each contact that is present, the line says since when, when and how it was last heard, and when it \
            will count as left if nothing more of it is heard.

            Example:
              $ inkling status --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print JSON objects: the node's state, then one for each contact.") var json = false

    func run() async throws {
        try await reporting(for: options) {
            for request in [ControlRequest.status, .contacts] {
                for fact in try await NodeRequest(options: options, request: request, place: .runningNode).facts() {
                    switch fact {
                    case .status(let status): writeFact(status, asJSON: json, otherwise: \.text)
                    case .contact(let contact): writeFact(contact, asJSON: json, otherwise: \.presenceLine)
                    default: break
                    }
                }
            }
        }
    }
}
