import InklingKeys
import Testing

@testable import InklingWire

struct UnauthenticatedLinksTests {
    private typealias Table = UnauthenticatedLinks<Int, String>

    private func table(strangers: Int = 4, perSource: Int = 2, passed: Int = 3) -> Table {
        var limits = Table.Limits()
        limits.strangers = strangers
        limits.strangersPerSource = perSource
        limits.passed = passed
        limits.passedPerSource = 2
        return Table(limits: limits)
    }

    private func tick(_ milliseconds: UInt64) -> Tick { Tick(milliseconds: milliseconds) }

    /// Covers INK-HSK-032.
    @Test func `keeps every link below the limits`() {
        var table = table()
        for (id, source) in [(1, "a"), (2, "a"), (3, "b"), (4, "c")] {
            #expect(table.arrived(id, from: source, at: tick(0)) == .admitted(replacing: nil))
        }
        #expect(table.all == [1, 2, 3, 4])
    }

    /// Covers INK-HSK-057.
    @Test func `the longest waiting link of the source that holds most makes room`() {
        var table = table()
        for (id, source) in [(1, "b"), (2, "a"), (3, "a"), (4, "c")] {
            _ = table.arrived(id, from: source, at: tick(UInt64(id)))
        }
        #expect(table.arrived(5, from: "d", at: tick(400)) == .admitted(replacing: 2))
        #expect(table.all == [1, 3, 4, 5])
    }

    /// Covers INK-HSK-057.
    @Test func `a complete first message protects a link while another has none`() {
        var table = table(strangers: 3)
        for (id, source) in [(1, "a"), (2, "a"), (3, "b")] { _ = table.arrived(id, from: source, at: tick(0)) }
        table.completed(1)
        table.completed(2)
        #expect(table.arrived(4, from: "c", at: tick(300)) == .admitted(replacing: 3))
        table.completed(4)
        #expect(table.arrived(5, from: "d", at: tick(600)) == .admitted(replacing: 1))
    }

    /// Covers INK-HSK-058.
    @Test func `no link makes room in its first 300 ms, and the new one is refused instead`() {
        var table = table(strangers: 2)
        _ = table.arrived(1, from: "a", at: tick(100))
        _ = table.arrived(2, from: "b", at: tick(100))
        #expect(table.arrived(3, from: "c", at: tick(399)) == .refused)
        #expect(table.arrived(3, from: "c", at: tick(400)) == .admitted(replacing: 1))
    }

    /// Covers INK-HSK-032.
    @Test func `a source above its limit replaces a link of its own`() {
        var table = table()
        for (id, source) in [(1, "b"), (2, "a"), (3, "a")] { _ = table.arrived(id, from: source, at: tick(0)) }
        #expect(table.arrived(4, from: "a", at: tick(299)) == .refused)
        #expect(table.arrived(4, from: "a", at: tick(300)) == .admitted(replacing: 2))
        #expect(table.all == [1, 3, 4])
    }

    /// Covers INK-HSK-059.
    @Test func `a link that passed the gate is not displaced by strangers`() {
        var table = table(strangers: 2)
        _ = table.arrived(1, from: "a", at: tick(0))
        #expect(table.passedGate(1) == nil)
        for id in 2..<100 { _ = table.arrived(id, from: "s\(id)", at: tick(UInt64(id) * 300)) }
        #expect(table.all.contains(1))
        #expect(table.numbers.strangers.count == 2)
        #expect(table.numbers.passed == [1])
    }

    /// Covers INK-HSK-032.
    @Test func `links that passed the gate are limited too`() {
        var table = table(strangers: 10, perSource: 10)
        for (id, source) in [(1, "a"), (2, "b"), (3, "b"), (4, "b"), (5, "c")] {
            _ = table.arrived(id, from: source, at: tick(0))
        }
        #expect([1, 2, 3].map { table.passedGate($0) } == [nil, nil, nil])
        #expect(table.passedGate(4) == 2)
        #expect(table.passedGate(5) == 3)
        #expect(table.passedGate(9) == nil)
        #expect(table.all == [1, 4, 5])
    }

    @Test func `does not count links that have been removed`() {
        var table = table(strangers: 2)
        _ = table.arrived(1, from: "a", at: tick(0))
        _ = table.arrived(2, from: "a", at: tick(0))
        table.removed(1)
        #expect(table.arrived(3, from: "a", at: tick(0)) == .admitted(replacing: nil))
        _ = table.passedGate(2)
        table.removed(2)
        #expect(table.all == [3])
    }

    /// The earlier rule: 64 places, and the oldest makes room.
    private struct OldestFirst {
        private var places: [Int] = []

        mutating func arrived(_ id: Int) -> Int? {
            places.append(id)
            return places.count > 64 ? places.removeFirst() : nil
        }
    }

    @Test func `by the rule before, the same flood displaces every contact`() {
        var table = OldestFirst()
        let displaced = (0..<30_000).compactMap { table.arrived($0) }.count { $0 % 100 == 0 }
        // Of the 300 contacts, those of the last 21 ms were not displaced yet.
        #expect(displaced >= 299)
    }

    /// Covers INK-HSK-032, INK-HSK-057.
    @Test func `contacts keep their places while 240 sources send 3,000 links a second`() {
        var table = UnauthenticatedLinks<Int, Int>()
        var open: Set<Int> = []
        var displaced = 0
        var refused = 0
        for id in 0..<30_000 {
            // Every hundredth link is a contact's: its message comes 100 ms later, and its gate opens then.
            let isContact = id % 100 == 0
            switch table.arrived(id, from: isContact ? -id - 1 : id % 240, at: tick(UInt64(id) / 3)) {
            case .admitted(let victim):
                open.insert(id)
                if let victim {
                    open.remove(victim)
                    if victim % 100 == 0 { displaced += 1 }
                }
            case .refused: if isContact { refused += 1 }
            }
            let answered = id - 300
            if answered >= 0, answered % 100 == 0, open.contains(answered) {
                table.completed(answered)
                if let victim = table.passedGate(answered) { open.remove(victim) }
                table.removed(answered)
                open.remove(answered)
            }
            #expect(table.numbers.strangers.count <= 1_024)
        }
        #expect(displaced == 0)
        #expect(refused == 0)
        #expect(Set(table.all) == open)
    }
}
