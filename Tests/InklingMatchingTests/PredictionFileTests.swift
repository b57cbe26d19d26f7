import InklingEngine
import InklingKeys
import InklingMatching
import Testing

@Suite struct `Prediction files` {
    private static let header =
        #"{"file":"inkling-predictions/1","from":1984000,"to":1984001,"contacts":["Ada","Bo"],"rows":2}"#
    private static let first =
        #"{"epoch":1984000,"contact":0,"device":0,"name":"ee86ffa399825968e402a6832c863656","minor":63941}"#
    private static let second =
        #"{"epoch":1984001,"contact":1,"device":15,"name":"4bfc5b501e8469baa43d07fbdb67b3e8","minor":39665}"#

    private func read(_ lines: [String]) throws(PredictionFileError) -> PredictionFileReader {
        var reader = PredictionFileReader()
        for line in lines { try reader.read(Array(line.utf8)) }
        try reader.finish()
        return reader
    }

    @Test func `reads back what it writes`() throws {
        let reader = try read([Self.header, Self.first, Self.second])
        #expect(reader.contacts == ["Ada", "Bo"])
        #expect(reader.entries.map { PredictionFile.row($0) } == [Self.first, Self.second])
        let epochs = try #require(reader.epochs)
        #expect(PredictionFile.header(epochs: epochs, contacts: reader.contacts, rows: 2) == Self.header)
        let other =
            #" { "minor":63941, "name":"ee86ffa399825968e402a6832c863656","device":0,"contact":0, "epoch":1984000 }"#
        #expect(try read([Self.header, other, Self.second]).entries == reader.entries)
    }

    private static func changed(_ line: String, _ part: String, _ other: String) -> String {
        var bytes = Array(line.utf8)
        let wanted = Array(part.utf8)
        let place = bytes.indices.first { bytes[$0...].starts(with: wanted) } ?? bytes.endIndex
        bytes.replaceSubrange(place..<min(place + wanted.count, bytes.endIndex), with: Array(other.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Covers INK-MAT-016.
    @Test(
        arguments: [
            ([], .noHeader), (["{"], .noHeader), (["[]"], .noHeader), ([#"{"file":1}"#], .noHeader),
            ([first], .noHeader),
            ([changed(header, "tions/1", "tions/2"), first, second], .unknownVersion),
            ([changed(header, #","rows":2"#, ""), first], .badHeader),
            ([changed(header, #""rows":2"#, #""rows":2,"key":"00""#)], .badHeader),
            ([changed(header, #""Bo""#, "7")], .badHeader), ([changed(header, "1984001", "4194304")], .badHeader),
            ([changed(header, "1984001", "1983999")], .tooManyEpochs),
            ([changed(header, "1984001", "1984672")], .tooManyEpochs),
            ([changed(header, "Bo", "Ada")], .badContacts), ([changed(header, "Bo", "")], .badContacts),
            ([changed(header, "Bo", String(repeating: "o", count: 129))], .badContacts),
            ([changed(header, #""rows":2"#, #""rows":-1"#)], .tooManyRows),
            ([changed(header, #""rows":2"#, #""rows":16777217"#)], .tooManyRows),
            ([header, first, second, second], .surplus), ([header, first, second, ""], .surplus),
            ([header, ""], .badRow), ([header, "{}"], .badRow),
            ([header, changed(first, #""device":0"#, #""device":16"#)], .badRow),
            ([header, changed(first, "63941", "65536")], .badRow), ([header, changed(first, "63941", "-1")], .badRow),
            ([header, changed(first, "63941", "63941.0")], .badRow),
            ([header, changed(first, "ee86", "EE86")], .badRow), ([header, changed(first, "ee86", "86")], .badRow),
            ([header, changed(first, #""device":0,"#, "")], .badRow),
            ([header, changed(first, #""device""#, #""x":1,"device""#)], .badRow),
            ([header, changed(first, "1984000", "1983999")], .outsideEpochs),
            ([header, changed(second, "1984001", "1984002")], .outsideEpochs),
            ([header, second, first], .notAscending),
            ([header, changed(first, #""contact":0"#, #""contact":2"#)], .unknownContact), ([header], .truncated),
            ([header, first], .truncated),
        ] as [([String], PredictionFileError)])
    func `rejects the whole file if a line has a fault, and reports that line`(
        lines: [String], error: PredictionFileError
    ) {
        #expect(throws: error) { try read(lines) }
    }
}
