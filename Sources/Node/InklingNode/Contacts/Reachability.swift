internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// A node's experience with connecting to a contact.
struct Reachability: Sendable {
    /// The observations over one technology.
    private struct Past: Sendable {
        /// The number of consecutive failures, and the time of the last one.
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

    /// Returns the transport policy's plan for a contact (`Specs/transport-policy.md`).
    ///
    /// - Parameters:
    ///   - known: the observations; nil for a contact that was never called.
    ///   - heard: the technologies over which an identifier of the contact is heard now.
    ///   - links: the technologies that carry links now.
    ///   - now: the current time.
    /// - Returns: the plan.
    static func plan(
        for known: Reachability?, heardOver heard: Set<LinkTechnologyID>, links: Set<LinkTechnologyID>, at now: Tick
    ) -> TransportPlan {
        var situation = TransportSituation(
            own: circumstances(links), peer: heard.contains(.tagged) ? visiblePeer : nil, relation: .contact,
            purpose: .recognise)
        // The plan covers what is heard. An invitation can always be shown as a code.
        situation.ownTransports = Set(heard.intersection(links).map(\.capabilities.option)).union([.exchange])
        situation.isHeard = true
        situation.isOnSameNetwork = heard.contains(.searched)
        known?.describe(in: &situation, at: now)
        return TransportPolicy().plan(for: situation)
    }

    /// Returns the plan for carrying data to a contact with an open session (`Specs/transport-policy.md`). Whether both
    /// are on one network is unknown: offering a link finds out.
    ///
    /// - Parameters:
    ///   - known: the observations; nil for a contact that was never called.
    ///   - payload: the number of bytes to carry.
    ///   - linked: the technology of the session.
    ///   - links: the technologies that carry links now.
    ///   - peer: the transports over which the contact's device can be reached.
    ///   - now: the current time.
    /// - Returns: the plan.
    static func plan(
        for known: Reachability?, toCarry payload: UInt64, linkedOver linked: LinkTechnologyID,
        links: Set<LinkTechnologyID>, of peer: TransportSet, at now: Tick
    ) -> TransportPlan {
        var situation = TransportSituation(
            own: circumstances(links), peer: linkedPeer, relation: .confirmed, purpose: .bulk)
        situation.payload = payload
        situation.linked = [linked.capabilities.option]
        situation.ownTransports = Set(links.map(\.capabilities.option))
        situation.peerTransports = [linked.capabilities.option]
        if peer.contains(.tcp) { situation.peerTransports?.insert(.network) }
        situation.isOnSameNetwork = true
        known?.describe(in: &situation, at: now)
        return TransportPolicy().plan(for: situation)
    }

    /// Adds the observations to a situation.
    private func describe(in situation: inout TransportSituation, at now: Tick) {
        for (technology, past) in past {
            situation.observed[technology.capabilities.option] = past.observed
            situation.failures[technology.capabilities.option] = past.failures.map { failures in
                TransportSituation.Failures(
                    count: failures.count, ago: .milliseconds(now.milliseconds(since: failures.last)))
            }
        }
    }

    /// This node's circumstances, as input of the transport policy.
    private static func circumstances(_ links: Set<LinkTechnologyID>) -> AppCircumstances {
        let met = LinkTechnologyID.searched.capabilities.needs.union(links.flatMap(\.capabilities.needs))
        return AppCircumstances(DevicePlatform(.linux, PlatformVersion(0)), .foreground, met: met)
    }

    /// A peer whose beacon is heard: it advertises, and nothing else is known about it.
    private static let visiblePeer = AppCircumstances(
        DevicePlatform(.linux, PlatformVersion(0)), .foreground, met: LinkTechnologyID.tagged.capabilities.needs)

    /// A peer with an open session. Its handshake has told what its program can do.
    private static let linkedPeer = AppCircumstances(
        DevicePlatform(.linux, PlatformVersion(0)), .foreground,
        met: Set(LinkTechnologyID.allCases.flatMap(\.capabilities.needs)))
}
