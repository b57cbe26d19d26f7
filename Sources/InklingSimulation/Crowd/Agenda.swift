internal import InklingEngine

/// Planned events, the earliest first; events of one time happen in the order in which they were planned.
struct Agenda<Happening> {
    private struct Plan: Comparable {
        let at: UInt64, number: UInt64
        let what: Happening

        static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
        static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    private var heap = Heap<Plan>()
    private var count: UInt64 = 0

    /// Plans something for a moment in milliseconds.
    mutating func plan(_ what: Happening, at moment: UInt64) {
        heap.insert(Plan(at: moment, number: count, what: what))
        count += 1
    }

    /// Takes out what comes first.
    mutating func next() -> (at: UInt64, what: Happening)? { heap.removeFirst().map { ($0.at, $0.what) } }
}
