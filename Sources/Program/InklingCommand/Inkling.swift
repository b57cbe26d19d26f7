import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
                subcommands: [
                    Explain.self, Scan.self, OddsCommand.self, Predict.self, Match.self, FleetCommand.self, Derive.self,
                    Sim.self,
                ]),
            CommandGroup(name: "Platform", subcommands: [TransportCommand.self]),
            CommandGroup(name: "Conformance", subcommands: [Vectors.self, Conform.self, ShimCommand.self]),
            CommandGroup(name: "Other", subcommands: [Completions.self, Version.self]),
        ])

    /// Runs the verb that the arguments name.
    ///
    /// Beyond the argument parser, it suggests a verb for a misspelt one, and reports an error if help cannot be
    /// written.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            if !text.isEmpty, code.isSuccess {
                do { try reporting { write(text + "\n") } } catch { Glibc.exit(exitCode(for: error).rawValue) }
            } else if !text.isEmpty {
                writeError(text + "\n" + (code == .validationFailure ? suggestion(for: CommandLine.arguments) : ""))
            }
            Glibc.exit(code.rawValue)
        }
    }

    /// Returns a line with the verb that was probably meant; empty when no verb is misspelt.
    private static func suggestion(for arguments: [String]) -> String {
        var command: any ParsableCommand.Type = Inkling.self
        for word in arguments.dropFirst() {
            let verbs = command.configuration.subcommands
            guard !verbs.isEmpty, !word.hasPrefix("-") else { return "" }
            guard let verb = verbs.first(where: { $0.verb == word }) else {
                return nearest(to: word, among: verbs.map { $0.verb }).map { "Did you mean '\($0)'?\n" } ?? ""
            }
            command = verb
        }
        return ""
    }
}

extension ParsableCommand {
    /// The word that names the command.
    fileprivate static var verb: String { configuration.commandName ?? "" }
}
