import InklingFleet
import InklingKeys
import Testing

private let fence = Fence(3, holder: "one")

private func reading(_ milliseconds: UInt64) -> ClockReading {
    ClockReading(tick: Tick(milliseconds: 1_000_000 + milliseconds), unixMilliseconds: 1_785_600_000_000 + milliseconds)
}

private func match(_ sequence: UInt64, base: UInt64 = 1, age: UInt64 = 0, of contact: String = "Bo") -> MatchMessage {
    MatchMessage(
        id: SightingID(source: "hall-0011223344556677", sequence: sequence, base: base), age: age, contact: contact,
        device: 0, rssi: -60, room: "hall")
}

private func stored(_ effects: [PresenceBook.Effect]) -> ContactRecord? {
    for effect in effects { if case .store(let record) = effect { return record } }
    return nil
}

@Suite struct PresenceBookTests {
    private func holder() -> PresenceBook {
        var book = PresenceBook(leaveAfter: .seconds(30))
        book.take(fence, at: reading(0))
        return book
    }

    /// Covers INK-FLT-032, INK-FLT-033, INK-FLT-034.
    @Test func `an arrival is stored before it is acknowledged, and a departure follows the last sighting`() throws {
        var book = holder()
        let first = book.hear(match(1), at: reading(0))
        let record = try #require(stored(first))
        #expect(first == [.store(record), .arrived("Bo", visit: 1), .acknowledge(match(1).id)])
        #expect(record.isPresent && record.visit == 1 && record.sightings == 1 && record.fence == fence)
        #expect(record.room == "hall" && record.since == reading(0).unixMilliseconds)
        let second = book.hear(match(2, age: 1_000), at: reading(5_000))
        #expect(stored(second)?.sightings == 2 && second.count == 2)
        #expect(book.wake == reading(34_000).tick)
        let end = book.timerFired(at: reading(34_000))
        #expect(end.last == .left("Bo", visit: 1) && stored(end)?.isPresent == false)
        let again = book.hear(match(3), at: reading(40_000))
        #expect(again.contains(.arrived("Bo", visit: 2)))
    }

    /// Covers INK-FLT-031.
    @Test func `a match that comes again is acknowledged and not counted`() {
        var book = holder()
        _ = book.hear(match(1), at: reading(0))
        let again = book.hear(match(1), at: reading(1_000))
        #expect(again == [.acknowledge(match(1).id)])
        #expect(book.contacts.map(\.sightings) == [1])
    }

    /// Covers INK-FLT-033.
    @Test func `a late match of a visit that is over is counted and begins no other`() {
        var book = holder()
        _ = book.hear(match(1), at: reading(0))
        _ = book.timerFired(at: reading(30_000))
        let late = book.hear(match(2, age: 2_000), at: reading(31_000))
        #expect(stored(late)?.sightings == 2 && stored(late)?.visit == 1 && stored(late)?.isPresent == false)
    }

    /// Covers INK-FLT-030, INK-FLT-033.
    @Test func `another holder goes on with what is kept, and nobody leaves in its first seconds`() throws {
        var one = holder()
        let first = one.hear(match(1), at: reading(0))
        let record = try #require(stored(first))
        var two = PresenceBook(leaveAfter: .seconds(30))
        two.begin()
        let waiting = two.hear(record) + two.hear(match(1), at: reading(1))
        #expect(waiting.isEmpty && two.wake == nil)
        two.take(Fence(4, holder: "two"), at: reading(29_000))
        #expect(two.wake == reading(39_000).tick)
        let known = two.hear(match(1), at: reading(29_001))
        #expect(stored(known)?.fence == Fence(4, holder: "two") && stored(known)?.sightings == 1)
        #expect(known.last == .acknowledge(match(1).id))
        let next = two.hear(match(2), at: reading(29_002))
        #expect(stored(next)?.sightings == 2 && stored(next)?.visit == 1)
        #expect(known.contains(.forget("Bo", fence)) && next.count == 2)
    }

    /// Covers INK-FLT-025.
    @Test func `a record of an earlier holder is not followed, and forgotten when there is an own one`() throws {
        let earlier = Fence(2, holder: "two")
        var book = PresenceBook(leaveAfter: .seconds(30))
        var kept = ContactRecord("Bo", fence: earlier)
        kept.sightings = 5
        _ = book.hear(kept)
        book.take(fence, at: reading(0))
        kept.sightings = 6
        let before = book.hear(kept)
        #expect(before.isEmpty && book.contacts.map(\.sightings) == [5])
        let first = book.hear(match(1), at: reading(0))
        #expect(stored(first)?.sightings == 6 && first.contains(.forget("Bo", earlier)))
        let after = book.hear(kept)
        #expect(after == [.forget("Bo", earlier)])
    }

    /// Covers INK-FLT-030.
    @Test func `of several records the one with the greatest fence counts, in whichever order they come`() {
        var (old, new) = (ContactRecord("Bo", fence: Fence(1, holder: "a")), ContactRecord("Bo", fence: fence))
        (old.sightings, new.sightings) = (9, 7)
        for order in [[old, new], [new, old]] {
            var book = PresenceBook()
            for record in order { _ = book.hear(record) }
            #expect(book.contacts.map(\.sightings) == [7])
        }
    }

    /// Covers INK-FLT-035.
    @Test func `a contact beyond the limit is not acknowledged`() {
        var book = holder()
        for number in 0..<PresenceBook.contactLimit {
            _ = book.hear(match(UInt64(number) + 1, of: "\(number)"), at: reading(0))
        }
        let refused = book.hear(match(501, of: "one more"), at: reading(0))
        #expect(refused.isEmpty)
        #expect(book.refused == 1)
    }
}
