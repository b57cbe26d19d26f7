import ArgumentParser

/// `inkling contacts renew`
struct RenewContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Begin a new generation; grants that have left then recognise nothing.",
        discussion: """
            Every member of the audience needs a new grant then. Those that this node recognises receive it at the next \
            meeting, the others on a common network, by an invitation, or by a sealed grant (inkling contacts grant).

            Examples:
              $ inkling contacts renew --home ada
              $ inkling contacts renew --audience friends --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Renew this audience alone; may be repeated.") var audience: [String] = []
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false

    func run() async throws {
        try await reporting(for: options) {
            _ = try await NodeRequest(
                options: options, request: .renew(audiences: audience), place: .vault, trustsClock: trustClock,
                needsAcceptedTime: true
            ).facts()
            let which = audience.isEmpty ? "" : " of \(audience.map(printable).joined(separator: ", "))"
            write("Grants\(which) that have left recognise this node no longer.\n")
        }
    }
}
