import ArgumentParser

/// `inkling profile`
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Choose the UUIDs and the service type of your own application.",
        discussion: """
            A profile has the public values by which the devices of one application find each other. They are the same \
            for all its users. Without one a node is of Inkling's own profile, and sees all other nodes of Inkling. Nodes \
            of different profiles do not see each other. A profile keeps nothing secret: it says which crowd a device is in.

            Examples:
              $ inkling profile new "Example Chat" > profile.json
              $ inkling init --name Ada --profile profile.json
            """,
        subcommands: [NewProfile.self, ShowProfile.self])
}
