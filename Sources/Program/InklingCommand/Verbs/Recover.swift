import ArgumentParser
import InklingAccess
import InklingNode
import InklingTerminal

/// `inkling recover`
struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Continue after a restored backup or a wrong clock.",
        discussion: """
            A node never does this by itself. Both --restored-copy and --clock start a new generation of every audience: \
            contacts recognise this node again once they have met it. After --restored-copy, nothing is granted to a \
            contact until you have reviewed it, because the backup does not contain later removals. The clock must be \
            right: synchronised, or trusted with --trust-clock.

            Examples:
              $ inkling recover --restored-copy --home ada
              $ inkling recover --clock --home ada
              $ inkling recover --reviewed Bob --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Accept that the vault is a restored copy.") var restoredCopy = false
    @Flag(help: "Forget the latest accepted time: it was wrong, and the clock is right now.") var clock = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Option(help: "Keep this contact, which you have reviewed after a restore.") var reviewed: String?
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard [restoredCopy, clock, reviewed != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("give exactly one of --restored-copy, --clock and --reviewed CONTACT")
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            if let reviewed {
                return try await options.show(Request.Reviewed(contact: reviewed), on: .vault, asJSON: json) {
                    $0.line(for: options)
                }
            }
            if try ControlSocket.connect(to: try options.control()) != nil {
                throw Failure(.unavailable, "a node runs in \(try options.path())", remedy: "Stop it first.")
            }
            let opened = try await OpenedNode(
                options, isVisible: false, trustsClock: trustClock, adoptingRestoredCopy: restoredCopy)
            try await nodeFailure { () async throws(NodeError) in try await opened.node.beginNewGenerations() }
            writeFact(RecoveredFact(), asJSON: json) { _ in
                restoredCopy
                    ? "Adopted. Review your contacts; they must then meet this node again. List them with: \(options.hint("contacts list"))\n"
                    : "Recovered. Contacts must meet this node again.\n"
            }
        }
    }
}

/// The fact that the node can continue.
private struct RecoveredFact: Encodable {
    let recovered = true
}
