import InklingKeys
import InklingWire
import Testing

/// Thousands of drawn histories of two devices with links that end at any record, crashes at any point, disks that lose
/// unsynchronised writes or fail, and copies that are restored.
@Suite struct `The delivery of texts, simulated` {
    private static let steps = 400

    private func firstFault(
        _ seeds: Range<UInt64>, _ weather: SyncWorld.Weather, _ fault: SyncWorld.Fault? = nil
    ) -> String? {
        for seed in seeds {
            var world = SyncWorld(seed: seed, weather, fault: fault)
            if let found = world.run(steps: Self.steps).first { return "seed \(seed): \(found)" }
        }
        return nil
    }

    /// Covers INK-SYN-001, INK-SYN-009, INK-SYN-022, INK-SYN-025, INK-SYN-026.
    @Test func `loses nothing, doubles nothing and keeps the order, whatever links, disks and processes do`() {
        #expect(firstFault(0..<400, SyncWorld.Weather()) == nil)
    }

    /// Any copy, any number of times.
    /// Covers INK-SYN-004, INK-SYN-006, INK-SYN-012, INK-SYN-027.
    @Test func `keeps what the present copy has, whatever other copies have sent`() {
        #expect(firstFault(0..<600, SyncWorld.Weather(restores: true)) == nil)
    }

    /// Two devices that follow the rules never end a session of each other.
    @Test func `no history without a restored copy contains a violation`() {
        for seed in 0..<300 as Range<UInt64> {
            var world = SyncWorld(seed: seed)
            _ = world.run(steps: Self.steps)
            #expect(world.violations.filter { $0 != .tooManySessions } == [], "seed \(seed)")
        }
    }

    @Test(arguments: SyncWorld.Fault.allCases)
    func `a broken rule is found`(fault: SyncWorld.Fault) {
        let weather =
            switch fault {
            case .comparesNoIdentifiers, .keepsStream: SyncWorld.Weather(restores: true)
            default: SyncWorld.Weather()
            }
        #expect(firstFault(0..<300, weather, fault) != nil)
    }
}
