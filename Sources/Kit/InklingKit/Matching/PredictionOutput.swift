import InklingEngine
import InklingKeys
import InklingMatching
import InklingTerminal

/// A new file of predictions that only its owner can read, or standard output, in one of the formats.
final class PredictionOutput {
    private let format: PredictionFormat
    private let file: NewFile
    /// The program that writes Parquet and Arrow in our place.
    private let archive: ArchiveProgram?

    /// Prepares a file at `path`, or standard output for nil. Call it before keys are in memory: a process that has
    /// keys cannot start the program that some formats need.
    ///
    /// - Throws: `Failure` when the file exists or cannot be created, or that program cannot be started.
    init(at path: String?, as format: PredictionFormat) throws(Failure) {
        self.format = format
        let file = try NewFile(at: path)
        self.file = file
        archive =
            switch format {
            case .parquet, .arrow: try ArchiveProgram(format, writing: file.begin())
            case .text, .binary, .csv: nil
            }
    }

    /// Writes the `rows` predictions of these epochs that `pass` passes on, and gives the file its name. The contact of
    /// each is an index into `contacts`.
    ///
    /// - Throws: `Failure` when the format cannot contain a label, or the file cannot be written; the errors of `pass`.
    func write(
        epochs: ClosedRange<Epoch>, contacts: [String], rows: Int,
        pass: (_ entries: ([Forecast.Entry]) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        let quoted = format == .csv ? contacts.compactMap { CSVPredictions.quoted($0) } : []
        guard format != .csv || quoted.count == contacts.count else {
            throw Failure(
                .badData, "the name of a contact has a control character, which CSV cannot contain",
                remedy: "Write numbers instead of the names with --numbers.")
        }
        switch format {
        case .text: file.write(PredictionFile.header(epochs: epochs, contacts: contacts, rows: rows))
        case .csv: file.write(CSVPredictions.header)
        case .binary, .parquet, .arrow:
            write { $0 += BinaryPredictions.head(epochs: epochs, contacts: contacts, rows: rows) }
        }
        try pass { entries in
            for entry in entries {
                self.write { bytes in
                    switch self.format {
                    case .text: PredictionFile.append(entry, to: &bytes)
                    case .csv:
                        let contact = Int(entry.prediction.contact.rawValue)
                        CSVPredictions.append(entry, contact: quoted[contact], to: &bytes)
                    case .binary, .parquet, .arrow:
                        BinaryPredictions.append(entry, first: epochs.lowerBound, to: &bytes)
                    }
                }
            }
        }
        try archive?.finish()
        try file.finish()
    }

    private func write(_ append: (inout [UInt8]) -> Void) {
        if let archive { archive.write(append) } else { file.write(append) }
    }
}
