import ArgumentParser
import InklingEngine
import InklingJSON
import InklingKeys
import InklingMatching

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling predict`
struct Predict: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write what contacts will show for some hours, so that sightings can be matched without keys.",
        discussion: """
            The file holds names, minors and labels, and no keys (Specs/matching.md). Whoever has it can recognise \
            these contacts in these hours, and in no others: delete it when it has served.

            Examples:
              $ inkling predict --home ada --output today.predictions
              $ inkling predict --example --from 2026-08-01T16:00:00Z --hours 1 | head -n 2
            """)

    @OptionGroup var source: SourceOptions
    @Option(help: "The first moment: RFC 3339 or Unix seconds. Default: now.") var from: String?
    @Option(help: "How many hours, 1 to 167.") var hours: UInt64 = 24
    @Flag(help: "Write numbers in the place of the contacts' names.") var numbers = false
    @Option(help: "A new file, which only you can read; without it standard output.") var output: String?
    @Flag(help: "With --output, print one JSON object about the file.") var json = false

    func validate() throws {
        guard (1...167).contains(hours) else { throw ValidationError("--hours must be 1 to 167, got \(hours)") }
        guard !json || output != nil else {
            throw ValidationError("--json goes with --output: standard output is JSON already")
        }
    }

    func run() async throws { try await reporting { try await predict() } }

    private func predict() async throws(Failure) {
        let moment = try from.map { text throws(Failure) in try Moment(text) } ?? Moment.now
        // With the neighbours, whose values count near the ends.
        guard let first = Epoch(containing: moment.unixSeconds),
            let last = Epoch(containing: moment.unixSeconds + hours * 3600 - 1)?.next
        else {
            throw Failure(.usage, "there are no keys after August 2089", remedy: "Give an earlier moment with --from.")
        }
        let epochs = (first.previous ?? first)...last
        let predictions = try await source.open()
        // A running node says how much there is by sending it.
        var held: [Forecast.Entry]?
        if predictions.count(in: epochs) == nil {
            var entries: [Forecast.Entry] = []
            try predictions.forEach(in: epochs) { entries += $1 }
            held = entries
        }
        let count = held?.count ?? predictions.count(in: epochs) ?? 0
        guard predictions.labels.count <= PredictionFile.contactLimit, count <= PredictionFile.rowLimit else {
            throw Failure(.badData, "\(count) predictions are more than one file holds", remedy: "Give fewer --hours.")
        }
        let labels = numbers ? predictions.labels.indices.map { "contact \($0 + 1)" } : predictions.labels
        let writer = try LineWriter(to: output)
        writer.write(PredictionFile.header(epochs: epochs, contacts: labels, rows: count))
        if let held {
            for entry in held { writer.write(PredictionFile.row(entry)) }
        } else {
            try predictions.forEach(in: epochs) { _, entries in
                for entry in entries { writer.write(PredictionFile.row(entry)) }
            }
        }
        guard writer.finish() else {
            throw Failure(.unavailable, "cannot write \(output ?? "standard output"): \(systemMessage())")
        }
        report(count: count, contacts: labels.count, until: last.end)
    }

    private func report(count: Int, contacts: Int, until: UInt64) {
        writeError(
            """
            Whoever holds this recognises \(contacts) contact\(contacts == 1 ? "" : "s") until \(timestamp(until)). \
            It holds no keys. Delete it when it has served.

            """)
        guard let output, json else { return }
        write(
            [
                "file": .text(output), "contacts": .integer(contacts), "rows": .integer(count),
                "until": .text(timestamp(until)),
            ], asJSON: true, otherwise: { _ in "" })
    }
}

/// Writes lines to a new file of the user's own, or to standard output, some thousands at a time.
final class LineWriter {
    private let descriptor: Int32
    private let isOwn: Bool
    private var buffer = ""
    private var isGood = true

    /// A writer to `path`, or to standard output without one.
    ///
    /// - Throws: `Failure` when the file exists or cannot be made.
    init(to path: String?) throws(Failure) {
        isOwn = path != nil
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let remedy = errno == EEXIST ? "Choose another name, or delete the file." : nil
            throw Failure(
                errno == EACCES || errno == EPERM || errno == EROFS ? .noPermission : .configuration,
                "cannot make \(path): \(systemMessage())", remedy: remedy)
        }
    }

    deinit { if isOwn { close(descriptor) } }

    func write(_ line: String) {
        buffer += line
        buffer += "\n"
        if buffer.utf8.count >= 1 << 16 { flush() }
    }

    /// Writes what is left; false when anything could not be written.
    func finish() -> Bool {
        flush()
        return isGood && (!isOwn || fsync(descriptor) == 0)
    }

    private func flush() {
        if isGood { isGood = InklingCommand.write(buffer, to: descriptor) }
        buffer = ""
    }
}
