import InklingEngine
import InklingKeys
import InklingTesting
import Testing

private typealias Effect = RotationMachine.Effect

private let quarter = 900_000
private let hour = Period(496_000) ?? .last

/// A machine driven at real milliseconds after the start of `epochZero`.
private struct Device {
    var machine: RotationMachine
    var generator = ConstantGenerator.smallest
    var ahead = 0
    var rate: UInt32 = 1

    init(highWater: Epoch? = nil, isVisible: Bool = true) {
        machine = RotationMachine(highWater: highWater, isVisible: isVisible)
    }

    /// A device that has shown `epochZero` since ten seconds after its start.
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

    /// The effects without the wishes to be woken.
    mutating func acts(_ event: RotationMachine.Event, _ milliseconds: Int) -> [Effect] {
        send(event, milliseconds).filter { if case .wake = $0 { false } else { true } }
    }
}

@Suite struct `The rhythm of rotation` {
    /// Covers INK-ROT-008, INK-ROT-030.
    @Test func `a start prepares, stores the high-water mark and publishes, in this order, after a gap`() {
        var device = Device()
        device.generator = .largest
        #expect(device.send(.timeAccepted, 9000) == [])
        #expect(
            device.send(.started, 10_000)
                == [.forget(before: hour), .prepare(epochZero), .wake(at: tick(20_000))])
        #expect(device.acts(.timerFired, 19_999) == [])
        #expect(device.acts(.timerFired, 20_000) == [.highWater(epochZero), .publish(epochZero)])
        #expect(device.machine.shown == epochZero)
    }

    /// Covers INK-ROT-001, INK-ROT-002, INK-ROT-005, INK-ROT-006.
    @Test func `emission stops in the last second with a goodbye, and resumes after the boundary and a gap`() {
        var device = Device.showing
        device.generator = .largest
        #expect(device.send(.timerFired, quarter - 60_000) == [.prepare(epoch(1)), .wake(at: tick(quarter - 1000))])
        #expect(device.acts(.timerFired, quarter - 1001) == [])
        #expect(
            device.send(.timerFired, quarter - 1000)
                == [.goQuiet(goodbye: true), .closeUnconfirmedLinks, .wake(at: tick(quarter))])
        #expect(device.acts(.timerFired, quarter) == [])
        #expect(device.acts(.timerFired, quarter + 9999) == [])
        #expect(device.acts(.timerFired, quarter + 10_000) == [.highWater(epoch(1)), .publish(epoch(1))])
    }

    /// Covers INK-ROT-002.
    @Test func `a timer that comes after the boundary brings silence without a goodbye`() {
        var device = Device.showing
        device.generator = .largest
        let effects = device.acts(.timerFired, quarter + 5)
        #expect(effects == [.goQuiet(goodbye: false), .closeUnconfirmedLinks, .prepare(epoch(1))])
        #expect(device.machine.shown == nil)
    }

    /// Covers INK-ROT-003.
    @Test func `gaps are drawn afresh and spread over ten seconds`() {
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
        #expect(gaps.count == 500)
        #expect(gaps.allSatisfy { $0 <= 10_000 })
        #expect(Set(gaps).count > 450)
        let deciles = Dictionary(grouping: gaps) { min($0 / 1000, 9) }.mapValues(\.count)
        #expect(deciles.count == 10)
        #expect(deciles.values.allSatisfy { (20...90).contains($0) })
    }

    /// Covers INK-ID-014, INK-KEY-024, INK-ROT-026.
    @Test func `what an old epoch answers to is kept until the skew allowance is over, and then retired`() {
        var device = Device.showing
        device.send(.timerFired, quarter - 1000)
        device.send(.timerFired, quarter)
        #expect(device.acts(.timerFired, quarter + 119_999) == [])
        #expect(device.acts(.timerFired, quarter + 120_000) == [.retire(before: epoch(1))])
        #expect(device.acts(.timerFired, quarter + 120_001) == [])
    }

    /// Covers INK-KEY-022, INK-KEY-023, INK-KEY-024, INK-ROT-025.
    @Test func `period keys are forgotten at the hour, before anything new is shown, and at no other boundary`() {
        var device = Device.showing
        for index in 1...4 {
            device.send(.timerFired, index * quarter - 60_000)
            device.send(.timerFired, index * quarter - 1000)
            let effects = device.acts(.timerFired, index * quarter)
            #expect(effects.contains(.forget(before: epoch(index).period)) == (index == 4))
            if index == 4 {
                #expect(effects == [.forget(before: epoch(4).period), .highWater(epoch(4)), .publish(epoch(4))])
            }
            device.send(.timerFired, index * quarter + 120_000)
        }
    }

    /// Covers INK-ROT-016.
    @Test func `an invisible device emits nothing and forgets all the same`() {
        var device = Device(isVisible: false)
        device.send(.timeAccepted, 0)
        #expect(device.send(.started, 0) == [.forget(before: hour), .wake(at: tick(quarter))])
        for index in 1...3 { #expect(device.acts(.timerFired, index * quarter) == []) }
        #expect(device.acts(.timerFired, 4 * quarter) == [.forget(before: epoch(4).period)])
    }

    /// Covers INK-ROT-003.
    @Test func `with an accelerated clock the gap is real and the preparation is protocol time`() {
        var device = Device()
        device.rate = 20
        device.generator = .largest
        device.send(.timeAccepted, 0)
        #expect(device.send(.started, 0).last == .wake(at: tick(10_000)))
        // An epoch lasts 45 real seconds; 60 protocol seconds are three.
        #expect(device.send(.timerFired, 10_000).last == .wake(at: tick(42_000)))
        #expect(device.acts(.timerFired, 42_000) == [.prepare(epoch(1))])
        #expect(device.acts(.timerFired, 44_000) == [.goQuiet(goodbye: true), .closeUnconfirmedLinks])
    }
}

