import ArgumentParser
import InklingAccess
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling phone renew`
struct RenewPhone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Write what a phone shows in the next days, replacing the previous file.",
        discussion: """
            Reload the automations of Home Assistant afterwards. A timer can run the command, some days before each \
            file ends.

            Example:
              $ inkling phone renew "Ada's phone" --entity notify.mobile_app_pixel --output phone.yaml --home ada
            """)

    @Argument(help: "The name of the phone, as inkling contacts list shows it.") var name: String
    @OptionGroup var file: PhoneFileOptions
    @OptionGroup var options: HomeOptions

    func run() async throws {
        try await reporting(home: options.home) { () async throws(Failure) in
            let draft = file.output.map { $0 + ".new" }
            if let draft { unsafe unlink(draft) }
            let output = try NewFile(at: draft)
            let (home, trustsClock, name, days) = (try options.path(), file.trustClock, name, file.days)
            let table = try await AskedNode.of(options, trustsClock: trustsClock) { node throws(Failure) in
                guard let known = try await node.contacts().first(where: { $0.contact == name }) else {
                    throw Failure(
                        .usage, "there is no contact named '\(printable(name))'",
                        remedy: .command("List the contacts with", "contacts list"))
                }
                let phone = PhoneHome(of: known.id, in: home)
                guard phone.exists else {
                    throw Failure(
                        .usage, "the keys of '\(printable(name))' are not in \(home)",
                        remedy: "Only a phone that was added in this home can be renewed here.")
                }
                return try await AskedNode.of(try await phone.open(trustsClock: trustsClock)) {
                    keys throws(Failure) in
                    try await PhoneTable(
                        granting: node, by: keys, known.id, days: days, at: Moment.now.unixSeconds)
                }
            }
            try file.write(table, for: options, to: output, replacing: draft)
        }
    }
}
