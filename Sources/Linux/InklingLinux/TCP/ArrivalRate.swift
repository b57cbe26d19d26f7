/// A rate limit that refuses a source's links after too many in one period, and for longer if it soon repeats that.
///
/// Without it, a flood would fill the accept queue and delay the links of contacts.
struct ArrivalRate<Source: Hashable> {
    /// The decision about a new link. `isFirst`: the first refusal of its source in the period that ends at `until`.
    enum Answer: Hashable {
        case admitted
        case refused(until: UInt64, isFirst: Bool)
    }

    /// The limits. Times are in nanoseconds.
    struct Limits: Hashable {
        /// The number of links that one source may open within `counting`.
        var links: Int
        /// The number of sources that are tracked; further ones are not limited here.
        var sources: Int
        var counting: UInt64
        /// The refusal period: at first, and at most.
        var refusing: ClosedRange<UInt64>
    }

    private struct Record {
        var count = 1
        var isRefused = false
        /// The end of the current period, in which links are counted or refused.
        var end: UInt64
        /// The last refusal period; the record expires when the same time has passed after `end`.
        var penalty: UInt64 = 0

        func isOver(at now: UInt64) -> Bool { now >= end && now - end >= penalty }
    }

    private let limits: Limits
    private var records: [Source: Record] = [:]
    private var nextSweep: UInt64 = 0

    /// Creates an empty table.
    init(limits: Limits) { self.limits = limits }

    /// Counts a link from `source` and returns the decision. `now` is monotonic, in nanoseconds.
    mutating func admit(_ source: Source, at now: UInt64) -> Answer {
        guard var record = records[source], !record.isOver(at: now) else { return begin(source, at: now) }
        defer { records[source] = record }
        if now >= record.end {
            record = Record(end: now.saturatingSum(limits.counting), penalty: record.penalty)
        } else if record.isRefused {
            return .refused(until: record.end, isFirst: false)
        } else {
            record.count += 1
        }
        guard record.count > limits.links else { return .admitted }
        let doubled = record.penalty.saturatingSum(record.penalty)
        record.penalty = min(max(doubled, limits.refusing.lowerBound), limits.refusing.upperBound)
        record.isRefused = true
        record.end = now.saturatingSum(record.penalty)
        return .refused(until: record.end, isFirst: true)
    }

    private mutating func begin(_ source: Source, at now: UInt64) -> Answer {
        records[source] = nil
        if records.count >= limits.sources, now >= nextSweep {
            records = records.filter { !$0.value.isOver(at: now) }
            nextSweep = now.saturatingSum(limits.counting / 8)
        }
        if records.count < limits.sources { records[source] = Record(end: now.saturatingSum(limits.counting)) }
        return .admitted
    }
}

extension UInt64 {
    fileprivate func saturatingSum(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
