import InklingEngine
import InklingKeys
import InklingTesting
import Testing

private typealias Effect = RotationMachine.Effect

private let quarter = 900_000
private let firstPeriod = Period(496_000) ?? .last

/// A machine. Times are real milliseconds after the start of `epochZero`.
private struct Device {
    var machine: RotationMachine
    var generator = ConstantGenerator.smallest
    var ahead = 0
    var rate: UInt32 = 1

    init(highWater: Epoch? = nil, isVisible: Bool = true) {
        machine = RotationMachine(highWater: highWater, isVisible: isVisible)
    }

    /// A machine that began to show `epochZero` ten seconds after the start of that epoch.
    static var showing: Device {
        var device = Device()
        device.send(.timeAccepted, 9000)
        device.send(.started, 10_000)
        return device
    }

    @discardableResult
    mutating func send(_ event: RotationMachine.Event, _ milliseconds: Int) -> [Effect] {
        machine.handle(event, at: reading(milliseconds, ahead: ahead, rate: rate), using: &generator)
    }

    /// Sends an event and returns its effects without `wake`.
    mutating func acts(_ event: RotationMachine.Event, _ milliseconds: Int) -> [Effect] {
        send(event, milliseconds).filter { if case .wake = $0 { false } else { true } }
    }
}

@Suite struct `Rotation at boundaries` {
    /// Covers INK-ROT-008, INK-ROT-030.
    @Test func `after a start it prepares, stores the high-water mark and publishes after a gap`() {
        var device = Device()
        device.generator = .largest
        expectEqual(device.send(.timeAccepted, 9000), [])
        expectEqual(
            device.send(.started, 10_000), [.forget(before: firstPeriod), .prepare(epochZero), .wake(at: tick(20_000))])
        expectEqual(device.acts(.timerFired, 19_999), [])
        expectEqual(device.acts(.timerFired, 20_000), [.highWater(epochZero), .publish(epochZero)])
        expectEqual(device.machine.shown, epochZero)
    }

    @Test func `names a moment to wake once, and the one at which an old epoch is retired`() {
        var device = Device.showing
        expectEqual(device.send(.timeAccepted, 10_001), [])
        expectEqual(device.send(.timeAccepted, 10_002), [])
        device.send(.timerFired, quarter - 60_000)
        device.send(.timerFired, quarter - 1000)
        device.send(.timerFired, quarter)
        let effects = device.send(.timerFired, quarter + 10_000)
        expectEqual(device.machine.shown, epoch(1))
        expectEqual(effects.last, .wake(at: tick(quarter + 120_000)))
    }

    /// Covers INK-ROT-001, INK-ROT-002, INK-ROT-005, INK-ROT-006.
    @Test func `goes quiet with a goodbye in the last second, and publishes again after the boundary and a gap`() {
        var device = Device.showing
        device.generator = .largest
        expectEqual(device.send(.timerFired, quarter - 60_000), [.prepare(epoch(1)), .wake(at: tick(quarter - 1000))])
        expectEqual(device.acts(.timerFired, quarter - 1001), [])
        expectEqual(
            device.send(.timerFired, quarter - 1000),
            [.goQuiet(goodbye: true), .closeUnauthenticatedLinks, .wake(at: tick(quarter))])
        expectEqual(device.acts(.timerFired, quarter), [])
        expectEqual(device.acts(.timerFired, quarter + 9999), [])
        expectEqual(device.acts(.timerFired, quarter + 10_000), [.highWater(epoch(1)), .publish(epoch(1))])
    }

    /// Covers INK-ROT-014.
    @Test func `draws the moment at which it goes quiet, spread over the first half of the last second`() {
        var leads: [Int] = []
        var generator = SeededGenerator(seed: 1)
        var machine = RotationMachine(highWater: nil)
        _ = machine.handle(.timeAccepted, at: reading(0), using: &generator)
        var effects = machine.handle(.started, at: reading(0), using: &generator)
        var milliseconds = 0
        while leads.count < 500 {
            for effect in effects {
                switch effect {
                case .goQuiet(let goodbye):
                    #expect(goodbye)
                    leads.append(quarter - milliseconds % quarter)
                case .wake(let wake): milliseconds = Int(wake.milliseconds - tick(0).milliseconds)
                default: break
                }
            }
            effects = machine.handle(.timerFired, at: reading(milliseconds), using: &generator)
        }
        #expect(leads.allSatisfy { (500...1000).contains($0) })
        let deciles = Dictionary(grouping: leads) { min(($0 - 500) / 50, 9) }.mapValues(\.count)
        expectEqual(deciles.count, 10)
        #expect(deciles.values.allSatisfy { (20...90).contains($0) })
    }

