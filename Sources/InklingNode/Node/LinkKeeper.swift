internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// Makes links again that were lost within an epoch (`Specs/lifecycle.md`).
struct LinkKeeper: Sendable {
    /// How often in an epoch the link to one device is made again: those who cut links learn only that often that
    /// somebody here wants them.
    static let renewalLimit = 3
    /// For how many seconds before the end of an epoch no link is made again: the others may be silent already.
    private static let lastSeconds: UInt64 = 5
    /// Links to contacts that proved themselves; their addresses are known and need no search.
    private static let policy = ReconnectionPolicy(services: [], steps: [.authentication])

    /// Call a device again, by the attempt with which it was confirmed, where it answered before.
    struct Renewal: Sendable {
        let device: KnownDevice
        let attempt: Attempt
        let route: Endpoint
    }

    private struct Linked {
        let attempt: Attempt
        var renewals = 0
    }

    private var linked: [KnownDevice: Linked] = [:]
    private var machine = Reconnection<KnownDevice, Endpoint>(policy: policy)
    /// When `timerFired` is due.
    private(set) var due: Tick?

    /// Where a device is linked.
    func link(to device: KnownDevice) -> Endpoint? { machine.link(to: device) }

    /// From now on, until the end of the epoch, the link to this device is made again when it is lost.
    mutating func keep(_ device: KnownDevice, _ attempt: Attempt, at route: Endpoint, now: ClockReading) {
        linked[device] = Linked(attempt: attempt)
        _ = machine.handle(.ready, at: now.tick)
        // It is linked and confirmed, so that there is nothing to look up.
        _ = machine.handle(.wanted(device, known: route, isStable: true, lastReceived: nil), at: now.tick)
        _ = handle(.linked(device, route), at: now)
        _ = handle(.stepDone(device, .authentication), at: now)
    }

    /// A device said farewell, was removed, or has a better session: its link is not made again.
    mutating func letGo(_ device: KnownDevice, at now: ClockReading) -> [Renewal] {
        guard linked.removeValue(forKey: device) != nil else { return [] }
        return handle(.unwanted(device), at: now)
    }

    /// The same for every device of a user.
    mutating func letGo(_ user: UserID, at now: ClockReading) -> [Renewal] {
        linked.keys.sorted().filter { $0.user == user }.flatMap { letGo($0, at: now) }
    }

    /// The epoch is over, and with it every address.
    mutating func reset() {
        linked = [:]
        machine = Reconnection(policy: Self.policy)
        due = nil
    }

    mutating func timerFired(at now: ClockReading) -> [Renewal] {
        guard let moment = due, moment <= now.tick else { return [] }
        due = nil
        return handle(.timerFired, at: now)
    }

    mutating func handle(_ event: Reconnection<KnownDevice, Endpoint>.Event, at now: ClockReading) -> [Renewal] {
        var renewals: [Renewal] = []
        for effect in machine.handle(event, at: now.tick) {
            switch effect {
            case .call(let device, let route):
                guard let link = linked[device], link.renewals < Self.renewalLimit,
                    now.unixSeconds % Epoch.seconds + Self.lastSeconds < Epoch.seconds
                else {
                    renewals += letGo(device, at: now)
                    continue
                }
                linked[device]?.renewals += 1
                renewals.append(Renewal(device: device, attempt: link.attempt, route: route))
            case .wake(let tick): due = tick
            case .lookUp, .lookUpAttached, .beginSearch, .endSearch, .adopt, .remember:
                // A device that is announced again comes by way of recognition.
                break
            case .perform, .cancel, .overdue, .reconnected:
                // The call itself confirms who is there, and closes a link that is of no use.
                break
            }
        }
        return renewals
    }
}
