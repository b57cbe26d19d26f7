/// A binary heap, which keeps its least element first.
///
/// Other modules run its unspecialised generic code, which is several times slower; see `PlannedMoments`.
package struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    /// Creates an empty heap.
    package init() {}

    /// Creates a heap of these elements.
    package init(_ elements: some Sequence<Element>) {
        // A sorted array is a valid heap.
        self.elements = elements.sorted()
    }

    /// The number of elements.
    package var count: Int { elements.count }

    /// The least element; nil if the heap is empty.
    package var first: Element? { elements.first }

    /// Inserts an element in logarithmic time.
    package mutating func insert(_ element: Element) {
        elements.append(element)
        var place = elements.count - 1
        while place > 0, element < elements[(place - 1) / 2] {
            elements[place] = elements[(place - 1) / 2]
            place = (place - 1) / 2
        }
        elements[place] = element
    }

    /// Removes and returns the least element in logarithmic time; nil if the heap is empty.
    @discardableResult
    package mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        // The last element goes down from the top, and each least child goes up one step.
        var place = 0
        while 2 * place + 1 < elements.count {
            var child = 2 * place + 1
            if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
            guard elements[child] < last else { break }
            elements[place] = elements[child]
            place = child
        }
        elements[place] = last
        return first
    }
}

extension Heap: Sendable where Element: Sendable {}

/// A queue of planned moments, the earliest first; equal moments keep the order in which they were planned. It holds
/// only a place for each moment; the caller keeps what was planned there.
package struct PlannedMoments {
    private struct Moment: Comparable {
        let at: UInt64, number: UInt64
        let place: Int

        static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
        static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    private var heap = Heap<Moment>()
    private var count: UInt64 = 0

    /// Creates an empty plan.
    package init() {}

    /// Plans the caller's entry at `place` for a moment.
    package mutating func plan(_ place: Int, at moment: UInt64) {
        heap.insert(Moment(at: moment, number: count, place: place))
        count += 1
    }

    /// Removes and returns the earliest moment; nil if none is left.
    package mutating func next() -> (at: UInt64, place: Int)? { heap.removeFirst().map { ($0.at, $0.place) } }
}
