import ArgumentParser
import InklingJSON
import InklingNode

/// `inkling recover`
struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Go on after a restored backup or a false clock, which the node refuses to do by itself.",
        discussion: """
            Both start a new generation of every audience: contacts recognise this node again when they next meet \
            it. After a restored copy nothing is granted to a contact before you have reviewed it, because a backup \
            forgets later removals.

            Examples:
              $ inkling recover --restored-copy --home ada
              $ inkling recover --clock --home ada
              $ inkling recover --reviewed Bob --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "The vault is a restored copy, and that is wanted.") var restoredCopy = false
    @Flag(help: "The latest accepted time was false; the clock is right now.") var clock = false
    @Option(help: "You have looked at this contact after a restore and want to keep it.") var reviewed: String?
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard [restoredCopy, clock, reviewed != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("give one of --restored-copy, --clock and --reviewed CONTACT")
        }
    }

    func run() async throws {
        try await reporting {
            if let reviewed {
                let request: JSONObject = ["do": "reviewed", "contact": .text(reviewed)]
                for fact in try await NodeRequest(options: options, request: request, place: .vault).answer() {
                    write(fact, asJSON: json, otherwise: contactLine)
                }
                return
            }
            if ControlSocket.connect(home: try options.path()) != nil {
                throw Failure(.unavailable, "a node runs in \(try options.path())", remedy: "Stop it first.")
            }
            let opened = try await OpenedNode(options, isVisible: false, adoptingRestoredCopy: restoredCopy)
            try await nodeFailure { () async throws(NodeError) in try await opened.node.beginNewGenerations() }
            write(["recovered": .flag(true)], asJSON: json) { _ in
                restoredCopy
                    ? "Adopted. Contacts must meet this node again, and be looked at first: inkling contacts list\n"
                    : "Recovered. Contacts must meet this node again.\n"
            }
        }
    }
}
