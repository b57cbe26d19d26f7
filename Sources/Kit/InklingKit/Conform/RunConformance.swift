import ArgumentParser
import InklingConformance
import InklingJSON
import InklingTerminal
import InklingVectors

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling-kit conform run`
struct RunConformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Test a program with the vectors and report.",
        discussion: """
            Exits with 0 when every reply is right, 1 when a reply is wrong or the list of known failures is stale, 2 \
            when a case was not run and --strict is given, 65 when a vector file is invalid, 69 when the program \
            cannot be started.

            Examples:
              $ inkling-kit conform run -- python3 my_shim.py
              $ inkling-kit conform run --profile core -- ./their-shim
              $ inkling-kit conform run --filter INK-GRA-007 --json -- ./their-shim --verbose
              $ inkling-kit conform run --seed 7 --fresh 1000 -- ./their-shim
              $ inkling-kit conform run --list
            """)

    @Option(help: "Read the vector files in this folder.") var vectors = "Vectors"
    @Option(
        help: ArgumentHelp(
            "Ask only the cases of this profile: core, node (which includes core) or platforms. Can be repeated.",
            valueName: "profile")) var profile: [ConformanceProfile] = []
    @Option(
        help: ArgumentHelp(
            "Ask only the cases of this family, operation, page, requirement or id; * stands for any characters. Can be repeated.",
            valueName: "pattern")) var filter: [String] = []
    @Option(
        help: ArgumentHelp(
            "Also ask fresh cases: valid cases with changes that depend on this number. The expected replies are this program's.",
            valueName: "number")) var seed: UInt64?
    @Option(help: "Create this many fresh cases for each operation, 1 to 100000.") var fresh = 20
    @Option(
        help: ArgumentHelp(
            "Ask the digests over at most this many outputs, 0 to 1000000. Each output is a request.",
            valueName: "count")) var digests = 1000
    @Flag(help: "List the cases, then exit.") var list = false
    @Option(
        help: ArgumentHelp(
            "Read the ids of known failures from this file, one per line; a listed case that passes is a failure.",
            valueName: "file"))
    var knownFailures: String?
    @Flag(help: "Exit with 2 when every reply is right but a case was not run.") var strict = false
    @Option(help: "Wait this many seconds for a reply, 1 to 3600.") var timeout = 10
    @Option(help: "Restart a program that ends or hangs at most this many times, 0 to 1000.") var restarts = 20
    @Option(help: "Show at most this many failures of each family.") var show = 3
    @Option(help: "Name the implementation in the report. Default: its command line.") var name: String?
    @Flag(help: "Print one JSON object per line, one for each case.") var json = false
    @Option(help: ArgumentHelp("Also write a report as JUnit XML.", valueName: "file")) var junit: String?
    @Option(help: ArgumentHelp("Also write a report as Markdown.", valueName: "file")) var markdown: String?
    @Option(help: ArgumentHelp("Also write a report as one HTML page.", valueName: "file")) var html: String?
    @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.") var program: [String] = []

    func validate() throws {
        guard list || !program.isEmpty else {
            throw ValidationError("the program is missing: inkling-kit conform -- ./their-shim")
        }
        try require("--fresh", fresh, in: 1...100_000)
        try require("--timeout", timeout, in: 1...3600)
        try require("--restarts", restarts, in: 0...1000)
        try require("--digests", digests, in: 0...1_000_000)
        guard show >= 0 else { throw ValidationError("--show must not be negative, got \(show)") }
    }

    func run() async throws {
        try await reporting {
            let suite = try await suite()
            if list { return show(suite) }
            let known = try knownFailures.map(Self.knownFailures) ?? KnownFailures()
            let report = try drive(suite, known)
            try write(report)
            switch report.verdict {
            case .conforms: return
            case .partial:
                // A case that the filter leaves out was not requested, so it is not missing.
                if strict && !report.isComplete { throw ExitCode(2) }
            case .differs: throw ExitCode(Failure.Status.finding.rawValue)
            }
        }
    }

    private func suite() async throws(Failure) -> ConformanceSuite {
        let files = try await vectorFiles(in: vectors)
        var suite: ConformanceSuite
        do throws(VectorFileError) {
            suite = try ConformanceSuite(
                files.map { (name: $0.name, document: $0.file) }, outputLimit: digests)
        } catch {
            throw Failure(.badData, "\(vectors): \(error)")
        }
        suite.keep(profile)
        suite.keep(filter.map(CasePattern.init))
        if let seed {
            var progress = Progress(of: "operations")
            suite.addFreshCases(seed: seed, count: fresh) { done, total in
                progress.show(done, share: Double(done) / Double(total), note: "   creating fresh cases")
            }
            progress.clear()
        }
        guard !suite.cases.isEmpty else {
            throw Failure(
                .usage, "no case matches the filter", remedy: "List the cases with: inkling-kit conform --list")
        }
        return suite
    }

    private func show(_ suite: ConformanceSuite) {
        for one in suite.cases {
            let facts: JSONObject = [
                "id": .text(one.id), "profile": .text(one.profile.rawValue), "family": .text(one.family),
                "operation": one.operation.map(JSON.text) ?? .null,
                "specification": .text(one.specification), "requirements": .list(one.requirements.map(JSON.text)),
                "comment": .text(one.comment),
            ]
            guard
                InklingTerminal.write(
                    json
                        ? JSON.object(facts).compact + "\n"
                        : "\(one.id)  \(one.profile.rawValue)  \(one.requirements.joined(separator: " "))  \(one.comment)\n"
                )
            else { return }
        }
    }

    private static func knownFailures(_ path: String) throws(Failure) -> KnownFailures {
        guard let text = String(validating: try readFile(path), as: UTF8.self) else {
            throw Failure(.badData, "\(path) is not UTF-8")
        }
        return KnownFailures(text)
    }

    /// Performs the effects of the run until it has finished.
    ///
    /// - Throws: `Failure` when the program cannot be started.
    private func drive(_ suite: ConformanceSuite, _ known: KnownFailures) throws(Failure) -> ConformanceReport {
        let implementation = name ?? program.joined(separator: " ")
        var run = ConformanceRun(suite, known: known, restarts: restarts)
        // The request for the capabilities is a case too, although no vector file contains it.
        let total = suite.cases.count + 1
        if json {
            InklingTerminal.write(
                JSON.object(ReportLines.start(implementation: implementation, caseCount: total)).compact + "\n")
        }
        var entries: [ConformanceReport.Entry] = []
        var progress = Progress(of: "requests")
        var failedCount = 0
        var last = ContinuousClock.now
        func showProgress() {
            let waited = (ContinuousClock.now - last).components.seconds
            progress.show(
                run.settledRequestCount, share: Double(run.settledRequestCount) / Double(max(1, run.requestCount)),
                note: (failedCount > 0 ? "   \(failedCount) failed" : "")
                    + (waited > 0 ? "   no reply for \(waited) s" : ""))
        }
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
                if json { InklingTerminal.write(JSON.object(ReportLines.line(entry)).compact + "\n") }
                if result.outcome.failure != nil, !result.isKnown { failedCount += 1 }
            case .finish:
                progress.clear()
                return ConformanceReport(
                    implementation: implementation, specVersion: run.capabilities?.specVersion, entries: entries,
                    known: known, digestCount: suite.digestCount, filtered: suite.filtered, profiles: suite.profiles)
            }
            while effects.isEmpty {
                let event = tested.next(within: timeout) { showProgress() }
                last = .now
                effects += run.handle(event)
                showProgress()
            }
        }
        throw Failure(.unavailable, "the run did not finish")
    }

    private func write(_ report: ConformanceReport) throws(Failure) {
        if json {
            InklingTerminal.write(JSON.object(ReportLines.end(report)).compact + "\n")
        } else {
            InklingTerminal.write(printable(lines: report.tree(shown: show)))
            if report.saidWhatItHas, let id = report.firstFailure, id != "capabilities" {
                let words = ["inkling-kit", "conform"] + (vectors == "Vectors" ? [] : ["--vectors", vectors])
                let again = words + ["--filter", id] + (seed.map { ["--seed", "\($0)"] } ?? []) + ["--"] + program
                InklingTerminal.write("\nRerun    \(Self.quoted(again))\n")
                if !id.hasPrefix("seed-") {
                    InklingTerminal.write(
                        "Details  \(Self.quoted(["inkling-kit", "conform", "explain", id] + words.dropFirst(2)))\n")
                }
            }
        }
        if let junit { try writeFile(junit, report.junit) }
        if let markdown { try writeFile(markdown, report.markdown(shown: show)) }
        if let html { try writeFile(html, report.html(shown: max(show, 25))) }
    }

    /// Quotes words for a shell and joins them.
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

    /// Replaces characters that could control a terminal: the replies of a program can contain anything.
    private func printable(lines text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { InklingTerminal.printable(String($0)) }
            .joined(separator: "\n")
    }
}
