internal import InklingEngine
internal import InklingKeys
internal import Synchronization

/// The period indices for several threads: all of them, or a bounded cache.
final class PeriodIndices: Sendable {
    /// The index of a period; one thread computes it while others that need it wait.
    private final class Place: Sendable {
        let index = Mutex<PeriodIndex?>(nil)
    }

    private struct Cache {
        var places: [Period: Place] = [:]
        // Least recently used first.
        var recent: [Period] = []
        var sizes: [Period: Int] = [:]
        var bytes = 0
    }

    private let given: [Period: PeriodIndex]
    private let compute: (@Sendable (Period) throws -> [Forecast.Entry])?
    private let limit: Int
    private let cache = Mutex(Cache())

    /// Creates the indices of all these predictions, which must be in order of their epochs.
    init(_ entries: [Forecast.Entry]) {
        var given: [Period: PeriodIndex] = [:]
        var first = entries.startIndex
        while first < entries.endIndex {
            let period = entries[first].prediction.epoch.period
            let end = entries[first...].firstIndex { $0.prediction.epoch.period != period } ?? entries.endIndex
            given[period] = PeriodIndex(entries[first..<end], first: period.firstEpoch)
            first = end
        }
        self.given = given
        compute = nil
        limit = .max
    }

    /// Creates an empty cache of at most `limit` bytes; one period is kept whatever its size.
    init(limit: Int, computing compute: @escaping @Sendable (Period) throws -> [Forecast.Entry]) {
        given = [:]
        self.compute = compute
        self.limit = limit
    }

    /// Returns the index of a period; `nil` if there are no predictions for it.
    ///
    /// - Throws: any error of the computation.
    func index(of period: Period) throws -> PeriodIndex? {
        guard let compute else { return given[period] }
        let place = cache.withLock { cache in
            if cache.recent.last != period {
                cache.recent.removeAll { $0 == period }
                cache.recent.append(period)
            }
            if let place = cache.places[period] { return place }
            let place = Place()
            cache.places[period] = place
            return place
        }
        return try place.index.withLock { known in
            if let known { return known }
            let index = PeriodIndex(try compute(period), first: period.firstEpoch)
            known = index
            count(index.byteCount, for: period)
            return index
        }
    }

    /// Records the size of an index, and removes the least recently used ones. A thread that uses one of them keeps it.
    private func count(_ size: Int, for period: Period) {
        cache.withLock { cache in
            guard cache.places[period] != nil else { return }
            cache.bytes += size - (cache.sizes.updateValue(size, forKey: period) ?? 0)
            while cache.bytes > limit, cache.recent.count > 1 {
                let old = cache.recent.removeFirst()
                cache.places[old] = nil
                cache.bytes -= cache.sizes.removeValue(forKey: old) ?? 0
            }
        }
    }
}
