internal import CNameLines
internal import InklingKeys

/// The number of groups of an index, and their division into parts that are built independently.
struct NameIndexShape: Hashable, Sendable {
    /// The number of groups.
    let homes: Int
    /// Each part has 2^shift groups, except the last, which has the rest.
    let shift: Int

    /// The number of identifiers per 1,000 groups, decided for speed: a group has 13 places, and with 7 of them taken on
    /// average 1 identifier in 500 is not at home, where a look-up would find it without a search.
    ///
    /// An identifier takes 32 bytes / 7 in its group and 24 bytes with its id: 28.6 bytes. With 11 of 13 places taken it
    /// would be 26.9 bytes, and 1 identifier in 20 would be searched for.
    private static let load = 7000
    /// A part fits into the cache of one core; and parts are so few that a batch of a thousand names has several names
    /// for each.
    private static let partShift = 12, mostParts = 128

    /// Creates the shape for this many identifiers.
    init(count: Int) {
        homes = max(1, (count * 1000 + Self.load - 1) / Self.load)
        var shift = Self.partShift
        while homes >> shift >= Self.mostParts { shift += 1 }
        self.shift = shift
    }

    var parts: Int { (homes + 1 << shift - 1) >> shift }

    /// Returns the groups of a part.
    func groups(ofPart part: Int) -> Range<Int> { part << shift..<min((part + 1) << shift, homes) }

    /// Whether a table with this many identifiers would answer many lookups only by a search.
    func isOverfull(_ count: Int) -> Bool { count > homes * 11 }

    /// Returns the number of the part in which an identifier has its home.
    @inline(__always)
    func part(of octets: Octets16) -> Int {
        Int(truncatingIfNeeded: name_lines_home(UInt64(truncatingIfNeeded: homes), octets.low)) >> shift
    }
}
