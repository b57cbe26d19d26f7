import Testing

@testable import InklingLinux

struct UnauthenticatedLinksTests {
    @Test func `keeps every link below the limits`() {
        var table = UnauthenticatedLinks<Int, String>(limit: 3, limitPerSource: 2)
        #expect(table.admit(1, from: "a") == [])
        #expect(table.admit(2, from: "a") == [])
        #expect(table.admit(3, from: "b") == [])
        #expect(table.all == [1, 2, 3])
    }

    @Test func `above the limit of a source its oldest link is replaced`() {
        var table = UnauthenticatedLinks<Int, String>(limit: 3, limitPerSource: 2)
        _ = table.admit(1, from: "b")
        _ = table.admit(2, from: "a")
        _ = table.admit(3, from: "a")
        #expect(table.admit(4, from: "a") == [2])
        #expect(table.all == [1, 3, 4])
    }

    @Test func `above the total limit the oldest link is replaced`() {
        var table = UnauthenticatedLinks<Int, String>(limit: 3, limitPerSource: 2)
        for (id, source) in [(1, "a"), (2, "b"), (3, "c")] { _ = table.admit(id, from: source) }
        #expect(table.admit(4, from: "d") == [1])
        #expect(table.all == [2, 3, 4])
    }

    @Test func `does not count links that have been removed`() {
        var table = UnauthenticatedLinks<Int, String>(limit: 2, limitPerSource: 2)
        _ = table.admit(1, from: "a")
        _ = table.admit(2, from: "a")
        table.remove(1)
        #expect(table.admit(3, from: "a") == [])
    }

    @Test func `ten thousand arrivals never exceed the limits`() {
        var table = UnauthenticatedLinks<Int, Int>(limit: 64, limitPerSource: 8)
        var bySource: [Int: Set<Int>] = [:]
        for id in 0..<10_000 {
            let source = id * 7919 % 23
            for leaving in table.admit(id, from: source) {
                for key in bySource.keys { bySource[key]?.remove(leaving) }
            }
            bySource[source, default: []].insert(id)
            #expect(table.count <= 64)
            #expect(bySource[source, default: []].count <= 8)
        }
        #expect(Set(table.all) == bySource.values.reduce(into: Set()) { $0.formUnion($1) })
    }
}
