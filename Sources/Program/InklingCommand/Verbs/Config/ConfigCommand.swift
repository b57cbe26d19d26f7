import ArgumentParser
import InklingAccess

/// `inkling config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Keep the options of a node in a file.",
        discussion: """
            The file is ~/.config/inkling/inkling.toml or else \(ConfigurationFile.systemPlace), in TOML; --config and \
            $INKLING_CONFIG name another. Command-line options override settings. The file refers to secrets but \
            contains none, so others may read it.

            Examples:
              $ inkling config example > inkling.toml
              $ inkling config check inkling.toml
              $ inkling run --config inkling.toml
            """,
        subcommands: [CheckConfig.self, ExampleConfig.self])
}
