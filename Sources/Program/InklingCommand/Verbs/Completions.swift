import ArgumentParser

/// `inkling completions`
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a completion script for a shell.",
        discussion: """
            Example:
              $ inkling completions bash > ~/.local/share/bash-completion/completions/inkling
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    @Argument(help: "The shell: bash, zsh or fish.") var shell: Shell

    func run() throws {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try reporting { write(Inkling.completionScript(for: kind) + "\n") }
    }
}
