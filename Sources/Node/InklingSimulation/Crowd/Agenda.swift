internal import InklingEngine

/// A queue of planned events, the earliest first. Simultaneous events keep the order in which they were planned.
struct Agenda<Event> {
    // Only times are reordered; the larger events stay in place.
    private var moments = PlannedMoments()
    /// The planned events, and nil at free places.
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
        moments.plan(place, at: moment)
    }

    /// Removes and returns the earliest event; returns nil if there is none.
    mutating func next() -> (at: UInt64, what: Event)? {
        guard let plan = moments.next(), let what = events[plan.place] else { return nil }
        events[plan.place] = nil
        free.append(plan.place)
        return (plan.at, what)
    }
}
