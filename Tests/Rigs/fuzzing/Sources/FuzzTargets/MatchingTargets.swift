internal import CFuzzing
internal import InklingEngine
internal import InklingKeys
internal import InklingMatching

extension FuzzTarget {
    /// Logs, and files of predictions in both forms.
    static let matchingTargets = [
        FuzzTarget("sighting-line") { input in
            let (line, field) = input.textAndField
            var reader = SightingReader()
            guard let sighting = try? reader.read(line) else { return nil }
            promise((try? reader.read(line)) == sighting, "a line means the same at any time")
            promise(sighting.name != nil || sighting.minor != nil || !line.isEmpty, "a sighting is of something")
            return field
        },

        FuzzTarget("prediction-file") { input in
            let (text, field) = input.textAndField
            var reader = PredictionFileReader()
            do {
                for line in text.split(separator: 10, omittingEmptySubsequences: false) {
                    if line.isEmpty { continue }
                    note_copy(UInt(line.count))
                    try reader.read(Array(line))
                }
                try reader.finish()
            } catch {
                return nil
            }
            promise(reader.entries.allSatisfy { reader.epochs?.contains($0.prediction.epoch) == true }, "in its epochs")
            return field
        },

        // The fast parser of lines beside the complete one. Here the planted bug is that it loses the values of a line that
        // has two bytes in a text.
        FuzzTarget("sighting-forms") { input in
            let line = input.array
            var reader = SightingReader()
            var quick = reading { () throws(SightingError) in try reader.read(line) }
            let complete = reading { () throws(SightingError) in try SightingReader.readCompletely(line) }
            if hasPlantedBug, reader.isOrdinary(line), case .sighting(let sighting) = quick, hasPlantedToken(line) {
                quick = .sighting(Sighting(observed: sighting.observed, name: nil, minor: nil))
            }
            promise(quick == complete, hasPlantedBug ? "the planted bug" : "both parsers read a line alike")
            return nil
        },

        FuzzTarget("binary-predictions") { input in
            guard input.count > 1 else { return nil }
            let piece = Int(input[0]) + 1
            let file = input.extracting(1...)
            var reader = BinaryPredictionReader()
            do {
                for start in stride(from: 0, to: file.count, by: piece) {
                    try reader.read(file.extracting(start..<min(start + piece, file.count)))
                }
                try reader.finish()
            } catch {
                return nil
            }
            guard let epochs = reader.epochs else { return nil }
            var written = BinaryPredictions.head(epochs: epochs, contacts: reader.contacts, rows: reader.entries.count)
            for entry in reader.entries { BinaryPredictions.append(entry, first: epochs.lowerBound, to: &written) }
            note_copy(UInt(written.count))
            promise(file.isEqual(to: written.span), "there is one way to write a file")
            return reader.entries.last.map { UInt32($0.minor.value) }
        },
    ]
}

private func hasPlantedToken(_ line: [UInt8]) -> Bool {
    zip(line, line.dropFirst()).contains { $0 == 0x5a && $1 == 0x71 }
}

/// What a parser makes of a line.
private enum Reading: Equatable {
    case blank
    case sighting(Sighting)
    case rejected(SightingError)
}

private func reading(_ read: () throws(SightingError) -> Sighting?) -> Reading {
    do throws(SightingError) { return try read().map(Reading.sighting) ?? .blank } catch { return .rejected(error) }
}
