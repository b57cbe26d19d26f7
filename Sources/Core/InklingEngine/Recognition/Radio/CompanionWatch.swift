public import InklingKeys

/// Finds out whether some beacon of strangers travels along, without knowing whose it is (`Specs/companions.md`).
///
/// A device changes minor and address with every epoch, so that no value can be followed. What can be seen is that in one
/// epoch after the other some beacon stays from the beginning to the end, while those of passers-by leave.
public struct CompanionWatch: Hashable, Sendable {
    /// A beacon of one epoch.
    public struct Beacon: Hashable, Sendable {
        /// The minor that it shows.
        public let minor: BeaconMinor
        /// The address from which it is heard.
        public let address: DeviceAddress

        /// Creates a beacon.
        public init(minor: BeaconMinor, address: DeviceAddress) {
            self.minor = minor
            self.address = address
        }
    }

    /// What became of the beacons that were heard at the beginning of an epoch: how many of them there were, and how many
    /// stayed.
    public struct EpochCount: Hashable, Sendable {
        /// The epoch.
        public let epoch: Epoch
        /// How many were heard in the opening of the epoch.
        public internal(set) var opening = 0
        /// How many of them stayed for a third of the epoch.
        public internal(set) var third = 0
        /// How many stayed for two thirds.
        public internal(set) var twoThirds = 0
        /// How many were there at the end.
        public internal(set) var stayed = 0
    }

    /// What the epochs so far say.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// There were not yet three whole epochs in a row.
        case tooShort = "too-short"
        /// In no three epochs in a row some beacon stayed.
        case none
        /// Some beacon stayed in three epochs in a row, but so do others here, or may by chance.
        case unclear
        /// Some beacon stayed in three epochs in a row, and chance hardly explains it.
        case companion
    }

    /// How many epochs in a row a verdict needs.
    public static let epochsNeeded = 3
    /// How long the opening of an epoch lasts, in seconds: the greatest gap and skew, and time to be heard.
    public static let opening: UInt64 = 150
    /// After this silence a beacon has left, in seconds.
    public static let longestSilence: UInt64 = 180
    /// How many beacons of an epoch are followed.
    public static let limit = 4096

    private struct Stay: Hashable {
        var last: UInt64
        var hasLeft = false
    }

    private var epoch: Epoch?
    /// Whether the epoch was observed from its beginning.
    private var isWhole: Bool
    private var stays: [Beacon: Stay] = [:]
    /// Strangers' beacons are followed; all others that were heard in the opening are kept to be asked about once.
    private var others: Set<Beacon> = []
    /// The whole epochs that ended last, at most three, each the one after the other.
    private var recent: [EpochCount] = []
    /// The counts of the epochs on which the verdict rests; the last ones while there is none.
    public private(set) var counts: [EpochCount] = []
    /// What the epochs so far say.
    public private(set) var verdict = Verdict.tooShort

    /// Creates a watch that begins to hear at this time.
    public init(at unixSeconds: UInt64) {
        epoch = Epoch(containing: unixSeconds)
        isWhole = epoch.map { unixSeconds - $0.start <= Self.opening / 2 } ?? false
    }

    /// How many whole epochs have ended in a row.
    public var epochCount: Int { recent.count }

    /// How many strangers' beacons that were heard at the beginning of this epoch are still there.
    public var present: Int { stays.values.count { !$0.hasLeft } }

    /// Whether this epoch was observed from its beginning.
    public var isObservingWholeEpoch: Bool { isWhole }

    /// Takes a report of a beacon; `isStranger` is asked once about each that is heard in the opening of an epoch.
    ///
    /// - Throws: the error of `isStranger`.
    public mutating func heard<Failure: Error>(
        _ beacon: Beacon, at unixSeconds: UInt64, isStranger: () throws(Failure) -> Bool
    ) throws(Failure) {
        advance(to: unixSeconds)
        guard isWhole, let epoch, epoch.start <= unixSeconds, unixSeconds < epoch.end else { return }
        if let stay = stays[beacon] {
            guard !stay.hasLeft, unixSeconds > stay.last else { return }
            stays[beacon] = Stay(last: unixSeconds, hasLeft: unixSeconds - stay.last > Self.longestSilence)
            // Somebody who comes back has not stayed.
            if unixSeconds - stay.last > Self.longestSilence { stays[beacon]?.last = stay.last }
        } else if unixSeconds - epoch.start <= Self.opening, !others.contains(beacon) {
            guard stays.count < Self.limit, others.count < Self.limit else { return }
            if try isStranger() { stays[beacon] = Stay(last: unixSeconds) } else { others.insert(beacon) }
        }
    }

    /// Notes that time has passed; a report that is older than the epoch then counts no more.
    public mutating func advance(to unixSeconds: UInt64) {
        guard let now = Epoch(containing: unixSeconds), let before = epoch, before < now else { return }
        let isNext = before.next == now
        if isWhole { finish(before) } else { recent = [] }
        // Of an epoch that was missed nothing is known.
        if !isNext { recent = [] }
        epoch = now
        // The watch was there at the boundary, or begins anew.
        isWhole = isNext || unixSeconds - now.start <= Self.opening / 2
        stays = [:]
        others = []
    }

    private mutating func finish(_ epoch: Epoch) {
        var count = EpochCount(epoch: epoch)
        for stay in stays.values {
            count.opening += 1
            if stay.last >= epoch.start + Self.third { count.third += 1 }
            if stay.last >= epoch.start + 2 * Self.third { count.twoThirds += 1 }
            if stay.last >= epoch.end - Self.opening { count.stayed += 1 }
        }
        recent.append(count)
        if recent.count > Self.epochsNeeded { recent.removeFirst() }
        guard recent.count == Self.epochsNeeded else {
            if verdict == .tooShort { counts = recent }
            return
        }
        let found = Self.judge(recent)
        if found.weight >= verdict.weight {
            verdict = found
            counts = recent
        }
    }

    private static let third: UInt64 = 300

    /// Judges three whole epochs in a row.
    private static func judge(_ counts: [EpochCount]) -> Verdict {
        guard counts.allSatisfy({ $0.stayed > 0 }) else { return .none }
        // One of those that stayed may be the companion; the others say how long people stay here.
        let third = counts.reduce(0) { $0 + $1.third - 1 }
        let twoThirds = counts.reduce(0) { $0 + $1.twoThirds - 1 }
        // As many as leave in the second third leave in the last one: in an epoch twoThirds² / (3 third) stay by chance.
        return 10 * twoThirds * twoThirds <= 3 * third ? .companion : .unclear
    }
}

extension CompanionWatch.Verdict {
    fileprivate var weight: Int {
        switch self {
        case .tooShort: 0
        case .none: 1
        case .unclear: 2
        case .companion: 3
        }
    }
}