@Suite struct `Changes that count as a boundary` {
    /// Covers INK-ROT-005, INK-ROT-015.
    @Test(arguments: [
        RotationMachine.Event.networkChanged, .visibilityChanged(isVisible: true), .wokeUp, .started, .highWaterCleared,
    ])
    func `a change of state brings silence without a goodbye and a fresh gap`(event: RotationMachine.Event) {
        var device = Device.showing
        device.generator = .largest
        let effects = device.acts(event, 300_000)
        #expect(effects.prefix(2) == [.goQuiet(goodbye: false), .closeUnconfirmedLinks])
        #expect(device.acts(.timerFired, 309_999) == [])
        #expect(device.acts(.timerFired, 310_000).last == .publish(epochZero))
    }

    /// Covers INK-ROT-008.
    @Test func `another audience is prepared before it is shown`() {
        var device = Device.showing
        #expect(
            device.acts(.visibilityChanged(isVisible: true), 300_000)
                == [.goQuiet(goodbye: false), .closeUnconfirmedLinks, .prepare(epochZero), .publish(epochZero)])
    }

    /// Covers INK-ROT-016.
    @Test func `becoming invisible is silence at once and stays`() {
        var device = Device.showing
        #expect(
            device.acts(.visibilityChanged(isVisible: false), 300_000)
                == [.goQuiet(goodbye: false), .closeUnconfirmedLinks])
        #expect(device.acts(.networkChanged, 400_000) == [])
        #expect(device.acts(.timerFired, quarter) == [])
        #expect(device.machine.shown == nil)
    }

    /// Covers INK-ROT-017.
    @Test func `a sleeping device shows nothing until it wakes`() {
        var device = Device.showing
        #expect(device.acts(.fallingAsleep, 300_000) == [.goQuiet(goodbye: false), .closeUnconfirmedLinks])
        #expect(device.acts(.timerFired, 400_000) == [])
        #expect(device.acts(.wokeUp, quarter + 500_000).suffix(2) == [.highWater(epoch(1)), .publish(epoch(1))])
    }

    /// Covers INK-ROT-018.
    @Test func `a name conflict withdraws until the next epoch, whatever happens meanwhile`() {
        var device = Device.showing
        #expect(device.acts(.nameConflict, 300_000) == [.goQuiet(goodbye: false), .closeUnconfirmedLinks])
        for event in [RotationMachine.Event.timerFired, .networkChanged, .started, .wokeUp] {
            #expect(device.acts(event, 400_000) == [])
        }
        device.send(.timerFired, quarter - 60_000)
        #expect(device.acts(.timerFired, quarter) == [.highWater(epoch(1)), .publish(epoch(1))])
    }

    /// Covers INK-ROT-019.
    @Test func `a restart within an epoch shows the same epoch again and stores nothing new`() {
        var device = Device(highWater: epochZero)
        device.send(.timeAccepted, 100_000)
        let effects = device.acts(.started, 100_000)
        #expect(effects == [.forget(before: hour), .prepare(epochZero), .publish(epochZero)])
    }

    /// Covers INK-ROT-009.
    @Test func `nothing is published in the last second of an epoch`() {
        var device = Device()
        device.send(.timeAccepted, quarter - 1000)
        #expect(device.acts(.started, quarter - 1000) == [.forget(before: hour), .prepare(epoch(1))])
        #expect(device.acts(.timerFired, quarter - 1) == [])
        #expect(device.acts(.timerFired, quarter) == [.highWater(epoch(1)), .publish(epoch(1))])
    }
}

@Suite struct `Rotation and the clock` {
    /// Covers INK-KEY-023, INK-ROT-027, INK-ROT-040.
    @Test func `without accepted time nothing is shown and nothing is erased`() {
        var device = Device()
        #expect(device.send(.started, 0) == [])
        #expect(device.send(.timerFired, 5 * quarter) == [])
        #expect(device.send(.timeRefused, 6 * quarter) == [])
        #expect(device.send(.networkChanged, 6 * quarter) == [])
    }

