import ArgumentParser
import InklingConformance

/// `inkling shim`
struct ShimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shim",
        abstract: "Answer the conformance protocol, one JSON object a line, on standard input and output.",
        discussion: """
            Specs/conformance.md lists the operations. A shim takes secrets as arguments and prints secrets as \
            results: never give it a real key.

            Example:
              $ echo '{"id":1,"op":"epoch","args":{"unixSeconds":1785600000}}' | inkling shim
              {"id":1,"result":{"epoch":1984000,"period":496000}}
            """)

    func run() {
        let shim = Shim()
        for line in StandardInputLines(limit: Shim.lineLimit) {
            guard write(shim.reply(to: line) + "\n") else { return }
        }
    }
}
