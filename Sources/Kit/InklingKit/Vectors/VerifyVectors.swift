import ArgumentParser
import InklingJSON
import InklingTerminal
import InklingVectors

/// `inkling-kit vectors verify`
struct VerifyVectors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compute every case in a folder of vector files, and compare the results.",
        discussion: """
            Exits with 0 when every case agrees, 1 when a case differs, 65 when a file is not a vector file.

            Examples:
              $ inkling-kit vectors verify Vectors
              $ inkling-kit vectors verify Vectors --all --json
            """)

    @Argument(help: "A folder of vector files.") var directory = "Vectors"
    @Flag(help: "Also compute the digests over more than 100000 outputs, which takes half a minute.") var all = false
    @Flag(help: "Print one JSON object per line: one for each file and one for each difference.") var json = false

    func run() async throws {
        try await reporting {
            var agreed = 0
            var differing = 0
            var omitted = 0
            let files = try await vectorFiles(in: directory)
            let shim = Shim()
            let limit = all ? Int.max : 100_000
            progress("1 of \(files.count): \(files[0].name)")
            await onAllProcessors(files, { VectorVerification(of: $0.file, by: shim, outputLimit: limit) }) {
                number, outcome in
                progress("")
                agreed += outcome.agreed
                differing += outcome.differences.count
                omitted += outcome.omitted
                report(files[number].name, files[number].file, outcome)
                if number + 1 < files.count { progress("\(number + 2) of \(files.count): \(files[number + 1].name)") }
            }
            if !json {
                let rest = omitted == 0 ? "" : "; \(plural(omitted, "long digest")) left out (--all computes them)"
                write(
                    "\(plural(agreed, "case")) in \(plural(files.count, "file")) \(agreed == 1 ? "agrees" : "agree"), "
                        + "\(differing) \(differing == 1 ? "differs" : "differ")\(rest)\n")
            }
            if differing > 0 {
                throw Failure(
                    .finding, "\(differing) \(differing == 1 ? "case differs" : "cases differ") in \(directory)")
            }
        }
    }

    /// Shows the file that is being checked, on a line of the terminal that the next call replaces.
    private func progress(_ text: String) {
        if isTerminal(2) { writeError("\r\u{1b}[K\(text)") }
    }

    private func report(_ name: String, _ file: VectorDocument, _ outcome: VectorVerification) {
        let facts: JSONObject = [
            "file": .text(name), "operation": .text(file.operation), "agreed": .integer(outcome.agreed),
            "differing": .integer(outcome.differences.count), "omitted": .integer(outcome.omitted),
        ]
        write(facts, asJSON: json) { _ in
            let mark = outcome.differences.isEmpty ? "✓" : "✗"
            return "\(mark) \(name): \(outcome.agreed) of \(file.caseCount)\n"
        }
        for difference in outcome.differences {
            let facts: JSONObject = [
                "file": .text(name), "id": .text(difference.id), "comment": .text(difference.comment),
                "expected": .text(difference.expected), "got": .text(difference.got),
            ]
            write(facts, asJSON: json) { _ in
                """
                  \(difference.id): \(difference.comment)
                    expected \(difference.expected)
                    got      \(difference.got)

                """
            }
        }
    }
}
