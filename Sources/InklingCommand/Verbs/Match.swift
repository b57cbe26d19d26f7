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

/// `inkling match`
struct Match: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Find the sightings in a log that may have been contacts.",
        discussion: """
            Reads JSON objects from standard input, one per line and in any order: {"time":…, "name":… or "minor":…}. \
            Prints one for each value that a contact was expected to show at that time, with every contact that may \
            have shown it (Specs/matching.md). Each line is matched by itself, so a log can be split and matched in \
            parts. A match is a hint: values can be copied, and minors can be equal by chance.

            Blank lines are skipped. An invalid line ends the command with exit code 65; with --keep-going, the command \
            reads the remaining lines first.

            Examples:
              $ inkling match --home ada < sightings.jsonl
              $ inkling match --table today.predictions --since 2026-08-01T16:00:00Z < sightings.jsonl
              $ parallel --pipe inkling match --table today.predictions < sightings.jsonl
            """)

    @OptionGroup var source: SourceOptions
    @Option(help: "Match against a file that inkling predict wrote, instead of keys; can be repeated.")
    var table: [String] = []
    @Option(help: "Skip sightings before this time: RFC 3339 or Unix seconds.") var since: String?
    @Option(help: "Skip sightings at or after this time: RFC 3339 or Unix seconds.") var until: String?
    @Option(help: "Allow clocks to differ by this many seconds, 0 to 450.") var skew: UInt64 = SkewAllowance.standard
        .seconds
    @Flag(help: "Continue after an invalid line; show the first ten.") var keepGoing = false

    private static let shownFaults = 10

    func validate() throws {
        guard skew <= SkewAllowance.limit else { throw ValidationError("--skew must be 0 to 450, got \(skew)") }
        guard table.isEmpty || source.rootFile.isEmpty && !source.example && source.home.home == nil else {
            throw ValidationError("--table cannot be combined with keys")
        }
    }

    func run() async throws { try await reporting(for: source.home) { try await match() } }

    /// The counts of the summary.
    private struct Count {
        var lines = 0, blank = 0, wrong = 0, sightings = 0, passedOver = 0, uncovered = 0
        var byName = 0, byMinor = 0
        var byChance = 0.0
    }

    private func match() async throws(Failure) {
        let from = try since.map { text throws(Failure) in try Moment(text).unixSeconds * 1000 } ?? 0
        let to = try until.map { text throws(Failure) in try Moment(text).unixSeconds * 1000 } ?? .max
        let allowance = SkewAllowance(seconds: skew) ?? .standard
        var labels: [String] = []
        var predictions: PredictionSource?
        var matcher: Matcher
        if table.isEmpty {
            predictions = try await source.open()
            matcher = Matcher(skew: allowance)
        } else {
            let read = try readTables()
            labels = read.labels
            matcher = Matcher(skew: allowance, entries: read.entries)
        }

        var count = Count()
        var reader = SightingReader()
        var lines = InputLines(limit: Sighting.lineLimit)
        let length = standardInputLength()
        var progress = Progress(of: "lines", logs: true)
        while let line = lines.next() {
            count.lines += 1
            if count.lines % 1024 == 0 {
                progress.show(count.lines, share: length.map { Double(lines.byteCount) / Double($0) })
            }
            let sighting: Sighting?
            do throws(SightingError) { sighting = try reader.read(line) } catch {
                count.wrong += 1
                progress.clear()
                let what = "line \(count.lines): \(error)"
                guard keepGoing else {
                    throw Failure(
                        .badData, what,
                        remedy: "Lines read: \(count.lines). Correct the line, or skip it with --keep-going.")
                }
                if count.wrong <= Self.shownFaults { writeError("inkling: \(what)\n") }
                continue
            }
            guard let sighting else {
                count.blank += 1
                continue
            }
            guard (from..<to).contains(sighting.observed.unixMilliseconds) else {
                count.passedOver += 1
                continue
            }
            count.sightings += 1
            let match = try matcher.match(sighting) { (period: Period) throws(Failure) in
                guard let predictions else { return [] }
                let first = period.firstEpoch
                guard let last = Epoch(first.number + 3) else { return [] }
                var entries: [Forecast.Entry] = []
                try predictions.forEach(in: first...last) { entries += $1 }
                return entries
            }
            if !match.isCovered { count.uncovered += 1 }
            count.byChance += match.byChance
            if !match.byName.isEmpty { count.byName += 1 }
            if !match.byMinor.isEmpty { count.byMinor += 1 }
            let names = predictions?.labels ?? labels
            let matches: [(MatchFact.Value, [Matcher.Owner])] = [(.name, match.byName), (.minor, match.byMinor)]
            for (by, owners) in matches where !owners.isEmpty {
                let fact = MatchFact(
                    line: count.lines, sighting: line, by: by,
                    of: owners.map { owner in
                        OwnerFact(
                            contact: names[owner.contact], device: owner.device.number, epoch: owner.epoch.number)
                    })
                guard write(JSON(encoding: fact).compact + "\n") else { return progress.clear() }
            }
        }
        progress.clear()
        report(count)
        if count.wrong > 0 {
            let were = count.wrong == 1 ? "was" : "were"
            throw Failure(
                .badData, "\(count.wrong) of \(plural(count.lines, "line")) \(were) invalid and skipped")
        }
    }

    private func report(_ count: Count) {
        var text = "\(plural(count.lines, "line")), \(plural(count.sightings, "sighting")): "
        text += "\(count.byName) matched by name, "
        text += "\(count.byMinor) by minor"
        if count.byChance > 0 { text += " (\(figure(count.byChance)) expected by chance)" }
        if count.passedOver > 0 { text += "; \(count.passedOver) before --since or after --until" }
        if count.uncovered > 0 { text += "; \(count.uncovered) at times that the table does not cover" }
        writeError(text + "\n")
    }

    /// Reads the predictions of all tables. Contacts with the same label count as one.
    private func readTables() throws(Failure) -> (labels: [String], entries: [Forecast.Entry]) {
        var labels: [String] = []
        var places: [String: Int] = [:]
        var all: [Forecast.Entry] = []
        for path in table {
            let file = try readTable(path)
            let numbers = file.contacts.map { label in
                if let known = places[label] { return known }
                places[label] = labels.count
                labels.append(label)
                return labels.count - 1
            }
            all += file.entries.map { entry in
                entry.belonging(to: numbers[Int(entry.prediction.contact.rawValue)])
            }
            guard all.count <= PredictionFile.rowLimit else {
                throw Failure(.badData, "the tables hold more than \(PredictionFile.rowLimit) predictions")
            }
        }
        if table.count > 1 { all.sort { $0.prediction.epoch < $1.prediction.epoch } }
        return (labels, all)
    }

    private func readTable(_ path: String) throws(Failure) -> PredictionFileReader {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.badData, "cannot read \(path): \(systemMessage())") }
        defer { close(descriptor) }
        var reader = PredictionFileReader()
        var lines = InputLines(descriptor: descriptor, limit: PredictionFile.headerLimit)
        var number = 0
        do throws(PredictionFileError) {
            while let line = lines.next() {
                number += 1
                try reader.read(line)
            }
            try reader.finish()
        } catch {
            throw Failure(
                .badData, "\(path):\(max(1, number)): \(error)",
                remedy: .command("Create one with", "predict --output FILE"))
        }
        return reader
    }
}

/// A sighting that contacts may have shown. The members that come from the sighting are written as they were read; those
/// that it does not have are left out.
private struct MatchFact: Encodable {
    /// The member of the sighting that matched.
    enum Value { case name, minor }

    private enum CodingKeys: String, CodingKey { case line, time, name, minor, address, rssi, of }

    /// The number of the line in the log, from 1.
    let line: Int
    let sighting: JSONObject
    let value: Value
    let of: [OwnerFact]

    init(line: Int, sighting: [UInt8], by value: Value, of owners: [OwnerFact]) {
        self.line = line
        self.sighting = (try? JSON(parsing: sighting))?.object ?? [:]
        self.value = value
        of = owners
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(line, forKey: .line)
        for key in [CodingKeys.time, value == .name ? .name : .minor, .address, .rssi] {
            guard let json = sighting[key.stringValue] else { continue }
            try members.encode(JSONCopy(json: json), forKey: key)
        }
        try members.encode(of, forKey: .of)
    }
}
