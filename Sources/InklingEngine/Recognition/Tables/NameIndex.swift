internal import CNameLines
package import InklingKeys

/// A hash index from identifiers of 16 bytes to ids; several ids can have equal identifiers (`Specs/recognition.md`).
///
/// Identifiers are truncated HMACs, so that their own bits serve as the hash. A lookup compares 64 bits that mix all
/// 128, and the number of the home bucket, which is derived from the last 64: at least 64 + log2(buckets) bits. It
/// nearly always reads one cache line, and at most 7 and a dictionary. That dictionary holds the second and further of
/// equal identifiers, and those for which no bucket has room, so that the time to build the index does not depend on
/// the values.
@safe
package final class NameIndex: @unchecked Sendable {
    // Sendable because nothing is written after `init`.

    /// The number of identifiers that are inserted together.
    package static let batch = 32

    /// The number of identifiers in the index.
    package let count: Int
    let shape: NameIndexShape
    private let parts: [NamePart]
    // The first bucket of each part, in memory that `parts` keeps alive.
    private let starts: UnsafeMutablePointer<Line>

    /// Creates the index of these identifiers; the id of each is its position.
    package convenience init(_ identifiers: [Octets16]) {
        let shape = NameIndexShape(count: identifiers.count)
        let sorted = SortedNames(identifiers, by: shape)
        self.init(
            shape,
            (0..<shape.parts).map { part in
                var builder = NamePartBuilder(part, of: shape)
                builder.insert(sorted, firstID: 0, step: 1)
                return builder.finished()
            })
    }

    /// Creates an index from its parts; a part that is missing or has another shape becomes empty.
    init(_ shape: NameIndexShape, _ parts: [NamePart]) {
        self.shape = shape
        self.parts = (0..<shape.parts).map { part in
            parts.indices.contains(part) && parts[part].homes == shape.homes(ofPart: part)
                ? parts[part] : NamePartBuilder(part, of: shape).finished()
        }
        count = self.parts.reduce(0) { $0 + $1.count }
        unsafe starts = .allocate(capacity: shape.parts)
        for (index, part) in self.parts.enumerated() { unsafe (starts + index).initialize(to: part.start) }
    }

    deinit { unsafe starts.deallocate() }

    func part(_ index: Int) -> NamePart? { parts.indices.contains(index) ? parts[index] : nil }

    /// The memory of the buckets in bytes, without the dictionaries.
    package var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    /// The number of identifiers that are in dictionaries.
    package var countInDictionaries: Int { parts.reduce(0) { $0 + $1.countInDictionary } }

    /// A view for lookups without reference counting; valid while this object lives.
    @inline(__always)
    var view: NameView { unsafe NameView(starts: starts, shape: shape) }

    /// Calls `body` with each id of an identifier, in no particular order.
    package func forEach(of octets: Octets16, _ body: (UInt32) -> Void) {
        switch view.find(octets) {
        case NameView.none: break
        case NameView.several: for id in all(of: octets) { body(id) }
        case let id: body(id)
        }
    }

    /// Calls `body` with the index of each of these identifiers and with each of its ids, in the order of the indices;
    /// faster than one lookup per identifier.
    package func forEach(of identifiers: Span<Octets16>, _ body: (Int, UInt32) -> Void) {
        unsafe identifiers.withUnsafeBufferPointer { unsafe forEach(of: $0, body) }
    }

    @inline(__always)
    func forEach(of identifiers: UnsafeBufferPointer<Octets16>, _ body: (Int, UInt32) -> Void) {
        unsafe view.forEachBatch(of: identifiers, prefetching: { _ in }) { index, id in
            if id == NameView.several {
                for id in unsafe all(of: identifiers[index]) { body(index, id) }
            } else {
                body(index, id)
            }
        }
    }

    /// All ids of an identifier, from its bucket and from the dictionary.
    func all(of octets: Octets16) -> [UInt32] {
        let home = shape.home(of: octets)
        let id = view.search(octets.mixed, home, bucketsOnly: true)
        return (id == NameView.none ? [] : [id])
            + parts[home >> shape.shift].inDictionary(home & shape.mask, octets.mixed)
    }
}

/// Looks identifiers up in the buckets of an index, which the caller keeps alive.
@safe
struct NameView: @unchecked Sendable {
    // Sendable because it only reads.

    /// Returned instead of an id: the index has no such identifier.
    static let none = UInt32.max
    /// Returned instead of an id: there may be several ids, or one in a dictionary.
    static let several = UInt32.max - 1

    private let starts: UnsafeMutablePointer<Line>
    private let shape: NameIndexShape

    fileprivate init(starts: UnsafeMutablePointer<Line>, shape: NameIndexShape) {
        unsafe self.starts = starts
        self.shape = shape
    }

    /// The id of an identifier, or `none`, or `several`.
    @inline(__always)
    func find(_ octets: Octets16) -> UInt32 {
        let home = shape.home(of: octets)
        return find(octets.mixed, home, line(home))
    }

