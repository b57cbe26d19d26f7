public import InklingKeys

/// A detector of strangers' beacons that travel along, without knowing whose they are (`Specs/companions.md`).
///
/// A device changes minor and address with every epoch, so no value can be followed. But a companion's beacon stays
/// from the beginning to the end of one epoch after the other, while those of passers-by leave.
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

    /// The beacons heard at the beginning of an epoch: how many there were, and how many stayed.
    public struct EpochCount: Hashable, Sendable {
        /// The epoch.
        public let epoch: Epoch
        /// The number heard in the opening of the epoch.
        public internal(set) var opening = 0
        /// The number that stayed for a third of the epoch.
        public internal(set) var third = 0
        /// The number that stayed for two thirds.
        public internal(set) var twoThirds = 0
        /// The number still there at the end.
        public internal(set) var stayed = 0
    }

    /// The conclusion from the epochs so far.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// Fewer than three whole epochs in a row have ended.
        case tooShort = "too-short"
        /// There were no three epochs in a row in each of which some beacon stayed.
        case none
        /// Some beacon stayed in three epochs in a row, but others stay here too, or chance may explain it.
        case unclear
        /// Some beacon stayed in three epochs in a row, and chance hardly explains it.
        case companion
    }

    /// The number of consecutive epochs that a verdict needs.
    public static let epochsNeeded = 3
    /// The length of the opening of an epoch in seconds: the greatest gap and skew, and time to be heard.
    public static let opening: UInt64 = 150
    /// The silence, in seconds, after which a beacon has left.
    public static let longestSilence: UInt64 = 180
    /// The most beacons of an epoch that are followed.
    public static let limit = 4096

    private struct Stay: Hashable {
        var last: UInt64
        var hasLeft = false
    }

    private var epoch: Epoch?
    /// Whether the epoch was observed from its beginning.
    private var isWhole: Bool
    private var stays: [Beacon: Stay] = [:]
    /// The other beacons heard in the opening, kept so that `isStranger` is asked once about each.
    private var others: Set<Beacon> = []
    /// The last whole epochs, consecutive, at most three.
    private var recent: [EpochCount] = []
    /// The counts of the epochs on which the verdict rests; the last ones while there is none.
    public private(set) var counts: [EpochCount] = []
    /// The conclusion from the epochs so far.
    public private(set) var verdict = Verdict.tooShort

    /// Creates a watch that begins to hear at this time.
    public init(at unixSeconds: UInt64) {
        epoch = Epoch(containing: unixSeconds)
        isWhole = epoch.map { unixSeconds - $0.start <= Self.opening / 2 } ?? false
    }

    /// The number of whole epochs that have ended in a row.
    public var epochCount: Int { recent.count }

    /// The number of strangers' beacons, of those heard at the beginning of this epoch, that are still there.
    public var present: Int { stays.values.count { !$0.hasLeft } }

    /// Whether this epoch was observed from its beginning.
    public var isObservingWholeEpoch: Bool { isWhole }

    /// Processes a report of a beacon; `isStranger` is asked once about each that is heard in the opening of an epoch.
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
            // A beacon that comes back has not stayed.
            if unixSeconds - stay.last > Self.longestSilence { stays[beacon]?.last = stay.last }
        } else if unixSeconds - epoch.start <= Self.opening, !others.contains(beacon) {
            guard stays.count < Self.limit, others.count < Self.limit else { return }
            if try isStranger() { stays[beacon] = Stay(last: unixSeconds) } else { others.insert(beacon) }
        }
    }

    /// Advances to a time; a report from before its epoch no longer counts.
    public mutating func advance(to unixSeconds: UInt64) {
        guard let now = Epoch(containing: unixSeconds), let before = epoch, before < now else { return }
        let isNext = before.next == now
        if isWhole { finish(before) } else { recent = [] }
        // Nothing is known of a missed epoch.
        if !isNext { recent = [] }
        epoch = now
        // The watch was running at the boundary, or began soon after it.
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
        // One of those that stayed may be the companion; the others show how long people stay here.
        let third = counts.reduce(0) { $0 + $1.third - 1 }
        let twoThirds = counts.reduce(0) { $0 + $1.twoThirds - 1 }
        // If the same share leaves in the last third as in the second, twoThirds² / (3 third) stay per epoch by chance.
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
