import ArgumentParser
import InklingTerminal

/// `inkling contacts renew`
struct RenewContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Start a new generation, so that nobody can recognise you by earlier grants.",
        discussion: """
            Every member of the audience needs a new grant then. Those that this node recognises receive it at the next \
            meeting, the others on a common network, by an invitation, or by a sealed grant (inkling contacts grant).

            Examples:
              $ inkling contacts renew --home ada
              $ inkling contacts renew --audience friends --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Renew only this audience; can be repeated.") var audience: [String] = []
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false

    func run() async throws {
        try await reporting(home: options.home) {
            _ = try await NodeRequest(
                options: options, request: .renew(audiences: audience), place: .vault, trustsClock: trustClock,
                needsAcceptedTime: true
            ).facts()
            let which = audience.isEmpty ? "" : " of \(audience.map(printable).joined(separator: ", "))"
            write("Nobody can recognise this node by earlier grants\(which) any more.\n")
        }
    }
}
