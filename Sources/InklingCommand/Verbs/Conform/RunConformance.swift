import ArgumentParser
import InklingConformance
import InklingJSON
import InklingVectors

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling conform run`
struct RunConformance: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Drive a program through the vectors and report.",
        discussion: """
            Ends with 0 when every answer is right, 1 when one is not or the list of known failures is stale, 2 with \
            --strict when not all that was to be asked was asked, 65 when a vector file is none, 69 when the program \
            cannot be started.

            Examples:
              $ inkling conform run -- python3 my_shim.py
              $ inkling conform run --filter INK-GRA-007 --json -- ./their-shim --verbose
              $ inkling conform run --seed 7 --fresh 1000 -- ./their-shim
              $ inkling conform run --list
            """)

    @Option(help: "The folder of vector files.") var vectors = "Vectors"
    @Option(
        help: ArgumentHelp(
            "Ask only what this names: a family, operation, page, requirement or id, with * for any characters. May be given more than once.",
            valueName: "pattern")) var filter: [String] = []
    @Option(
        help: ArgumentHelp(
            "Also ask fresh cases, which this number decides: valid ones with a change, answered by this program.",
            valueName: "number")) var seed: UInt64?
    @Option(help: "How many fresh cases for each operation: 1 to 100000.") var fresh = 20
    @Option(
        help: ArgumentHelp(
            "Ask the digests over up to so many outputs, each of which is a question: 0 for none, 1000000 for all.",
            valueName: "count")) var digests = 1000
    @Flag(help: "List the cases and ask nothing.") var list = false
    @Option(
        help: ArgumentHelp(
            "A list of the ids that are known to fail, one a line; an id that does not fail is a failure.",
            valueName: "file"))
    var knownFailures: String?
    @Flag(help: "End with 2 when everything asked is right, but not all that was to be asked was asked.")
    var strict = false
    @Option(help: "Seconds that an answer may take: 1 to 3600.") var timeout = 10
    @Option(help: "How often the program may be started again after it died or hung: 0 to 1000.") var restarts = 20
    @Option(help: "How many failures of a family are shown.") var show = 3
    @Option(help: "What the report calls the implementation; without it, its command line.") var name: String?
    @Flag(help: "Print one JSON object a line, one for each case.") var json = false
    @Option(help: ArgumentHelp("Also write a report as JUnit XML.", valueName: "file")) var junit: String?
    @Option(help: ArgumentHelp("Also write a report as Markdown.", valueName: "file")) var markdown: String?
    @Option(help: ArgumentHelp("Also write a report as one HTML page.", valueName: "file")) var html: String?
    @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.") var program: [String] = []

    func validate() throws {
        guard list || !program.isEmpty else {
            throw ValidationError("Name the program to check after two dashes: inkling conform -- ./their-shim")
        }
        guard (1...100_000).contains(fresh) else { throw ValidationError("Fresh cases are 1 to 100000.") }
        guard (1...3600).contains(timeout) else { throw ValidationError("A timeout is 1 to 3600 seconds.") }
        guard (0...1000).contains(restarts) else { throw ValidationError("Restarts are 0 to 1000.") }
        guard (0...1_000_000).contains(digests) else { throw ValidationError("Digests are over 0 to 1000000 outputs.") }
        guard show >= 0 else { throw ValidationError("What is shown is 0 or more.") }
    }

    func run() throws {
        try reporting {
            let suite = try suite()
            if list { return show(suite) }
            let known = try knownFailures.map(Self.knownFailures) ?? KnownFailures()
            let report = try drive(suite, known)
            try write(report)
            switch report.verdict {
            case .conforms: return
            case .partial:
                // What the filter left out was not to be asked.
                if strict && !report.isComplete { throw ExitCode(2) }
            case .differs: throw ExitCode(Failure.Status.finding.rawValue)
            }
        }
    }

    private func suite() throws(Failure) -> ConformanceSuite {
        let files = try vectorFiles(in: vectors)
        var suite: ConformanceSuite
        do throws(VectorFileError) {
            suite = try ConformanceSuite(
                files.map { (name: $0.name, document: $0.file) }, outputLimit: digests)
        } catch {
            throw Failure(.badData, "\(vectors): \(error)")
        }
        suite.keep(filter.map(CasePattern.init))
        if let seed { suite.addFreshCases(seed: seed, count: fresh) }
        guard !suite.cases.isEmpty else {
            throw Failure(.usage, "no case fits the filter", remedy: "See them all with: inkling conform --list")
        }
        return suite
    }

    private func show(_ suite: ConformanceSuite) {
        for one in suite.cases {
            let facts: JSONObject = [
                "id": .text(one.id), "family": .text(one.family), "operation": one.operation.map(JSON.text) ?? .null,
                "specification": .text(one.specification), "requirements": .list(one.requirements.map(JSON.text)),
                "comment": .text(one.comment),
            ]
            guard
                InklingCommand.write(
                    json
                        ? JSON.object(facts).compact + "\n"
                        : "\(one.id)  \(one.requirements.joined(separator: " "))  \(one.comment)\n")
            else { return }
        }
    }

    private static func knownFailures(_ path: String) throws(Failure) -> KnownFailures {
        guard let text = String(validating: try readFile(path), as: UTF8.self) else {
            throw Failure(.badData, "\(path) is not UTF-8")
        }
        return KnownFailures(text)
    }

    /// Does what the run asks for until it is over.
    private func drive(_ suite: ConformanceSuite, _ known: KnownFailures) throws(Failure) -> ConformanceReport {
        let implementation = name ?? program.joined(separator: " ")
        var run = ConformanceRun(suite, known: known, restarts: restarts)
        // The first question, which is in no vector file, is a case as well.
        let total = suite.cases.count + 1
        if json {
            InklingCommand.write(
                JSON.object(ReportLines.start(implementation: implementation, caseCount: total)).compact + "\n")
        }
        var entries: [ConformanceReport.Entry] = []
        var progress = ConformanceProgress(total: total)
        let tested = TestedProgram(program, limit: ConformanceRun.replyLimit)
        defer { tested.stop() }
        var effects = run.begin()[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .start:
                try tested.start()
                effects += run.handle(.started)
            case .send(let line): tested.send(line)
            case .stop: tested.stop()
            case .close: tested.closeInput()
            case .report(let result):
                let entry = ConformanceReport.Entry(result)
                entries.append(entry)
                if json { InklingCommand.write(JSON.object(ReportLines.line(entry)).compact + "\n") }
                progress.show(entries.count, failed: result.outcome.failure != nil && !result.isKnown)
            case .finish:
                progress.clear()
                return ConformanceReport(
                    implementation: implementation, specVersion: run.capabilities?.specVersion, entries: entries,
                    known: known, digestCount: suite.digestCount, filteredCount: suite.filteredCount)
            }
            while effects.isEmpty { effects += run.handle(tested.next(within: timeout)) }
        }
        throw Failure(.unavailable, "the run came to no end")
    }

    private func write(_ report: ConformanceReport) throws(Failure) {
        if json {
            InklingCommand.write(JSON.object(ReportLines.end(report)).compact + "\n")
        } else {
            InklingCommand.write(printable(lines: report.tree(shown: show)))
            if report.saidWhatItHas, let id = report.firstFailure, id != "capabilities" {
                let words = ["inkling", "conform"] + (vectors == "Vectors" ? [] : ["--vectors", vectors])
                let again = words + ["--filter", id] + (seed.map { ["--seed", "\($0)"] } ?? []) + ["--"] + program
                InklingCommand.write("\nOne alone  \(Self.quoted(again))\n")
                if !id.hasPrefix("seed-") {
                    InklingCommand.write(
                        "Every step  \(Self.quoted(["inkling", "conform", "explain", id] + words.dropFirst(2)))\n")
                }
            }
        }
        if let junit { try writeFile(junit, report.junit) }
        if let markdown { try writeFile(markdown, report.markdown(shown: show)) }
        if let html { try writeFile(html, report.html(shown: max(show, 25))) }
    }

    /// Words as a shell takes them.
    private static func quoted(_ words: [String]) -> String {
        words.map { word in
            let isPlain = word.utf8.allSatisfy { byte in
                Character(UnicodeScalar(byte)).isLetter && byte < 128
                    || Character(UnicodeScalar(byte)).isNumber && byte < 128
                    || "-_./,:=+@%".utf8.contains(byte)
            }
            return isPlain && !word.isEmpty
                ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
        }.joined(separator: " ")
    }

    /// What a program answered may hold anything, and is not to act on a terminal.
    private func printable(lines text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { InklingCommand.printable(String($0)) }
            .joined(separator: "\n")
    }
}

/// Shows a person at a terminal how far a run is.
private struct ConformanceProgress {
    let total: Int
    private let isShown = isTerminal(STDERR_FILENO)
    private var failed = 0
    private var last = ContinuousClock.now

    init(total: Int) { self.total = total }

    mutating func show(_ done: Int, failed isFailed: Bool) {
        if isFailed { failed += 1 }
        let now = ContinuousClock.now
        guard isShown, now - last >= .milliseconds(100) else { return }
        last = now
        let filled = total > 0 ? 30 * done / total : 30
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        writeError("\r\u{1b}[K\(bar) \(done) of \(total)" + (failed > 0 ? ", \(failed) failed" : ""))
    }

    func clear() {
        if isShown { writeError("\r\u{1b}[K") }
    }
}
