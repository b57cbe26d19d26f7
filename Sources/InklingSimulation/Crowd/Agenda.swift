internal import InklingEngine

/// A queue of planned events, the earliest first. Events at the same time keep the order in which they were planned.
struct Agenda<Event> {
    private var heap = Heap<PlannedMoment>()
    private var count: UInt64 = 0
    /// The events that are planned, and nil at the places that are free.
    private var events: [Event?] = []
    private var free: [Int] = []

    /// Plans an event for a time in milliseconds.
    mutating func plan(_ what: Event, at moment: UInt64) {
        let place: Int
        if let last = free.popLast() {
            place = last
            events[place] = what
        } else {
            place = events.count
            events.append(what)
        }
        heap.insert(PlannedMoment(at: moment, number: count, place: place))
        count += 1
    }

    /// Removes and returns the earliest event.
    mutating func next() -> (at: UInt64, what: Event)? {
        guard let plan = heap.removeFirst(), let what = events[plan.place] else { return nil }
        events[plan.place] = nil
        free.append(plan.place)
        return (plan.at, what)
    }
}

/// When an event is due, and the place where it waits. Moments are moved about in the heap; the events, which are larger, are
/// not.
private struct PlannedMoment: Comparable {
    let at: UInt64, number: UInt64
    let place: Int

    static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
}
