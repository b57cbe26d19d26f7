/// An index from minors to ids: the ids of each of the 65,536 minors are adjacent, and a table says where they begin.
package struct MinorIndex: Sendable {
    // The offset at which the ids of each minor begin, and after the last one the number of ids. Where the numbers are
    // small enough, `starts` is empty and `narrowStarts` holds them in half the memory.
    private let starts: [UInt32]
    private let narrowStarts: [UInt16]
    private let ids: [UInt32]

    /// A list of minors whose ids increase by a fixed step.
    struct Series {
        let minors: [UInt16]
        let firstID: UInt32
        let step: UInt32
    }

    /// Creates the index of these minors; the id of each is its position.
    package init(_ minors: [UInt16]) {
        self.init(adding: [Series(minors: minors, firstID: 0, step: 1)])
    }

    /// Creates an index of the ids of an earlier one for which `isKept` returns true, and of these series.
    @inline(__always)
    init(keeping previous: MinorIndex? = nil, where isKept: (UInt32) -> Bool = { _ in true }, adding series: [Series]) {
        // Counts are stored two entries further on. After summing, entry `minor + 1` is where the ids of a minor begin;
        // filling advances it to where they end, as the finished table requires.
        var starts = [UInt32](repeating: 0, count: Self.minors + 2)
        if let previous {
            for minor in 0..<Self.minors {
                var kept: UInt32 = 0
                for place in previous.range(minor) { kept &+= isKept(previous.ids[place]) ? 1 : 0 }
                starts[minor + 2] = kept
            }
        }
        for one in series { for minor in one.minors { starts[Int(minor) + 2] &+= 1 } }
        var sum: UInt32 = 0
        for minor in 0..<Self.minors {
            sum &+= starts[minor + 2]
            starts[minor + 2] = sum
        }
        var ids = [UInt32](repeating: 0, count: Int(sum))
        // Entry `minor + 1` is the offset at which the next id of the minor is stored.
        if let previous {
            for minor in 0..<Self.minors {
                var next = starts[minor + 1]
                for place in previous.range(minor) where isKept(previous.ids[place]) {
                    ids[Int(next)] = previous.ids[place]
                    next &+= 1
                }
                starts[minor + 1] = next
            }
        }
        for one in series {
            var id = one.firstID
            for minor in one.minors {
                let next = starts[Int(minor) + 1]
                ids[Int(next)] = id
                starts[Int(minor) + 1] = next &+ 1
                id &+= one.step
            }
        }
        starts.removeLast()
        self.starts = sum > UInt16.max ? starts : []
        narrowStarts = sum > UInt16.max ? [] : starts.map { UInt16(truncatingIfNeeded: $0) }
        self.ids = ids
    }

    /// The number of ids in the index.
    package var count: Int { ids.count }

    /// The memory of the index in bytes.
    package var byteCount: Int { 4 * (starts.count + ids.count) + 2 * narrowStarts.count }

    /// The minors that have ids, ascending.
    package var present: some Sequence<UInt16> {
        (0..<Self.minors).lazy.filter { !range($0).isEmpty }.map { UInt16($0) }
    }

    /// The number of ids of a minor.
    package func count(of minor: UInt16) -> Int { range(Int(minor)).count }

    /// Calls `body` with each id of a minor, in the order in which they were added.
    @inline(__always)
    package func forEach(of minor: UInt16, _ body: (UInt32) -> Void) {
        for place in range(Int(minor)) { body(ids[place]) }
    }

    /// Calls `body` with the position of each of these values and with each id of its minor. Memory is read for a batch
    /// at a time, so that the accesses overlap.
    @inline(__always)
    package func forEach<Value>(of values: Span<Value>, _ minor: (Value) -> UInt16, _ body: (Int, UInt32) -> Void) {
        var first = 0
        while first < values.count {
            let end = min(first + Self.batch, values.count)
            var ranges = InlineArray<32, Range<Int>>(repeating: 0..<0)
            var firstIDs = InlineArray<32, UInt32>(repeating: 0)
            for index in first..<end {
                let range = range(Int(minor(values[index])))
                ranges[index &- first] = range
                if !range.isEmpty { firstIDs[index &- first] = ids[range.lowerBound] }
            }
            for index in first..<end {
                let range = ranges[index &- first]
                if range.isEmpty { continue }
                body(index, firstIDs[index &- first])
                for place in range.dropFirst() { body(index, ids[place]) }
            }
            first = end
        }
    }

    private static let minors = 65_536
    private static let batch = 32

    @inline(__always)
    private func range(_ minor: Int) -> Range<Int> {
        starts.isEmpty
            ? Int(narrowStarts[minor])..<Int(narrowStarts[minor + 1]) : Int(starts[minor])..<Int(starts[minor + 1])
    }
}
