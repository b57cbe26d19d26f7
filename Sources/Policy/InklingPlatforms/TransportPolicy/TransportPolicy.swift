internal import InklingKeys

/// A pure function from a situation to a plan that chooses transports (`Specs/transport-policy.md`).
public struct TransportPolicy: Sendable {
    private let profiles: PlatformProfiles

    /// Creates a policy that uses these facts.
    public init(_ profiles: PlatformProfiles = .known) { self.profiles = profiles }

    /// Returns the steps, the least cost first, and the reason each other transport is refused.
    public func plan(for situation: TransportSituation) -> TransportPlan {
        var steps: [TransportPlan.Step] = []
        var refusals: [TransportPlan.Refusal] = []
        for transport in TransportOption.allCases {
            switch judge(transport, in: situation) {
            case .success(let step): steps.append(step)
            case .failure(let refusal): refusals.append(refusal.value)
            }
        }
        steps.sort { ($0.cost, $0.transport) < ($1.cost, $1.transport) }
        var begins: UInt64 = 0
        for index in steps.indices where !steps[index].transport.isPassive {
            steps[index].begins = .milliseconds(begins)
            // Each step begins at a fixed time, so that a step that hangs does not delay the next.
            begins = Cost.sum(begins, min(max(steps[index].completes.wholeMilliseconds, 1000), 10_000))
        }
        return TransportPlan(steps: steps, refusals: refusals)
    }

    private struct Refused: Error { let value: TransportPlan.Refusal }

    private func judge(_ transport: TransportOption, in situation: TransportSituation) -> Result<
        TransportPlan.Step, Refused
    > {
        func refusal(_ reason: TransportRefusal, _ facts: [ProfileFact] = []) -> Result<TransportPlan.Step, Refused> {
            .failure(Refused(value: TransportPlan.Refusal(transport: transport, reason: reason, facts: facts)))
        }
        if transport == .multipeer { return refusal(.retired) }
        if transport == .relay { return refusal(.thirdParty) }
        guard transport.purposes.contains(situation.purpose) else { return refusal(.purpose) }
        guard transport.relations.contains(situation.relation) else {
            return refusal(transport.relations.contains(.confirmed) ? .unconfirmed : .relation)
        }
        if !situation.hasBackEnds(for: transport) { return refusal(.noBackEnd) }
        let isLinked = situation.linked.contains(transport) && !transport.isPassive && transport != .exchange
        let judged = directions(of: transport, isLinked).map { direction in
            Candidate(transport, direction, isLinked: isLinked, situation, profiles)
        }
        let feasible = judged.filter { $0.lack == nil }
        guard var best = feasible.min(by: { $0.cost < $1.cost }) else {
            let lack = judged.compactMap(\.lack).max { $0.reason.rank < $1.reason.rank }
            return lack.map { refusal($0.reason, inOrder($0.facts)) } ?? refusal(.purpose)
        }
        if transport == .network, !isLinked, !situation.isOnSameNetwork { return refusal(.noNetwork) }
        if transport == .awareBulk || transport == .awareRealTime, !isLinked, !situation.isPaired {
            return refusal(.unpaired)
        }
        if transport == .exchange, situation.payload > TransportCosts.largestExchange { return refusal(.tooLarge) }
        if let failures = situation.failures[transport],
            failures.ago < .milliseconds(Self.backOff(after: failures.count))
        {
            return refusal(.failedLately)
        }
        if transport.mustBeFollowed(for: situation.purpose) {
            switch follower(in: situation.after(transport)) {
            case .success(let step): best.follow(with: step, in: situation)
            case .failure(let lack): return refusal(lack.value.reason, lack.value.facts)
            }
        }
        if let deadline = situation.deadline, .milliseconds(best.completes) > deadline { return refusal(.deadline) }
        return .success(
            TransportPlan.Step(
                transport: transport, direction: best.direction, next: best.next, begins: .zero,
                completes: .milliseconds(best.completes), energy: best.energy, exposure: best.exposure,
                cost: best.cost, lasts: best.lasts.map { .milliseconds($0) }, facts: inOrder(best.facts)))
    }

    /// Returns the transport of the least cost that can follow another one.
    private func follower(in situation: TransportSituation) -> Result<TransportPlan.Step, Refused> {
        var steps: [TransportPlan.Step] = []
        var refusals: [TransportPlan.Refusal] = []
        for transport in TransportOption.followers {
            switch judge(transport, in: situation) {
            case .success(let step): steps.append(step)
            case .failure(let refusal): refusals.append(refusal.value)
            }
        }
        if let best = steps.min(by: { $0.cost < $1.cost }) { return .success(best) }
        // `followers` is not empty, so that one of the two lists has an element and the default is never used.
        return .failure(
            Refused(
                value: TransportPlan.nearest(of: refusals)
                    ?? TransportPlan.Refusal(transport: .gatt, reason: .purpose, facts: [])))
    }

    /// Returns the back-off of a transport after this number of failures in a row, in milliseconds.
    static func backOff(after failures: UInt8) -> UInt64 {
        let doublings = UInt64(min(max(failures, 1) - 1, 10))
        return min(TransportCosts.backOff << doublings, TransportCosts.longestBackOff)
    }

    private func directions(of transport: TransportOption, _ isLinked: Bool) -> [TransportDirection] {
        if isLinked { return [.both] }
        return switch transport {
        case .beacon, .ble: [.we]
        case .gatt: [.we, .they]
        default: [.both]
        }
    }

    private func inOrder(_ facts: [ProfileFact]) -> [ProfileFact] {
        let ids = Set(facts.map(\.id))
        return profiles.facts.filter { ids.contains($0.id) }
    }
}

