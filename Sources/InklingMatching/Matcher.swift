public import InklingEngine
public import InklingKeys

/// Matches sightings with predictions, in any order (`Specs/matching.md`).
///
/// It caches indices of periods and keeps nothing about sightings, so that the answer to a sighting never depends on
/// others.
public struct Matcher {
    /// A device that may have shown a value, and the epoch to which the value belongs.
    public struct Owner: Hashable, Sendable, Comparable {
        /// The epoch of the value.
        public let epoch: Epoch
        /// The number of the contact, as in its predictions.
        public let contact: Int
        /// The device of the contact.
        public let device: DeviceIndex

        public static func < (left: Self, right: Self) -> Bool {
            (left.epoch, left.contact, left.device) < (right.epoch, right.contact, right.device)
        }
    }

    /// The devices that a sighting's values may belong to.
    public struct Answer: Hashable, Sendable {
        /// The devices that may have shown the name, ascending.
        public var byName: [Owner] = []
        /// The devices that may have shown the minor, ascending.
        public var byMinor: [Owner] = []
        /// The expected number of owners of a random minor at that time; 0 for a sighting without a minor.
        public var byChance = 0.0
        /// Whether predictions exist for the time of the sighting.
        public var isCovered = true
    }

    /// The default size limit of the cached indices in bytes: 256 MiB. One period is kept whatever its size.
    public static let cacheLimit = 256 << 20

    private let skew: SkewAllowance
    private var periods: [Period: PeriodIndex] = [:]
    // Least recently used first.
    private var recent: [Period] = []
    private var bytes = 0
    private let isComplete: Bool
    private let limit: Int

    /// Creates a matcher that computes predictions when they are needed and caches up to `cacheLimit` bytes of them.
    public init(skew: SkewAllowance, cacheLimit: Int = cacheLimit) {
        self.skew = skew
        limit = cacheLimit
        isComplete = false
    }

    /// Creates a matcher for given predictions, which must be in the order of their epochs.
    public init(skew: SkewAllowance, entries: [Forecast.Entry]) {
        self.skew = skew
        limit = .max
        isComplete = true
        var first = entries.startIndex
        while first < entries.endIndex {
            let period = entries[first].prediction.epoch.period
            let end = entries[first...].firstIndex { $0.prediction.epoch.period != period } ?? entries.endIndex
            periods[period] = PeriodIndex(Array(entries[first..<end]), first: period.firstEpoch)
            first = end
        }
    }

    /// Matches one sighting.
    ///
    /// - Parameters:
    ///   - sighting: the sighting to match.
    ///   - entries: computes the predictions of the four epochs of a period; never called by a matcher for given predictions.
    /// - Returns: the devices that may have shown the values of the sighting.
    /// - Throws: any error that `entries` throws.
    public mutating func match<Failure: Error>(
        _ sighting: Sighting, computing entries: (Period) throws(Failure) -> [Forecast.Entry]
    ) throws(Failure) -> Answer {
        var answer = Answer()
        let skew = self.skew.seconds * 1000
        let uncertainty = sighting.observed.uncertaintyMilliseconds
        let time = sighting.observed.unixMilliseconds
        // The value of epoch e counts from 900·e − τ, inclusive, to 900·(e+1) + τ, exclusive.
        let length = Epoch.seconds * 1000
        let earliest = time > uncertainty + skew ? time - uncertainty - skew : 0
        let lowest = UInt32(clamping: earliest / length)
        let highest = min(UInt32(clamping: (time + uncertainty + skew) / length), Epoch.limit - 1)
        guard lowest <= highest else { return answer }
        var isCovered = false
        for number in lowest >> 2...highest >> 2 {
            guard let period = Period(number), let index = try index(of: period, computing: entries) else { continue }
            isCovered = true
            let base = period.firstEpoch.number
            func owner(_ contact: UInt32, _ quarter: Int, _ device: DeviceIndex) -> Owner? {
                guard let epoch = Epoch(base + UInt32(quarter)), (lowest...highest).contains(epoch.number) else {
                    return nil
                }
                return Owner(epoch: epoch, contact: Int(contact), device: device)
            }
            if let name = sighting.name {
                index.forEach(of: name) { contact, quarter, device in
                    if let owner = owner(contact, quarter, device) { answer.byName.append(owner) }
                }
            }
            if let minor = sighting.minor {
                index.forEach(of: minor) { contact, quarter, device in
                    if let owner = owner(contact, quarter, device) { answer.byMinor.append(owner) }
                }
                for quarter in 0..<4 where (lowest...highest).contains(base + UInt32(quarter)) {
                    answer.byChance += Double(index.distinctMinors[quarter]) / Double(Odds.minors)
                }
            }
        }
        answer.byName = Self.distinct(answer.byName)
        answer.byMinor = Self.distinct(answer.byMinor)
        answer.isCovered = isCovered
        return answer
    }

    private mutating func index<Failure: Error>(
        of period: Period, computing entries: (Period) throws(Failure) -> [Forecast.Entry]
    ) throws(Failure) -> PeriodIndex? {
        if let index = periods[period] {
            if !isComplete, recent.last != period {
                recent.removeAll { $0 == period }
                recent.append(period)
            }
            return index
        }
        if isComplete { return nil }
        let index = PeriodIndex(try entries(period), first: period.firstEpoch)
        periods[period] = index
        recent.append(period)
        bytes += index.byteCount
        while bytes > limit, recent.count > 1 {
            if let old = periods.removeValue(forKey: recent.removeFirst()) { bytes -= old.byteCount }
        }
        return index
    }

    /// Sorts the owners and removes duplicates, which occur when predictions overlap.
    private static func distinct(_ owners: [Owner]) -> [Owner] {
        owners.count < 2 ? owners : Set(owners).sorted()
    }
}
