/// Chooses transports: a pure function from a situation to a plan (`Specs/transport-policy.md`).
public struct TransportPolicy: Sendable {
    private let profiles: PlatformProfiles

    /// A policy that goes by these facts.
    public init(_ profiles: PlatformProfiles = .known) { self.profiles = profiles }

    /// The steps, the best first, and for every other transport the reason why it is none.
    public func plan(for situation: TransportSituation) -> TransportPlan {
        var steps: [TransportPlan.Step] = []
        var refusals: [TransportPlan.Refusal] = []
        for transport in Transport.allCases {
            switch judge(transport, in: situation) {
            case .success(let step): steps.append(step)
            case .failure(let refusal): refusals.append(refusal.value)
            }
        }
        steps.sort { ($0.cost, $0.transport) < ($1.cost, $1.transport) }
        var begins: UInt64 = 0
        for index in steps.indices where !steps[index].transport.isPassive {
            steps[index].begins = begins
            // The next one begins at a time that is known now, so that one that hangs delays nobody.
            begins = Cost.sum(begins, min(max(steps[index].completes, 1000), 10_000))
        }
        return TransportPlan(steps: steps, refusals: refusals)
    }

    private struct Refused: Error { let value: TransportPlan.Refusal }

    private func judge(_ transport: Transport, in situation: TransportSituation) -> Result<TransportPlan.Step, Refused>
    {
        func refusal(_ reason: TransportRefusal, _ facts: [ProfileFact] = []) -> Result<TransportPlan.Step, Refused> {
            .failure(Refused(value: TransportPlan.Refusal(transport: transport, reason: reason, facts: facts)))
        }
        if transport == .multipeer { return refusal(.retired) }
        if transport == .relay { return refusal(.thirdParty) }
        guard transport.purposes.contains(situation.purpose) else { return refusal(.purpose) }
        guard transport.relations.contains(situation.relation) else {
            return refusal(transport.relations.contains(.confirmed) ? .unconfirmed : .relation)
        }
        let isLinked = situation.linked.contains(transport) && !transport.isPassive && transport != .exchange
        let judged = directions(of: transport, isLinked, for: situation.purpose).map { direction in
            Candidate(transport, direction, isLinked: isLinked, situation, profiles)
        }
        let feasible = judged.filter { $0.lack == nil }
        guard let best = feasible.min(by: { $0.cost < $1.cost }) else {
            let lack = judged.compactMap(\.lack).max { $0.reason.number < $1.reason.number }
            return lack.map { refusal($0.reason, inOrder($0.facts)) } ?? refusal(.purpose)
        }
        if transport == .network, !isLinked, !situation.isOnSameNetwork { return refusal(.noNetwork) }
        if transport == .awareBulk || transport == .awareRealTime, !isLinked, !situation.isPaired {
            return refusal(.unpaired)
        }
        if transport == .exchange, situation.payload > TransportCosts.largestExchange { return refusal(.tooLarge) }
        if let failures = situation.failures[transport], failures.ago < Self.backOff(after: failures.count) {
            return refusal(.failedLately)
        }
        if let deadline = situation.deadline, best.completes > deadline { return refusal(.deadline) }
        return .success(
            TransportPlan.Step(
                transport: transport, direction: best.direction, begins: 0, completes: best.completes,
                energy: best.energy, exposure: transport.costs.exposure, cost: best.cost, lasts: best.lasts,
                facts: inOrder(best.facts)))
    }

    /// For how many milliseconds a transport is left alone that failed so often in a row.
    static func backOff(after failures: UInt8) -> UInt64 {
        let doublings = UInt64(min(max(failures, 1) - 1, 10))
        return min(TransportCosts.backOff << doublings, TransportCosts.longestBackOff)
    }

    private func directions(
        of transport: Transport, _ isLinked: Bool, for purpose: TransportPurpose
    ) -> [TransportDirection] {
        if isLinked { return [.both] }
        return switch transport {
        case .beacon: [.we]
        case .ble: purpose == .recognise ? [.we, .they] : [.we]
        case .gatt: [.we, .they]
        default: [.both]
        }
    }

    private func inOrder(_ facts: [ProfileFact]) -> [ProfileFact] {
        let ids = Set(facts.map(\.id))
        return profiles.facts.filter { ids.contains($0.id) }
    }
}

/// A transport in one direction: what it needs, and what it would cost.
private struct Candidate {
    let direction: TransportDirection
    let lack: TransportNeeds.Lack?
    let facts: [ProfileFact]
    let completes: UInt64
    let energy: UInt64
    let cost: UInt64
    let lasts: UInt64?

    init(
        _ transport: Transport, _ direction: TransportDirection, isLinked: Bool, _ situation: TransportSituation,
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
            Cost.quotient(Cost.product(value.worst ?? 0, 1000), chance)
        }

        if isLinked {
            let subject: ProfileSubject = transport == .gatt ? .links : .networkLinks
            needs.ask(subject, of: .own)
            needs.ask(subject, of: .peer)
        } else {
            switch transport {
            case .beacon:
                find = overChance(needs.ask(.enter, of: active), TransportCosts.regionChance)
                if needs.app(active).state == .terminated { needs.ask(.regionRelaunch, of: active) }
                if situation.purpose == .recognise { needs.ask(.ranging, of: active) }
                needs.ask(.beacon, of: passive)
            case .ble, .gatt:
                if transport == .ble || !isHeard {
                    scans = true
                    find = overChance(needs.ask(.scan, of: active), needs.app(active).scanChance)
                }
                if transport == .gatt {
                    connect = needs.ask(.connect, of: active).worst ?? 0
                    needs.ask(.links, of: active)
                }
                needs.ask(seen: passive, by: active)
            case .network:
                needs.ask(.find, of: .own)
                // A name that is heard proves what no fact could.
                if !situation.isHeard { needs.ask(.find, of: .peer) }
                find = situation.isHeard ? 0 : TransportCosts.findOnNetwork
            case .awdl, .awareBulk, .awareRealTime, .wifiDirect, .exchange, .multipeer, .relay:
                if let subject = transport.subject {
                    needs.ask(subject, of: .own)
                    needs.ask(subject, of: .peer)
                }
            }
        }
        lasts = scans && needs.lack == nil ? needs.note(.callbacks, of: active).worst : nil
        lack = needs.lack
        facts = needs.facts

        let costs = transport.costs
        let observed = situation.observed[transport] ?? TransportSituation.Observed()
        let setUp = isLinked ? 0 : observed.setUp.value(around: costs.setUp)
        let transfer =
            costs.rate.map { rate in
                Cost.quotient(Cost.product(situation.payload, 1000), max(observed.rate.value(around: rate), 1))
            } ?? 0
        completes = Cost.sum(find, connect, setUp, transfer)
        let busy = transport.isPassive ? find : Cost.sum(connect, setUp, transfer)
        energy = Cost.quotient(Cost.product(costs.milliwatts, busy), 1000)
        let weight =
            situation.own.met.contains(.lowPower)
            ? TransportCosts.energyWeightInLowPower : TransportCosts.energyWeight
        cost = Cost.sum(
            completes, Cost.product(weight, energy), Cost.product(TransportCosts.exposureWeight, costs.exposure))
    }
}

extension Transport {
    /// What both sides must have.
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
    /// How often in 1,000 cases its scan reports.
    fileprivate var scanChance: UInt64 {
        platform.family != .iOS || state == .foreground ? TransportCosts.scanChance : TransportCosts.scanChanceAway
    }
}
