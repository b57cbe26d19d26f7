import ArgumentParser
import InklingAccess
import InklingJSON
import InklingKeys
import InklingTerminal

/// `inkling dashboard`
struct DashboardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Show where the running node serves its dashboard, and the token that the page asks for.",
        discussion: """
            In a browser on this machine, the page shows who is near, why and how, a timeline, and the findings of \
            'inkling doctor'. There you can also choose who sees you, invite somebody, rename contacts, and read and \
            write messages. Start the node with --dashboard 127.0.0.1:9761, or with 'listen' in the section \
            [dashboard] of its configuration. Each start creates a new token.

            Examples:
              $ inkling dashboard --home ada
              $ inkling dashboard --json | jq -r .address
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            for fact in try await options.facts(of: Request.Dashboard(), on: .runningNode) {
                if let token = fact.secret { show(fact, token.value) }
            }
        }
    }

    private func show(_ fact: DashboardFact, _ token: borrowing SecretBytes) {
        var lines = SecretWriter()
        let (before, after) =
            json ? ("{\"token\":\"", "\"," + JSON(encoding: fact).compact.dropFirst()) : ("token    ", "")
        if !json { for byte in "address  \(fact.address)\n".utf8 { lines.append(u8: byte) } }
        for byte in before.utf8 { lines.append(u8: byte) }
        token.withBytes { lines.append($0) }
        for byte in (after + "\n").utf8 { lines.append(u8: byte) }
        write(lines.finish())
    }
}
