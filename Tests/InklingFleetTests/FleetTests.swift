import InklingFleet
import Testing

@Suite struct FleetTests {
    /// Covers INK-FLT-004, INK-FLT-006, INK-FLT-022, INK-FLT-023, INK-FLT-024, INK-FLT-025, INK-FLT-030.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `nothing is lost and nothing is counted twice while processes die and are held`(seed: UInt64) {
        var fleet = SimulatedFleet(seed: seed)
        fleet.run(rounds: 12)
        #expect(fleet.problems.isEmpty, "seed \(seed): \(fleet.problems)")
    }

    /// Without this, the test above would try nothing.
    @Test func `the lease is taken again and again, and records of earlier holders come late`() {
        var (takeOvers, stale) = (0, 0)
        for seed in 1...20 as ClosedRange<UInt64> {
            var fleet = SimulatedFleet(seed: seed)
            fleet.run(rounds: 12)
            takeOvers += fleet.takeOvers
            stale += fleet.stale
        }
        #expect(takeOvers > 200 && stale > 20, "\(takeOvers) take-overs, \(stale) late records")
    }

    /// The control: each rule is needed, and its absence is noticed.
    @Test(arguments: SimulatedFleet.Fault.allCases)
    func `a fleet without one of the rules loses a sighting or counts it twice`(fault: SimulatedFleet.Fault) {
        let found = (1...200 as ClosedRange<UInt64>).contains { seed in
            var fleet = SimulatedFleet(seed: seed, fault: fault)
            fleet.run(rounds: 12)
            return !fleet.problems.isEmpty
        }
        #expect(found)
    }
}
