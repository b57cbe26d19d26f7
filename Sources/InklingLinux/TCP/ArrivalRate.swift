/// How many links each source began in the present second: those beyond a limit are not worth what a link costs.
///
/// Without it a flood fills the queue of links that wait to be accepted, and contacts wait behind it.
struct ArrivalRate<Source: Hashable> {
    private static var second: UInt64 { 1_000_000_000 }

    /// How many one source may begin in a second.
    let limit: Int
    /// How many sources are told apart in a second; further ones are not limited here.
    let sourceLimit: Int
    private var counts: [Source: Int] = [:]
    private var end: UInt64 = 0

    /// Nobody came yet.
    init(limit: Int, sourceLimit: Int) {
        self.limit = limit
        self.sourceLimit = sourceLimit
    }

    /// Counts a link from `source`; whether it is within the limit. `now` is in nanoseconds and never goes back.
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
