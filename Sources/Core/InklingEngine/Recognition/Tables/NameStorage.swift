internal import CNameLines

/// The memory of a `NameIndex`: an open-addressed hash table that stores identifiers apart from the tags that rule out
/// nearly every other identifier (`name_lines_group`). So a lookup of a stranger reads half a cache line of a small
/// table, and one of a contact in addition the identifier with its id and label.
///
/// The parts of a table lie side by side, so that a lookup needs no pointer to a part, and can be written at the same
/// time by different threads.
@safe
final class NameStorage: @unchecked Sendable {
    // Sendable because a part is written only by its claimant, and read only after it was written: an index is created
    // from the results of all parts.

    let shape: NameIndexShape
    /// The offset at which the identifiers of each part begin, and after the last one the room for all.
    private let begins: [Int]
    private let groups: UnsafeMutablePointer<name_lines_group>
    private let entries: UnsafeMutablePointer<name_lines_entry>
    private let claims: UnsafeMutablePointer<UInt8>

    /// Creates memory for this many identifiers in each part.
    init(_ shape: NameIndexShape, counts: [Int]) {
        self.shape = shape
        var begins = [0]
        for part in 0..<shape.parts {
            begins.append(begins[part] + (counts.indices.contains(part) ? counts[part] : 0))
        }
        self.begins = begins
        let total = begins[shape.parts]
        // Vectors are read from the groups, and two groups share a cache line.
        unsafe groups = Self.memory(for: shape.homes)
        unsafe entries = Self.memory(for: total + Int(NAME_LINES_PLACES))
        unsafe (entries + total).initialize(repeating: Self.nothing, count: Int(NAME_LINES_PLACES))
        unsafe claims = .allocate(capacity: shape.parts)
        unsafe claims.initialize(repeating: 0, count: shape.parts)
    }

    deinit {
        unsafe groups.deallocate()
        unsafe entries.deallocate()
        unsafe claims.deallocate()
    }

    /// The entry of a free place. A lookup compares it only with identifiers that have the tag of free places,
    /// and this one has another.
    private static let nothing = name_lines_entry(high: 1, low: 0, id: NAME_LINES_NONE, label: 0)

    private static func memory<Element>(for count: Int) -> UnsafeMutablePointer<Element> {
        unsafe UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Element>.stride, alignment: 64)
            .bindMemory(to: Element.self, capacity: count)
    }

    /// The allocated memory in bytes.
    var byteCount: Int {
        shape.homes * MemoryLayout<name_lines_group>.stride
            + (begins[shape.parts] + Int(NAME_LINES_PLACES)) * MemoryLayout<name_lines_entry>.stride
    }

    var lines: name_lines { unsafe name_lines(groups: groups, entries: entries, homes: UInt64(shape.homes)) }

    /// Claims a part for writing. Returns false if it has been claimed before.
    func claim(_ part: Int) -> Bool { unsafe name_lines_claim(claims + part) }

    /// Calls `body` with the first `count` identifiers of a part.
    func withEntries<Result>(
        ofPart part: Int, count: Int, _ body: (UnsafeBufferPointer<name_lines_entry>) -> Result
    ) -> Result {
        let count = min(count, begins[part + 1] - begins[part])
        return unsafe body(UnsafeBufferPointer(start: entries + begins[part], count: count))
    }

    /// Writes a part, which the caller has claimed.
    ///
    /// - Parameters:
    ///   - part: the number of the part.
    ///   - choosing: chooses a place for each identifier, and returns how many have one.
    ///   - storing: stores these identifiers.
    func write(
        _ part: Int, choosing: (UnsafePointer<name_lines_part>) -> Int,
        storing: (UnsafePointer<name_lines_part>, UnsafeMutablePointer<name_lines_entry>) -> Void
    ) {
        let range = shape.groups(ofPart: part)
        unsafe (groups + range.lowerBound).initialize(repeating: name_lines_group(), count: range.count)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: range.count) { counts in
            guard let start = counts.baseAddress else { return }
            unsafe counts.initialize(repeating: 0)
            var building = unsafe name_lines_part(
                groups: groups, homes: UInt64(shape.homes), begin: UInt64(range.lowerBound),
                end: UInt64(range.upperBound), counts: start)
            let stored = unsafe choosing(&building)
            unsafe name_lines_number(&building, UInt32(truncatingIfNeeded: begins[part]))
            let (first, end) = (begins[part] + stored, begins[part + 1])
            if first < end { unsafe (entries + first).initialize(repeating: Self.nothing, count: end - first) }
            unsafe storing(&building, entries)
        }
    }
}
