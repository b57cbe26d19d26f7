/// Limits the number of links that each source may begin in a second.
///
/// Without it, a flood would fill the queue of links to be accepted and delay the links of contacts.
struct ArrivalRate<Source: Hashable> {
    private static var second: UInt64 { 1_000_000_000 }

    /// The number of links that one source may begin in a second.
    let limit: Int
    /// The number of sources that are counted in a second; further ones are not limited here.
    let sourceLimit: Int
    private var counts: [Source: Int] = [:]
    private var end: UInt64 = 0

    /// Creates an empty table.
    init(limit: Int, sourceLimit: Int) {
        self.limit = limit
        self.sourceLimit = sourceLimit
    }

    /// Counts a link from `source` and returns whether it is within the limit. `now` is monotonic, in nanoseconds.
    mutating func admit(_ source: Source, at now: UInt64) -> Bool {
        if now >= end {
            counts.removeAll(keepingCapacity: true)
            end = now + Self.second
        }
        guard let count = counts[source] else {
            if counts.count < sourceLimit { counts[source] = 1 }
            return limit >= 1
        }
        counts[source] = min(count, limit) + 1
        return count < limit
    }
}