    /// Covers INK-ROT-027.
    @Test func `time that is refused brings silence at once and stops erasing`() {
        var device = Device.showing
        #expect(device.send(.timeRefused, 300_000) == [.goQuiet(goodbye: false), .closeUnconfirmedLinks])
        #expect(device.send(.timerFired, 4 * quarter + 120_000) == [])
    }

    /// Covers INK-ROT-040.
    @Test(arguments: [-7200, 3 * 86_400, 3650 * 86_400])
    func `a jump of the clock brings silence until time is accepted again`(seconds: Int) {
        var device = Device.showing
        device.ahead = seconds
        #expect(device.acts(.timerFired, 300_000) == [.goQuiet(goodbye: false), .closeUnconfirmedLinks])
        for event in [RotationMachine.Event.timerFired, .networkChanged, .wokeUp, .started] {
            #expect(device.send(event, 400_000) == [])
        }
    }

    @Test(arguments: [3 * 86_400, 3650 * 86_400])
    func `an accepted jump forward is followed after a gap`(seconds: Int) {
        var device = Device.showing
        device.ahead = seconds
        device.send(.timerFired, 300_000)
        let target = epoch(seconds / 900)
        #expect(
            device.acts(.timeAccepted, 301_000) == [
                .retire(before: target), .forget(before: target.period), .prepare(target), .highWater(target),
                .publish(target),
            ])
    }

    /// Covers INK-ROT-031.
    @Test func `an accepted jump back is silent until the high-water mark has passed`() {
        var device = Device.showing
        device.ahead = -7200
        device.send(.timerFired, 300_000)
        #expect(device.acts(.timeAccepted, 301_000) == [])
        #expect(device.acts(.timerFired, 7_200_000 - 1) == [])
        #expect(device.acts(.timerFired, 7_200_000) == [.publish(epochZero)])
    }

    /// Covers INK-ROT-031.
    @Test func `a clock set back a little across a boundary does not bring the old epoch back`() {
        var device = Device.showing
        device.send(.timerFired, quarter - 1000)
        device.send(.timerFired, quarter)
        #expect(device.machine.shown == epoch(1))
        device.ahead = -60
        #expect(device.acts(.timerFired, quarter + 10_000) == [.goQuiet(goodbye: false), .closeUnconfirmedLinks])
        #expect(device.acts(.timerFired, quarter + 59_999) == [])
        #expect(device.acts(.timerFired, quarter + 60_000) == [.publish(epoch(1))])
    }

    /// Covers INK-KEY-025, INK-ROT-032.
    @Test func `a stored high-water mark ahead of the clock holds until the operator clears it`() {
        var device = Device(highWater: epoch(100_000))
        device.send(.timeAccepted, 0)
        #expect(device.acts(.started, 0) == [.forget(before: hour)])
        for index in 1...3 { #expect(device.acts(.timerFired, index * quarter) == []) }
        #expect(
            device.acts(.highWaterCleared, 3 * quarter + 1000)
                == [.prepare(epoch(3)), .highWater(epoch(3)), .publish(epoch(3))])
    }

    /// Covers INK-KEY-026.
    @Test func `past the last hour of the tree nothing is shown`() {
        var device = Device()
        device.ahead = 64 * 365 * 86_400
        device.send(.timeAccepted, 0)
        #expect(device.send(.started, 0) == [])
    }
}

@Suite struct `The example of the rotation document` {
    /// A generator that makes the next gap this long.
    private func gap(_ milliseconds: UInt64) -> ConstantGenerator {
        ConstantGenerator(value: milliseconds * (UInt64.max / 10_001) + UInt64.max / 20_002)
    }

    @Test func `goes as it is told`() {
        var device = Device()
        device.generator = gap(3200)
        device.send(.timeAccepted, 899_500)
        #expect(
            device.send(.started, 899_500) == [.forget(before: hour), .prepare(epoch(1)), .wake(at: tick(900_000))])
        #expect(device.send(.timerFired, 900_000) == [.wake(at: tick(903_200))])
        #expect(device.acts(.timerFired, 903_200) == [.highWater(epoch(1)), .publish(epoch(1))])
        #expect(device.acts(.timerFired, 1_020_000) == [])
        #expect(device.acts(.timerFired, 1_740_000) == [.prepare(epoch(2))])
        device.generator = gap(7900)
        #expect(device.acts(.timerFired, 1_799_000) == [.goQuiet(goodbye: true), .closeUnconfirmedLinks])
        #expect(device.acts(.timerFired, 1_800_000) == [])
        #expect(device.acts(.timerFired, 1_807_900) == [.highWater(epoch(2)), .publish(epoch(2))])
        #expect(device.acts(.timerFired, 1_920_000) == [.retire(before: epoch(2))])
    }
}
