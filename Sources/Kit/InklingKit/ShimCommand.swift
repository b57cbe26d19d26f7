import ArgumentParser
import InklingTerminal
import InklingVectors

/// `inkling-kit shim`
struct ShimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shim",
        abstract: "Serve the conformance protocol on standard input and output, one JSON object per line.",
        discussion: """
            Specs/operations.md lists the operations. A shim accepts and prints secrets: never give it a real key.

            Example:
              $ echo '{"id":1,"op":"capabilities"}' | inkling-kit shim
            """)

    func run() throws {
        try reporting {
            let shim = Shim()
            for line in InputLines(limit: Shim.lineLimit) {
                guard write(shim.reply(to: line) + "\n") else { return }
            }
        }
    }
}
