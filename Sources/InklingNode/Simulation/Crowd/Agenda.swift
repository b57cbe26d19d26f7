/// What is going to happen, the earliest first; what is planned for one moment happens in the order of planning.
struct Agenda<Happening> {
    private var heap: [(at: UInt64, number: UInt64, what: Happening)] = []
    private var count: UInt64 = 0

    /// Plans something for a moment in milliseconds.
    mutating func plan(_ what: Happening, at moment: UInt64) {
        heap.append((moment, count, what))
        count += 1
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out what comes first.
    mutating func next() -> (at: UInt64, what: Happening)? {
        guard let first = heap.first else { return nil }
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
                least = child
            }
            if least == parent { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.at, first.what)
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].at, heap[left].number) < (heap[right].at, heap[right].number)
    }
}
