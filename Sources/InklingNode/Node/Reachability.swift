internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// What a node has observed about connecting to a contact.
struct Reachability: Sendable {
    /// What was observed over one technology.
    private struct Past: Sendable {
        /// The number of consecutive failures, and when the last one was.
        var failures: (count: UInt8, last: Tick)?
        var observed = TransportSituation.Observed()
    }

    private var past: [LinkTechnologyID: Past] = [:]

    mutating func noteFailure(over technology: LinkTechnologyID, at now: Tick) {
        let count = past[technology]?.failures?.count ?? 0
        past[technology, default: Past()].failures = (count < .max ? count + 1 : .max, now)
    }

    mutating func noteSuccess(over technology: LinkTechnologyID, afterMilliseconds taken: UInt64) {
        past[technology, default: Past()].failures = nil
        past[technology, default: Past()].observed.setUp.observe(taken)
    }

    /// Returns the plan of the transport policy for a contact (`Specs/transport-policy.md`).
    ///
    /// - Parameters:
    ///   - known: what was observed; nil for a contact that was never called.
    ///   - heard: the technologies over which an identifier of the contact is heard now.
    ///   - links: the technologies that carry links now.
    ///   - now: the present moment.
    /// - Returns: the plan.
    static func plan(
        for known: Reachability?, heardOver heard: Set<LinkTechnologyID>, links: Set<LinkTechnologyID>, at now: Tick
    ) -> TransportPlan {
        var situation = TransportSituation(
            own: circumstances(links), peer: heard.contains(.bluetooth) ? visiblePeer : nil, relation: .contact,
            purpose: .recognise)
        // A plan is made of what is heard. An invitation can always be shown as a code.
        situation.ownTransports = Set(heard.intersection(links).map(\.transport)).union([.exchange])
        situation.isHeard = true
        situation.isOnSameNetwork = heard.contains(.lan)
        for (technology, past) in known?.past ?? [:] {
            situation.observed[technology.transport] = past.observed
            situation.failures[technology.transport] = past.failures.map { failures in
                TransportSituation.Failures(
                    count: failures.count, ago: .milliseconds(now.milliseconds(since: failures.last)))
            }
        }
        return TransportPolicy().plan(for: situation)
    }

    /// This node's circumstances, as input of the transport policy.
    private static func circumstances(_ links: Set<LinkTechnologyID>) -> AppCircumstances {
        var met: Set<ProfileNeed> = [.localNetwork]
        if links.contains(.bluetooth) { met.formUnion([.bluetooth, .central, .peripheral]) }
        return AppCircumstances(DevicePlatform(.linux, PlatformVersion(0)), .foreground, met: met)
    }

    /// A peer whose beacon is heard: it advertises, and no more is known of it.
    private static let visiblePeer = AppCircumstances(
        DevicePlatform(.linux, PlatformVersion(0)), .foreground, met: [.bluetooth, .central, .peripheral])
}

extension LinkTechnologyID {
    /// The transport of its links, in the terms of the transport policy.
    var transport: TransportOption {
        switch self {
        case .lan: .network
        case .bluetooth: .gatt
        }
    }
}
