internal import InklingKeys

/// When each contact is to be looked at again although nothing happens to it; the earliest first.
struct Agenda: Sendable {
    private struct Appointment: Sendable, Comparable {
        let at: Tick
        let contact: ContactID

        static func < (left: Self, right: Self) -> Bool { (left.at, left.contact) < (right.at, right.contact) }
    }

    // Outdated appointments stay until they come up.
    private var heap = Heap<Appointment>()
    private var valid: [ContactID: Tick] = [:]

    /// The earliest moment.
    var first: Tick? {
        mutating get {
            while let top = heap.first, valid[top.contact] != top.at { heap.removeFirst() }
            return heap.first?.at
        }
    }

    /// Plans the next look at a contact; nil when there is no reason for one.
    mutating func plan(_ contact: ContactID, at moment: Tick?) {
        guard valid[contact] != moment else { return }
        valid[contact] = moment
        guard let moment else { return }
        heap.insert(Appointment(at: moment, contact: contact))
        // The heap stays as small as there are contacts in it.
        if heap.count > 64 + 4 * valid.count {
            heap = Heap(valid.map { Appointment(at: $0.value, contact: $0.key) })
        }
    }

    /// Takes out everybody whose moment has come.
    mutating func due(at now: Tick) -> [ContactID] {
        var due: [ContactID] = []
        while let first, first <= now, let top = heap.removeFirst() {
            due.append(top.contact)
            valid[top.contact] = nil
        }
        return due
    }
}
