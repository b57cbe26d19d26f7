/// A binary heap, which keeps its least element first.
///
/// Its code is visible to other modules, so that theirs is compiled for their elements: the comparisons are most of its
/// work.
package struct Heap<Element: Comparable> {
    @usableFromInline var elements: [Element] = []

    /// Creates an empty heap.
    @inlinable
    package init() {}

    /// Creates a heap of these elements.
    @inlinable
    package init(_ elements: some Sequence<Element>) {
        // A sorted array is a valid heap.
        self.elements = elements.sorted()
    }

    /// The number of elements.
    @inlinable
    package var count: Int { elements.count }

    /// The least element; nil if the heap is empty.
    @inlinable
    package var first: Element? { elements.first }

    /// Inserts an element in logarithmic time.
    @inlinable
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
    @inlinable
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
