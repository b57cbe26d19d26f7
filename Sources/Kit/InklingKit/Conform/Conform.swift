public import ArgumentParser
public import InklingConformance

/// `inkling-kit conform`
struct Conform: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform",
        abstract: "Check an implementation of the protocol.",
        discussion: """
            The implementation is tested through a program, its shim, which reads requests from standard input and \
            writes replies to standard output (Specs/conformance.md). Unless the first word is `explain`, `live` or \
            `merge`, the command is `inkling-kit conform run`.

            Examples:
              $ inkling-kit conform -- python3 my_shim.py
              $ inkling-kit conform --filter 'mdns-*' --html report.html -- ./their-shim
              $ inkling-kit conform explain mdns-name-0005
              $ inkling-kit conform live --accept INKLING:I:…
              $ inkling-kit conform merge ours.jsonl theirs.jsonl
            """,
        subcommands: [RunConformance.self, ExplainCase.self, LiveConformance.self, MergeReports.self],
        defaultSubcommand: RunConformance.self)
}

extension ConformanceProfile: ExpressibleByArgument {}

/// Throws a `ValidationError` for a number outside its range.
func require(_ option: String, _ value: Int, in range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
        throw ValidationError("\(option) must be \(range.lowerBound) to \(range.upperBound), got \(value)")
    }
}
