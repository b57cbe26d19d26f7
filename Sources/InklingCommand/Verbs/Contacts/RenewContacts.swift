import ArgumentParser

/// `inkling contacts renew`
struct RenewContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Begin a new generation; grants that have left then recognise nothing.",
        discussion: """
            Every contact needs a new grant then. Those that this node recognises receive it at the next meeting, the \
            others by an invitation or a sealed grant.

            Example:
              $ inkling contacts renew --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false

    func run() async throws {
        try await reporting(for: options) {
            _ = try await NodeRequest(
                options: options, request: .renew, place: .vault, trustsClock: trustClock, needsAcceptedTime: true
            ).facts()
            write("Grants that have left recognise this node no longer.\n")
        }
    }
}
