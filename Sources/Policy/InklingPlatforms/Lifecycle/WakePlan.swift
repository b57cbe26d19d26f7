public import InklingEngine
public import InklingKeys
public import InklingWire

/// The beacon regions that a phone monitors so that the most likely contacts wake it (`Specs/apple.md`).
///
/// The result does not depend on the order of the candidates.
public struct WakePlan: Hashable, Sendable {
    /// The most regions that an app may monitor.
    public static let regionLimit = 20

    /// A device of a contact, with its minors in this epoch and the next.
    public struct Candidate: Hashable, Sendable {
        /// The contact to whom the device belongs.
        public let contact: ContactID
        /// The minor in this epoch.
        public let minorNow: BeaconMinor
        /// The minor in the next epoch; nil if the grant ends before it.
        public let minorNext: BeaconMinor?
        /// The priority of this contact: its probability times its importance, in 65,536ths of the maximum. With 0, its
        /// regions are never monitored.
        public let likelihood: UInt32

        /// Creates a candidate.
        public init(contact: ContactID, minorNow: BeaconMinor, minorNext: BeaconMinor?, likelihood: UInt32) {
            self.contact = contact
            self.minorNow = minorNow
            self.minorNext = minorNext
            self.likelihood = likelihood
        }

        /// A sort key: the greatest `likelihood` first, and the contact and the minors decide between equals.
        fileprivate var rank: (UInt32, UInt32, UInt16, UInt32) {
            (.max - likelihood, contact.rawValue, minorNow.value, minorNext.map { UInt32($0.value) } ?? .max)
        }
    }

    /// A region: `CLBeaconRegion(uuid:identifier:)`, or `CLBeaconRegion(uuid:major:minor:identifier:)` with a minor.
    public struct Region: Hashable, Sendable {
        /// The minor of the region; nil for the region of all beacons of this protocol.
        public let minor: BeaconMinor?

        /// Creates the region of one minor, or of all beacons.
        public init(minor: BeaconMinor?) { self.minor = minor }

        /// `uuid`.
        public var proximity: UUID128 { .proximity }
        /// `major`; nil for the region of all beacons.
        public var major: UInt16? { minor.map { _ in IBeacon.commonMajor } }
        /// `identifier`. It is made of the minor alone and names no contact, because the system stores it unencrypted.
        public var identifier: String { minor.map { "inkling.\($0.value)" } ?? "inkling" }
        /// `notifyOnEntry`.
        public var notifiesOnEntry: Bool { true }
        /// `notifyOnExit`: true only for the region of all beacons, whose exit is an occasion to plan again.
        public var notifiesOnExit: Bool { minor == nil }
        /// `notifyEntryStateOnDisplay`: true only for the region of all beacons, because one wake is enough.
        public var notifiesOnDisplay: Bool { minor == nil }
    }

    /// The regions to monitor, 1 to 20: the region of all beacons, then those of the most likely contacts.
    public let regions: [Region]

    /// Creates a plan. Starting with the most likely candidate, it adds the region of each one's minor in this epoch
    /// and then in the next, until the limit is reached. A minor that two candidates show is monitored once.
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

    /// Returns the steps from the regions that are monitored now to those of the plan.
    ///
    /// Pass the identifiers of `CLLocationManager.monitoredRegions`. Call `stopMonitoring(for:)` for all regions in
    /// `stop`, and then `startMonitoring(for:)` for those in `start`, so that there are never more than 20. Identifiers
    /// of other regions of the app are ignored. A region that stays is in neither list, because restarting it would
    /// discard the system's state of it.
    public func steps(from identifiers: [String]) -> (stop: [String], start: [Region]) {
        let wanted = Set(regions.map(\.identifier))
        let ours = identifiers.filter { $0 == "inkling" || $0.hasPrefix("inkling.") }
        let present = Set(ours)
        return (ours.filter { !wanted.contains($0) }, regions.filter { !present.contains($0.identifier) })
    }
}
