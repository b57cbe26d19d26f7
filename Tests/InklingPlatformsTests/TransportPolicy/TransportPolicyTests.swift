import InklingEngine
import InklingPlatforms
import InklingTesting
import Testing

/// Random situations, which depend on the seed only.
private struct SituationSource {
    private static let versions = [
        "9.3", "10.0", "12.4", "15.1", "16.2", "17.1", "17.5", "17.7", "18.0", "18.1", "18.2", "18.4", "26.0", "27.0",
    ].compactMap(PlatformVersion.init)

    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> TransportSituation {
        let own = app()
        // Devices of the same family have more transports in common.
        let peer = chance(3) ? own : app()
        var situation = TransportSituation(
            own: own, peer: chance(8) ? nil : peer, relation: pick(TransportRelation.allCases),
            purpose: pick(TransportPurpose.allCases))
        situation.payload = chance(2) ? 0 : UInt64.random(in: 0...50_000_000, using: &generator)
        situation.deadline = chance(3) ? .milliseconds(Int.random(in: 0...600_000, using: &generator)) : nil
        situation.isHeard = chance(2)
        situation.isOnSameNetwork = chance(2)
        situation.isPaired = chance(2)
        situation.linked = subset(TransportOption.allCases, 6)
        for transport in subset(TransportOption.allCases, 6) {
            situation.failures[transport] = TransportSituation.Failures(
                count: UInt8.random(in: 1...9, using: &generator),
                ago: .milliseconds(Int.random(in: 0...400_000, using: &generator)))
        }
        for transport in subset(TransportOption.allCases, 4) {
            var observed = TransportSituation.Observed()
            observed.setUp.observe(UInt64.random(in: 0...60_000, using: &generator))
            observed.rate.observe(UInt64.random(in: 0...20_000_000, using: &generator))
            situation.observed[transport] = observed
        }
        if chance(5) { situation.ownTransports = subset(TransportOption.allCases, 1) }
        if chance(5) { situation.peerTransports = subset(TransportOption.allCases, 1) }
        return situation
    }

    private mutating func app() -> AppCircumstances {
        let family = pick(DevicePlatform.Family.allCases)
        let version = pick(Self.versions)
        return AppCircumstances(
            DevicePlatform(family, version, traits: subset(DevicePlatform.Trait.allCases, 3)),
            chance(2) ? .foreground : pick(AppState.allCases), met: subset(ProfileNeed.allCases, 1))
    }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &generator) == 0 }

    private mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &generator)]
    }

    /// Picks each value with a probability of 1 / (`rarity` + 1), or of 3 / 4 if `rarity` is 1.
    private mutating func subset<Element: Hashable>(_ list: [Element], _ rarity: Int) -> Set<Element> {
        Set(list.filter { _ in rarity == 1 ? !chance(4) : chance(rarity + 1) })
    }
}

@Suite struct `Transport policy` {
    private let policy = TransportPolicy()