    /// Covers INK-ROT-014.
    @Test func `goes quiet as late as was drawn when the epoch was published, and not before`() {
        var device = Device()
        device.generator = .largest
        device.send(.timeAccepted, 9000)
        device.send(.started, 10_000)
        device.send(.timerFired, 20_000)
        expectEqual(device.send(.timerFired, quarter - 60_000), [.prepare(epoch(1)), .wake(at: tick(quarter - 500))])
        expectEqual(device.acts(.timerFired, quarter - 501), [])
        expectEqual(device.acts(.timerFired, quarter - 500), [.goQuiet(goodbye: true), .closeUnauthenticatedLinks])
    }

    /// Covers INK-ROT-002.
    @Test func `goes quiet without a goodbye if the timer fires after the boundary`() {
        var device = Device.showing
        device.generator = .largest
        let effects = device.acts(.timerFired, quarter + 5)
        expectEqual(effects, [.goQuiet(goodbye: false), .closeUnauthenticatedLinks, .prepare(epoch(1))])
        expectEqual(device.machine.shown, nil)
    }

    /// Covers INK-ROT-003.
    @Test func `draws a new gap each time, spread over ten seconds`() {
        var gaps: [UInt64] = []
        var generator = SeededGenerator(seed: 1)
        var machine = RotationMachine(highWater: nil)
        _ = machine.handle(.timeAccepted, at: reading(0), using: &generator)
        _ = machine.handle(.started, at: reading(0), using: &generator)
        for index in 1...500 {
            var next = tick(index * quarter - 1000)
            while machine.shown != epoch(index) {
                let milliseconds = Int(next.milliseconds - tick(0).milliseconds)
                for case .wake(let wake) in machine.handle(.timerFired, at: reading(milliseconds), using: &generator) {
                    next = wake
                }
                if machine.shown == epoch(index) { gaps.append(UInt64(milliseconds - index * quarter)) }
            }
        }
        expectEqual(gaps.count, 500)
        #expect(gaps.allSatisfy { $0 <= 10_000 })
        #expect(Set(gaps).count > 450)
        let deciles = Dictionary(grouping: gaps) { min($0 / 1000, 9) }.mapValues(\.count)
        expectEqual(deciles.count, 10)
        #expect(deciles.values.allSatisfy { (20...90).contains($0) })
    }

    /// Covers INK-ID-014, INK-KEY-024, INK-ROT-026.
    @Test func `retires the values of an old epoch when the skew allowance is over`() {
        var device = Device.showing
        device.send(.timerFired, quarter - 1000)
        device.send(.timerFired, quarter)
        expectEqual(device.acts(.timerFired, quarter + 119_999), [])
        expectEqual(device.acts(.timerFired, quarter + 120_000), [.retire(before: epoch(1))])
        expectEqual(device.acts(.timerFired, quarter + 120_001), [])
    }

    /// Covers INK-KEY-022, INK-KEY-023, INK-KEY-024, INK-ROT-025.
    @Test func `erases period keys when a period begins, before it shows the new epoch, and at no other boundary`() {
        var device = Device.showing
        for index in 1...4 {
            device.send(.timerFired, index * quarter - 60_000)
            device.send(.timerFired, index * quarter - 1000)
            let effects = device.acts(.timerFired, index * quarter)
            expectEqual(effects.contains(.forget(before: epoch(index).period)), (index == 4))
            if index == 4 {
                expectEqual(effects, [.forget(before: epoch(4).period), .highWater(epoch(4)), .publish(epoch(4))])
            }
            device.send(.timerFired, index * quarter + 120_000)
        }
    }

    /// Covers INK-ROT-016.
    @Test func `an invisible device sends nothing but still erases keys`() {
        var device = Device(isVisible: false)
        device.send(.timeAccepted, 0)
        expectEqual(device.send(.started, 0), [.forget(before: firstPeriod), .wake(at: tick(quarter))])
        for index in 1...3 { expectEqual(device.acts(.timerFired, index * quarter), []) }
        expectEqual(device.acts(.timerFired, 4 * quarter), [.forget(before: epoch(4).period)])
    }

