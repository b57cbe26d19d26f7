import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@Suite struct `The owner of a tag device` {
    /// T-DULT-1: at the latest 30 minutes after a confirmation nothing is shown by radio.
    ///
    /// Covers INK-RSP-004.
    @Test func `is near in the epoch of a confirmation and in the next one, which is at most 30 minutes`() throws {
        let confirmed = OwnerConfirmation(latest: epoch(10))
        let near = (0...200).map { epoch($0) }.filter { confirmed.state(in: $0) == .nearOwner }
        #expect(near == [epoch(10), epoch(11)])
        // From the first moment of the epoch of the confirmation to the end of the last epoch near the owner.
        let longest = try #require(near.last).end - epoch(10).start
        #expect(Duration.seconds(longest) == OwnerConfirmation.nearOwnerLimit)
        #expect(OwnerConfirmation.nearOwnerLimit <= .seconds(1800))
    }

    /// T-DULT-2: nothing is shown after the limit.
    ///
    /// Covers INK-RSP-005.
    @Test func `is given up 24 hours after a confirmation, over every technology`() throws {
        let confirmed = OwnerConfirmation(latest: epoch(10))
        let shown = (0...400).map { epoch($0) }.filter { confirmed.permits(.network, in: $0) }
        #expect(shown == (10...105).map { epoch($0) })
        #expect(.seconds(try #require(shown.last).end - epoch(10).start) == OwnerConfirmation.limit)
        #expect(OwnerConfirmation.limit == .seconds(86_400))
        for technology in AttemptTechnology.allCases {
            #expect(!(106...400).contains { confirmed.permits(technology, in: epoch($0)) })
        }
    }

    /// T-DULT-1.
    ///
    /// Covers INK-RSP-004.
    @Test func `separated, the radio is silent and the network is not`() throws {
        let confirmed = OwnerConfirmation(latest: epoch(10))
        for number in 12...105 {
            #expect(confirmed.state(in: epoch(number)) == .separated)
            #expect(!confirmed.permits(.radio, in: epoch(number)))
            #expect(confirmed.permits(.network, in: epoch(number)))
        }
    }

    /// T-DULT-3: the owner is never near without a fresh confirmation.
    ///
    /// Covers INK-RSP-002.
    @Test func `is nowhere before the first confirmation, and in no epoch before it`() throws {
        for number in 0...400 {
            #expect(OwnerConfirmation().state(in: epoch(number)) == .unconfirmed)
        }
        let later = OwnerConfirmation(latest: epoch(100))
        for number in 0..<100 {
            #expect(later.state(in: epoch(number)) == .unconfirmed)
            for technology in AttemptTechnology.allCases {
                #expect(!later.permits(technology, in: epoch(number)))
            }
        }
    }

    @Test func `is near again after every confirmation, whatever was before`() throws {
        var confirmation = OwnerConfirmation()
        for number in [5, 300, 7, 8] {
            confirmation.confirm(in: epoch(number))
            #expect(confirmation.latest == epoch(number))
            #expect(confirmation.state(in: epoch(number)) == .nearOwner)
        }
    }

    /// T-DULT-2. One confirmation permits the epochs that follow it, each once. Without the rule for starts, the planted fault,
    /// somebody who restarts the device and sets its clock back has a beacon for ever.
    ///
    /// Covers INK-RSP-007.
    @Test(arguments: [true, false])
    func `however often the clock is set back and the device started, an epoch is shown once`(keepsRule: Bool) throws {
        let confirmation = OwnerConfirmation(latest: epoch(10))
        var highWater: Epoch?
        var shown: [Epoch] = []
        var generator = SeededGenerator(seed: 7)
        // The clock is set back to the epoch of the confirmation before each start.
        for _ in 0..<20 {
            var machine = RotationMachine(highWater: highWater, notBefore: keepsRule ? highWater?.next : nil)
            let start = ClockReading(
                tick: Tick(milliseconds: 1_000_000), unixMilliseconds: epoch(10).start * 1000)
            _ = machine.handle(.started, at: start, using: &generator)
            _ = machine.handle(.timeAccepted, at: start, using: &generator)
            for second in 1...300 as ClosedRange<UInt64> {
                let now = ClockReading(
                    tick: start.tick.advanced(byMilliseconds: second * 1000),
                    unixMilliseconds: start.unixMilliseconds + second * 1000)
                for effect in machine.handle(.timerFired, at: now, using: &generator) {
                    guard case .publish(let epoch) = effect, confirmation.permits(.radio, in: epoch) else { continue }
                    shown.append(epoch)
                    highWater = epoch
                }
            }
        }
        #expect(shown.count == (keepsRule ? 1 : 20))
        #expect(Set(shown).count == 1)
    }
}
