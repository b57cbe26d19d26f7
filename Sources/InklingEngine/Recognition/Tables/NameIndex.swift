package import InklingKeys

/// Ids by identifiers of 16 bytes, of which many may be the same (`Specs/recognition.md`).
///
/// Identifiers are cut from HMACs, so their own bits spread them. What is compared is the first 64 bits and the number of
/// the bucket, which comes from the last 64: at least 64 + log2(buckets) bits. A look-up takes one cache line nearly
/// always, never more than 7 and one look into a dictionary. Equal identifiers, and those of a part of the index that has
/// no room, stand in that dictionary, so that building takes the same time whatever the values are.
package struct NameIndex: Sendable {
    /// How many identifiers are looked up together.
    package static let batch = 32

    /// How many identifiers the index holds.
    package let count: Int
    private let buckets: NameBuckets
    private let rest: [RestKey: [UInt32]]

    /// The index of these identifiers; each has the id of its place.
    package init(_ identifiers: [Octets16]) {
        var builder = NameIndexBuilder(homes: NameIndexBuilder.homes(for: identifiers.count))
        builder.insert(identifiers) { UInt32(truncatingIfNeeded: $0) }
        self = builder.finished()
    }

    fileprivate init(count: Int, buckets: NameBuckets, rest: [RestKey: [UInt32]]) {
        self.count = count
        self.buckets = buckets
        self.rest = rest
    }

    /// How many buckets an identifier can belong to.
    var homes: Int { buckets.homes }

    /// Bytes of memory, without what stands in the dictionary.
    package var byteCount: Int { buckets.byteCount }

    /// How many identifiers stand in the dictionary.
    var countInDictionary: Int { rest.values.reduce(0) { $0 + $1.count } }

    /// Hands on the ids of an identifier, in no particular order.
    package func forEach(of octets: Octets16, _ body: (UInt32) -> Void) {
        let home = buckets.home(of: octets)
        let line = buckets.line(home)
        find(octets.high, home, line, line.control, body)
    }

    /// Hands on, for each of many identifiers, its index and its ids, in the order of the indices.
    ///
    /// Memory is asked for many at a time, so that one waits for all of them and not for each.
    @inline(__always)
    package func forEach<Value>(
        of values: Span<Value>, _ octets: (Value) -> Octets16, _ body: (Int, UInt32) -> Void
    ) {
        var first = 0
        while first < values.count {
            let end = min(first + Self.batch, values.count)
            var homes = InlineArray<32, Int>(repeating: 0)
            var controls = InlineArray<32, UInt32>(repeating: 0)
            for index in first..<end {
                let home = buckets.home(of: octets(values[index]))
                homes[index &- first] = home
                controls[index &- first] = buckets.line(home).control
            }
            for index in first..<end {
                let home = homes[index &- first]
                find(octets(values[index]).high, home, buckets.line(home), controls[index &- first]) {
                    body(index, $0)
                }
            }
            first = end
        }
    }

    @inline(__always)
    private func find(_ bits: UInt64, _ home: Int, _ line: Line, _ control: UInt32, _ body: (UInt32) -> Void) {
        let matches = line.matches(bits)
        guard matches | control & (Line.mark(bits) | Line.hasMore) != 0 else { return }
        let place = matches.trailingZeroBitCount
        if place < NameBuckets.places, line.distance(place) == 0, control & Line.hasMore == 0,
            line.id(place) != NameBuckets.free
        {
            return body(line.id(place))
        }
        search(bits, home, body)
    }

    /// What is not simply the only one of its kind and at home.
    @inline(never)
    private func search(_ bits: UInt64, _ home: Int, _ body: (UInt32) -> Void) {
        let control = buckets.line(home).control
        scan: for distance in 0...NameBuckets.reach {
            let line = buckets.line(home + distance)
            for place in 0..<NameBuckets.places where line.bits(place) == bits && line.distance(place) == distance {
                guard line.id(place) != NameBuckets.free else { continue }
                body(line.id(place))
                // Its equals, if there are any, are in the dictionary.
                break scan
            }
            if control & Line.mark(bits) == 0 || !line.isFull { break }
        }
        guard control & Line.hasMore != 0 else { return }
        for id in rest[RestKey(home: home, bits: bits), default: []] { body(id) }
    }

    /// Hands on everything that the buckets hold: the bits, the home and the id, in the order of the buckets.
    @inline(__always)
    fileprivate func forEachInBuckets(_ body: (UInt64, Int, UInt32) -> Void) {
        for bucket in 0..<buckets.homes + NameBuckets.reach {
            let line = buckets.line(bucket)
            let control = line.control
            for place in 0..<NameBuckets.places {
                let id = line.id(place)
                if id == NameBuckets.free { break }
                let distance = Int(truncatingIfNeeded: control >> UInt32(truncatingIfNeeded: 17 &+ 3 &* place) & 7)
                body(line.bits(place), bucket - distance, id)
            }
        }
    }

    fileprivate func forEachInDictionary(_ body: (RestKey, UInt32) -> Void) {
        for (key, ids) in rest { for id in ids { body(key, id) } }
    }
}

