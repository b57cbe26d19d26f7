import ArgumentParser

/// `inkling conform`
struct Conform: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check any implementation of the protocol against the vectors.",
        discussion: """
            The implementation is a program, a shim, that answers the lines of Specs/conformance.md on standard input \
            and output. A first word `explain`, `live` or `merge` is that subcommand; everything else is \
            `inkling conform run`.

            Examples:
              $ inkling conform -- python3 my_shim.py
              $ inkling conform --filter 'mdns-*' --html report.html -- ./their-shim
              $ inkling conform explain mdns-name-0005
              $ inkling conform live --accept INKLING:I:…
              $ inkling conform merge ours.jsonl theirs.jsonl
            """,
        subcommands: [RunConformance.self, ExplainCase.self, LiveConformance.self, MergeReports.self],
        defaultSubcommand: RunConformance.self)
}
