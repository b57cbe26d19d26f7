internal import InklingEngine

/// A queue of planned events, the earliest first. Events at the same time keep the order in which they were planned.
struct Agenda<Event> {
    private struct Plan: Comparable {
        let at: UInt64, number: UInt64
        let what: Event

        static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
        static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    private var heap = Heap<Plan>()
    private var count: UInt64 = 0

    /// Plans an event for a time in milliseconds.
    mutating func plan(_ what: Event, at moment: UInt64) {
        heap.insert(Plan(at: moment, number: count, what: what))
        count += 1
    }

    /// Removes and returns the earliest event.
    mutating func next() -> (at: UInt64, what: Event)? { heap.removeFirst().map { ($0.at, $0.what) } }
}
