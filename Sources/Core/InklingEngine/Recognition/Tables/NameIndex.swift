public import CNameLines
public import InklingKeys

/// A hash index from identifiers of 16 bytes to ids and labels; several ids can have equal identifiers
/// (`Specs/recognition.md`).
///
/// Identifiers are truncated HMACs, so that their own bits serve as the hash. A lookup compares all 128 of them. It
/// nearly always reads one group of the table, and for an identifier that it holds, the entry with the id; at most it
/// reads 7 groups, their entries and a dictionary of the identifiers that found no place near their homes, such as many
/// equal ones, so that the time to build the index does not depend on the values.
@safe
@usableFromInline
package final class NameIndex: Sendable {
    /// The number of identifiers in the index.
    package let count: Int
    let shape: NameIndexShape
    private let storage: NameStorage
    private let parts: [NamePart]

    /// Creates the index of these identifiers; the id of each is its position.
    package convenience init(_ identifiers: [Octets16]) {
        let shape = NameIndexShape(count: identifiers.count)
        let sorted = SortedNames(identifiers, by: shape)
        let storage = NameStorage(shape, counts: (0..<shape.parts).map(sorted.count(ofPart:)))
        let added = [NameSeries(names: sorted, firstID: 0, step: 1)]
        self.init(storage, (0..<shape.parts).compactMap { NamePart($0, in: storage, adding: added) })
    }

    /// Creates an index from the parts of a storage. A missing part becomes empty; the whole index does if a missing
    /// part was claimed by another thread, which may still be writing it.
    init(_ storage: NameStorage, _ parts: [NamePart]) {
        var found = [NamePart?](repeating: nil, count: storage.shape.parts)
        for part in parts where part.storage === storage { found[part.number] = part }
        for number in found.indices where found[number] == nil { found[number] = NamePart(number, in: storage) }
        let all = found.compactMap(\.self)
        if all.count == found.count {
            (self.storage, self.parts) = (storage, all)
        } else {
            self.storage = NameStorage(NameIndexShape(count: 0), counts: [])
            self.parts = [NamePart(0, in: self.storage)].compactMap(\.self)
        }
        shape = self.storage.shape
        count = self.parts.reduce(0) { $0 + $1.count }
    }

    func part(_ index: Int) -> NamePart? { parts.indices.contains(index) ? parts[index] : nil }

    /// The memory of the table in bytes, without the dictionaries.
    package var byteCount: Int { storage.byteCount }

    /// The number of identifiers that are in dictionaries.
    package var countInDictionaries: Int { parts.reduce(0) { $0 + $1.countInDictionary } }

    /// A view for lookups without reference counting; valid while this object lives.
    @inline(__always)
    var view: NameView { unsafe NameView(storage.lines, byteCount: storage.byteCount) }

    /// Calls `body` with each id of an identifier, in no particular order.
    package func forEach(of octets: Octets16, _ body: (UInt32) -> Void) {
        let view = view
        var index = view.find(octets)
        if index == NameView.search { index = resolve(octets) }
        if index < NameView.search {
            body(view.id(at: index))
        } else if index == NameView.search {
            for id in all(of: octets) { body(id) }
        }
    }

    /// Calls `body` with the index of each of these identifiers and with each of its ids, in the order of the indices;
    /// faster than one lookup per identifier.
    package func forEach(of identifiers: Span<Octets16>, _ body: (Int, UInt32) -> Void) {
        unsafe identifiers.withUnsafeBufferPointer { unsafe forEach(of: $0, body) }
    }

    @inline(__always)
    func forEach(of identifiers: UnsafeBufferPointer<Octets16>, _ body: (Int, UInt32) -> Void) {
        let view = view
        unsafe view.forEachFound(of: identifiers) { position, index in
            if index < NameView.search {
                body(position, view.id(at: index))
            } else {
                for id in unsafe all(of: identifiers[position]) { body(position, id) }
            }
        }
    }

    /// Searches for an identifier for which `NameView.find` has returned `search`. Returns the index of its entry if there
    /// is one and no other, `NameView.none`, or `search` if there are several.
    @usableFromInline @inline(never)
    func resolve(_ octets: Octets16) -> UInt32 {
        let number = shape.part(of: octets)
        guard let part = part(number), !part.isInDictionary(octets) else { return NameView.search }
        let end = shape.groups(ofPart: number).upperBound
        return unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: NameView.mostFound) { found in
            guard let start = found.baseAddress else { return NameView.none }
            switch unsafe view.search(octets, until: end, start) {
            case 0: return NameView.none
            case 1: return unsafe found[0]
            default: return NameView.search
            }
        }
    }

    /// Returns all ids of an identifier, from the table and from the dictionary.
    func all(of octets: Octets16) -> [UInt32] {
        let view = view
        let number = shape.part(of: octets)
        guard let part = part(number) else { return [] }
        let end = shape.groups(ofPart: number).upperBound
        let indices: [UInt32] = unsafe Array(unsafeUninitializedCapacity: NameView.mostFound) { found, count in
            guard let start = found.baseAddress else { return }
            count = unsafe view.search(octets, until: end, start)
        }
        var ids = indices.map(view.id)
        ids += part.inDictionary(octets)
        return ids
    }
}