/// A transport in one direction, with its requirements and its cost. Times are in milliseconds.
private struct Candidate {
    let direction: TransportDirection
    let lack: TransportNeeds.Lack?
    private(set) var next: TransportPlan.Next?
    private(set) var facts: [ProfileFact]
    private(set) var completes: UInt64
    private(set) var energy: UInt64
    private(set) var exposure: UInt64
    private(set) var cost: UInt64
    private(set) var lasts: UInt64?

    init(
        _ transport: TransportOption, _ direction: TransportDirection, isLinked: Bool, _ situation: TransportSituation,
        _ profiles: PlatformProfiles
    ) {
        self.direction = direction
        var needs = TransportNeeds(profiles, situation)
        let (active, passive): (TransportNeeds.Side, TransportNeeds.Side) =
            direction == .they ? (.peer, .own) : (.own, .peer)
        let isHeard = direction == .we && situation.isHeard
        var find: UInt64 = 0
        var connect: UInt64 = 0
        var scans = false

        func overChance(_ value: ProfileValue, _ chance: UInt64) -> UInt64 {
            Cost.quotient(Cost.product(value.worst?.wholeMilliseconds ?? 0, 1000), chance)
        }

        if isLinked {
            let subject: ProfileSubject = transport == .gatt ? .links : .networkLinks
            needs.test(subject, of: .own)
            needs.test(subject, of: .peer)
        } else {
            switch transport {
            case .beacon:
                find = overChance(needs.test(.enter, of: active), TransportCosts.regionChance)
                if needs.app(active).state == .terminated { needs.test(.regionRelaunch, of: active) }
                if situation.purpose == .recognise { needs.test(.ranging, of: active) }
                needs.test(.beacon, of: passive)
            case .ble, .gatt:
                if transport == .ble || !isHeard {
                    scans = true
                    find = overChance(needs.test(.scan, of: active), needs.app(active).scanChance)
                }
                if transport == .gatt {
                    connect = needs.test(.connect, of: active).worst?.wholeMilliseconds ?? 0
                    needs.test(.links, of: active)
                }
                needs.test(visibilityOf: passive, to: active)
            case .network:
                needs.test(.find, of: .own)
                // A name that is heard proves that the peer can be found.
                if !situation.isHeard { needs.test(.find, of: .peer) }
                find = situation.isHeard ? 0 : TransportCosts.findOnNetwork
            case .awdl, .awareBulk, .awareRealTime, .wifiDirect, .exchange, .multipeer, .relay:
                if let subject = transport.subject {
                    needs.test(subject, of: .own)
                    needs.test(subject, of: .peer)
                }
            }
        }
        lasts = scans && needs.lack == nil ? needs.note(.callbacks, of: active).worst?.wholeMilliseconds : nil
        lack = needs.lack
        facts = needs.facts

        let costs = transport.costs
        let observed = situation.observed[transport] ?? TransportSituation.Observed()
        let setUp = isLinked ? 0 : observed.setUp.value(around: costs.setUp.wholeMilliseconds)
        let transfer =
            costs.rate.map { rate in
                Cost.quotient(Cost.product(situation.payload, 1000), max(observed.rate.value(around: rate), 1))
            } ?? 0
        completes = Cost.sum(find, connect, setUp, transfer)
        let busy = transport.isPassive ? find : Cost.sum(connect, setUp, transfer)
        energy = Cost.quotient(Cost.product(costs.milliwatts, busy), 1000)
        exposure = costs.exposure
        cost = Self.cost(completes, energy, exposure, in: situation)
    }

    /// Adds the transport that follows this one in a chain.
    mutating func follow(with step: TransportPlan.Step, in situation: TransportSituation) {
        next = TransportPlan.Next(transport: step.transport, direction: step.direction)
        completes = Cost.sum(completes, step.completes.wholeMilliseconds)
        energy = Cost.sum(energy, step.energy)
        exposure = max(exposure, step.exposure)
        lasts = step.lasts?.wholeMilliseconds
        facts += step.facts
        cost = Self.cost(completes, energy, exposure, in: situation)
    }

    private static func cost(
        _ completes: UInt64, _ energy: UInt64, _ exposure: UInt64, in situation: TransportSituation
    ) -> UInt64 {
        let weight =
            situation.own.met.contains(.lowPower)
            ? TransportCosts.energyWeightInLowPower : TransportCosts.energyWeight
        return Cost.sum(
            completes, Cost.product(weight, energy), Cost.product(TransportCosts.exposureWeight, exposure))
    }
}

extension TransportSituation {
    /// Whether both programs implement the transport, as far as that is known.
    fileprivate func hasBackEnds(for transport: TransportOption) -> Bool {
        [ownTransports, peerTransports].allSatisfy { $0?.contains(transport) ?? true }
    }

    /// Returns the situation in which another transport follows this one.
    fileprivate func after(_ transport: TransportOption) -> TransportSituation {
        var situation = self
        situation.deadline = nil
        if transport == .exchange {
            situation.relation = .invited
            situation.payload = 0
        } else if own.state == .suspended || own.state == .terminated {
            // A beacon has woken the app by then.
            situation.own.state = .background
        }
        return situation
    }
}

extension TransportOption {
    /// The subject that both sides need.
    fileprivate var subject: ProfileSubject? {
        switch self {
        case .awdl: .awdl
        case .awareBulk, .awareRealTime: .aware
        case .wifiDirect: .direct
        case .exchange: .exchange
        case .beacon, .ble, .gatt, .network, .multipeer, .relay: nil
        }
    }
}

extension AppCircumstances {
    /// The number of times in 1,000 that a scan of this app reports the peer.
    fileprivate var scanChance: UInt64 {
        platform.family != .iOS || state == .foreground ? TransportCosts.scanChance : TransportCosts.scanChanceAway
    }
}
