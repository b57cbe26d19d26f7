import InklingFleet
import InklingKeys
import Testing

private let start = Tick(milliseconds: 1_000_000)

private func later(_ milliseconds: UInt64) -> Tick { Tick(milliseconds: start.milliseconds + milliseconds) }

private let beacon = HeardBeacon(time: 1, uncertainty: 0, minor: 7, device: 1, rssi: -60, room: "hall")
private let source = "hall-0011223344556677"

@Suite struct SightingOutboxTests {
    /// Covers INK-FLT-004.
    @Test func `a sighting is sent every two seconds with its age until it is acknowledged`() {
        var outbox = SightingOutbox(source: source)
        outbox.add(beacon, at: start)
        outbox.add(beacon, at: later(100))
        let first = outbox.due(at: later(100))
        #expect(first.map(\.id.sequence) == [1, 2])
        #expect(first.map(\.age) == [100, 0])
        #expect(first.map(\.id.base) == [1, 1])
        let early = outbox.due(at: later(2_099))
        #expect(early.isEmpty)
        outbox.heard(Acknowledgement(fence: nil, sequences: [1]))
        let again = outbox.due(at: later(2_100))
        #expect(again.map(\.id) == [SightingID(source: source, sequence: 2, base: 2)])
        #expect(again.map(\.age) == [2_000])
        outbox.heard(Acknowledgement(fence: nil, sequences: [2, 99]))
        #expect(outbox.count == 0 && outbox.wake == nil && outbox.lost == 0)
    }

    /// Covers INK-FLT-004.
    @Test func `a sighting is given up after two minutes, or after 1024 later ones`() {
        var outbox = SightingOutbox(source: source)
        outbox.add(beacon, at: start)
        let (sent, old) = (outbox.due(at: later(119_999)), outbox.due(at: later(122_000)))
        #expect(sent.count == 1 && old.isEmpty)
        #expect(outbox.lost == 1)
        for _ in 0..<1_030 { outbox.add(beacon, at: later(122_000)) }
        #expect(outbox.count == 1_024 && outbox.lost == 7)
    }

    /// Covers INK-FLT-006.
    @Test func `an acknowledgement of an earlier holder does not count`() {
        var outbox = SightingOutbox(source: source)
        for _ in 0..<3 { outbox.add(beacon, at: start) }
        outbox.heard(Acknowledgement(fence: Fence(1, holder: "a"), sequences: [1]))
        outbox.heard(Fence(2, holder: "b"))
        outbox.heard(Acknowledgement(fence: Fence(1, holder: "a"), sequences: [2]))
        #expect(outbox.count == 2)
        outbox.heard(Acknowledgement(fence: Fence(3, holder: "a"), sequences: [2]))
        outbox.heard(Acknowledgement(fence: Fence(2, holder: "b"), sequences: [3]))
        #expect(outbox.count == 1)
    }

    /// Covers INK-FLT-001.
    @Test func `an address has a number in each epoch`() throws {
        var outbox = SightingOutbox(source: source)
        let (one, two) = (try #require(Epoch(100)), try #require(Epoch(101)))
        let first = [7, 8, 7].map { outbox.number(of: $0, in: one) }
        let second = [8, 7, nil].map { outbox.number(of: $0, in: two) }
        #expect(first == [1, 2, 1] && second == [1, 2, nil])
        let many = (0..<4_096 as Range<UInt64>).map { outbox.number(of: 100 + $0, in: two) }
        #expect(many.last == 0)
    }
}

@Suite struct SequenceWindowTests {
    /// Covers INK-FLT-031.
    @Test func `a number counts once, and not below the base`() {
        var window = SequenceWindow()
        let ids: [(UInt64, UInt64)] = [(5, 3), (5, 3), (3, 3), (2, 1), (7, 6)]
        let counted = ids.map { window.admit($0.0, base: $0.1) }
        #expect(counted == [true, false, true, false, true])
        #expect(window.base == 6 && window.seen == [7])
        let late = window.admit(6, base: 1)
        #expect(late)
        #expect(SequenceWindow(base: 6, seen: [5, 6, 7, 1_030]).seen == [6, 7])
    }

    @Test func `a window is bounded whatever the base is`() {
        var window = SequenceWindow()
        let counted = (1...5_000 as ClosedRange<UInt64>).filter { window.admit($0, base: 1) }
        #expect(counted.count == 5_000)
        #expect(window.seen.count == 1_024 && window.base == 3_977)
    }
}
