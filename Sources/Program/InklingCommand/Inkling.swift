import ArgumentParser
import InklingTerminal

/// The command-line program.
///
/// Every command states its name. Without it, the argument parser derives it from the name of the type, which took more
/// than half of the time of every start.
@main
struct Inkling: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkling",
        abstract: "Notice when devices that you know are near.",
        discussion: """
            Examples:
              $ inkling init --name Ada --home ada
              $ inkling invite --home ada
              $ inkling run --home ada

            Exit codes: \(Failure.Status.list).
            """,
        version: VersionFact().version,
        groupedSubcommands: [
            CommandGroup(
                name: "Node",
                subcommands: [
                    Init.self, Card.self, Invite.self, Accept.self, Contacts.self, AudienceCommand.self, Run.self,
                    Visible.self, Status.self, Send.self, Messages.self, FilesCommand.self, DeviceCommand.self,
                    PhoneCommand.self,
                    BackupCommand.self, Restore.self, PassphraseCommand.self,
                    Recover.self, Doctor.self, DashboardCommand.self, ProfileCommand.self, ConfigCommand.self,
                ]),
            CommandGroup(
                name: "Recognition",
                subcommands: [Explain.self, Scan.self, FleetCommand.self, Derive.self]),
            CommandGroup(name: "Other", subcommands: [Completions<Inkling>.self, Version<Inkling>.self]),
        ])

    static func main() async { await start() }
}
