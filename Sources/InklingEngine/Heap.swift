/// A binary heap: the least element first, without keeping the others in order.
package struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    /// An empty heap.
    package init() {}

    /// A heap of these elements.
    package init(_ elements: some Sequence<Element>) {
        // What is sorted is a heap.
        self.elements = elements.sorted()
    }

    /// How many elements there are.
    package var count: Int { elements.count }

    /// The least element.
    package var first: Element? { elements.first }

    /// Adds an element.
    package mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out the least element.
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
