internal import InklingKeys

/// A part of a `NameIndex`: consecutive buckets, and a dictionary of the identifiers that are not in them.
final class NamePart: Sendable {
    /// The number of identifiers in the part.
    let count: Int
    private let buckets: NameBuckets
    private let rest: [RestKey: [UInt32]]

    fileprivate struct RestKey: Hashable, Sendable {
        let home: Int
        let bits: UInt64
    }

    fileprivate init(count: Int, buckets: NameBuckets, rest: [RestKey: [UInt32]]) {
        self.count = count
        self.buckets = buckets
        self.rest = rest
    }

    var homes: Int { buckets.homes }

    var start: Line { buckets.start }

    var byteCount: Int { buckets.byteCount }

    var countInDictionary: Int { rest.values.reduce(0) { $0 + $1.count } }

    /// The ids of an identifier in the dictionary; `home` is the number of its home bucket within the part.
    func inDictionary(_ home: Int, _ bits: UInt64) -> [UInt32] { rest[RestKey(home: home, bits: bits), default: []] }

    /// Calls `body` with the mixed bits, the home and the id of each identifier in the buckets, in the order of the
    /// buckets.
    @inline(__always)
    fileprivate func forEachInBuckets(_ body: (UInt64, Int, UInt32) -> Void) {
        for bucket in 0..<buckets.homes + NameBuckets.reach {
            let line = buckets.line(bucket)
            for place in 0..<line.taken { body(line.bits(place), bucket &- line.distance(place), line.id(place)) }
        }
    }

    fileprivate func forEachInDictionary(_ body: (RestKey, UInt32) -> Void) {
        for (key, ids) in rest { for id in ids { body(key, id) } }
    }
}

/// Identifiers grouped by the part of an index to which they belong.
struct SortedNames: Sendable {
    fileprivate let octets: [Octets16]
    // The position that each had before sorting.
    fileprivate let places: [UInt32]
    // The offset at which the identifiers of each part begin, and after the last one the total number.
    private let starts: [Int]

    /// Sorts identifiers by the parts of an index of this shape.
    init(_ octets: [Octets16], by shape: NameIndexShape) {
        guard shape.parts > 1 else {
            self.octets = octets
            places = (0..<UInt32(truncatingIfNeeded: octets.count)).map(\.self)
            starts = [0, octets.count]
            return
        }
        var starts = [Int](repeating: 0, count: shape.parts + 2)
        for one in octets { starts[shape.home(of: one) >> shape.shift + 2] += 1 }
        for part in 2..<starts.count { starts[part] += starts[part - 1] }
        var sorted = octets
        var places = [UInt32](repeating: 0, count: octets.count)
        for (place, one) in octets.enumerated() {
            let part = shape.home(of: one) >> shape.shift
            sorted[starts[part + 1]] = one
            places[starts[part + 1]] = UInt32(truncatingIfNeeded: place)
            starts[part + 1] += 1
        }
        starts.removeLast()
        (self.octets, self.places, self.starts) = (sorted, places, starts)
    }

    var count: Int { octets.count }

    fileprivate func range(ofPart part: Int) -> Range<Int> {
        starts.indices.contains(part + 1) ? starts[part]..<starts[part + 1] : 0..<0
    }
}

/// Builds a part of a `NameIndex`.
struct NamePartBuilder: ~Copyable {
    private let part: Int
    private let shape: NameIndexShape
    private let buckets: NameBuckets
    private var rest: [NamePart.RestKey: [UInt32]] = [:]
    private var count = 0

    /// Creates a builder for the part with this number of an index of this shape.
    init(_ part: Int, of shape: NameIndexShape) {
        self.part = part
        self.shape = shape
        buckets = NameBuckets(homes: shape.homes(ofPart: part))
    }

    /// Inserts those of the identifiers that belong to this part. The id of each is `firstID` plus `step` times its
    /// original position, and must be below 2^32 − 1.
    mutating func insert(_ names: SortedNames, firstID: UInt32, step: UInt32) {
        let range = names.range(ofPart: part)
        count += range.count
        var first = range.lowerBound
        while first < range.upperBound {
            let end = min(first &+ NameIndex.batch, range.upperBound)
            var homes = InlineArray<32, Int>(repeating: 0)
            // Reading all home buckets of a batch first lets the memory accesses overlap. Until a name of the batch is
            // placed, more slots can be taken, never fewer.
            var taken = InlineArray<32, Int>(repeating: 0)
            for index in first..<end {
                let home = shape.home(of: names.octets[index]) & shape.mask
                homes[index &- first] = home
                taken[index &- first] = buckets.line(home).taken
            }
            for index in first..<end {
                place(
                    names.octets[index].mixed, homes[index &- first], firstID &+ names.places[index] &* step,
                    taken: taken[index &- first])
            }
            first = end
        }
    }

    /// Copies the identifiers for whose id `isKept` returns true from the same part of an index; does nothing if that
    /// index has another shape.
    @inline(__always)
    mutating func insert(contentsOf index: NameIndex, where isKept: (UInt32) -> Bool) {
        guard index.shape == shape, let part = index.part(part) else { return }
        part.forEachInBuckets { bits, home, id in
            guard isKept(id) else { return }
            place(bits, home, id, taken: 0)
            count &+= 1
        }
        part.forEachInDictionary { key, id in
            guard isKept(id) else { return }
            place(key.bits, key.home, id, taken: 0)
            count &+= 1
        }
    }

    /// Returns the part with everything that was inserted.
    consuming func finished() -> NamePart { NamePart(count: count, buckets: buckets, rest: rest) }

    @inline(__always)
    private mutating func place(_ bits: UInt64, _ home: Int, _ id: UInt32, taken: Int) {
        let line = buckets.line(home)
        if line.matches(bits) == 0 {
            for place in taken..<max(taken, NameBuckets.places) where line.id(place) == NameBuckets.free {
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
                // The buckets hold only the first of equal identifiers; the others go into the dictionary.
                if line.bits(place) == bits, line.distance(place) == distance { break scan }
            }
        }
        atHome.control |= Line.hasMore
        rest[NamePart.RestKey(home: home, bits: bits), default: []].append(id)
    }
}
