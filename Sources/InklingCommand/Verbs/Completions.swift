import ArgumentParser

/// `inkling completions`
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a completion script for a shell.",
        discussion: """
            Example:
              $ inkling completions bash > /etc/bash_completion.d/inkling
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        write(Inkling.completionScript(for: kind) + "\n")
    }
}
