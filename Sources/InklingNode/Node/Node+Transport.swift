internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// What a node remembers of how a contact could be reached.
struct Reachability {
    /// Failures in a row, and when the last one was.
    private(set) var failures: (count: UInt8, last: Tick)?
    private(set) var observed = TransportSituation.Observed()

    mutating func noteFailure(at now: Tick) {
        failures = ((failures?.count ?? 0) < .max ? (failures?.count ?? 0) + 1 : .max, now)
    }

    mutating func noteSuccess(afterMilliseconds taken: UInt64) {
        failures = nil
        observed.setUp.observe(taken)
    }
}

// Choosing how to reach somebody, before anything is sent (`Specs/transport-policy.md`).
extension Node {
    /// The transports that this node implements: the ports have the network and no radio, and a code carries an
    /// invitation.
    static let transports: Set<Transport> = [.network, .exchange]

    /// What this node is to the policy.
    static let circumstances = AppCircumstances(
        DevicePlatform(.linux, PlatformVersion(0)), .foreground, met: [.localNetwork])

    /// Asks the policy how to reach a contact whose name is heard, and says what it answered.
    func planToReach(_ user: UserID, at now: Tick) -> TransportPlan {
        var situation = TransportSituation(own: Self.circumstances, peer: nil, relation: .contact, purpose: .recognise)
        situation.ownTransports = Self.transports
        situation.isHeard = true
        situation.isOnSameNetwork = true
        if let known = reachability[user] {
            situation.observed[.network] = known.observed
            situation.failures[.network] = known.failures.map { failures in
                TransportSituation.Failures(
                    count: failures.count, ago: .milliseconds(now.milliseconds(since: failures.last)))
            }
        }
        let plan = TransportPolicy().plan(for: situation)
        emit.yield(.planned(user, plan))
        return plan
    }
}
