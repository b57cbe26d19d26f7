import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import InklingMatching
import InklingPredictions
import InklingTerminal

/// `inkling-kit predict`
struct Predict: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predict",
        abstract: "Write what contacts will show in the next hours, so that sightings can be matched without keys.",
        discussion: """
            The file contains names, minors and labels, and no keys (Specs/matching.md). Anyone who has it can recognise \
            these contacts, but only in these hours. Delete it when you no longer need it.

            inkling-kit match reads the formats text and binary; binary is a quarter of the size. Databases can join csv, \
            parquet and arrow with their sightings: python3 -m inkling.archive sql duckdb prints the query, as for \
            clickhouse and spark. Parquet and Arrow need pyarrow beside that module: pip install pyarrow.

            Examples:
              $ inkling-kit predict --home ada --output today.predictions
              $ inkling-kit predict --home ada --hours 167 --format binary --output week
              $ inkling-kit predict --home ada --format parquet --output today.parquet
              $ inkling-kit predict --example --from 2026-08-01T16:00:00Z --hours 1 | head -n 2
            """)

    @OptionGroup var source: SourceOptions
    @Option(help: "Begin at this time: RFC 3339 or Unix seconds. Default: now.") var from: String?
    @Option(help: "Write this many hours, 1 to 167.") var hours: UInt64 = 24
    @Flag(help: "Write numbers instead of the contacts' names.") var numbers = false
    @Option(help: "Write to a new file that only you can read. Default: standard output.") var output: String?
    @Option(help: "Write in this format; all but text and csv require --output. Default: text.")
    var format: PredictionFormat?
    @Flag(help: "With --output, write the binary form, as --format binary does.") var binary = false
    @Flag(help: "With --output, print one JSON object about the file.") var json = false

    func validate() throws {
        guard (1...167).contains(hours) else { throw ValidationError("--hours must be 1 to 167, got \(hours)") }
        guard !json || output != nil else {
            throw ValidationError("--json requires --output: standard output contains the predictions")
        }
        guard !binary || format == nil || format == .binary else {
            throw ValidationError("--binary cannot be combined with --format \(chosen)")
        }
        guard !chosen.requiresFile || output != nil else {
            throw ValidationError(binary ? "--binary requires --output" : "--format \(chosen) requires --output")
        }
    }

    private var chosen: PredictionFormat { format ?? (binary ? .binary : .text) }

    func run() async throws { try await reporting(home: source.home.home) { try await predict() } }

    private func predict() async throws(Failure) {
        let moment = try from.map { text throws(Failure) in try Moment(text) } ?? Moment.now
        // Include the neighbouring epochs, whose values count near the ends.
        guard let first = Epoch(containing: moment.unixSeconds),
            let last = Epoch(containing: moment.unixSeconds + hours * 3600 - 1)?.next
        else {
            throw Failure(.usage, "there are no keys after August 2089", remedy: "Give an earlier time with --from.")
        }
        let epochs = (first.previous ?? first)...last
        let file = try PredictionOutput(at: output, as: chosen)
        let predictions = try await source.open()
        // The number of rows comes first in the file. For a running node it is known only when all have arrived.
        var held: [Forecast.Entry]?
        if predictions.count(in: epochs) == nil {
            var entries: [Forecast.Entry] = []
            try predictions.forEach(in: epochs) { entries += $1 }
            held = entries
        }
        let count = held?.count ?? predictions.count(in: epochs) ?? 0
        guard predictions.labels.count <= PredictionFile.contactLimit, count <= PredictionFile.rowLimit else {
            throw Failure(.badData, "\(count) predictions are too many for one file", remedy: "Give fewer --hours.")
        }
        let labels = numbers ? predictions.labels.indices.map { "contact \($0 + 1)" } : predictions.labels
        try file.write(epochs: epochs, contacts: labels, rows: count) { (write) throws(Failure) in
            if let held { write(held) } else { try predictions.forEach(in: epochs) { write($1) } }
        }
        report(count: count, contacts: labels.count, until: last.end)
    }

    private func report(count: Int, contacts: Int, until: UInt64) {
        writeError(
            """
            Anyone with these predictions can recognise \(plural(contacts, "contact")) until \(timestamp(until)). \
            They contain no keys. Delete them when you no longer need them.

            """)
        guard let output, json else { return }
        let fact = PredictionFileFact(file: output, contacts: contacts, rows: count, until: timestamp(until))
        writeFact(fact, asJSON: true) { _ in "" }
    }
}

/// The file of predictions that was written.
private struct PredictionFileFact: Encodable {
    let file: String
    let contacts: Int
    let rows: Int
    let until: String
}