/// A view for lookups in the table of an index, which the caller keeps alive.
///
/// The types and functions that a lookup of one name needs can be inlined into other modules: a call would take as long
/// as the lookup.
@safe @usableFromInline
struct NameView: @unchecked Sendable {
    // Sendable because it only reads.

    /// Returned instead of an index when the identifier is not in the table.
    @usableFromInline static var none: UInt32 { @inlinable get { UInt32.max } }
    /// Returned instead of an index when there may be any number of them, and `NameIndex.all` has to be called.
    @usableFromInline static var search: UInt32 { @inlinable get { UInt32.max - 1 } }
    /// The number of identifiers whose memory accesses overlap, at most 32.
    @usableFromInline static var batch: Int { @inlinable get { 32 } }

    @usableFromInline let lines: name_lines
    // A table that fits into the cache of one core is read without prefetching.
    @usableFromInline let isLarge: Bool

    fileprivate init(_ lines: name_lines, byteCount: Int) {
        unsafe self.lines = lines
        isLarge = byteCount > 1 << 20
    }

    /// Returns the index of the entry of an identifier, or `none`, or `search`.
    @inlinable @inline(__always)
    func find(_ octets: Octets16) -> UInt32 {
        unsafe withUnsafePointer(to: lines) { unsafe name_lines_find($0, octets.high, octets.low) }
    }

    /// Returns the id at an index that `find` has returned.
    @inlinable @inline(__always)
    func id(at index: UInt32) -> UInt32 { unsafe lines.entries[Int(truncatingIfNeeded: index)].id }

    /// Returns the label at an index that `find` has returned.
    @inlinable @inline(__always)
    func label(at index: UInt32) -> UInt32 { unsafe lines.entries[Int(truncatingIfNeeded: index)].label }

    /// Calls `body`, for each identifier that the index may have, with its position and the result of `find`, in the
    /// order of the positions. Memory is prefetched for a batch at a time, so that the waits overlap.
    @inlinable @inline(__always)
    func forEachFound(of octets: UnsafeBufferPointer<Octets16>, _ body: (Int, UInt32) -> Void) {
        var first = 0
        while first < octets.count {
            let end = min(first &+ Self.batch, octets.count)
            // A bit for each identifier of the batch that the index may have.
            var candidates = unsafe isLarge ? prefetch(octets, first, end) : UInt32.max >> UInt32(32 &- (end &- first))
            while candidates != 0 {
                let position = first &+ candidates.trailingZeroBitCount
                candidates &= candidates &- 1
                let index = unsafe find(octets[position])
                if index != Self.none { body(position, index) }
            }
            first = end
        }
    }

    @usableFromInline
    func prefetch(_ octets: UnsafeBufferPointer<Octets16>, _ first: Int, _ end: Int) -> UInt32 {
        guard let names = octets.baseAddress else { return 0 }
        // The C function reads an `Octets16` as two 64-bit numbers, the more significant first.
        return unsafe (names + first).withMemoryRebound(to: UInt64.self, capacity: 2 * (octets.count - first)) {
            names in
            unsafe withUnsafePointer(to: lines) {
                unsafe name_lines_prefetch($0, names, end - first, octets.count - first)
            }
        }
    }

    /// The most entries that a search finds.
    static let mostFound = Int(NAME_LINES_PLACES * (NAME_LINES_REACH + 1))

    /// Writes the indices of all entries of an identifier whose part ends before group `end` to `found`, which has room
    /// for `mostFound`. Returns their number.
    func search(_ octets: Octets16, until end: Int, _ found: UnsafeMutablePointer<UInt32>) -> Int {
        unsafe withUnsafePointer(to: lines) {
            unsafe name_lines_search($0, UInt64(end), octets.high, octets.low, found)
        }
    }
}
