internal import CNameLines
internal import InklingKeys

/// Identifiers to be inserted into an index, with labels, grouped by the part of the index to which they belong.
struct SortedNames: Sendable {
    // The id of each is the position that it had before sorting.
    private let entries: [name_lines_entry]
    // The offset at which the identifiers of each part begin, and after the last one the total number.
    private let starts: [Int]

    /// Sorts identifiers by the parts of an index of this shape. There must be as many labels, or none.
    init(_ octets: [Octets16], labels: [UInt32] = [], by shape: NameIndexShape) {
        let isLabelled = labels.count == octets.count
        func entry(_ place: Int) -> name_lines_entry {
            name_lines_entry(
                high: octets[place].high, low: octets[place].low, id: UInt32(truncatingIfNeeded: place),
                label: isLabelled ? labels[place] : 0)
        }
        guard shape.parts > 1 else {
            entries = octets.indices.map(entry)
            starts = [0, octets.count]
            return
        }
        var starts = [Int](repeating: 0, count: shape.parts + 2)
        for one in octets { starts[shape.part(of: one) + 2] += 1 }
        for part in 2..<starts.count { starts[part] += starts[part - 1] }
        entries = unsafe Array(unsafeUninitializedCapacity: octets.count) { sorted, count in
            for (place, one) in octets.enumerated() {
                let part = shape.part(of: one)
                unsafe sorted.initializeElement(at: starts[part + 1], to: entry(place))
                starts[part + 1] += 1
            }
            count = octets.count
        }
        starts.removeLast()
        self.starts = starts
    }

    var count: Int { entries.count }

    func count(ofPart part: Int) -> Int { range(ofPart: part).count }

    private func range(ofPart part: Int) -> Range<Int> {
        starts.indices.contains(part + 1) ? starts[part]..<starts[part + 1] : 0..<0
    }

    /// Calls `body` with the identifiers of a part.
    func withEntries<Result>(
        ofPart part: Int, _ body: (UnsafeBufferPointer<name_lines_entry>) -> Result
    ) -> Result {
        let range = range(ofPart: part)
        return unsafe entries.withUnsafeBufferPointer { unsafe body(UnsafeBufferPointer(rebasing: $0[range])) }
    }
}

/// Identifiers whose ids in an index increase by a fixed step in the order that they had before sorting.
struct NameSeries: Sendable {
    let names: SortedNames
    let firstID: UInt32
    let step: UInt32
}

/// The identifiers that one index takes over from another: those with these ids.
struct KeptNames: Sendable {
    /// The index to copy from.
    let index: NameIndex
    /// A bitmap in which the last two bits of an id select its bit.
    let ids: UInt32

    /// Returns the number of identifiers in a part that are taken over.
    func count(ofPart part: Int) -> Int {
        index.part(part).map { part in (0..<4).reduce(0) { $0 + (ids >> UInt32($1) & 1 == 1 ? part.counts[$1] : 0) } }
            ?? 0
    }
}

/// A part of a `NameIndex`: consecutive groups of its storage, and a dictionary of the identifiers for which there was
/// no place near their homes.
final class NamePart: Sendable {
    let number: Int
    let storage: NameStorage
    /// The number of identifiers with each value of the last two bits of their ids.
    let counts: [Int]
    private let storedCount: Int
    private let rest: [Octets16: [name_lines_entry]]

    /// Writes a part of an index; returns nil if that part of the storage has been claimed before.
    ///
    /// - Parameters:
    ///   - number: the number of the part.
    ///   - storage: the storage, with room for all of these identifiers.
    ///   - kept: the identifiers to take over from another index; none are if that index has another shape.
    ///   - added: the further identifiers, sorted for the shape of the storage. An id must be below 2^32 − 2.
    init?(_ number: Int, in storage: NameStorage, keeping kept: KeptNames? = nil, adding added: [NameSeries] = []) {
        guard storage.claim(number) else { return nil }
        self.number = number
        self.storage = storage
        let kept = kept.flatMap { kept in
            kept.index.shape == storage.shape ? kept.index.part(number).map { ($0, kept.ids) } : nil
        }
        let keptRest =
            kept.map { part, ids in
                part.rest.values.joined().filter { ids >> ($0.id & 3) & 1 == 1 }
            } ?? []
        let room = added.reduce((kept?.0.storedCount ?? 0) + keptRest.count) { $0 + $1.names.count(ofPart: number) }

        // Calls the function with each list of identifiers, a bitmap of the ids that are kept, and their renumbering.
        typealias List = UnsafeBufferPointer<name_lines_entry>
        func forEachList(_ body: (_ list: List, _ ids: UInt32, _ first: UInt32, _ step: UInt32) -> Void) {
            if let (part, ids) = kept {
                unsafe part.storage.withEntries(ofPart: number, count: part.storedCount) { unsafe body($0, ids, 0, 1) }
                unsafe keptRest.withUnsafeBufferPointer { unsafe body($0, ids, 0, 1) }
            }
            for one in added {
                unsafe one.names.withEntries(ofPart: number) { unsafe body($0, 15, one.firstID, one.step) }
            }
        }

        var counts = [0, 0, 0, 0]
        var rest: [Octets16: [name_lines_entry]] = [:]
        var storedCount = 0
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: max(room, 1)) { chosen in
            guard let chosen = chosen.baseAddress else { return }
            unsafe storage.write(number) { part in
                var (offset, without) = (0, 0)
                unsafe forEachList { list, ids, first, step in
                    guard let names = list.baseAddress else { return }
                    unsafe without += name_lines_choose(part, names, list.count, ids, chosen + offset)
                    if step == 4 {
                        counts[Int(first & 3)] += list.count
                    } else {
                        for index in list.indices where unsafe chosen[offset + index] != NAME_LINES_LEFT_OUT {
                            unsafe counts[Int((first &+ step &* list[index].id) & 3)] += 1
                        }
                    }
                    offset += list.count
                }
                storedCount = counts.reduce(0, +) - without
                return storedCount
            } storing: { part, entries in
                var offset = 0
                unsafe forEachList { list, _, first, step in
                    guard let names = list.baseAddress else { return }
                    unsafe name_lines_store(part, names, list.count, first, step, chosen + offset, entries)
                    if storedCount < counts.reduce(0, +) {
                        for index in list.indices where unsafe chosen[offset + index] == NAME_LINES_NONE {
                            var entry = unsafe list[index]
                            entry.id = first &+ step &* entry.id
                            rest[Octets16(high: entry.high, low: entry.low), default: []].append(entry)
                        }
                    }
                    offset += list.count
                }
            }
        }
        self.counts = counts
        self.storedCount = storedCount
        self.rest = rest
    }

    /// The number of identifiers in the part.
    var count: Int { counts.reduce(0, +) }

    var countInDictionary: Int { count - storedCount }

    func isInDictionary(_ octets: Octets16) -> Bool { !rest.isEmpty && rest[octets] != nil }

    /// Returns the ids of an identifier in the dictionary.
    func inDictionary(_ octets: Octets16) -> [UInt32] { rest[octets, default: []].map(\.id) }
}
