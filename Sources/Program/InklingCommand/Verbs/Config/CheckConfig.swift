import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling config check`
struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file, and show every mistake with its line.",
        discussion: """
            The exit code is 0 for a file without mistakes and \(Failure.Status.configuration.rawValue) otherwise.

            Examples:
              $ inkling config check
              $ inkling config check inkling.toml --json
            """)

    @Argument(help: "The file; - reads standard input. Default: the one that 'inkling run' would use.") var file:
        String?
    @Flag(help: "Print the result as one JSON object.") var json = false

    func run() throws {
        try reporting {
            guard let path = ConfigurationFile.place(file) else {
                throw Failure(
                    .configuration, "there is no configuration file",
                    remedy: .command("Begin with", "config example > inkling.toml"))
            }
            let fact = try check(path)
            writeFact(fact, asJSON: json) { $0.text }
            guard fact.mistakes.isEmpty else { throw ExitCode(Failure.Status.configuration.rawValue) }
        }
    }

    private func check(_ path: String) throws(Failure) -> CheckedConfigFact {
        do {
            let found = try ConfigurationFile.parse(path)
            let settings = found.values.count + found.antennas.count
            return CheckedConfigFact(file: path, settings: settings, mistakes: [])
        } catch {
            guard case .mistakes(let mistakes) = error else { throw error.failure(in: path) }
            return CheckedConfigFact(file: path, settings: 0, mistakes: mistakes)
        }
    }
}

/// A configuration file that has been checked.
struct CheckedConfigFact: Codable, Hashable, Sendable {
    let file: String
    /// The number of settings, each antenna counting as one; 0 when there are mistakes.
    let settings: Int
    let mistakes: [Configuration.Mistake]

    /// The human-readable lines.
    var text: String {
        let name = printable(file)
        guard !mistakes.isEmpty else {
            return "\(name): no mistakes, \(settings) setting\(settings == 1 ? "" : "s")\n"
        }
        return mistakes.map { mistake in
            let place = mistake.line.map { ":\($0)" } ?? ""
            return "\(name)\(place): \(mistake.problem)\n" + (mistake.suggestion.map { "  \($0)\n" } ?? "")
        }.joined()
    }
}
