import InklingEngine
import InklingKeys
import InklingMatching
import InklingTesting
import Testing

@Suite struct `Binary prediction files` {
    // mark, version, values alone, 2 contacts, epochs 1984000 and 1984001, expiry, 2 predictions, labels
    private static let head =
        "696e6b6c70726564 01 00 0002 001e4600 001e4601 000000006a6e1f08 00000002" + "03416461 02426f"
    private static let first = "0000 0000 00 f9c5 ee86ffa399825968e402a6832c863656"
    private static let second = "0001 0001 0f 9af1 4bfc5b501e8469baa43d07fbdb67b3e8"

    private func read(_ file: [UInt8], piece: Int = 65_536) throws(PredictionFileError) -> BinaryPredictionReader {
        var reader = BinaryPredictionReader()
        for start in stride(from: 0, to: file.count, by: piece) {
            try reader.read(file.span.extracting(start..<min(start + piece, file.count)))
        }
        try reader.finish()
        return reader
    }

    @Test(arguments: [1, 2, 3, 8, 23, 31, 32, 33, 200])
    func `reads back what it writes, however it is read`(piece: Int) throws {
        let file = bytes(Self.head + Self.first + Self.second)
        let reader = try read(file, piece: piece)
        #expect(reader.contacts == ["Ada", "Bo"])
        #expect(
            reader.entries.map { PredictionFile.row($0) } == [
                #"{"epoch":1984000,"contact":0,"device":0,"name":"ee86ffa399825968e402a6832c863656","minor":63941}"#,
                #"{"epoch":1984001,"contact":1,"device":15,"name":"4bfc5b501e8469baa43d07fbdb67b3e8","minor":39665}"#,
            ])
        let epochs = try #require(reader.epochs)
        var written = BinaryPredictions.head(epochs: epochs, contacts: reader.contacts, rows: 2)
        for entry in reader.entries { BinaryPredictions.append(entry, first: epochs.lowerBound, to: &written) }
        #expect(written == file)
    }

    private static func changed(_ text: String, _ part: String, _ other: String) -> String {
        var bytes = Array(text.utf8)
        let wanted = Array(part.utf8)
        let place = bytes.indices.first { bytes[$0...].starts(with: wanted) } ?? bytes.endIndex
        bytes.replaceSubrange(place..<min(place + wanted.count, bytes.endIndex), with: Array(other.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Covers INK-MAT-016.
    @Test(
        arguments: [
            ("", .noHeader), ("69", .noHeader), (changed(head, "696e", "494e"), .noHeader),
            ("696e6b6c70726564", .truncated),
            (changed(head, " 01 00 ", " 02 00 "), .unknownVersion),
            (changed(head, " 01 00 ", " 00 00 "), .unknownVersion),
            (changed(head, " 01 00 ", " 01 01 "), .badHeader), (changed(head, "1f08", "1f09"), .badHeader),
            (changed(head, "001e4600", "00400000"), .badHeader), (changed(head, "001e4601", "00400000"), .badHeader),
            (changed(head, "001e4600", "001e4602"), .tooManyEpochs),
            (changed(head, "001e4600", "001e4361"), .tooManyEpochs),
            (changed(head, " 0002 ", " 2711 "), .badContacts), (changed(head, "02426f", "00"), .badContacts),
            (changed(head, "02426f", "81"), .badContacts), (changed(head, "02426f", "03416461"), .badContacts),
            (changed(head, "02426f", "02c328"), .badContacts),
            (changed(head, " 00000002", " 01000001"), .tooManyRows),
            (head + first + second + "00", .surplus), (head + changed(first, "0000 00 ", "0000 10 "), .badRow),
            (head + changed(first, "0000 ", "0002 "), .outsideEpochs),
            (head + changed(first, "0000 ", "ffff "), .outsideEpochs), (head + second + first, .notAscending),
            (head + changed(first, "0000 0000 ", "0000 0002 "), .unknownContact), (head, .truncated),
            (head + first, .truncated), (head + first + changed(second, "e8", ""), .truncated),
            (changed(head, "02426f", ""), .truncated),
        ] as [(String, PredictionFileError)])
    func `rejects the whole file if a part has a fault`(digits: String, error: PredictionFileError) {
        for piece in [1, 7, 65_536] {
            #expect(throws: error, "\(digits)") { try read(bytes(digits), piece: piece) }
        }
    }
}