    /// Covers INK-TPT-007.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a larger payload never completes earlier and makes no transport possible`(seed: UInt64) {
        var source = SituationSource(seed: seed)
        var compared = 0
        for _ in 0..<100 {
            let situation = source.next()
            let plan = policy.plan(for: situation)
            var larger = situation
            larger.payload = situation.payload * 3 + 1
            let other = policy.plan(for: larger)
            for step in other.steps {
                let before = plan.steps.first { $0.transport == step.transport }
                #expect(before.map { $0.completes <= step.completes } ?? false, "\(step.transport) of \(situation)")
            }
            if let best = plan.steps.map(\.cost).min(), let bestOfLarger = other.steps.map(\.cost).min() {
                #expect(best <= bestOfLarger)
                compared += 1
            }
        }
        #expect(compared > 0)
    }

    /// Covers INK-TPT-009.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a plan has a step or a reason to wait`(seed: UInt64) {
        var source = SituationSource(seed: seed)
        for _ in 0..<100 {
            let situation = source.next()
            let plan = policy.plan(for: situation)
            #expect(plan.steps.isEmpty == (plan.wait != nil))
            #expect(plan.steps.count + plan.refusals.count == TransportOption.allCases.count)
            #expect(Set(plan.steps.map(\.transport) + plan.refusals.map(\.transport)) == Set(TransportOption.allCases))
            #expect(plan.steps.map(\.cost) == plan.steps.map(\.cost).sorted())
            #expect(plan == policy.plan(for: situation))
            let upgrades: Set<TransportOption> = [.awdl, .awareBulk, .awareRealTime, .wifiDirect]
            #expect(situation.relation == .confirmed || upgrades.isDisjoint(with: plan.steps.map(\.transport)))
            let last = plan.steps.map { $0.next?.transport ?? $0.transport }
            if situation.purpose == .recognise || situation.purpose == .firstContact {
                #expect(Set(last).isSubset(of: [.gatt, .network]), "no handshake at the end: \(situation)")
            }
            for known in [situation.ownTransports, situation.peerTransports] {
                let used = Set(last + plan.steps.map(\.transport))
                #expect(known.map { used.isSubset(of: $0) } ?? true, "no back end: \(situation)")
            }
            if let deadline = situation.deadline { #expect(plan.steps.allSatisfy { $0.completes <= deadline }) }
        }
    }

    @Test func `every refusal and every row of platforms occurs among the situations`() {
        var source = SituationSource(seed: 0)
        var reasons: Set<TransportRefusal> = []
        var rows: Set<ProfileRow> = []
        for _ in 0..<32_000
        where reasons.count < TransportRefusal.allCases.count || rows.count < ProfileRow.allCases.count {
            let situation = source.next()
            reasons.formUnion(policy.plan(for: situation).refusals.map(\.reason))
            rows.formUnion(situation.own.platform.rows.union(situation.peer.platform.rows))
        }
        #expect(reasons == Set(TransportRefusal.allCases))
        #expect(rows == Set(ProfileRow.allCases))
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a transport is no step without the facts that make it possible`(seed: UInt64) {
        var source = SituationSource(seed: seed)
        var judged = 0
        for _ in 0..<20 {
            let situation = source.next()
            for step in policy.plan(for: situation).steps where !step.facts.isEmpty {
                let subjects = Set(step.facts.map(\.subject)).subtracting([.callbacks])
                let poorer = TransportPolicy(
                    PlatformProfiles(PlatformProfiles.known.facts.filter { !subjects.contains($0.subject) }))
                #expect(!poorer.plan(for: situation).steps.contains { $0.transport == step.transport })
                judged += 1
            }
        }
        #expect(judged > 0)
    }

    /// Covers INK-TPT-014.
    @Test func `refuses what a program does not implement before it looks at permissions`() {
        let node = AppCircumstances(DevicePlatform(.linux, PlatformVersion(6, 1)), .foreground, met: [.localNetwork])
        var situation = TransportSituation(own: node, peer: nil, relation: .contact, purpose: .recognise)
        (situation.isHeard, situation.isOnSameNetwork) = (true, true)
        func reason(_ transport: TransportOption) -> TransportRefusal? {
            policy.plan(for: situation).refusals.first { $0.transport == transport }?.reason
        }
        #expect(reason(.gatt) == .ownPermission)
        situation.ownTransports = [.network]
        #expect(reason(.gatt) == .noBackEnd)
        #expect(reason(.beacon) == .noBackEnd)
        #expect(reason(.ble) == .purpose)
        #expect(policy.plan(for: situation).steps.map(\.transport) == [.network])
        // Waiting does not help against a missing back end.
        situation.isOnSameNetwork = false
        #expect(policy.plan(for: situation).wait?.reason == .noNetwork)
        #expect(TransportRefusal.allCases.map(\.number).sorted() == Array(1...17))
        #expect(TransportRefusal.noBackEnd.number == 17 && TransportRefusal.ownPlatform.number == 6)
    }

    /// Covers INK-TPT-015.
    @Test func `a beacon serves recognition only if a connection follows it`() {
        let phone = AppCircumstances(
            DevicePlatform(.iOS, PlatformVersion(18, 2)), .terminated,
            met: Set(ProfileNeed.allCases).subtracting([.lowPower]))
        var peer = phone
        peer.state = .foreground
        var situation = TransportSituation(own: phone, peer: peer, relation: .contact, purpose: .recognise)
        let plan = policy.plan(for: situation)
        #expect(plan.steps.map(\.transport) == [.beacon])
        #expect(plan.steps.first?.next == TransportPlan.Next(transport: .gatt, direction: .they))
        #expect(plan.steps.first?.completes == .milliseconds(33_334 + 2606))
        situation.ownTransports = [.beacon]
        #expect(policy.plan(for: situation).steps.isEmpty)
        situation.purpose = .passive
        #expect(policy.plan(for: situation).steps.map(\.transport) == [.beacon])
        #expect(policy.plan(for: situation).steps.first?.next == nil)
    }

    /// Covers INK-TPT-012.
    @Test func `does not try a transport again before its back-off has passed`() throws {
        let node = AppCircumstances(
            DevicePlatform(.linux, PlatformVersion(6, 1)), .foreground, met: [.bluetooth, .localNetwork])
        var situation = TransportSituation(own: node, peer: node, relation: .contact, purpose: .recognise)
        situation.isOnSameNetwork = true
        func isTried(failures: UInt8, ago: Int) -> Bool {
            situation.failures[.network] = TransportSituation.Failures(count: failures, ago: .milliseconds(ago))
            return policy.plan(for: situation).steps.contains { $0.transport == .network }
        }
        #expect(!isTried(failures: 1, ago: 4999))
        #expect(isTried(failures: 1, ago: 5000))
        #expect(!isTried(failures: 3, ago: 19_999))
        #expect(isTried(failures: 3, ago: 20_000))
        #expect(!isTried(failures: 255, ago: 299_999))
        #expect(isTried(failures: 255, ago: 300_000))
    }

    @Test func `observations move an average by an eighth of the difference`() throws {
        var average = ObservedAverage()
        average.observe(800)
        average.observe(1600)
        #expect(average.value == 900)
        average.observe(100)
        #expect(average.value == 800)
        average.observe(.max)
        #expect(average.value.map { $0 < 1 << 53 } == true)
    }
}
