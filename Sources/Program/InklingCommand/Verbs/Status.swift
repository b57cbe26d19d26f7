import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling status`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what the running node shows, and which contacts are near.",
        discussion: """
            A silent node shows the reason and the command that ends the silence; without a command, the silence ends \
            by itself. The line of a present contact shows since when it is present, when and how it was last heard, \
            and when it counts as left if it is not heard again.

            Example:
              $ inkling status --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print JSON objects: the node's state, then one for each contact and each file.") var json = false

    /// Throws a `Failure` with the reason when no node runs, as far as the home, and the vault if the options name its
    /// key, show it.
    private func requireNode() throws(Failure) {
        let place = try options.control()
        guard try ControlSocket.connect(to: place) == nil else { return }
        let none = "no node runs in \(place.home)"
        switch HomeObservation.make(options).vault {
        case .missing:
            throw Failure(
                .unavailable, "\(none): it has no vault", remedy: .command("Create one with", "init --name NAME"))
        case .failed(let error):
            let failure = Failure(error)
            throw Failure(.unavailable, "\(none), and none can: \(failure.what)", remedy: failure.remedy)
        case .locked, .opened: throw Failure(.unavailable, none, remedy: .command("Start one with", "run"))
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            try requireNode()
            for status in try await options.facts(of: Request.Status(), on: .runningNode) {
                writeFact(status.naming(options), asJSON: json, otherwise: \.text)
            }
            try await options.show(Request.Contacts(), on: .runningNode, asJSON: json, words: \.presenceLine)
            try await options.show(Request.Files(), on: .runningNode, asJSON: json, words: \.line)
        }
    }
}
