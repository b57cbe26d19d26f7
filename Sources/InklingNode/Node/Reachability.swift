internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// What a node has observed about connecting to a contact.
struct Reachability: Sendable {
    /// The number of consecutive failures, and when the last one was.
    private(set) var failures: (count: UInt8, last: Tick)?
    private(set) var observed = TransportSituation.Observed()

    mutating func noteFailure(at now: Tick) {
        failures = ((failures?.count ?? 0) < .max ? (failures?.count ?? 0) + 1 : .max, now)
    }

    mutating func noteSuccess(afterMilliseconds taken: UInt64) {
        failures = nil
        observed.setUp.observe(taken)
    }

    /// The transports of this node: the local network, and the exchange of an invitation as a code. It has no radio.
    static let transports: Set<TransportOption> = [.network, .exchange]

    /// This node's circumstances, as input of the transport policy.
    private static let circumstances = AppCircumstances(
        DevicePlatform(.linux, PlatformVersion(0)), .foreground, met: [.localNetwork])

    /// Returns the plan of the transport policy for a contact whose name has been seen (`Specs/transport-policy.md`).
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
