internal import CNameLines
package import InklingKeys

/// Ids by identifiers of 16 bytes, of which many may be the same (`Specs/recognition.md`).
///
/// Identifiers are cut from HMACs, so their own bits spread them. What is compared is 64 bits that mix all of them, and the
/// number of the bucket, which comes from the last 64: at least 64 + log2(buckets) bits. A look-up takes one cache line nearly
/// always, never more than 7 and one look into a dictionary. Equal identifiers, and those of a part of the index that has
/// no room, stand in that dictionary, so that building takes the same time whatever the values are.
@safe
package final class NameIndex: @unchecked Sendable {
    // Sendable because nothing is written after `init`.

    /// How many identifiers are looked up together.
    package static let batch = 32

    /// How many identifiers the index holds.
    package let count: Int
    let shape: NameIndexShape
    private let parts: [NamePart]
    // The first bucket of each part; the parts keep them.
    private let starts: UnsafeMutablePointer<Line>

    /// The index of these identifiers; each has the id of its place.
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

    /// The index of these parts; a part that is not there is empty.
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

    /// Bytes of memory, without what stands in dictionaries.
    package var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    /// How many identifiers stand in dictionaries.
    package var countInDictionaries: Int { parts.reduce(0) { $0 + $1.countInDictionary } }

    /// What is needed to look up, without a reference to count.
    @inline(__always)
    var view: NameView { unsafe NameView(starts: starts, shape: shape) }

    /// Hands on the ids of an identifier, in no particular order.
    package func forEach(of octets: Octets16, _ body: (UInt32) -> Void) {
        switch view.find(octets) {
        case NameView.nobody: break
        case NameView.several: for id in all(of: octets) { body(id) }
        case let id: body(id)
        }
    }

    /// Hands on, for each of many identifiers, its index and its ids, in the order of the indices; faster than one after
    /// the other.
    package func forEach(of identifiers: Span<Octets16>, _ body: (Int, UInt32) -> Void) {
        unsafe identifiers.withUnsafeBufferPointer { unsafe forEach(of: $0, body) }
    }

    @inline(__always)
    func forEach(of identifiers: UnsafeBufferPointer<Octets16>, _ body: (Int, UInt32) -> Void) {
        unsafe view.forEachBatch(of: identifiers, asking: { _ in }) { index, id in
            if id == NameView.several {
                for id in unsafe all(of: identifiers[index]) { body(index, id) }
            } else {
                body(index, id)
            }
        }
    }

    /// All ids of an identifier, whether in a bucket or in a dictionary.
    func all(of octets: Octets16) -> [UInt32] {
        let home = shape.home(of: octets)
        let id = view.search(octets.mixed, home, isAlone: true)
        return (id == NameView.nobody ? [] : [id])
            + parts[home >> shape.shift].inDictionary(home & shape.mask, octets.mixed)
    }
}

/// Looks up in the buckets of an index that somebody else holds on to.
@safe
struct NameView: @unchecked Sendable {
    // Sendable because it only reads.

    /// In the place of an id: there is none.
    static let nobody = UInt32.max
    /// In the place of an id: there may be others than one.
    static let several = UInt32.max - 1

    private let starts: UnsafeMutablePointer<Line>
    private let shape: NameIndexShape

    fileprivate init(starts: UnsafeMutablePointer<Line>, shape: NameIndexShape) {
        unsafe self.starts = starts
        self.shape = shape
    }

    /// The id of an identifier, or `nobody`, or `several`.
    @inline(__always)
    func find(_ octets: Octets16) -> UInt32 {
        let home = shape.home(of: octets)
        return find(octets.mixed, home, line(home))
    }

    /// Hands on, for each identifier that is there, its index and the answer of `find`, in the order of the indices.
    ///
    /// Memory is asked for many at a time, so that one waits for all of them and not for each: by this, and by `asking`,
    /// which is given the ids of a whole batch before `body` is given the first.
    @inline(__always)
    func forEachBatch(
        of octets: UnsafeBufferPointer<Octets16>, asking ask: (UInt32) -> Void, _ body: (Int, UInt32) -> Void
    ) {
        unsafe withUnsafeTemporaryAllocation(of: name_lines_hit.self, capacity: 256) { hits in
            var first = 0
            while first < octets.count {
                let count = unsafe find(octets, first, hits)
                for hit in 0..<count { unsafe ask(hits[hit].id) }
                for hit in 0..<count {
                    let index = unsafe first &+ Int(truncatingIfNeeded: hits[hit].index)
                    let id = unsafe hits[hit].id == Self.several ? find(octets[index]) : hits[hit].id
                    if id != Self.nobody { body(index, id) }
                }
                first &+= hits.count
            }
        }
    }

