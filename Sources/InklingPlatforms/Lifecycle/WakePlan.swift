public import InklingEngine
public import InklingKeys
public import InklingSession

/// The beacon regions that a phone watches so that the likeliest contacts wake it (`Specs/apple.md`).
///
/// The same candidates give the same regions in the same order, whatever the order of the candidates.
public struct WakePlan: Hashable, Sendable {
    /// The most regions that an app may watch.
    public static let regionLimit = 20

    /// A device of a contact, with its minors of this epoch and the next.
    public struct Candidate: Hashable, Sendable {
        /// The contact.
        public let contact: ContactID
        /// The minor of this epoch.
        public let minorNow: BeaconMinor
        /// The minor of the next epoch; nil when the grant ends before it.
        public let minorNext: BeaconMinor?
        /// How much a wake for this contact is worth, in 65,536ths of the most: likelihood times importance. 0 for never.
        public let likelihood: UInt32

        /// Creates a candidate.
        public init(contact: ContactID, minorNow: BeaconMinor, minorNext: BeaconMinor?, likelihood: UInt32) {
            self.contact = contact
            self.minorNow = minorNow
            self.minorNext = minorNext
            self.likelihood = likelihood
        }

        /// Likelier first; contacts and values decide between equals.
        fileprivate var rank: (UInt32, UInt32, UInt16, UInt32) {
            (.max - likelihood, contact.rawValue, minorNow.value, minorNext.map { UInt32($0.value) } ?? .max)
        }
    }

    /// A region: `CLBeaconRegion(uuid:identifier:)`, or `CLBeaconRegion(uuid:major:minor:identifier:)` with a minor.
    public struct Region: Hashable, Sendable {
        /// The minor that is watched; nil for every beacon of this protocol.
        public let minor: BeaconMinor?

        /// Creates the region of one minor, or of every beacon.
        public init(minor: BeaconMinor?) { self.minor = minor }

        /// `uuid`.
        public var proximity: UUID128 { .proximity }
        /// `major`, where there is a minor.
        public var major: UInt16? { minor.map { _ in IBeacon.commonMajor } }
        /// `identifier`: of the value alone, since the system keeps it in the clear.
        public var identifier: String { minor.map { "inkling.\($0.value)" } ?? "inkling" }
        /// `notifyOnEntry`.
        public var notifiesOnEntry: Bool { true }
        /// `notifyOnExit`: true only for the region of every beacon, since an exit is an occasion to plan again.
        public var notifiesOnExit: Bool { minor == nil }
        /// `notifyEntryStateOnDisplay`: true only for the region of every beacon, since one wake is enough.
        public var notifiesOnDisplay: Bool { minor == nil }
    }

    /// The regions to watch, 1 to 20: the region of every beacon, then those of the likeliest contacts.
    public let regions: [Region]

    /// The plan for the candidates: for each, likeliest first, this epoch's minor and then the next one's, while there is
    /// room. A minor that two of them show is watched once.
    public init(_ candidates: [Candidate]) {
        var regions = [Region(minor: nil)]
        var watched: Set<BeaconMinor> = []
        let order = candidates.filter { $0.likelihood > 0 }.sorted { $0.rank < $1.rank }
        for candidate in order {
            for minor in [candidate.minorNow, candidate.minorNext] {
                guard let minor, regions.count < Self.regionLimit, watched.insert(minor).inserted else { continue }
                regions.append(Region(minor: minor))
            }
            if regions.count == Self.regionLimit { break }
        }
        self.regions = regions
    }

    /// What to do about the regions that are watched now, `CLLocationManager.monitoredRegions`, given by their
    /// identifiers: first `stopMonitoring(for:)` the ones, then `startMonitoring(for:)` the others, so that there are
    /// never more than 20.
    ///
    /// Identifiers that are not ours are left alone; a region that stays is not touched, since starting it again would
    /// lose what the system knows of it.
    public func steps(from identifiers: [String]) -> (stop: [String], start: [Region]) {
        let wanted = Set(regions.map(\.identifier))
        let ours = identifiers.filter { $0 == "inkling" || $0.hasPrefix("inkling.") }
        let present = Set(ours)
        return (ours.filter { !wanted.contains($0) }, regions.filter { !present.contains($0.identifier) })
    }
}
