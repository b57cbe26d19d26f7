import ArgumentParser

/// The formats in which `inkling-kit predict` writes (`Specs/matching.md`).
enum PredictionFormat: String, ExpressibleByArgument, CaseIterable {
    /// The two forms of a file of predictions.
    case text, binary
    /// Tables of predictions, which other engines join with sightings.
    case csv, parquet, arrow

    /// Whether the bytes are only for programs, and do not belong on standard output.
    var requiresFile: Bool { self != .text && self != .csv }
}
