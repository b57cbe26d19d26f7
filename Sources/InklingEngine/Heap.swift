/// A binary heap, which keeps its least element first.
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
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the least element in logarithmic time; nil if the heap is empty.
    @discardableResult
    package mutating func removeFirst() -> Element? {
        guard let first = elements.first else { return nil }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            if least == parent { return first }
            elements.swapAt(parent, least)
            parent = least
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