    /// Calls `body`, for each identifier that the index has, with its position and the result of `find`, in the order
    /// of the positions.
    ///
    /// Memory is prefetched for a batch at a time, so that the waits overlap: here the buckets, and in `prefetch`,
    /// which is called with all ids of a batch before `body` is called with the first, what the caller reads.
    @inline(__always)
    func forEachBatch(
        of octets: UnsafeBufferPointer<Octets16>, prefetching prefetch: (UInt32) -> Void,
        _ body: (Int, UInt32) -> Void
    ) {
        unsafe withUnsafeTemporaryAllocation(of: name_lines_hit.self, capacity: 256) { hits in
            var first = 0
            while first < octets.count {
                let count = unsafe find(octets, first, hits)
                for hit in 0..<count { unsafe prefetch(hits[hit].id) }
                for hit in 0..<count {
                    let index = unsafe first &+ Int(truncatingIfNeeded: hits[hit].index)
                    let id = unsafe hits[hit].id == Self.several ? find(octets[index]) : hits[hit].id
                    if id != Self.none { body(index, id) }
                }
                first &+= hits.count
            }
        }
    }

    /// Looks up as many identifiers, from position `first` on, as `hits` has room for. Returns the number of hits.
    @inline(never)
    private func find(
        _ octets: UnsafeBufferPointer<Octets16>, _ first: Int, _ hits: UnsafeMutableBufferPointer<name_lines_hit>
    ) -> Int {
        guard let names = octets.baseAddress, let found = hits.baseAddress, first < octets.count else { return 0 }
        let known = octets.count - first
        // The C function reads an `Octets16` as two 64-bit numbers, the more significant first, and a `Line` as a
        // pointer to its bucket.
        return unsafe (names + first).withMemoryRebound(to: UInt64.self, capacity: 2 * known) { names in
            unsafe UnsafeRawPointer(starts).withMemoryRebound(to: UnsafeRawPointer.self, capacity: 1) { parts in
                var lines = unsafe name_lines(parts: parts, homes: UInt64(shape.homes), shift: UInt32(shape.shift))
                return unsafe name_lines_find(&lines, names, min(hits.count, known), known, found)
            }
        }
    }

    @inline(__always)
    private func line(_ home: Int) -> Line {
        // A home is below `shape.homes`, so that its part exists.
        unsafe starts[home &>> shape.shift].advanced(by: home & shape.mask)
    }

    @inline(__always)
    private func find(_ bits: UInt64, _ home: Int, _ line: Line) -> UInt32 {
        let matches = line.matches(bits)
        let control = line.control
        guard matches | control & (Line.mark(bits) | Line.hasMore) != 0 else { return Self.none }
        let place = matches.trailingZeroBitCount
        // The common hit: at home, and without an equal identifier in the dictionary. A free slot has the id `none`.
        if place < NameBuckets.places, line.distance(place) == 0, control & Line.hasMore == 0 {
            let id = line.id(place)
            if id != Self.none { return id }
        }
        return search(bits, home, bucketsOnly: false)
    }

    /// Searches all buckets that may hold an identifier. Unless `bucketsOnly`, it returns `several` if the dictionary
    /// must be searched too.
    @inline(never)
    func search(_ bits: UInt64, _ home: Int, bucketsOnly: Bool) -> UInt32 {
        let atHome = line(home)
        let control = atHome.control
        if !bucketsOnly, control & Line.hasMore != 0 { return Self.several }
        for distance in 0...NameBuckets.reach {
            let line = atHome.advanced(by: distance)
            for place in 0..<NameBuckets.places where line.bits(place) == bits && line.distance(place) == distance {
                if line.id(place) != Self.none { return line.id(place) }
            }
            if control & Line.mark(bits) == 0 || !line.isFull { break }
        }
        return Self.none
    }
}

extension Octets16 {
    /// 64 bits that depend on all 128, so that values that differ in a few bits only differ here too. The C function in
    /// `CNameLines` computes the same.
    @inline(__always)
    var mixed: UInt64 { high ^ (low ^ low >> 32) &* 0x9e37_79b9_7f4a_7c15 }
}

/// The number of buckets of an index, and their division into parts that are built independently.
struct NameIndexShape: Hashable, Sendable {
    /// The number of home buckets.
    let homes: Int
    /// Each part has 2^shift homes, except the last, which has the rest.
    let shift: Int
    /// A mask for the number of a home within its part.
    let mask: Int

    /// The number of identifiers per 1,000 buckets; with 64 bytes for a bucket, an identifier takes 16.9 bytes.
    private static let load = 3787
    /// Up to `few` identifiers, memory is cheap, and a lower load keeps nearly all of them in their home bucket.
    private static let few = 1 << 16, loadOfFew = 2000
    /// A part fits into the cache of one core; and parts are so few that a batch of a thousand names has several names
    /// for each.
    private static let partShift = 15, mostParts = 64

    /// Creates the shape for this many identifiers.
    init(count: Int) {
        let load = count > Self.few ? Self.load : Self.loadOfFew
        homes = max(1, (count * 1000 + load - 1) / load)
        var shift = Self.partShift
        while homes >> shift >= Self.mostParts { shift += 1 }
        self.shift = shift
        mask = 1 << shift - 1
    }

    var parts: Int { (homes + mask) >> shift }

    func homes(ofPart part: Int) -> Int { min(1 << shift, homes - part << shift) }

    /// Whether this many identifiers are so many that most lookups would need the dictionary.
    func isOverfull(_ count: Int) -> Bool { count > homes * 9 / 2 }

    /// The number of an identifier's home bucket, below `homes`.
    @inline(__always)
    func home(of octets: Octets16) -> Int {
        Int(truncatingIfNeeded: octets.low.multipliedFullWidth(by: UInt64(truncatingIfNeeded: homes)).high)
    }
}
