import ArgumentParser

/// `inkling transport`
struct TransportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transport",
        abstract: "Say which transports two devices should use and why, and what platforms allow.",
        discussion: """
            Example:
              $ inkling transport profiles --of ios-18.1,background
            """,
        subcommands: [PlanTransport.self, TransportProfiles.self])
}
