/// Counts the links that each source began in the current second; those above a limit are refused.
///
/// Without it a flood fills the queue of links that wait to be accepted, and contacts wait behind it.
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
