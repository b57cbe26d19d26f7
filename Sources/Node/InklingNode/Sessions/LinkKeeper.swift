internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingWire

/// A machine that reconnects links of one technology lost within an epoch (`Specs/lifecycle.md`).
struct LinkKeeper: Sendable {
    /// The seconds at the end of an epoch in which no link is reconnected, because the peer may already be silent.
    private static let lastSeconds: UInt64 = 5
    /// The policy for links to confirmed contacts, whose addresses are known and need no search.
    private static let policy = ReconnectionPolicy(services: [], steps: [.authentication])

    /// A request to call a device again, at its last route and with the attempt that confirmed it.
    struct Renewal: Sendable {
        let device: KnownDevice
        let attempt: Attempt
        let route: LinkRoute
    }

    private var linked: [KnownDevice: Attempt] = [:]
    private var machine = Reconnection<KnownDevice, LinkRoute>(policy: policy)
    /// The time at which `timerFired` is due.
    private(set) var due: Tick?

    /// Returns the route of the link to a device; nil if it is not linked.
    func link(to device: KnownDevice) -> LinkRoute? { machine.link(to: device) }

    /// Reconnects the link to this device whenever it is lost, until the end of the epoch.
    mutating func keep(
        _ device: KnownDevice, _ attempt: Attempt, at route: LinkRoute, counting calls: inout CallCounts,
        now: ClockReading
    ) {
        linked[device] = attempt
        _ = machine.handle(.ready, at: now.tick)
        // The device is already linked and confirmed, so nothing is looked up.
        _ = machine.handle(.wanted(device, known: route, isStable: true, lastReceived: nil), at: now.tick)
        _ = handle(.linked(device, route), counting: &calls, at: now)
        _ = handle(.stepDone(device, .authentication), counting: &calls, at: now)
    }

    /// Stops reconnecting a device that closed its last session, or whose contact left, was removed or blocked.
    mutating func release(_ device: KnownDevice, counting calls: inout CallCounts, at now: ClockReading) -> [Renewal] {
        guard linked.removeValue(forKey: device) != nil else { return [] }
        return handle(.unwanted(device), counting: &calls, at: now)
    }

    /// Stops reconnecting every device of a user.
    mutating func release(_ user: UserID, counting calls: inout CallCounts, at now: ClockReading) -> [Renewal] {
        var renewals: [Renewal] = []
        for device in linked.keys.sorted() where device.user == user {
            renewals += release(device, counting: &calls, at: now)
        }
        return renewals
    }

    mutating func timerFired(counting calls: inout CallCounts, at now: ClockReading) -> [Renewal] {
        guard let moment = due, moment <= now.tick else { return [] }
        due = nil
        return handle(.timerFired, counting: &calls, at: now)
    }

    mutating func handle(
        _ event: Reconnection<KnownDevice, LinkRoute>.Event, counting calls: inout CallCounts, at now: ClockReading
    ) -> [Renewal] {
        var renewals: [Renewal] = []
        for effect in machine.handle(event, at: now.tick) {
            switch effect {
            case .call(let device, let route):
                guard let attempt = linked[device], calls.hasRoom(for: device.user, at: now),
                    now.unixSeconds % Epoch.seconds + Self.lastSeconds < Epoch.seconds
                else {
                    renewals += release(device, counting: &calls, at: now)
                    continue
                }
                calls.add(device.user, at: now)
                renewals.append(Renewal(device: device, attempt: attempt, route: route))
            case .wake(let tick): due = tick
            case .lookUp, .lookUpAttached, .beginSearch, .endSearch, .adopt, .remember:
                // Recognition handles a device that is announced again.
                break
            case .perform, .cancel, .overdue, .reconnected:
                // The call confirms the device, and closes the link on failure.
                break
            }
        }
        return renewals
    }
}
