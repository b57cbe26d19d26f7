package import InklingEngine
import InklingMatching
package import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The predictions of files, in either form. Contacts with the same label count as one.
package struct PredictionTables: Sendable {
    package private(set) var labels: [String] = []
    /// The predictions, in the order of their epochs; the contact of each is an index into `labels`.
    package private(set) var entries: [Forecast.Entry] = []
    private var places: [String: Int] = [:]

    /// Reads these files.
    ///
    /// - Throws: `Failure` when a file cannot be read or is rejected, and when there are too many predictions.
    package init(reading paths: [String]) throws(Failure) {
        for path in paths {
            try read(path)
            guard entries.count <= PredictionFile.rowLimit else {
                throw Failure(.badData, "the tables hold more than \(PredictionFile.rowLimit) predictions")
            }
        }
        if paths.count > 1 { entries.sort { $0.prediction.epoch < $1.prediction.epoch } }
    }

    private mutating func read(_ path: String) throws(Failure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.badData, "cannot read \(path): \(systemMessage())") }
        defer { close(descriptor) }
        var input = InputLines(descriptor: descriptor, limit: PredictionFile.headerLimit)
        if input.begins(BinaryPredictions.begins) {
            try readBinary(path, &input)
        } else {
            try readText(path, &input)
        }
    }

    private mutating func readText(_ path: String, _ lines: inout InputLines) throws(Failure) {
        var reader = PredictionFileReader()
        var number = 0
        do throws(PredictionFileError) {
            while let line = lines.next() {
                number += 1
                try reader.read(line)
            }
            try reader.finish()
        } catch { throw Self.failure("\(path):\(max(1, number))", error) }
        add(reader.entries, of: reader.contacts)
    }

    private mutating func readBinary(_ path: String, _ input: inout InputLines) throws(Failure) {
        var reader = BinaryPredictionReader()
        do throws(PredictionFileError) {
            while let bytes = input.nextBytes() { try reader.read(bytes.span) }
            try reader.finish()
        } catch { throw Self.failure(path, error) }
        add(reader.entries, of: reader.contacts)
    }

    private mutating func add(_ more: [Forecast.Entry], of contacts: [String]) {
        let numbers = contacts.map { label in
            if let known = places[label] { return known }
            places[label] = labels.count
            labels.append(label)
            return labels.count - 1
        }
        // The first file keeps its numbers.
        guard !entries.isEmpty || numbers != Array(numbers.indices) else {
            entries = more
            return
        }
        entries += more.map { $0.belonging(to: numbers[Int($0.prediction.contact.rawValue)]) }
    }

    private static func failure(_ place: String, _ error: PredictionFileError) -> Failure {
        Failure(
            .badData, "\(place): \(error)", remedy: "Create one with: inkling-kit predict --output FILE")
    }
}
