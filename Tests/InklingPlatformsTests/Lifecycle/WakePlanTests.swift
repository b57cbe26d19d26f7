import InklingEngine
import InklingKeys
import InklingPlatforms
import InklingTesting
import InklingWire
import Testing

private func candidate(_ contact: UInt32, _ now: UInt16, _ next: UInt16?, _ likelihood: UInt32) -> WakePlan.Candidate {
    WakePlan.Candidate(
        contact: ContactID(rawValue: contact), minorNow: BeaconMinor(now), minorNext: next.map(BeaconMinor.init),
        likelihood: likelihood)
}

private func minors(_ plan: WakePlan) -> [UInt16] { plan.regions.compactMap(\.minor?.value) }

@Suite struct `Wake plan` {
    /// Covers INK-APL-021.
    @Test func `the region of all beacons always comes first`() throws {
        for plan in [WakePlan([]), WakePlan([candidate(1, 10, 11, 5)])] {
            let first = try #require(plan.regions.first)
            #expect(first.minor == nil)
            #expect(first.major == nil)
            #expect(first.proximity == .proximity)
            #expect(first.identifier == "inkling")
            #expect([first.notifiesOnEntry, first.notifiesOnExit, first.notifiesOnDisplay] == [true, true, true])
        }
    }

    @Test func `monitors the most likely contacts by their minors of this epoch and the next`() {
        #expect(minors(WakePlan([candidate(1, 10, 11, 5), candidate(2, 20, 21, 6)])) == [20, 21, 10, 11])
        #expect(minors(WakePlan([candidate(1, 10, nil, 5), candidate(2, 20, 21, 0)])) == [10])
    }

    /// Covers INK-APL-023.
    @Test func `the region of one minor reveals only that minor, and wakes only at the entry`() throws {
        let region = try #require(WakePlan([candidate(7, 63941, nil, 5)]).regions.last)
        #expect(region.minor == BeaconMinor(63941))
        #expect(region.major == 0)
        #expect(region.identifier == "inkling.63941")
        #expect([region.notifiesOnEntry, region.notifiesOnExit, region.notifiesOnDisplay] == [true, false, false])
    }

    /// Covers INK-APL-020, INK-APL-022.
    @Test func `has at most twenty different regions, all of these two epochs`() {
        var generator = SeededGenerator(seed: 20)
        var minors = 0
        for count in [0, 1, 9, 10, 19, 20, 300] {
            let candidates = (0..<count).map { contact in
                candidate(
                    UInt32(contact), .random(in: 0...40, using: &generator), .random(in: 0...40, using: &generator),
                    .random(in: 0...9, using: &generator))
            }
            let plan = WakePlan(candidates)
            #expect((1...WakePlan.regionLimit).contains(plan.regions.count))
            #expect(Set(plan.regions).count == plan.regions.count)
            let known = Set(candidates.flatMap { [$0.minorNow, $0.minorNext].compactMap { $0 } })
            #expect(plan.regions.compactMap(\.minor).allSatisfy(known.contains))
            minors += plan.regions.compactMap(\.minor).count
            #expect(WakePlan(candidates.shuffled(using: &generator)) == plan)
        }
        #expect(minors > 0)
    }

    /// Covers INK-APL-024.
    @Test func `a change stops and starts only the regions that differ`() {
        let plan = WakePlan([candidate(1, 10, 11, 5)])
        let steps = plan.steps(from: ["inkling", "inkling.10", "inkling.9", "someone.else", "inklings"])
        #expect(steps.stop == ["inkling.9"])
        #expect(steps.start == [WakePlan.Region(minor: BeaconMinor(11))])
        let first = plan.steps(from: [])
        #expect(first.stop == [])
        #expect(first.start == plan.regions)
    }
}
