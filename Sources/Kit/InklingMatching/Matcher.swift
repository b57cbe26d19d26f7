internal import CLogLines
public import InklingEngine
public import InklingKeys

/// Matches sightings with predictions, in any order and on several threads (`Specs/matching.md`).
///
/// It caches period indices and keeps nothing about sightings, so that the answer to one never depends on others.
public final class Matcher: Sendable {
    /// A device that may have shown a value, and the value's epoch.
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

    let skew: SkewAllowance
    let indices: PeriodIndices

    /// Creates a matcher that computes the predictions for a period's four epochs on demand, and caches up to
    /// `cacheLimit` bytes of them.
    public init(
        skew: SkewAllowance, cacheLimit: Int = cacheLimit,
        computing entries: @escaping @Sendable (Period) throws -> [Forecast.Entry]
    ) {
        self.skew = skew
        indices = PeriodIndices(limit: cacheLimit, computing: entries)
    }

    /// Creates a matcher for given predictions, which must be in order of their epochs.
    public init(skew: SkewAllowance, entries: [Forecast.Entry]) {
        self.skew = skew
        indices = PeriodIndices(entries)
    }

    /// Returns the devices that may have shown the values of a sighting.
    ///
    /// - Throws: any error of the computation of predictions.
    public func match(_ sighting: Sighting) throws -> Answer { try match([sighting]).first ?? Answer() }

    /// Returns, for each of these sightings, the devices that may have shown its values.
    ///
    /// - Throws: any error of the computation of predictions.
    public func match(_ sightings: [Sighting]) throws -> [Answer] {
        var answers = [Answer](repeating: Answer(), count: sightings.count)
        var search = OwnerSearch(self)
        let lines = sightings.map { log_line($0) }
        try unsafe lines.withUnsafeBufferPointer { try unsafe search.find($0) }
        for match in search.matches {
            if match.isByName {
                answers[match.line].byName.append(match.owner)
            } else {
                answers[match.line].byMinor.append(match.owner)
            }
        }
        for index in answers.indices {
            answers[index].byChance = search.byChance[index]
            answers[index].isCovered = search.isCovered[index]
        }
        return answers
    }
}
