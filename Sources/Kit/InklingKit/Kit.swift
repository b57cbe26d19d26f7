import ArgumentParser
import InklingTerminal

/// The program for people who implement the protocol, examine it or match archives.
@main
struct Kit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkling-kit",
        abstract: "Check implementations of the protocol, and match what was heard.",
        discussion: """
            A node is run by inkling.

            Examples:
              $ inkling-kit conform -- python3 my_shim.py
              $ inkling-kit predict --home ada --output today.predictions
              $ inkling-kit match --table today.predictions < sightings.jsonl

            Exit codes: \(Failure.Status.list).
            """,
        version: VersionFact().version,
        groupedSubcommands: [
            CommandGroup(name: "Conformance", subcommands: [Conform.self, Vectors.self, ShimCommand.self]),
            CommandGroup(
                name: "Recognition", subcommands: [Predict.self, Match.self, OddsCommand.self, Sim.self]),
            CommandGroup(name: "Platform", subcommands: [TransportCommand.self]),
            CommandGroup(name: "Other", subcommands: [Completions<Kit>.self, Version<Kit>.self]),
        ])

    static func main() async { await start() }
}
