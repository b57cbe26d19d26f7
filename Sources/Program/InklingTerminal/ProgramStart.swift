package import ArgumentParser
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private let startedName = Mutex("inkling")

/// The name of this program, which begins its messages on standard error.
package var programName: String { startedName.withLock { $0 } }

extension ParsableCommand {
    /// Runs the verb that the arguments name, and ends the process if that fails. Every program starts with it.
    ///
    /// Beyond the argument parser, it suggests a verb for a misspelt one, and reports an error if help cannot be
    /// written.
    package static func start() async {
        startedName.withLock { $0 = verb }
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
        var command: any ParsableCommand.Type = self
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

    /// The word that names the command.
    fileprivate static var verb: String { configuration.commandName ?? "" }
}

/// The verb `completions` of a program.
package struct Completions<Program: ParsableCommand>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        let name = Program.configuration.commandName ?? ""
        return CommandConfiguration(
            commandName: "completions",
            abstract: "Print a completion script for a shell.",
            discussion: """
                Example:
                  $ \(name) completions bash > ~/.local/share/bash-completion/completions/\(name)
                """)
    }

    @Argument(help: "The shell: bash, zsh or fish.") var shell: CompletedShell

    package init() {}

    package func run() throws {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try reporting { write(Program.completionScript(for: kind) + "\n") }
    }
}

/// A shell with completion scripts.
enum CompletedShell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }
