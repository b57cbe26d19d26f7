import InklingEngine
import InklingNode
import InklingPlatforms
import InklingSimulation
import Testing

private let second: UInt64 = 1000
private let minute: UInt64 = 60_000
private let seeds = 0..<12 as Range<UInt64>

/// Events with their times in milliseconds since the beginning.
private typealias Script = [(at: UInt64, event: PhoneEvent)]

/// The app is opened near its peripheral, connects, and is left after a minute.
private let connectedAndLeft: Script = [(0, .peripheralCame), (1000, .opened), (minute, .left)]

/// The platform of most tests: the most stable version that is known.
private let usual = DevicePlatform(.iOS, PlatformVersion(17, 6))

private func live(
    _ script: Script, minutes: UInt64, seed: UInt64, on platform: DevicePlatform = usual, lowPower: Bool = false,
    _ change: (inout PhoneSettings) -> Void = { _ in }
) -> PhoneReport {
    var settings = PhoneSettings(of: platform, lowPower: lowPower)
    settings.seed = seed
    change(&settings)
    return SimulatedPhone.run(
        script.map { (at: .milliseconds($0.at), event: $0.event) }, lasting: .seconds(minutes * 60), settings: settings)
}

/// Returns whether the app holds every record once, apart from those of the last few seconds, which may be in transit.
private func isComplete(_ report: PhoneReport, within milliseconds: UInt64 = 10_000) -> Bool {
    report.missing.isEmpty && report.doubled == 0 && (report.last ?? 0) + milliseconds / 500 >= report.produced
}

/// The usual release checks of wearables, and tests of background contact detection.
@Suite struct `A simulated phone` {
    @Test func `the same script and seed give the same events`() {
        let script = connectedAndLeft + [(5 * minute, .memoryPressure), (9 * minute, .opened)]
        #expect(live(script, minutes: 20, seed: 7).log.text == live(script, minutes: 20, seed: 7).log.text)
        #expect(live(script, minutes: 20, seed: 7).log.text != live(script, minutes: 20, seed: 8).log.text)
    }

    @Test(arguments: seeds) func `receives records for sixty minutes in the background`(seed: UInt64) {
        let report = live(connectedAndLeft, minutes: 62, seed: seed)
        #expect(report.produced > 7000)
        #expect(isComplete(report))
        #expect(report.launches == [.user])
        #expect(report.isLinked)
    }

    /// Covers INK-LIF-070.
    @Test(arguments: seeds) func `loses no record between foreground and background`(seed: UInt64) {
        var script = connectedAndLeft
        for round in 1...20 as ClosedRange<UInt64> {
            script += [(minute + round * 7321, .opened), (minute + round * 7321 + 40 * round, .left)]
        }
        #expect(isComplete(live(script, minutes: 6, seed: seed)))
    }

    @Test(arguments: seeds)
    func `reconnects to a peripheral that has lost power, in the foreground and in the background`(
        seed: UInt64
    ) {
        var script: Script = [(0, .peripheralCame), (1000, .opened)]
        script += [(20 * second, .peripheralWent), (40 * second, .peripheralReset), (50 * second, .peripheralCame)]
        script += [(2 * minute, .left)]
        script += [(3 * minute, .peripheralWent), (4 * minute, .peripheralReset), (5 * minute, .peripheralCame)]
        // A call in the background takes up to five minutes.
        let report = live(script, minutes: 12, seed: seed)
        #expect(report.reconnections.count >= 3)
        #expect(isComplete(report))
        #expect(report.isLinked)
    }

    @Test(arguments: seeds)
    func `an app that the system has terminated is relaunched for its peripheral and has every record`(
        seed: UInt64
    ) {
        let script =
            connectedAndLeft + [
                (2 * minute, .peripheralWent), (3 * minute, .memoryPressure), (40 * minute, .peripheralCame),
            ]
        let report = live(script, minutes: 50, seed: seed)
        #expect(report.launches.count > 1)
        #expect(isComplete(report))
        #expect(report.ignored == 0)
        #expect(report.overdue == 0)
    }

    @Test(arguments: seeds) func `an app that is terminated or crashes while it receives records has every record`(
        seed: UInt64
    ) {
        for keeps in [true, false] {
            let script = connectedAndLeft + [(2 * minute, .memoryPressure), (10 * minute, .crashed)]
            let report = live(script, minutes: 20, seed: seed) { $0.keepsLinks = keeps }
            #expect(report.launches.count >= 3)
            #expect(isComplete(report))
        }
    }

    /// Covers INK-LIF-058.
    @Test func `the reconnection steps take less than ten seconds after the link is up`() throws {
        let script =
            connectedAndLeft + [
                (2 * minute, .peripheralWent), (3 * minute, .memoryPressure), (40 * minute, .peripheralCame),
            ]
        let all = (0..<100 as Range<UInt64>).flatMap { live(script, minutes: 50, seed: $0).reconnections }
        #expect(try #require(PhoneReport.quantile(0.99, of: all.map(\.took))) < .seconds(10))
        #expect(try #require(PhoneReport.quantile(0.5, of: all.map(\.took))) < .seconds(3))
        #expect(all.count >= 200)
        func figures(_ values: [Duration]) -> String {
            [0.5, 0.9, 0.99].map { "\(PhoneReport.quantile($0, of: values) ?? .zero)" }.joined(separator: ", ")
        }
        print(
            "reconnections, 50th, 90th and 99th percentile: steps \(figures(all.map(\.took))); "
                + "link \(figures(all.map(\.waited)))")
    }

