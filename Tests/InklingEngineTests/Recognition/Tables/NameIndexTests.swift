import InklingKeys
import InklingTesting
import Testing

@testable import InklingEngine

@Suite struct `Index of names` {
    /// The expected ids of each identifier.
    private func places(_ identifiers: [Octets16]) -> [Octets16: Set<UInt32>] {
        var places: [Octets16: Set<UInt32>] = [:]
        for (place, one) in identifiers.enumerated() { places[one, default: []].insert(UInt32(place)) }
        return places
    }

    private func ids(of one: Octets16, in index: NameIndex) -> [UInt32] {
        var found: [UInt32] = []
        index.forEach(of: one) { found.append($0) }
        return found.sorted()
    }

    /// The results of a batch lookup.
    private func idsTogether(of many: [Octets16], in index: NameIndex) -> [[UInt32]] {
        var found = [[UInt32]](repeating: [], count: many.count)
        var last = -1
        index.forEach(of: many.span) { place, id in
            #expect(place >= last)
            last = place
            found[place].append(id)
        }
        return found.map { $0.sorted() }
    }

    private func expectAll(_ identifiers: [Octets16], and strangers: [Octets16] = []) {
        let index = NameIndex(identifiers)
        #expect(index.count == identifiers.count)
        let places = places(identifiers)
        let queries = Array(places.keys) + strangers
        let expected = queries.map { places[$0, default: []].sorted() }
        #expect(queries.map { ids(of: $0, in: index) } == expected)
        #expect(idsTogether(of: queries, in: index) == expected)
    }

    private func random(_ count: Int, seed: UInt64) -> [Octets16] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Octets16(high: generator.next(), low: generator.next()) }
    }

    @Test(arguments: [0, 1, 2, 5, 6, 7, 31, 32, 33, 127, 128, 129, 1000, 70_000])
    func `returns the same as a dictionary`(count: Int) {
        expectAll(random(count, seed: UInt64(count)), and: random(500, seed: 99))
    }

    @Test func `returns the same as a dictionary if it has several parts`() {
        let names = random(300_000, seed: 7)
        #expect(NameIndexShape(count: names.count).parts == 3)
        expectAll(names, and: random(10_000, seed: 99))
    }

    @Test(arguments: [2, 5, 6, 36, 1000]) func `finds all positions of one identifier`(count: Int) {
        let twin = Octets16(high: 5, low: 77 << 40)
        expectAll([Octets16](repeating: twin, count: count) + random(100, seed: 2))
        expectAll(
            random(100, seed: 2) + [Octets16](repeating: twin, count: count), and: [Octets16(high: 6, low: 77 << 40)])
    }

    @Test func `is not slower for equal identifiers than for others`() {
        // Comparing each identifier with all earlier ones would take 125 billion comparisons.
        let many = [Octets16](repeating: Octets16(high: 1, low: 2), count: 500_000)
        let index = NameIndex(many)
        #expect(ids(of: many[0], in: index) == Array(0..<500_000))
    }

    @Test(arguments: [0, 1, .max / 2, .max] as [UInt64])
    func `holds identifiers that all have the same home bucket`(low: UInt64) {
        let crowd = (0..<3000).map { Octets16(high: UInt64($0) &* 0x9e37_79b9_7f4a_7c15, low: low) }
        expectAll(crowd, and: [Octets16(high: 3, low: low), Octets16(high: 3, low: ~low)])
        expectAll(random(3000, seed: 4) + crowd, and: random(100, seed: 5))
        expectAll(crowd + random(3000, seed: 4))
    }

    @Test func `distinguishes identifiers with the same first half and with the same second half`() {
        // With at least 200 buckets, these second halves have different home buckets.
        let same = (0..<60).map { Octets16(high: 42, low: UInt64($0) << 58) }
        expectAll(random(400, seed: 8) + same, and: [Octets16(high: 42, low: 63 << 58), Octets16(high: 43, low: 0)])
        // All of these have the same mark bit.
        expectAll((0..<400).map { Octets16(high: UInt64($0) << 4, low: 9) }, and: [Octets16(high: 401 << 4, low: 9)])
    }

    @Test func `holds all zeros and all ones, which look like free slots`() {
        let edges = [Octets16(high: 0, low: 0), Octets16(high: .max, low: .max), Octets16(high: 0, low: .max)]
        expectAll(edges, and: [Octets16(high: .max, low: 0)])
        expectAll([Octets16(high: 1, low: 1)], and: edges)
    }

    @Test func `compares at least the first 64 bits and the number of the home bucket`() {
        let names = random(1000, seed: 11)
        let index = NameIndex(names)
        for (place, name) in names.enumerated() {
            for bit in 0..<64 as Range<UInt64> {
                #expect(ids(of: Octets16(high: name.high ^ 1 << bit, low: name.low), in: index).isEmpty)
            }
            // With 500 buckets, names whose second halves differ this much have different home buckets.
            #expect(ids(of: Octets16(high: name.high, low: name.low ^ 1 << 63), in: index).isEmpty)
            #expect(ids(of: name, in: index) == [UInt32(place)])
        }
    }

    @Test func `keeps nearly all names out of dictionaries`() {
        for count in [3000, 300_000] {
            #expect(NameIndex(random(count, seed: 12)).countInDictionaries < count / 200)
        }
    }

    @Test func `takes 17 bytes per name in a large index`() {
        let index = NameIndex(random(300_000, seed: 13))
        #expect(Double(index.byteCount) / 300_000 < 17)
    }

    @Test(arguments: [1, 3, 5, 8]) func `copies another index, except for the ids that are refused`(copies: Int) {
        var names = random(2000, seed: 14)
        // Many names with one home bucket, some of them equal, so that some are in later buckets and some in
        // dictionaries.
        names += (0..<200).map { Octets16(high: UInt64($0), low: 1 << 63) } + [Octets16](repeating: names[0], count: 50)
        var index = NameIndex(names)
        var kept = Set(0..<UInt32(names.count))
        for round in 0..<UInt32(copies) {
            let shape = index.shape
            let before = index
            index = NameIndex(
                shape,
                (0..<shape.parts).map { part in
                    var builder = NamePartBuilder(part, of: shape)
                    builder.insert(contentsOf: before) { $0 % 7 != round % 7 }
                    return builder.finished()
                })
            kept = kept.filter { $0 % 7 != round % 7 }
            #expect(index.count == kept.count)
            for (name, places) in places(names) {
                #expect(ids(of: name, in: index) == places.intersection(kept).sorted())
            }
        }
    }

    @Test func `holds more names than it was made for`() {
        let names = random(5000, seed: 15)
        let shape = NameIndexShape(count: 100)
        var builder = NamePartBuilder(0, of: shape)
        builder.insert(SortedNames(names, by: shape), firstID: 0, step: 1)
        let index = NameIndex(shape, [builder.finished()])
        #expect(shape.isOverfull(index.count) && !shape.isOverfull(100))
        #expect(names.indices.allSatisfy { ids(of: names[$0], in: index) == [UInt32($0)] })
    }

    @Test func `has no entries where a part is missing`() {
        let shape = NameIndexShape(count: 300_000)
        let index = NameIndex(shape, [])
        #expect(index.count == 0)
        #expect(random(100, seed: 16).allSatisfy { ids(of: $0, in: index).isEmpty })
    }
}
