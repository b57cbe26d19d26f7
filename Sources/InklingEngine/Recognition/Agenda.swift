/// When each contact is to be looked at again although nothing happens to it; the earliest first.
struct Agenda: Sendable {
    private struct Appointment: Sendable {
        let at: Tick
        let contact: ContactID
    }

    // A binary heap in which outdated appointments stay until they come up.
    private var heap: [Appointment] = []
    private var valid: [ContactID: Tick] = [:]

    /// The earliest moment.
    var first: Tick? {
        mutating get {
            while let top = heap.first, valid[top.contact] != top.at { removeTop() }
            return heap.first?.at
        }
    }

    /// Plans the next look at a contact; nil when there is no reason for one.
    mutating func plan(_ contact: ContactID, at moment: Tick?) {
        guard valid[contact] != moment else { return }
        valid[contact] = moment
        guard let moment else { return }
        heap.append(Appointment(at: moment, contact: contact))
        var child = heap.count - 1
        while child > 0, heap[child].at < heap[(child - 1) / 2].at {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
        if heap.count > 64 + 4 * valid.count { compact() }
    }

    /// Takes out everybody whose moment has come.
    mutating func due(at now: Tick) -> [ContactID] {
        var due: [ContactID] = []
        while let first, first <= now, let top = heap.first {
            due.append(top.contact)
            valid[top.contact] = nil
            removeTop()
        }
        return due
    }

    private mutating func removeTop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    /// Forgets what is outdated, so that the heap stays as small as there are contacts in it.
    private mutating func compact() {
        // Sorted, a list is a heap.
        heap = valid.map { Appointment(at: $0.value, contact: $0.key) }.sorted {
            ($0.at, $0.contact) < ($1.at, $1.contact)
        }
    }
}