    // The need for each part: without it, its scenario fails.

    /// Covers INK-LIF-010.
    @Test(arguments: seeds) func `without restoration the app does not reconnect before the user opens it`(seed: UInt64)
    {
        let script =
            connectedAndLeft + [
                (2 * minute, .peripheralWent), (3 * minute, .memoryPressure), (4 * minute, .peripheralCame),
            ]
        func withoutRestoration(_ settings: inout PhoneSettings) {
            settings.hasRestoration = false
            settings.permissions.location = .denied
        }
        let report = live(script, minutes: 20, seed: seed, withoutRestoration)
        #expect(report.launches == [.user])
        #expect(!isComplete(report))
        // The app has every record after the user opens it.
        #expect(isComplete(live(script + [(15 * minute, .opened)], minutes: 20, seed: seed, withoutRestoration)))
    }

    /// Covers INK-LIF-050.
    @Test(arguments: seeds) func `without replay the records produced out of reach are missing`(seed: UInt64) {
        let script = connectedAndLeft + [(2 * minute, .peripheralWent), (4 * minute, .peripheralCame)]
        #expect(isComplete(live(script, minutes: 12, seed: seed)))
        #expect(live(script, minutes: 12, seed: seed) { $0.hasReplay = false }.missing.count > 200)
    }

    /// Covers INK-LIF-073.
    @Test(arguments: seeds) func `without checkpoints the records lost at the end of a process are missing`(
        seed: UInt64
    ) {
        let script =
            connectedAndLeft + [
                (2 * minute, .peripheralWent), (3 * minute, .memoryPressure), (6 * minute, .peripheralCame),
            ]
        #expect(isComplete(live(script, minutes: 15, seed: seed)))
        #expect(!isComplete(live(script, minutes: 15, seed: seed) { $0.hasCheckpoint = false }))
    }

    // Contact detection.

    /// Covers INK-LIF-086.
    @Test func `a region reports a contact within half a minute, even where scans in the background find nothing`()
        throws
    {
        var latencies: [Duration] = []
        for seed in 0..<100 as Range<UInt64> {
            let script: Script = [
                (0, .opened), (minute, .left), (2 * minute, .memoryPressure), (9 * minute, .peripheralCame),
            ]
            let report = live(script, minutes: 12, seed: seed) { $0.scansInBackground = false }
            #expect(report.launches == [.user, .location])
            latencies += report.detections.compactMap { $0 }
        }
        #expect(latencies.count == 100)
        #expect(try #require(PhoneReport.quantile(0.99, of: latencies)) <= .seconds(32))
        #expect(try #require(latencies.min()) >= .seconds(5))
    }

    /// A scenario of contact detection: the events before a contact comes near in the tenth minute, and an upper bound
    /// for the 99th percentile of the time until the app detects it, in milliseconds; nil when it does not detect it.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let before: [PhoneEvent]
        let bound: Duration?
        var platform = usual
        var change: @Sendable (inout PhoneSettings) -> Void = { _ in }
    }

    @Test(arguments: [
        Scenario(testDescription: "both on the screen", before: [], bound: .milliseconds(1500)),
        Scenario(testDescription: "one in the background", before: [.left], bound: .seconds(32)),
        // A phone in the background shows no beacon, so the other one depends on its scan and its pending call.
        Scenario(testDescription: "both in the background", before: [.left], bound: .milliseconds(180_100)) {
            $0.showsBeacon = false
        },
        Scenario(testDescription: "in the background and locked", before: [.left], bound: .seconds(32)) {
            $0.backgroundScanLatency = .seconds(5)...(.seconds(60))
        },
        Scenario(testDescription: "terminated by the system", before: [.left, .memoryPressure], bound: .seconds(32)),
        Scenario(testDescription: "force-quit by the user", before: [.left, .forceQuit], bound: nil),
        // Everything is delayed further; no source states by how much.
        Scenario(testDescription: "in low power mode", before: [.left, .lowPower(true)], bound: .seconds(62)),
        Scenario(
            testDescription: "iPhone 17", before: [.left], bound: .seconds(32),
            platform: DevicePlatform(.iOS, PlatformVersion(26), traits: [.iPhone17])),
    ]) func `detects a contact within the bound of each scenario`(scenario: Scenario) throws {
        var latencies: [Duration] = []
        for seed in 0..<50 as Range<UInt64> {
            var script: Script = [(0, .opened)]
            for (place, event) in scenario.before.enumerated() {
                script.append((minute + UInt64(place) * minute, event))
            }
            script.append((10 * minute, .peripheralCame))
            latencies += live(
                script, minutes: 15, seed: seed, on: scenario.platform,
                lowPower: scenario.before.contains(.lowPower(true)), scenario.change
            ).detections.compactMap { $0 }
        }
        #expect(latencies.count == (scenario.bound == nil ? 0 : 50))
        if let bound = scenario.bound {
            #expect(try #require(PhoneReport.quantile(0.99, of: latencies)) <= bound)
        }
        print(
            "\(scenario.testDescription): median \(PhoneReport.quantile(0.5, of: latencies) ?? .zero), "
                + "99th percentile \(PhoneReport.quantile(0.99, of: latencies) ?? .zero)")
    }

    /// Covers INK-LIF-008.
    @Test(arguments: seeds) func `neither Bluetooth nor a region relaunches the app after a force-quit`(seed: UInt64) {
        let script =
            connectedAndLeft + [
                (2 * minute, .forceQuit), (3 * minute, .peripheralWent), (9 * minute, .peripheralCame),
            ]
        let report = live(script, minutes: 30, seed: seed)
        #expect(report.launches == [.user])
        #expect(report.refusals.keys.contains("region-force-quit"))
        #expect(isComplete(live(script + [(25 * minute, .opened)], minutes: 30, seed: seed)))
    }

    @Test(arguments: seeds) func `turning Bluetooth off ends pending calls until the user opens the app`(
        seed: UInt64
    ) {
        let script =
            connectedAndLeft + [
                (2 * minute, .memoryPressure), (2 * minute, .bluetoothOff), (3 * minute, .bluetoothOn),
            ]
        func withoutRegions(_ settings: inout PhoneSettings) { settings.permissions.location = .whenInUse }
        #expect(live(script, minutes: 30, seed: seed, withoutRegions).launches == [.user])
        let opened = live(script + [(20 * minute, .opened)], minutes: 30, seed: seed, withoutRegions)
        #expect(isComplete(opened))
    }

    /// Covers INK-LIF-003.
    @Test(arguments: seeds) func `after a restart with a passcode the app is not relaunched before the first unlock`(
        seed: UInt64
    ) {
        let script = connectedAndLeft + [(2 * minute, .peripheralWent), (3 * minute, .restarted(hasPasscode: true))]
        let locked = live(script + [(10 * minute, .peripheralCame)], minutes: 30, seed: seed)
        #expect(locked.launches == [.user])
        let unlocked = script + [(9 * minute, .unlocked), (10 * minute, .peripheralCame)]
        #expect(isComplete(live(unlocked, minutes: 30, seed: seed)))
    }

    /// Covers INK-LIF-052.
    @Test(arguments: seeds) func `finds a peripheral without a bond under its new identity`(seed: UInt64) {
        let script: Script = [
            (0, .peripheralCame), (1000, .opened), (minute, .peripheralWent), (minute + 1, .peripheralChangedIdentity),
            (2 * minute, .peripheralCame),
        ]
        let report = live(script, minutes: 5, seed: seed) { $0.isBonded = false }
        #expect(report.isLinked)
        #expect(isComplete(report))
    }

    @Test(arguments: seeds) func `withdrawing a permission ends the link, and granting it restores the link`(
        seed: UInt64
    ) {
        var denied = PhoneSettings().permissions
        denied.bluetooth = .denied
        let script: Script = [
            (0, .peripheralCame), (1000, .opened), (minute, .permitted(denied)),
            (2 * minute, .permitted(PhoneSettings().permissions)),
        ]
        #expect(!live(Array(script.prefix(3)), minutes: 2, seed: seed).isLinked)
        let report = live(script, minutes: 4, seed: seed)
        #expect(report.isLinked)
        #expect(isComplete(report))
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `after any events a phone has every record when the user opens the app`(
        seed: UInt64
    ) {
        var generator = SimulationGenerator(seed: seed &* 77 &+ 5)
        var script = connectedAndLeft
        var at = minute
        for _ in 0..<60 {
            at += UInt64.random(in: 0...90 * second, using: &generator)
            let events: [PhoneEvent] = [
                .opened, .left, .left, .memoryPressure, .memoryPressure, .crashed, .forceQuit, .bluetoothOff,
                .bluetoothOn,
                .airplaneMode(takesBluetooth: false), .restarted(hasPasscode: false), .restarted(hasPasscode: true),
                .unlocked, .lowPower(true), .displayWoke, .peripheralCame, .peripheralCame, .peripheralWent,
                .peripheralReset, .peripheralChangedIdentity,
            ]
            script.append((at, events.randomElement(using: &generator) ?? .left))
        }
        script += [(at + 1, .bluetoothOn), (at + 2, .unlocked), (at + 3, .peripheralCame), (at + 4, .opened)]
        let end = at / minute + 3
        let report = live(script, minutes: end, seed: seed) { $0.isBonded = false }
        #expect(report.isLinked, "seed \(seed)")
        #expect(
            isComplete(report),
            "seed \(seed): \(report.missing.count) missing of \(report.produced), stored \(report.stored)")
        #expect(report.ignored == 0, "seed \(seed)")
    }
}
