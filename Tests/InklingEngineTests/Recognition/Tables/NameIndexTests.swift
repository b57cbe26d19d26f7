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
        #expect(NameIndexShape(count: names.count).parts == 11)
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
        // In 65 groups, most of these second halves have different homes.
        let same = (0..<60).map { Octets16(high: 42, low: UInt64($0) << 58) }
        expectAll(random(400, seed: 8) + same, and: [Octets16(high: 42, low: 63 << 58), Octets16(high: 43, low: 0)])
        // All of these have the same mark, and their tags differ.
        expectAll((0..<400).map { Octets16(high: UInt64($0) << 4, low: 9) }, and: [Octets16(high: 401 << 4, low: 9)])
    }

    @Test(arguments: [0, 1, 0xfffe, 0xffff] as [UInt64], [2, 13, 14, 400])
    func `distinguishes identifiers with the same tag and the same home`(tag: UInt64, count: Int) {
        let same = (0..<count).map { Octets16(high: UInt64($0) << 16 | tag, low: 1 << 40) }
        let strangers = [Octets16(high: UInt64(count) << 16 | tag, low: 1 << 40), Octets16(high: tag, low: 1 << 41)]
        expectAll(same, and: strangers)
        expectAll(random(500, seed: 9) + same, and: strangers)
        expectAll(same + random(500, seed: 9), and: strangers)
    }

    @Test func `holds all zeros and all ones, which look like free slots`() {
        let edges = [Octets16(high: 0, low: 0), Octets16(high: .max, low: .max), Octets16(high: 0, low: .max)]
        expectAll(edges, and: [Octets16(high: .max, low: 0)])
        expectAll([Octets16(high: 1, low: 1)], and: edges)
    }

    @Test func `compares all bits of an identifier`() {
        let names = random(1000, seed: 11)
        let index = NameIndex(names)
        for (place, name) in names.enumerated() {
            for bit in 0..<64 as Range<UInt64> {
                #expect(ids(of: Octets16(high: name.high ^ 1 << bit, low: name.low), in: index).isEmpty)
                #expect(ids(of: Octets16(high: name.high, low: name.low ^ 1 << bit), in: index).isEmpty)
            }
            #expect(ids(of: name, in: index) == [UInt32(place)])
        }
    }

    @Test func `keeps nearly all names out of dictionaries`() {
        for count in [3000, 300_000] {
            #expect(NameIndex(random(count, seed: 12)).countInDictionaries < count / 200)
        }
    }

    @Test func `takes 29 bytes per name`() {
        for count in [10_000, 300_000] {
            #expect(Double(NameIndex(random(count, seed: 13)).byteCount) / Double(count) < 29)
        }
    }

    @Test(arguments: [0b1111, 0b0111, 0b1010, 0b0001, 0] as [UInt32])
    func `copies another index, except for the ids that are left out, and adds to it`(kept: UInt32) {
        var names = random(2000, seed: 14)
        // Many names with one home, some of them equal, so that some are in later groups and some in dictionaries.
        names += (0..<200).map { Octets16(high: UInt64($0), low: 1 << 63) } + [Octets16](repeating: names[0], count: 50)
        var index = NameIndex(names)
        let shape = index.shape
        var expected = places(names)
        var ids = kept
        for round in 0..<3 as Range<UInt32> {
            expected = expected.mapValues { $0.filter { ids >> ($0 & 3) & 1 == 1 } }
            // An added id has the last two bits of the round, and step 4.
            let added = random(100, seed: UInt64(round) + 20) + [names[0], names[1]]
            for (place, name) in added.enumerated() {
                expected[name, default: []].insert(100_000 * (round + 1) + round & 3 + 4 * UInt32(place))
            }
            let series = NameSeries(
                names: SortedNames(added, by: shape), firstID: 100_000 * (round + 1) + round & 3, step: 4)
            let taken = KeptNames(index: index, ids: ids)
            let counts = (0..<shape.parts).map { taken.count(ofPart: $0) + series.names.count(ofPart: $0) }
            let storage = NameStorage(shape, counts: counts)
            index = NameIndex(
                storage,
                (0..<shape.parts).compactMap { NamePart($0, in: storage, keeping: taken, adding: [series]) })
            #expect(index.count == expected.values.reduce(0) { $0 + $1.count })
            for (name, places) in expected { #expect(self.ids(of: name, in: index) == places.sorted()) }
            // The next round keeps what this one has added.
            ids = kept | 1 << (round & 3)
        }
    }

    @Test func `holds more names than it was made for`() {
        let names = random(5000, seed: 15)
        let shape = NameIndexShape(count: 100)
        let sorted = SortedNames(names, by: shape)
        let storage = NameStorage(shape, counts: [5000])
        let part = NamePart(0, in: storage, adding: [NameSeries(names: sorted, firstID: 0, step: 1)])
        let index = NameIndex(storage, [part].compactMap(\.self))
        #expect(shape.isOverfull(index.count) && !shape.isOverfull(100))
        #expect(names.indices.allSatisfy { ids(of: names[$0], in: index) == [UInt32($0)] })
    }

    @Test func `has no entries where a part is missing`() {
        let shape = NameIndexShape(count: 300_000)
        let index = NameIndex(NameStorage(shape, counts: [Int](repeating: 1000, count: shape.parts)), [])
        #expect(index.count == 0)
        #expect(random(100, seed: 16).allSatisfy { ids(of: $0, in: index).isEmpty })
    }

    @Test func `is empty if a missing part was claimed by another, who may be writing it`() {
        let names = random(300_000, seed: 17)
        let shape = NameIndexShape(count: names.count)
        let sorted = SortedNames(names, by: shape)
        let storage = NameStorage(shape, counts: (0..<shape.parts).map(sorted.count(ofPart:)))
        let added = [NameSeries(names: sorted, firstID: 0, step: 1)]
        let parts = (0..<shape.parts).compactMap { NamePart($0, in: storage, adding: added) }
        #expect(parts.count == shape.parts)
        #expect(NamePart(3, in: storage, adding: added) == nil)
        let index = NameIndex(storage, parts.filter { $0.number != 3 })
        #expect(index.count == 0)
        #expect(names.prefix(100).allSatisfy { ids(of: $0, in: index).isEmpty })
        let whole = NameIndex(storage, parts)
        #expect(whole.count == 300_000)
    }
}