    /// Covers INK-ROT-003.
    @Test func `with an accelerated clock the gap is real time and the preparation lead is protocol time`() {
        var device = Device()
        device.rate = 20
        device.generator = .largest
        device.send(.timeAccepted, 0)
        expectEqual(device.send(.started, 0).last, .wake(at: tick(10_000)))
        // An epoch lasts 45 real seconds, and 60 seconds of protocol time are three real seconds.
        expectEqual(device.send(.timerFired, 10_000).last, .wake(at: tick(42_000)))
        expectEqual(device.acts(.timerFired, 42_000), [.prepare(epoch(1))])
        // The quiet lead is real time too: the shortest that can be drawn is half a second.
        expectEqual(device.acts(.timerFired, 44_499), [])
        expectEqual(device.acts(.timerFired, 44_500), [.goQuiet(goodbye: true), .closeUnauthenticatedLinks])
    }
}

@Suite struct `Changes that interrupt an epoch` {
    /// Covers INK-ROT-005, INK-ROT-015.
    @Test(arguments: [
        RotationMachine.Event.networkChanged, .visibilityChanged(isVisible: true), .wokeUp, .started, .highWaterCleared,
    ])
    func `a change of state leads to silence without a goodbye and to a new gap`(event: RotationMachine.Event) {
        var device = Device.showing
        device.generator = .largest
        let effects = device.acts(event, 300_000)
        expectEqual(effects.prefix(2), [.goQuiet(goodbye: false), .closeUnauthenticatedLinks])
        expectEqual(device.acts(.timerFired, 309_999), [])
        expectEqual(device.acts(.timerFired, 310_000).last, .publish(epochZero))
    }

    /// Covers INK-ROT-008.
    @Test func `prepares another audience before it is shown`() {
        var device = Device.showing
        expectEqual(
            device.acts(.visibilityChanged(isVisible: true), 300_000),
            [.goQuiet(goodbye: false), .closeUnauthenticatedLinks, .prepare(epochZero), .publish(epochZero)])
    }

    /// Covers INK-ROT-016.
    @Test func `a device that becomes invisible goes quiet at once and stays quiet`() {
        var device = Device.showing
        expectEqual(
            device.acts(.visibilityChanged(isVisible: false), 300_000),
            [.goQuiet(goodbye: false), .closeUnauthenticatedLinks])
        expectEqual(device.acts(.networkChanged, 400_000), [])
        expectEqual(device.acts(.timerFired, quarter), [])
        expectEqual(device.machine.shown, nil)
    }

    /// Covers INK-ROT-017.
    @Test func `a sleeping device shows nothing until it wakes`() {
        var device = Device.showing
        expectEqual(device.acts(.fallingAsleep, 300_000), [.goQuiet(goodbye: false), .closeUnauthenticatedLinks])
        expectEqual(device.acts(.timerFired, 400_000), [])
        expectEqual(device.acts(.wokeUp, quarter + 500_000).suffix(2), [.highWater(epoch(1)), .publish(epoch(1))])
    }

    /// Covers INK-ROT-019.
    @Test func `shows the same epoch again after a restart, without storing it again`() {
        var device = Device(highWater: epochZero)
        device.send(.timeAccepted, 100_000)
        let effects = device.acts(.started, 100_000)
        expectEqual(effects, [.forget(before: firstPeriod), .prepare(epochZero), .publish(epochZero)])
    }

    /// Covers INK-ROT-009.
    @Test func `publishes nothing in the last second of an epoch`() {
        var device = Device()
        device.send(.timeAccepted, quarter - 1000)
        expectEqual(device.acts(.started, quarter - 1000), [.forget(before: firstPeriod), .prepare(epoch(1))])
        expectEqual(device.acts(.timerFired, quarter - 1), [])
        expectEqual(device.acts(.timerFired, quarter), [.highWater(epoch(1)), .publish(epoch(1))])
    }
}

@Suite struct `Rotation and the clock` {
    /// Covers INK-KEY-023, INK-ROT-027, INK-ROT-040.
    @Test func `shows and erases nothing without accepted time`() {
        var device = Device()
        expectEqual(device.send(.started, 0), [])
        expectEqual(device.send(.timerFired, 5 * quarter), [])
        expectEqual(device.send(.timeRefused, 6 * quarter), [])
        expectEqual(device.send(.networkChanged, 6 * quarter), [])
    }

    /// Covers INK-ROT-027.
    @Test func `goes quiet at once and stops erasing when time is refused`() {
        var device = Device.showing
        expectEqual(device.send(.timeRefused, 300_000), [.goQuiet(goodbye: false), .closeUnauthenticatedLinks])
        expectEqual(device.send(.timerFired, 4 * quarter + 120_000), [])
    }

    /// Covers INK-ROT-040.
    @Test(arguments: [-7200, 3 * 86_400, 3650 * 86_400])
    func `is silent after a jump of the clock until time is accepted again`(seconds: Int) {
        var device = Device.showing
        device.ahead = seconds
        expectEqual(device.acts(.timerFired, 300_000), [.goQuiet(goodbye: false), .closeUnauthenticatedLinks])
        for event in [RotationMachine.Event.timerFired, .networkChanged, .wokeUp, .started] {
            expectEqual(device.send(event, 400_000), [])
        }
    }

