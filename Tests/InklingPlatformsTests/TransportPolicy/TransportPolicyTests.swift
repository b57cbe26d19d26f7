import InklingEngine
import InklingPlatforms
import InklingTesting
import Testing

/// Situations of all kinds, the same for the same seed.
private struct SituationSource {
    private static let versions = [
        "9.3", "10.0", "12.4", "15.1", "16.2", "17.1", "17.5", "17.7", "18.0", "18.1", "18.2", "18.4", "26.0", "27.0",
    ].compactMap(PlatformVersion.init)

    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> TransportSituation {
        let own = app()
        // Two of a kind have more transports in common.
        let peer = chance(3) ? own : app()
        var situation = TransportSituation(
            own: own, peer: chance(8) ? nil : peer, relation: pick(TransportRelation.allCases),
            purpose: pick(TransportPurpose.allCases))
        situation.payload = chance(2) ? 0 : UInt64.random(in: 0...50_000_000, using: &generator)
        situation.deadline = chance(3) ? UInt64.random(in: 0...600_000, using: &generator) : nil
        situation.isHeard = chance(2)
        situation.isOnSameNetwork = chance(2)
        situation.isPaired = chance(2)
        situation.linked = subset(Transport.allCases, 6)
        for transport in subset(Transport.allCases, 6) {
            situation.failures[transport] = TransportSituation.Failures(
                count: UInt8.random(in: 1...9, using: &generator),
                ago: UInt64.random(in: 0...400_000, using: &generator))
        }
        for transport in subset(Transport.allCases, 4) {
            var observed = TransportSituation.Observed()
            observed.setUp.observe(UInt64.random(in: 0...60_000, using: &generator))
            observed.rate.observe(UInt64.random(in: 0...20_000_000, using: &generator))
            situation.observed[transport] = observed
        }
        return situation
    }

    private mutating func app() -> AppCircumstances {
        let family = pick(Platform.Family.allCases)
        let version = pick(Self.versions)
        return AppCircumstances(
            Platform(family, version, traits: subset(Platform.Trait.allCases, 3)),
            chance(2) ? .foreground : pick(AppState.allCases), met: subset(ProfileNeed.allCases, 1))
    }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &generator) == 0 }

    private mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &generator)]
    }

    /// Each with a chance of one in `rarity` + 1, or, with 1, of three in four.
    private mutating func subset<Element: Hashable>(_ list: [Element], _ rarity: Int) -> Set<Element> {
        Set(list.filter { _ in rarity == 1 ? !chance(4) : chance(rarity + 1) })
    }
}

@Suite struct `The transport policy` {
    private let policy = TransportPolicy()

    /// Covers INK-TPT-007.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a greater payload never completes earlier, and opens no transport`(seed: UInt64) {
        var source = SituationSource(seed: seed)
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
            }
        }
    }

    /// Covers INK-TPT-009.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `there is always a step or a reason to wait`(seed: UInt64) {
        var source = SituationSource(seed: seed)
        for _ in 0..<100 {
            let situation = source.next()
            let plan = policy.plan(for: situation)
            #expect(plan.steps.isEmpty == (plan.wait != nil))
            #expect(plan.steps.count + plan.refusals.count == Transport.allCases.count)
            #expect(Set(plan.steps.map(\.transport) + plan.refusals.map(\.transport)) == Set(Transport.allCases))
            #expect(plan.steps.map(\.cost) == plan.steps.map(\.cost).sorted())
            #expect(plan == policy.plan(for: situation))
            let upgrades: Set<Transport> = [.awdl, .awareBulk, .awareRealTime, .wifiDirect]
            #expect(situation.relation == .confirmed || upgrades.isDisjoint(with: plan.steps.map(\.transport)))
            if let deadline = situation.deadline { #expect(plan.steps.allSatisfy { $0.completes <= deadline }) }
        }
    }

    @Test func `each refusal and each row of platforms occurs among the situations`() {
        var reasons: Set<TransportRefusal> = []
        var rows: Set<ProfileRow> = []
        for seed in 0..<8 as Range<UInt64> {
            var source = SituationSource(seed: seed)
            for _ in 0..<100 {
                let situation = source.next()
                reasons.formUnion(policy.plan(for: situation).refusals.map(\.reason))
                rows.formUnion(situation.own.platform.rows.union(situation.peer.platform.rows))
            }
        }
        #expect(reasons == Set(TransportRefusal.allCases))
        #expect(rows == Set(ProfileRow.allCases))
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `without the facts a step rests on it is no step`(seed: UInt64) {
        var source = SituationSource(seed: seed)
        for _ in 0..<20 {
            let situation = source.next()
            for step in policy.plan(for: situation).steps where !step.facts.isEmpty {
                let subjects = Set(step.facts.map(\.subject)).subtracting([.callbacks])
                let poorer = TransportPolicy(
                    PlatformProfiles(PlatformProfiles.known.facts.filter { !subjects.contains($0.subject) }))
                #expect(!poorer.plan(for: situation).steps.contains { $0.transport == step.transport })
            }
        }
    }

    /// Covers INK-TPT-012.
    @Test func `a transport that failed is not tried again within its back-off`() throws {
        let node = AppCircumstances(
            Platform(.linux, PlatformVersion(6, 1)), .foreground, met: [.bluetooth, .localNetwork])
        var situation = TransportSituation(own: node, peer: node, relation: .contact, purpose: .recognise)
        situation.isOnSameNetwork = true
        func isTried(failures: UInt8, ago: UInt64) -> Bool {
            situation.failures[.network] = TransportSituation.Failures(count: failures, ago: ago)
            return policy.plan(for: situation).steps.contains { $0.transport == .network }
        }
        #expect(!isTried(failures: 1, ago: 4999))
        #expect(isTried(failures: 1, ago: 5000))
        #expect(!isTried(failures: 3, ago: 19_999))
        #expect(isTried(failures: 3, ago: 20_000))
        #expect(!isTried(failures: 255, ago: 299_999))
        #expect(isTried(failures: 255, ago: 300_000))
    }

    @Test func `what was observed moves a constant by four times at most`() throws {
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
