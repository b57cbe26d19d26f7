import ArgumentParser
import InklingAccess
import InklingKeys
import InklingTerminal

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

/// `inkling device add`
struct AddDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Show a one-time device link to another device of yours.",
        discussion: """
            On the other device, run `inkling device join` with the text. Compare the fingerprint on both before you \
            answer y: the new device then gets your contacts, and the keys with which you recognise each other from \
            now on. Both devices must be on one local network; without multicast, the other one adds --at HOST:PORT. \
            To update a device's contacts and keys, remove it and link it again.

            Examples:
              $ inkling device add --home ada
              $ inkling device add --home ada --minutes 2 --json
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Let the device link expire after 1 to 10 minutes.") var minutes: UInt64 = 10
    @Flag(help: "Agree without comparing. Use this only where no attacker can interfere.") var yes = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print JSON objects: the device link, its later ports, the question, then the device.") var json = false

    func validate() throws {
        guard (1...10).contains(minutes) else { throw ValidationError("--minutes must be 1 to 10, got \(minutes)") }
    }

    func run() async throws {
        try await reporting(home: options.home, showsCode: json) {
            try await options.carryOut(
                Request.AddDevice(minutes: minutes), on: .network, trustsClock: trustClock,
                question: { agree(to: $0, always: yes, json: json) }
            ) { news in
                show(news, member: "deviceLink", minutes: minutes, asJSON: json) { "Linked " + $0.line }
            }
        }
    }
}

/// `inkling device list`
struct ListDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices on your card.",
        discussion: """
            Example:
              $ inkling device list --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each device.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Devices(), on: .vault, asJSON: json, words: \.line)
        }
    }
}

/// `inkling device remove`
struct RemoveDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a device that is lost or no longer used.",
        discussion: """
            Your card no longer lists it, and a new generation of every audience begins. Contacts stop answering the \
            removed device as soon as they have the new card, and need a new grant to recognise you: those whom this \
            device recognises get both at the next meeting. Your other devices must be linked again.

            Example:
              $ inkling device remove 1 --home ada
            """)

    @Argument(help: "The number of the device (inkling device list).") var device: UInt8
    @OptionGroup var options: HomeOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            guard let index = DeviceIndex(device) else {
                throw Failure(.usage, "a device has a number from 0 to 15, got \(device)")
            }
            let request = Request.RemoveDevice(device: index)
            try await options.show(request, on: .acceptedTime, trustsClock: trustClock, asJSON: json) {
                "Removed device \($0.device). A new generation has begun.\n"
            }
        }
    }
}
