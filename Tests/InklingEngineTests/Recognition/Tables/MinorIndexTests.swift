import InklingTesting
import Testing

@testable import InklingEngine

@Suite struct `Index of minors` {
    private func ids(of minor: UInt16, in index: MinorIndex) -> [UInt32] {
        var found: [UInt32] = []
        index.forEach(of: minor) { found.append($0) }
        return found
    }

    private func idsTogether(of minors: [UInt16], in index: MinorIndex) -> [[UInt32]] {
        var found = [[UInt32]](repeating: [], count: minors.count)
        index.forEach(of: minors.span, { $0 }) { place, id in found[place].append(id) }
        return found
    }

    private func expectAll(_ index: MinorIndex, _ expected: [UInt16: [UInt32]]) {
        #expect(index.count == expected.values.reduce(0) { $0 + $1.count })
        let all = Array(UInt16.min...UInt16.max)
        let answers = all.map { expected[$0, default: []] }
        #expect(all.map { ids(of: $0, in: index) } == answers)
        #expect(idsTogether(of: all, in: index) == answers)
        #expect(all.map { index.count(of: $0) } == answers.map(\.count))
    }

    private func random(_ count: Int, below limit: UInt16 = .max, seed: UInt64) -> [UInt16] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt16.random(in: 0...limit, using: &generator) }
    }

    private func places(_ minors: [UInt16]) -> [UInt16: [UInt32]] {
        var places: [UInt16: [UInt32]] = [:]
        for (place, minor) in minors.enumerated() { places[minor, default: []].append(UInt32(place)) }
        return places
    }

    @Test(arguments: [0, 1, 40, 5000, 65_535, 65_536, 100_000]) func `returns the same as a dictionary`(count: Int) {
        let minors = random(count, seed: UInt64(count))
        expectAll(MinorIndex(minors), places(minors))
    }

    @Test func `holds the least minor, the greatest, and many equal ones`() {
        for minors in [[0], [.max], [0, .max, 0], [UInt16](repeating: 77, count: 1000)] as [[UInt16]] {
            expectAll(MinorIndex(minors), places(minors))
        }
    }

    @Test func `copies another index, except for the ids that are refused, and adds to it`() {
        let before = random(3000, below: 500, seed: 3)
        let added = [random(1000, below: 500, seed: 4), [], random(10, seed: 5)]
        let index = MinorIndex(
            keeping: MinorIndex(before), where: { $0 % 3 != 1 },
            adding: added.enumerated().map { MinorIndex.Series(minors: $1, firstID: UInt32($0) << 20, step: 4) })
        var expected = places(before).mapValues { $0.filter { $0 % 3 != 1 } }
        for (number, minors) in added.enumerated() {
            for (place, minor) in minors.enumerated() {
                expected[minor, default: []].append(UInt32(number) << 20 + 4 * UInt32(place))
            }
        }
        expectAll(index, expected)
    }

    @Test
    func `takes a quarter of a megabyte and 4 bytes for each minor, and half as much before them if there are few`() {
        #expect(MinorIndex(random(65_535, seed: 6)).byteCount == 2 * 65_537 + 4 * 65_535)
        #expect(MinorIndex(random(65_536, seed: 6)).byteCount == 4 * (65_537 + 65_536))
    }
}
