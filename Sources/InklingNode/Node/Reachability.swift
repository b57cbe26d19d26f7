internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// What a node remembers of how a contact could be reached.
struct Reachability: Sendable {
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

    /// The transports that this node implements: its ports have the network and no radio, and a code carries an
    /// invitation.
    static let transports: Set<TransportOption> = [.network, .exchange]

    /// What this node is to the policy.
    private static let circumstances = AppCircumstances(
        DevicePlatform(.linux, PlatformVersion(0)), .foreground, met: [.localNetwork])

    /// Asks the policy how to reach a contact whose name is heard, before anything is sent
    /// (`Specs/transport-policy.md`).
    static func plan(for known: Reachability?, at now: Tick) -> TransportPlan {
        var situation = TransportSituation(own: circumstances, peer: nil, relation: .contact, purpose: .recognise)
        situation.ownTransports = transports
        situation.isHeard = true
        situation.isOnSameNetwork = true
        if let known {
            situation.observed[.network] = known.observed
            situation.failures[.network] = known.failures.map { failures in
                TransportSituation.Failures(
                    count: failures.count, ago: .milliseconds(now.milliseconds(since: failures.last)))
            }
        }
        return TransportPolicy().plan(for: situation)
    }
}
