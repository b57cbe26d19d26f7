import ArgumentParser

/// The command line.
@main
struct Inkling: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkling",
        abstract: "Lets devices that already know each other notice that they are near.",
        discussion: """
            Example:
              $ inkling init --name Ada --home ada
              $ inkling invite --home ada
              $ inkling run --home ada

            Exit codes: 0 done, 1 a finding, 64 usage, 65 bad data, 69 unavailable, 77 no permission, \
            78 configuration.
            """,
        subcommands: [
            Init.self, Card.self, Invite.self, Accept.self, Contacts.self, Run.self, Status.self, Send.self,
            Recover.self, Derive.self, OddsCommand.self, Explain.self, Predict.self, Match.self, Sim.self,
            TransportCommand.self, Vectors.self, Conform.self,
            ShimCommand.self,
            Completions.self, Version.self,
        ])
}
