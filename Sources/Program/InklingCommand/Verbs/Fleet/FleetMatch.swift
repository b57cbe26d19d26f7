import ArgumentParser
import InklingAccess
import InklingFleet
import InklingKeys
import InklingMatching
import InklingPredictions
import InklingTerminal

/// `inkling fleet match`
struct FleetMatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Match the sightings of a fleet with predictions, until Ctrl-C.",
        discussion: """
            All matchers of a fleet share its sightings; each sighting goes to one of them, and none keeps anything. \
            A sighting that could belong to several contacts counts for none. The predictions are files of \
            'inkling-kit predict'; restart the matcher with new ones before they end.

            Examples:
              $ inkling fleet match --mqtt mqtts://broker.example --table day.predictions
              $ inkling fleet match --config office.toml --table ada.predictions --table bo.predictions --json
            """)

    @OptionGroup var options: FleetOptions
    @Option(help: "Match against a file that inkling-kit predict wrote; can be repeated.") var table: [String] = []
    @Option(help: "Allow clocks to differ by this many seconds, 0 to 450.") var skew: UInt64 = SkewAllowance.standard
        .seconds

    func validate() throws {
        guard skew <= SkewAllowance.limit else { throw ValidationError("--skew must be 0 to 450, got \(skew)") }
        guard !table.isEmpty else { throw ValidationError("--table is missing") }
    }

    func run() async throws { try await reporting { try await match() } }

    private func match() async throws(Failure) {
        #if Node
            let (topics, broker) = try options.place(try options.configuration())
            let read = try PredictionTables(reading: table)
            let matcher = Matcher(skew: SkewAllowance(seconds: skew) ?? .standard, entries: read.entries)
            let part = FleetMatchRun(
                topics: topics, broker: broker, matcher: matcher, labels: read.labels,
                report: FleetReport(isJSON: options.json))
            try await part.runUntilSignal()
        #else
            try requireNetwork()
        #endif
    }
}