    /// Looks up as many identifiers from `first` on as there is room for hits; answers how many hits there are.
    @inline(never)
    private func find(
        _ octets: UnsafeBufferPointer<Octets16>, _ first: Int, _ hits: UnsafeMutableBufferPointer<name_lines_hit>
    ) -> Int {
        guard let names = octets.baseAddress, let found = hits.baseAddress, first < octets.count else { return 0 }
        let known = octets.count - first
        // `Octets16` is two numbers, the more significant first; a `Line` is where its bucket begins.
        return unsafe (names + first).withMemoryRebound(to: UInt64.self, capacity: 2 * known) { names in
            unsafe UnsafeRawPointer(starts).withMemoryRebound(to: UnsafeRawPointer.self, capacity: 1) { parts in
                var lines = unsafe name_lines(parts: parts, homes: UInt64(shape.homes), shift: UInt32(shape.shift))
                return unsafe name_lines_find(&lines, names, min(hits.count, known), known, found)
            }
        }
    }

    @inline(__always)
    private func line(_ home: Int) -> Line {
        // A home is below `shape.homes`, so that its part is there.
        unsafe starts[home &>> shape.shift].advanced(by: home & shape.mask)
    }

    @inline(__always)
    private func find(_ bits: UInt64, _ home: Int, _ line: Line) -> UInt32 {
        let matches = line.matches(bits)
        let control = line.control
        guard matches | control & (Line.mark(bits) | Line.hasMore) != 0 else { return Self.nobody }
        let place = matches.trailingZeroBitCount
        // The usual hit: at home, and the only one of its kind. A free place has the id `nobody`.
        if place < NameBuckets.places, line.distance(place) == 0, control & Line.hasMore == 0 {
            let id = line.id(place)
            if id != Self.nobody { return id }
        }
        return search(bits, home, isAlone: false)
    }

    /// What is not simply at home; unless it `isAlone`, `several` where a dictionary has to be asked too.
    @inline(never)
    func search(_ bits: UInt64, _ home: Int, isAlone: Bool) -> UInt32 {
        let atHome = line(home)
        let control = atHome.control
        if !isAlone, control & Line.hasMore != 0 { return Self.several }
        for distance in 0...NameBuckets.reach {
            let line = atHome.advanced(by: distance)
            for place in 0..<NameBuckets.places where line.bits(place) == bits && line.distance(place) == distance {
                if line.id(place) != Self.nobody { return line.id(place) }
            }
            if control & Line.mark(bits) == 0 || !line.isFull { break }
        }
        return Self.nobody
    }
}

extension Octets16 {
    /// 64 bits that depend on all 128, so that values of any pattern differ in them; the kernel does the same.
    @inline(__always)
    var mixed: UInt64 { high ^ (low ^ low >> 32) &* 0x9e37_79b9_7f4a_7c15 }
}

/// How many buckets an index has, and into which parts they are divided.
struct NameIndexShape: Hashable, Sendable {
    /// The number of buckets that an identifier can belong to.
    let homes: Int
    /// A part has 2^shift homes, and the last one the rest.
    let shift: Int
    /// The bits of a home's number within its part.
    let mask: Int

    /// So many identifiers in 1,000 buckets of 5 are 16.9 bytes for each.
    private static let load = 3787
    /// Up to this many identifiers, memory matters less than that nearly all are at home.
    private static let few = 1 << 16, loadOfFew = 2000
    /// A part fits into a processor's own cache; and there are so few that a thousand names have several for each.
    private static let partShift = 15, mostParts = 64

    /// The shape for this many identifiers.
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

    /// Whether this many identifiers are more than there should be: most look-ups would end in dictionaries.
    func isOverfull(_ count: Int) -> Bool { count > homes * 9 / 2 }

    /// The number of the bucket where an identifier belongs, below `homes`.
    @inline(__always)
    func home(of octets: Octets16) -> Int {
        Int(truncatingIfNeeded: octets.low.multipliedFullWidth(by: UInt64(truncatingIfNeeded: homes)).high)
    }
}
