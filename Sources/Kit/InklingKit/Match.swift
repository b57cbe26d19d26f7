import ArgumentParser
import FoundationEssentials
import InklingAccess
import InklingEngine
import InklingKeys
import InklingMatching
import InklingPredictions
import InklingTerminal

/// `inkling-kit match`
struct Match: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Find the sightings in a log that may have been contacts.",
        discussion: """
            Reads JSON objects from standard input, one per line and in any order: {"time":…, "name":… or "minor":…}. \
            Prints one for each value that a contact was expected to show at that time, with every contact that may \
            have shown it (Specs/matching.md). Each line is matched by itself, on all processors, and the \
            matches are printed in the order of the lines. A match is a hint: values can be copied, and minors can be \
            equal by chance.

            Blank lines are skipped. An invalid line ends the command with exit code 65; with --keep-going, the command \
            reads the remaining lines first.

            Examples:
              $ inkling-kit match --home ada < sightings.jsonl
              $ inkling-kit match --table today.predictions --since 2026-08-01T16:00:00Z < sightings.jsonl
              $ zcat sightings.jsonl.gz | inkling-kit match --table week.predictions --processors 1 > matches.jsonl
            """)

    @OptionGroup var source: SourceOptions
    @Option(help: "Match against a file that inkling-kit predict wrote, instead of keys; can be repeated.")
    var table: [String] = []
    @Option(help: "Skip sightings before this time: RFC 3339 or Unix seconds.") var since: String?
    @Option(help: "Skip sightings at or after this time: RFC 3339 or Unix seconds.") var until: String?
    @Option(help: "Allow clocks to differ by this many seconds, 0 to 450.") var skew: UInt64 = SkewAllowance.standard
        .seconds
    @Flag(help: "Continue after an invalid line; show the first ten.") var keepGoing = false
    @Option(help: "Use at most this many processors, 1 to 1024. Default: all that this process may use.")
    var processors: Int?

    func validate() throws {
        guard skew <= SkewAllowance.limit else { throw ValidationError("--skew must be 0 to 450, got \(skew)") }
        guard table.isEmpty || source.rootFile.isEmpty && !source.example && source.home.home == nil else {
            throw ValidationError("--table cannot be combined with keys")
        }
        if let processors, !(1...1024).contains(processors) {
            throw ValidationError("--processors must be 1 to 1024, got \(processors)")
        }
    }

    func run() async throws { try await reporting(home: source.home.home) { try await match() } }

    private func match() async throws(Failure) {
        let from = try since.map { text throws(Failure) in try Moment(text).unixSeconds * 1000 } ?? 0
        let to = try until.map { text throws(Failure) in try Moment(text).unixSeconds * 1000 } ?? .max
        let allowance = SkewAllowance(seconds: skew) ?? .standard
        let matcher: Matcher
        let labels: @Sendable () -> [String]
        if table.isEmpty {
            let predictions = try await source.open()
            matcher = predictions.matcher(skew: allowance)
            labels = { predictions.labels }
        } else {
            let read = try PredictionTables(reading: table)
            matcher = Matcher(skew: allowance, entries: read.entries)
            labels = { read.labels }
        }
        let rules = LineMatcher.Rules(times: from..<max(from, to), keepsGoing: keepGoing, labels: labels)
        let run = MatchRun(matcher, rules: rules)
        guard
            let tally = try await run.run(
                processors: min(processors ?? .max, ProcessInfo.processInfo.activeProcessorCount))
        else { return }
        report(tally)
        if tally.wrong > 0 {
            let were = tally.wrong == 1 ? "was" : "were"
            throw Failure(
                .badData, "\(tally.wrong) of \(plural(tally.lines, "line")) \(were) invalid and skipped")
        }
    }

    private func report(_ count: MatchTally) {
        var text = "\(plural(count.lines, "line")), \(plural(count.sightings, "sighting")): "
        text += "\(count.byName) matched by name, "
        text += "\(count.byMinor) by minor"
        if count.byChance > 0 { text += " (\(figure(count.byChance)) expected by chance)" }
        if count.passedOver > 0 { text += "; \(count.passedOver) before --since or after --until" }
        if count.uncovered > 0 { text += "; \(count.uncovered) at times that the table does not cover" }
        writeError(text + "\n")
    }
}