    @Test(arguments: [3 * 86_400, 3650 * 86_400])
    func `publishes the new epoch after an accepted jump forward and a gap`(seconds: Int) {
        var device = Device.showing
        device.ahead = seconds
        device.send(.timerFired, 300_000)
        let target = epoch(seconds / 900)
        expectEqual(
            device.acts(.timeAccepted, 301_000),
            [
                .retire(before: target), .forget(before: target.period), .prepare(target), .highWater(target),
                .publish(target),
            ])
    }

    /// Covers INK-ROT-031.
    @Test func `is silent after an accepted jump back until the high-water mark is reached`() {
        var device = Device.showing
        device.ahead = -7200
        device.send(.timerFired, 300_000)
        expectEqual(device.acts(.timeAccepted, 301_000), [])
        expectEqual(device.acts(.timerFired, 7_200_000 - 1), [])
        expectEqual(device.acts(.timerFired, 7_200_000), [.publish(epochZero)])
    }

    /// Covers INK-ROT-031.
    @Test func `does not show the old epoch again if the clock is set back across a boundary`() {
        var device = Device.showing
        device.send(.timerFired, quarter - 1000)
        device.send(.timerFired, quarter)
        expectEqual(device.machine.shown, epoch(1))
        device.ahead = -60
        expectEqual(device.acts(.timerFired, quarter + 10_000), [.goQuiet(goodbye: false), .closeUnauthenticatedLinks])
        expectEqual(device.acts(.timerFired, quarter + 59_999), [])
        expectEqual(device.acts(.timerFired, quarter + 60_000), [.publish(epoch(1))])
    }

    /// Covers INK-KEY-025, INK-ROT-032.
    @Test func `respects a stored high-water mark ahead of the clock until the operator clears it`() {
        var device = Device(highWater: epoch(100_000))
        device.send(.timeAccepted, 0)
        expectEqual(device.acts(.started, 0), [.forget(before: firstPeriod)])
        for index in 1...3 { expectEqual(device.acts(.timerFired, index * quarter), []) }
        expectEqual(
            device.acts(.highWaterCleared, 3 * quarter + 1000),
            [.prepare(epoch(3)), .highWater(epoch(3)), .publish(epoch(3))])
    }

    /// Covers INK-KEY-026.
    @Test func `shows nothing after the last period of the tree`() {
        var device = Device()
        device.ahead = 64 * 365 * 86_400
        device.send(.timeAccepted, 0)
        expectEqual(device.send(.started, 0), [])
    }
}

@Suite struct `Example of the rotation page` {
    /// A generator with which the next gap has this length.
    private func gap(_ milliseconds: UInt64) -> ConstantGenerator {
        ConstantGenerator(value: milliseconds * (UInt64.max / 10_001) + UInt64.max / 20_002)
    }

    /// A generator with which the next quiet lead has this length.
    private func lead(_ milliseconds: UInt64) -> ConstantGenerator {
        ConstantGenerator(value: (1000 - milliseconds) * (UInt64.max / 501) + UInt64.max / 1002)
    }

    @Test func `the machine behaves as the page describes`() {
        var device = Device()
        device.generator = gap(3200)
        device.send(.timeAccepted, 899_500)
        expectEqual(
            device.send(.started, 899_500),
            [
                .forget(before: firstPeriod), .prepare(epoch(1)), .wake(at: tick(900_000)),
            ])
        expectEqual(device.send(.timerFired, 900_000), [.wake(at: tick(903_200))])
        device.generator = lead(800)
        expectEqual(device.acts(.timerFired, 903_200), [.highWater(epoch(1)), .publish(epoch(1))])
        expectEqual(device.acts(.timerFired, 1_020_000), [])
        expectEqual(device.acts(.timerFired, 1_740_000), [.prepare(epoch(2))])
        device.generator = gap(7900)
        expectEqual(device.acts(.timerFired, 1_799_199), [])
        expectEqual(device.acts(.timerFired, 1_799_200), [.goQuiet(goodbye: true), .closeUnauthenticatedLinks])
        expectEqual(device.acts(.timerFired, 1_800_000), [])
        expectEqual(device.acts(.timerFired, 1_807_900), [.highWater(epoch(2)), .publish(epoch(2))])
        expectEqual(device.acts(.timerFired, 1_920_000), [.retire(before: epoch(2))])
    }
}
