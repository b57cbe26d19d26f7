import InklingEngine
import InklingKeys
import InklingPlatforms
import InklingTesting
import Testing

private func at(_ milliseconds: UInt64) -> Tick { Tick(milliseconds: milliseconds) }

@Suite struct `Region wakes` {
    private let regions = [RegionWake.Region(1), RegionWake.Region(2, minor: 4711)]

    @Test func `an entry opens a window and starts ranging, which finds the minors`() {
        var wake = RegionWake(regions: regions)
        #expect(wake.handle(.entered(1), at: at(0)) == [.openWindow, .startRanging(1), .wake(at: at(3000))])
        #expect(wake.handle(.ranged(1, minors: [9, 7, 9]), at: at(1000)) == [.identify(1, minors: [7, 9])])
        #expect(wake.handle(.ranged(1, minors: [7, 8]), at: at(2000)) == [.identify(1, minors: [8])])
        #expect(wake.handle(.timerFired, at: at(3000)) == [.stopRanging(1)])
    }

    @Test func `a region of one minor needs no ranging`() {
        var wake = RegionWake(regions: regions)
        #expect(wake.handle(.entered(2), at: at(0)) == [.openWindow, .identify(2, minors: [4711])])
    }

    @Test func `handles an entry once until the exit, which is not a departure`() {
        var wake = RegionWake(regions: regions)
        _ = wake.handle(.entered(2), at: at(0))
        #expect(wake.handle(.entered(2), at: at(1)) == [])
        #expect(wake.handle(.exited(2), at: at(2)) == [.left(2)])
        #expect(wake.handle(.entered(2), at: at(3)) == [.openWindow, .identify(2, minors: [4711])])
    }

    @Test func `ranges again when the display wakes inside a region`() {
        var wake = RegionWake(regions: regions)
        _ = wake.handle(.entered(1), at: at(0))
        _ = wake.handle(.timerFired, at: at(3000))
        #expect(
            wake.handle(.displayWoke([1]), at: at(900_000)) == [.openWindow, .startRanging(1), .wake(at: at(903_000))])
    }

    /// Covers INK-LIF-085.
    @Test func `does not start a second ranging when the display wakes during ranging`() {
        var wake = RegionWake(regions: regions)
        _ = wake.handle(.entered(1), at: at(0))
        _ = wake.handle(.ranged(1, minors: [7]), at: at(1000))
        #expect(wake.handle(.displayWoke([1]), at: at(1500)) == [.openWindow])
        #expect(wake.handle(.ranged(1, minors: [7, 8]), at: at(2000)) == [.identify(1, minors: [8])])
        _ = wake.handle(.timerFired, at: at(3000))
        _ = wake.handle(.displayWoke([1]), at: at(4000))
        #expect(wake.handle(.ranged(1, minors: [7]), at: at(5000)) == [.identify(1, minors: [7])])
    }

    @Test func `ranging ends with the window, and is not limited in the foreground`() {
        var wake = RegionWake(regions: regions)
        _ = wake.handle(.entered(1), at: at(0))
        #expect(wake.handle(.windowEnded, at: at(100)) == [.stopRanging(1)])
        #expect(wake.handle(.foreground(true), at: at(200)) == [.startRanging(1)])
        #expect(wake.handle(.timerFired, at: at(1_000_000)) == [])
        #expect(wake.handle(.foreground(false), at: at(1_000_001)) == [.stopRanging(1)])
    }

    @Test func `monitors at most twenty regions`() {
        let wake = (1...25).map { RegionWake.Region($0) }
        var machine = RegionWake(regions: wake)
        #expect(machine.handle(.entered(20), at: at(0)).first == .openWindow)
        #expect(machine.handle(.entered(21), at: at(0)) == [])
        #expect(RegionWake.regionLimit == 20)
    }

    /// Covers INK-LIF-084.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `ranging in the background ends, and no wake lies in the past`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = RegionWake(regions: [RegionWake.Region(0)] + regions)
        var now: UInt64 = 0
        var since: [UInt16: UInt64] = [:]
        var isForeground = false
        var wake: UInt64?
        var (ranged, woken) = (0, 0)
        for _ in 0..<400 {
            now += UInt64.random(in: 0...1500, using: &generator)
            if let due = wake, due <= now { (now, wake) = (due, nil) }
            let number = UInt16.random(in: 0...3, using: &generator)
            let event: RegionWake.Event =
                switch Int.random(in: 0..<14, using: &generator) {
                case 0...2: .entered(number)
                case 3: .exited(number)
                case 4: .displayWoke([number, 1])
                case 5...8: .ranged(number, minors: [number, 7])
                case 9: .rangingFailed(number)
                case 10: .foreground(Bool.random(using: &generator))
                case 11: .windowEnded
                default: .timerFired
                }
            if case .foreground(let value) = event { isForeground = value }
            for effect in machine.handle(event, at: at(now)) {
                switch effect {
                case .startRanging(let number):
                    #expect(since[number] == nil, "seed \(seed): ranged twice")
                    since[number] = now
                    ranged += 1
                case .stopRanging(let number):
                    #expect(since[number] != nil, "seed \(seed): ended ranging that had not begun")
                    since[number] = nil
                case .identify(let number, _): #expect(machine.insideRegions.contains(number), "seed \(seed)")
                case .openWindow: #expect(!isForeground, "seed \(seed)")
                case .left: break
                case .wake(let tick):
                    #expect(tick.milliseconds > now, "seed \(seed)")
                    wake = tick.milliseconds
                    woken += 1
                }
            }
            if case .rangingFailed(let number) = event { since[number] = nil }
            if case .foreground(true) = event { for number in since.keys { since[number] = .max } }
            if !isForeground {
                for start in since.values where start != .max { #expect(now - start < 3000, "seed \(seed): too long") }
            }
        }
        #expect(ranged > 0 && woken > 0, "seed \(seed)")
    }
}
