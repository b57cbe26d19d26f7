import InklingKeys
import InklingTesting
import InklingWire
import Testing

@Suite struct `Lists of AD structures` {
    @Test func `structures are returned in order with their offsets, and trailing zeros are padding`() throws {
        let data = bytes("02 01 06  01 09  03 ff 4c 00  00 00 00")
        let structures = try ADStructure.list(parsing: data.span)
        #expect(structures.map(\.type) == [0x01, 0x09, 0xff])
        #expect(structures.map(\.data) == [[0x06], [], [0x4c, 0x00]])
        #expect(structures.map(\.offset) == [0, 3, 5])
    }

    @Test(arguments: ["", "00", "00 00 00"])
    func `data without structures yields an empty list`(data: String) throws {
        #expect(try ADStructure.list(parsing: bytes(data).span).isEmpty)
    }

    @Test(arguments: [
        ("02 01", 0), ("05", 0), ("02 01 06 03 ff 4c", 3), ("ff", 0),
    ])
    func `a structure that extends past the end is refused with its offset`(data: String, offset: Int) {
        expectRefusal(.truncated(offset: offset), "structures", "truncated") {
            () throws(AdvertisingError) in _ = try ADStructure.list(parsing: bytes(data).span)
        }
    }

    @Test func `a byte after the end of the list that is not zero is refused`() {
        expectRefusal(.nonzeroPadding(offset: 5), "structures", "nonzero-padding") {
            () throws(AdvertisingError) in _ = try ADStructure.list(parsing: bytes("02 01 06 00 00 01 09").span)
        }
    }

    @Test func `1,650 bytes are parsed and one more is refused`() throws {
        let longest = [UInt8](repeating: 0, count: 1650)
        #expect(try ADStructure.list(parsing: longest.span).isEmpty)
        expectRefusal(.tooLong(count: 1651), "structures", "too-long") {
            () throws(AdvertisingError) in _ = try ADStructure.list(parsing: (longest + [0]).span)
        }
    }

    @Test func `a structure can have the maximum length`() throws {
        let data: [UInt8] = [255, 0x16] + [UInt8](repeating: 7, count: 254)
        #expect(try ADStructure.list(parsing: data.span).map(\.data.count) == [254])
    }

    @Test func `random bytes are parsed or refused`() {
        for seed in UInt64(0)..<2000 {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 0...64, using: &generator)
            // Small values are plausible lengths, and the first bytes of Apple's frames reach the inner parsers.
            let data = (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...6, using: &generator)
                    : [0xff, 0x4c, 0x02, 0x15, 0x14, 0x1a].randomElement(using: &generator) ?? 0
            }
            guard let structures = try? ADStructure.list(parsing: data.span) else { continue }
            let covered = structures.reduce(0) { $0 + 2 + $1.data.count }
            #expect(covered <= count, "seed \(seed)")
            _ = try? IBeacon(in: structures)
            _ = try? ServiceUUIDs(in: structures)
            _ = try? OverflowArea.list(in: structures)
        }
    }
}

/// Checks that `body` throws exactly this refusal, with these codes of the specification.
func expectRefusal<Failure: Refusal & Equatable>(
    _ expected: Failure, _ stage: String, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(Failure) -> Void
) {
    do throws(Failure) {
        try body()
        Issue.record("the input was accepted", sourceLocation: sourceLocation)
    } catch {
        #expect(error == expected, sourceLocation: sourceLocation)
        #expect([error.stage, error.reason] == [stage, reason], sourceLocation: sourceLocation)
    }
}
