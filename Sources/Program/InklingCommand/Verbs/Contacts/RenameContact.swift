import ArgumentParser
import InklingTerminal

/// `inkling contacts rename`
struct RenameContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give a contact a name of your own; an empty one restores the name on its card.",
        discussion: """
            Example:
              $ inkling contacts rename Bob 'Bob from work' --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The new name, at most 64 bytes.") var name: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = ControlRequest.rename(contact: contact, name: name)
            for fact in try await NodeRequest(options: options, request: request, place: .vault).facts() {
                guard case .renamed(let change) = fact else { continue }
                writeFact(change, asJSON: json) { "\(printable($0.was)) is now called \(printable($0.contact)).\n" }
            }
        }
    }
}
