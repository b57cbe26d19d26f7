internal import InklingEngine

/// A queue of planned events, the earliest first. Events at the same time keep the order in which they were planned.
struct Agenda<Event> {
    // Only moments are moved about; the events, which are larger, stay where they are.
    private var moments = PlannedMoments()
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
        moments.plan(place, at: moment)
    }

    /// Removes and returns the earliest event.
    mutating func next() -> (at: UInt64, what: Event)? {
        guard let plan = moments.next(), let what = events[plan.place] else { return nil }
        events[plan.place] = nil
        free.append(plan.place)
        return (plan.at, what)
    }
}
