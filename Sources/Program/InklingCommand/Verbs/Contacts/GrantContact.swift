import ArgumentParser
import InklingTerminal

/// `inkling contacts grant`
struct GrantContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Print sealed grants for a contact, and renew its grants from now on.",
        discussion: """
            A sealed grant lets a contact recognise you again without a meeting, for example after new generations. \
            Only the contact can open it, so it can be sent over any channel; the contact accepts it with inkling card \
            add.

            Example:
              $ inkling contacts grant Bob --home ada > grants.txt
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object for each sealed grant.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let call = NodeRequest(
                options: options, request: .grant(contact: contact), place: .vault, trustsClock: trustClock,
                needsAcceptedTime: true)
            for case .sealedGrant(let grant) in try await call.facts() {
                writeFact(grant, asJSON: json) { $0.sealedGrant + "\n" }
            }
        }
    }
}
