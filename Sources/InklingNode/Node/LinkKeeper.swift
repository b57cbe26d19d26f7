internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingSession

/// Reconnects links that were lost within an epoch (`Specs/lifecycle.md`).
struct LinkKeeper: Sendable {
    /// How many calls to one contact an epoch may have: attempts of recognition, and reconnections of its devices. An
    /// attacker who cuts links can cause no more calls than this.
    static let callLimit = 4
    /// No link is reconnected in the last seconds of an epoch, because the peer may be silent already.
    private static let lastSeconds: UInt64 = 5
    /// The policy for links to confirmed contacts, whose addresses are known and need no search.
    private static let policy = ReconnectionPolicy(services: [], steps: [.authentication])

    /// A request to call a device again, at the endpoint and by the attempt with which it was confirmed.
    struct Renewal: Sendable {
        let device: KnownDevice
        let attempt: Attempt
        let route: LinkRoute
    }

    private struct Linked {
        let attempt: Attempt
    }

    private var linked: [KnownDevice: Linked] = [:]
    /// The calls to each user in this epoch, as far as they are known here.
    private var calls: [UserID: Int] = [:]
    private var machine = Reconnection<KnownDevice, LinkRoute>(policy: policy)
    /// When `timerFired` is due.
    private(set) var due: Tick?

    /// Returns the endpoint of the link to a device, or nil if it is not linked.
    func link(to device: KnownDevice) -> LinkRoute? { machine.link(to: device) }

    /// Reconnects the link to this device whenever it is lost, until the end of the epoch. `attempts` is the number of
    /// attempts of recognition that this epoch has had with the contact.
    mutating func keep(
        _ device: KnownDevice, _ attempt: Attempt, at route: LinkRoute, attempts: Int, now: ClockReading
    ) {
        linked[device] = Linked(attempt: attempt)
        calls[device.user] = max(calls[device.user] ?? 0, attempts)
        _ = machine.handle(.ready, at: now.tick)
        // The device is linked and confirmed already, so nothing is looked up.
        _ = machine.handle(.wanted(device, known: route, isStable: true, lastReceived: nil), at: now.tick)
        _ = handle(.linked(device, route), at: now)
        _ = handle(.stepDone(device, .authentication), at: now)
    }

    /// Stops reconnecting a device that has closed its last session or whose contact has left, been removed or blocked.
    mutating func release(_ device: KnownDevice, at now: ClockReading) -> [Renewal] {
        guard linked.removeValue(forKey: device) != nil else { return [] }
        return handle(.unwanted(device), at: now)
    }

    /// Stops reconnecting every device of a user.
    mutating func release(_ user: UserID, at now: ClockReading) -> [Renewal] {
        linked.keys.sorted().filter { $0.user == user }.flatMap { release($0, at: now) }
    }

    /// Drops every link at the end of an epoch.
    mutating func reset() {
        linked = [:]
        calls = [:]
        machine = Reconnection(policy: Self.policy)
        due = nil
    }

    mutating func timerFired(at now: ClockReading) -> [Renewal] {
        guard let moment = due, moment <= now.tick else { return [] }
        due = nil
        return handle(.timerFired, at: now)
    }

    mutating func handle(_ event: Reconnection<KnownDevice, LinkRoute>.Event, at now: ClockReading) -> [Renewal] {
        var renewals: [Renewal] = []
        for effect in machine.handle(event, at: now.tick) {
            switch effect {
            case .call(let device, let route):
                guard let link = linked[device], calls[device.user, default: 1] < Self.callLimit,
                    now.unixSeconds % Epoch.seconds + Self.lastSeconds < Epoch.seconds
                else {
                    renewals += release(device, at: now)
                    continue
                }
                calls[device.user, default: 1] += 1
                renewals.append(Renewal(device: device, attempt: link.attempt, route: route))
            case .wake(let tick): due = tick
            case .lookUp, .lookUpAttached, .beginSearch, .endSearch, .adopt, .remember:
                // Recognition handles a device that is announced again.
                break
            case .perform, .cancel, .overdue, .reconnected:
                // The call confirms the device and closes the link when that fails.
                break
            }
        }
        return renewals
    }
}
