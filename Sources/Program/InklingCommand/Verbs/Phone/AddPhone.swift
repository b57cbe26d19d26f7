import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling phone add`
struct AddPhone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make keys for a phone, add it as a contact, and write Home Assistant's automation.",
        discussion: """
            The Companion app for Android can show a beacon that Home Assistant chooses. This command creates an \
            identity for the phone, whose keys stay in the folder phones of the home, and a file with what the phone \
            shows in the next days. Put the file into Home Assistant as a package of its configuration, reload the \
            automations, and switch on the BLE transmitter in the app once.

            Limits: there is no handshake, so the phone is 'probable' at most and does not count as arrived; use its \
            confidence and its room. Within a quarter of an hour, anyone who copies the beacon looks like the phone. \
            Home Assistant, its database and the service that carries its messages see what the phone shows. A message \
            that comes late, or not at all, leaves the old value on the air until the phone is reached; during that \
            time it can be tracked. The iPhone app cannot do this. When the file ends, the phone goes silent: make the \
            next one before then, with inkling phone renew.

            Examples:
              $ inkling phone add "Ada's phone" --entity notify.mobile_app_pixel --output phone.yaml --home ada
              $ inkling phone add Tablet --entity notify.mobile_app_tablet --days 7 > packages/tablet.yaml
            """)

    @Argument(help: "The phone's name, 1 to 64 bytes.") var name: String
    @OptionGroup var file: PhoneFileOptions
    @OptionGroup var options: HomeOptions

    func run() async throws {
        try await reporting(home: options.home) { () async throws(Failure) in
            guard name.contains(where: { !$0.isWhitespace }) else { throw Failure(.usage, "a phone must have a name") }
            let output = try NewFile(at: file.output)
            let (home, trustsClock, name, days) = (try options.path(), file.trustClock, name, file.days)
            let table = try await AskedNode.of(options, trustsClock: trustsClock) { node throws(Failure) in
                guard try await !node.contacts().contains(where: { $0.contact == name }) else {
                    throw Failure(
                        .usage, "there is a contact named '\(printable(name))' already",
                        remedy: .command("For a phone, make the next file with", "phone renew \(shellQuoted(name))"))
                }
                let (phone, user) = try PhoneHome.create(named: name, in: home, trustsClock: trustsClock)
                return try await AskedNode.of(try await phone.open(trustsClock: trustsClock)) {
                    keys throws(Failure) in
                    try await PhoneTable(
                        granting: node, by: keys, user, days: days, at: Moment.now.unixSeconds)
                }
            }
            try file.write(table, for: options, to: output)
        }
    }
}
