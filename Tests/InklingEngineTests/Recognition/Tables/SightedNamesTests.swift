import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@Suite struct `Index of sighted names` {
    @Test func `finds all sightings of each predicted name`() {
        var generator = SeededGenerator(seed: 1)
        let seen = (0..<2000).map { _ in OpaqueServiceName(Octets16(high: generator.next(), low: generator.next())) }
        // Every third name is seen a second time, and every sixth a third time.
        let sightings =
            seen + stride(from: 0, to: 2000, by: 3).map { seen[$0] } + stride(from: 0, to: 2000, by: 6).map { seen[$0] }
        let table = SightedNames(sightings)
        #expect(table.count == sightings.count)
        let predicted = seen.shuffled(using: &generator) + (0..<500).map(stranger)
        var found = [Set<Int>](repeating: [], count: predicted.count)
        table.forEachSighting(of: predicted.span) { found[$0].insert($1) }
        var places: [OpaqueServiceName: Set<Int>] = [:]
        for (place, name) in sightings.enumerated() { places[name, default: []].insert(place) }
        #expect(found == predicted.map { places[$0, default: []] })
    }

    @Test func `finds nothing if there are no sightings`() {
        SightedNames([]).forEachSighting(of: [stranger(1)].span) { Issue.record("\($0) was seen at \($1)") }
    }
}
