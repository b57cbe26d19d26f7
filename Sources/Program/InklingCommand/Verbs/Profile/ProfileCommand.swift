import ArgumentParser

/// `inkling profile`
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Choose the UUIDs and the service type of your own application.",
        discussion: """
            A profile contains the public values by which the devices of one application find each other; all its \
            users share them. By default a node uses Inkling's profile and sees all other nodes that do. Nodes of \
            different profiles do not see each other. A profile keeps nothing secret: it shows which application a \
            device uses.

            Examples:
              $ inkling profile new "Example Chat" > profile.json
              $ inkling init --name Ada --profile profile.json
            """,
        subcommands: [NewProfile.self, ShowProfile.self])
}
