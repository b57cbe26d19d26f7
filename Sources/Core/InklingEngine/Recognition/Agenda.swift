internal import InklingKeys

/// A timer for each contact whose state changes by time alone; the earliest comes first.
struct Agenda: Sendable {
    private struct Appointment: Sendable, Comparable {
        let at: Tick
        let contact: ContactID

        static func < (left: Self, right: Self) -> Bool { (left.at, left.contact) < (right.at, right.contact) }
    }

    // Superseded appointments stay in the heap until they reach its top.
    private var heap = Heap<Appointment>()
    private var valid: [ContactID: Tick] = [:]

    /// The earliest moment for which a contact is planned.
    var first: Tick? {
        mutating get {
            while let top = heap.first, valid[top.contact] != top.at { heap.removeFirst() }
            return heap.first?.at
        }
    }

    /// Sets the moment at which a contact must be evaluated next; nil cancels it.
    mutating func plan(_ contact: ContactID, at moment: Tick?) {
        guard valid[contact] != moment else { return }
        valid[contact] = moment
        guard let moment else { return }
        heap.insert(Appointment(at: moment, contact: contact))
        // Rebuilding drops superseded appointments, so that the heap stays in proportion to the number of contacts.
        if heap.count > 64 + 4 * valid.count {
            heap = Heap(valid.map { Appointment(at: $0.value, contact: $0.key) })
        }
    }

    /// Removes and returns the contacts whose moment has come.
    mutating func due(at now: Tick) -> [ContactID] {
        var due: [ContactID] = []
        while let first, first <= now, let top = heap.removeFirst() {
            due.append(top.contact)
            valid[top.contact] = nil
        }
        return due
    }
}
