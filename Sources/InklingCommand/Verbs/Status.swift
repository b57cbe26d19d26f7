import ArgumentParser

/// `inkling status`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what the running node shows, and which contacts are near.",
        discussion: """
            The line of a present contact shows since when it is present, when and how it was last heard, and when it \
            counts as left if it is not heard again.

            Example:
              $ inkling status --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print JSON objects: the node's state, then one for each contact and each file.") var json = false

    func run() async throws {
        try await reporting(for: options) {
            for request in [ControlRequest.status, .contacts, .files] {
                for fact in try await NodeRequest(options: options, request: request, place: .runningNode).facts() {
                    switch fact {
                    case .status(let status): writeFact(status, asJSON: json, otherwise: \.text)
                    case .contact(let contact): writeFact(contact, asJSON: json, otherwise: \.presenceLine)
                    case .transfer(let transfer): writeFact(transfer, asJSON: json, otherwise: \.line)
                    default: break
                    }
                }
            }
        }
    }
}
