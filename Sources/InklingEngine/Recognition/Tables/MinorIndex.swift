/// Ids by minors: the ids of each of the 65,536 minors stand side by side, and a table says where they begin.
package struct MinorIndex: Sendable {
    // Where the ids of each minor begin, and behind the last the number of ids.
    private let starts: [UInt32]
    private let ids: [UInt32]

    /// Minors of which each has the id after the one before, by a fixed step.
    struct Series {
        let minors: [UInt16]
        let firstID: UInt32
        let step: UInt32
    }

    /// The index of these minors; each has the id of its place.
    package init(_ minors: [UInt16]) {
        self.init(adding: [Series(minors: minors, firstID: 0, step: 1)])
    }

    /// The index of what `isKept` leaves of an earlier index, and of these series.
    @inline(__always)
    init(keeping previous: MinorIndex? = nil, where isKept: (UInt32) -> Bool = { _ in true }, adding series: [Series]) {
        // One entry more than the table, so that what is counted for a minor ends up as where it begins.
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
        // While it is filled, the entry behind a minor's says where its next id goes; in the end that is its end.
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
        self.starts = starts
        self.ids = ids
    }

    /// How many ids the index holds.
    package var count: Int { ids.count }

    /// Bytes of memory.
    package var byteCount: Int { 4 * (starts.count + ids.count) }

    /// How many ids a minor has.
    package func count(of minor: UInt16) -> Int { range(Int(minor)).count }

    /// Hands on the ids of a minor, in the order in which they were added.
    @inline(__always)
    package func forEach(of minor: UInt16, _ body: (UInt32) -> Void) {
        for place in range(Int(minor)) { body(ids[place]) }
    }

    /// Hands on, for each of many minors, its index and its ids; memory is asked for many at a time.
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
    private func range(_ minor: Int) -> Range<Int> { Int(starts[minor])..<Int(starts[minor + 1]) }
}
