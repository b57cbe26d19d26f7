internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// The link keepers of all technologies, with the counters of their calls.
struct LinkKeepers: Sendable {
    private var keepers: [LinkTechnologyID: LinkKeeper] = [:]
    private var calls: [LinkTechnologyID: CallCounts] = [:]

    /// The time at which `timerFired` is due.
    var due: Tick? { keepers.values.compactMap(\.due).min() }

    /// Returns the route of the link to a device over a technology; nil if it is not linked.
    func link(to device: KnownDevice, over technology: LinkTechnologyID) -> LinkRoute? {
        keepers[technology]?.link(to: device)
    }

    /// Reconnects the link to this device whenever it is lost, until the end of the epoch. `attempts` is the number of
    /// recognition attempts with the contact over the technology in this epoch.
    mutating func keep(
        _ device: KnownDevice, _ attempt: Attempt, at route: LinkRoute, attempts: Int, now: ClockReading
    ) {
        var counts = calls[route.technology, default: CallCounts()]
        counts.note(attempts, for: device.user, at: now)
        keepers[route.technology, default: LinkKeeper()].keep(
            device, attempt, at: route, counting: &counts, now: now)
        calls[route.technology] = counts
    }

    mutating func handle(
        _ event: Reconnection<KnownDevice, LinkRoute>.Event, over technology: LinkTechnologyID, at now: ClockReading
    ) -> [LinkKeeper.Renewal] {
        keepers[technology, default: LinkKeeper()].handle(
            event, counting: &calls[technology, default: CallCounts()], at: now)
    }

    /// Stops reconnecting a device that has closed its last session.
    mutating func release(_ device: KnownDevice, at now: ClockReading) -> [LinkKeeper.Renewal] {
        forEach { $0.release(device, counting: &$1, at: now) }
    }

    /// Stops reconnecting every device of a user.
    mutating func release(_ user: UserID, at now: ClockReading) -> [LinkKeeper.Renewal] {
        forEach { $0.release(user, counting: &$1, at: now) }
    }

    /// Drops every link of a technology at the end of an epoch.
    mutating func reset(_ technology: LinkTechnologyID) { keepers[technology] = nil }

    mutating func timerFired(at now: ClockReading) -> [LinkKeeper.Renewal] {
        forEach { $0.timerFired(counting: &$1, at: now) }
    }

    private mutating func forEach(
        _ body: (inout LinkKeeper, inout CallCounts) -> [LinkKeeper.Renewal]
    ) -> [LinkKeeper.Renewal] {
        var renewals: [LinkKeeper.Renewal] = []
        for technology in LinkTechnologyID.allCases {
            guard var keeper = keepers[technology] else { continue }
            renewals += body(&keeper, &calls[technology, default: CallCounts()])
            keepers[technology] = keeper
        }
        return renewals
    }
}