/// An identifier without room in the buckets near its home.
struct RestKey: Hashable, Sendable {
    let home: Int
    let bits: UInt64
}

/// Builds a `NameIndex`.
struct NameIndexBuilder: ~Copyable {
    private let buckets: NameBuckets
    private var rest: [RestKey: [UInt32]] = [:]
    private var count = 0

    /// So many identifiers in a bucket of 5 are 16.9 bytes for each.
    private static let load = 3.787

    /// How many homes this many identifiers are given.
    static func homes(for count: Int) -> Int { Int((Double(count) / load).rounded(.up)) }

    /// Whether this many identifiers are more than these homes should hold: most of a look-up would be in dictionaries.
    static func isOverfull(homes: Int, count: Int) -> Bool { count > homes * 9 / 2 }

    /// An empty index with this many homes.
    init(homes: Int) { buckets = NameBuckets(homes: homes) }

    /// Puts identifiers in; each has the id that `id` makes of its place. An id is below 2^32 − 1.
    @inline(__always)
    mutating func insert(_ identifiers: [Octets16], id: (Int) -> UInt32) {
        count += identifiers.count
        var first = 0
        while first < identifiers.count {
            let end = min(first + NameIndex.batch, identifiers.count)
            var homes = InlineArray<32, Int>(repeating: 0)
            // Asked for early, all together. What comes between can only take more places.
            var taken = InlineArray<32, Int>(repeating: 0)
            for index in first..<end {
                let home = buckets.home(of: identifiers[index])
                homes[index &- first] = home
                taken[index &- first] = buckets.line(home).taken
            }
            for index in first..<end {
                place(identifiers[index].high, homes[index &- first], id(index), taken: taken[index &- first])
            }
            first = end
        }
    }

    /// Takes over the identifiers of an index with as many homes, except those whose id `isKept` refuses.
    @inline(__always)
    mutating func insert(contentsOf index: NameIndex, where isKept: (UInt32) -> Bool) {
        guard index.homes == buckets.homes else { return }
        index.forEachInBuckets { bits, home, id in
            guard isKept(id) else { return }
            place(bits, home, id, taken: 0)
            count += 1
        }
        index.forEachInDictionary { key, id in
            guard isKept(id) else { return }
            place(key.bits, key.home, id, taken: 0)
            count += 1
        }
    }

    /// The index of everything that was put in.
    consuming func finished() -> NameIndex {
        NameIndex(count: count, buckets: buckets, rest: rest)
    }

    @inline(__always)
    private mutating func place(_ bits: UInt64, _ home: Int, _ id: UInt32, taken: Int) {
        let line = buckets.line(home)
        if line.matches(bits) == 0 {
            for place in min(taken, NameBuckets.places)..<NameBuckets.places where line.id(place) == NameBuckets.free {
                line.put(place, bits, id, distance: 0)
                return
            }
        }
        placeElsewhere(bits, home, id)
    }

    @inline(never)
    private mutating func placeElsewhere(_ bits: UInt64, _ home: Int, _ id: UInt32) {
        let atHome = buckets.line(home)
        scan: for distance in 0...NameBuckets.reach {
            let line = buckets.line(home + distance)
            for place in 0..<NameBuckets.places {
                if line.id(place) == NameBuckets.free {
                    line.put(place, bits, id, distance: distance)
                    if distance > 0 { atHome.control |= Line.mark(bits) }
                    return
                }
                // An equal one: where the first is, there is room for it alone.
                if line.bits(place) == bits, line.distance(place) == distance { break scan }
            }
        }
        atHome.control |= Line.hasMore
        rest[RestKey(home: home, bits: bits), default: []].append(id)
    }
}
