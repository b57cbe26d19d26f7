#if Node
    import InklingKeys
    import InklingNode
    import InklingTesting
    import Testing

    @testable import InklingLinux

    private let minute: UInt64 = 60_000

    private func at(_ minutes: UInt64) -> Tick { Tick(milliseconds: minutes * minute) }

    @Suite struct RadioRecoveryMachineTests {
        private var machine = RadioRecoveryMachine()

        /// Returns the steps that are taken in these minutes, with the minute of each.
        private mutating func steps(_ minutes: ClosedRange<UInt64>) -> [UInt64: RadioRecovery] {
            var steps: [UInt64: RadioRecovery] = [:]
            for minute in minutes {
                for case .recover(let step) in machine.handle(.timerFired, at: at(minute)) { steps[minute] = step }
            }
            return steps
        }

        @Test mutating func `scans again twice, then switches the adapter, then goes on without hearing`() {
            _ = machine.handle(.started, at: at(0))
            _ = machine.handle(.heard, at: at(1))
            #expect(steps(0...25) == [6: .scanAgain, 11: .scanAgain, 16: .powerCycle, 21: .none])
        }

        @Test mutating func `begins again a quarter of an hour after the last step`() {
            _ = machine.handle(.started, at: at(0))
            #expect(
                steps(0...40) == [5: .scanAgain, 10: .scanAgain, 15: .none, 30: .scanAgain, 35: .scanAgain, 40: .none])
        }

        @Test mutating func `says that it hears again, once`() {
            _ = machine.handle(.started, at: at(0))
            #expect(machine.handle(.heard, at: at(1)) == [])
            _ = steps(0...7)
            #expect(machine.handle(.heard, at: at(8)) == [.hearing])
            #expect(machine.handle(.heard, at: at(8)) == [])
            #expect(steps(9...13) == [13: .scanAgain])
        }

        @Test mutating func `a silent gap neither counts as silence nor ends it`() {
            _ = machine.handle(.started, at: at(0))
            _ = machine.handle(.stopped, at: at(4))
            #expect(steps(4...100) == [:])
            _ = machine.handle(.started, at: at(100))
            #expect(steps(100...102) == [101: .scanAgain])
        }

        @Test mutating func `in epochs of fifteen minutes it also begins again`() {
            var taken = 0
            for epoch in 0..<8 as Range<UInt64> {
                _ = machine.handle(.started, at: at(epoch * 15))
                taken += steps(epoch * 15...epoch * 15 + 14).values.count { $0 == .scanAgain }
                _ = machine.handle(.stopped, at: at(epoch * 15 + 14))
            }
            #expect(taken >= 6)
        }

        @Test mutating func `a place where nothing was ever heard does not switch the adapter`() {
            _ = machine.handle(.started, at: at(0))
            #expect(!steps(0...10_000).values.contains(.powerCycle))
        }

        @Test mutating func `a place that became quiet switches the adapter once an hour at most, and then no more`() {
            _ = machine.handle(.started, at: at(0))
            _ = machine.handle(.heard, at: at(0))
            #expect(steps(0...10_000).filter { $0.value == .powerCycle }.keys.sorted() == [15, 45])
        }

        @Test(arguments: 0..<100 as Range<UInt64>)
        func `on any walk, half an hour passes from one switching to the next, and steps only while scanning`(
            seed: UInt64
        ) {
            var random = SeededGenerator(seed: seed)
            var machine = RadioRecoveryMachine()
            var now: UInt64 = 1_000
            var last: UInt64?
            var isScanning = false
            var isDeaf = false
            for _ in 0..<2_000 {
                now += UInt64.random(in: 0...5 * minute, using: &random)
                let events: [RadioRecoveryMachine.Event] = [
                    .started, .stopped, .heard, .timerFired, .timerFired, .timerFired,
                ]
                let event = events.randomElement(using: &random) ?? .heard
                if event == .started { isScanning = true }
                if event == .stopped { isScanning = false }
                for effect in machine.handle(event, at: Tick(milliseconds: now)) {
                    switch effect {
                    case .hearing:
                        #expect(isDeaf)
                        isDeaf = false
                    case .recover(let step):
                        #expect(isScanning)
                        isDeaf = true
                        guard step == .powerCycle else { continue }
                        if let last { #expect(now - last >= 30 * minute) }
                        last = now
                    }
                }
            }
        }
    }
#endif
