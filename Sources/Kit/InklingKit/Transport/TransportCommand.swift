import ArgumentParser

/// `inkling-kit transport`
struct TransportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transport",
        abstract: "Plan the transports of two devices, and show what platforms allow.",
        discussion: """
            Example:
              $ inkling-kit transport plan --own ios-18.1,background --peer ios-17.4 --why
            """,
        subcommands: [PlanTransport.self, TransportProfiles.self])
}
