import ArgumentParser

/// `inkling device`
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Use several devices: link another one, list them, remove one.",
        discussion: """
            The first device of a user is the primary one: it alone holds the identity, makes contacts and signs grants. \
            The others recognise the contacts of the primary device and are recognised by them.

            Examples:
              $ inkling device add --home ada
              $ inkling device list --home ada
            """,
        subcommands: [AddDevice.self, JoinDevice.self, ListDevices.self, RemoveDevice.self])
}
