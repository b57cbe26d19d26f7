import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `The rotation schedule` {
    @Test func `changes every 15, 30 or 60 minutes`() {
        #expect(
            (0...240).compactMap { RotationSchedule(minutes: $0) } == [
                .everyEpoch, .everySecondEpoch, .everyFourthEpoch,
            ])
        #expect(RotationSchedule(minutes: .max) == nil)
    }

    @Test(
        arguments: [(RotationSchedule.everyEpoch, 1), (.everySecondEpoch, 2), (.everyFourthEpoch, 4)]
            as [(RotationSchedule, UInt32)])
    func `keeps a value for a whole step and changes it at aligned epochs`(schedule: RotationSchedule, step: UInt32)
        throws
    {
        for number in [0, 1, 2, 3, 4, 5, 1_984_000, 1_984_003, 4_194_303] as [UInt32] {
            let effective = schedule.effectiveEpoch(for: try epoch(number))
            #expect(effective.number == number / step * step)
            #expect(effective.period == (try epoch(number)).period)
        }
    }
}

@Suite struct `The skew allowance` {
    /// Covers INK-ID-018.
    @Test func `is at most half an epoch`() {
        #expect(SkewAllowance(seconds: 450)?.seconds == 450)
        #expect(SkewAllowance(seconds: 451) == nil)
        #expect(SkewAllowance.standard.seconds == 120)
    }

    @Test(
        arguments: [
            (0, [99, 100], [99, 100]), (119, [99, 100], [99, 100]), (120, [100], [100]), (450, [100], [100]),
            (779, [100], [100]), (780, [100, 101], [100]), (899, [100, 101], [100]),
        ] as [(UInt64, [UInt32], [UInt32])])
    func `includes a neighbouring epoch only near the boundary, and never the next one for first messages`(
        offset: UInt64, observed: [UInt32], answered: [UInt32]
    ) {
        #expect(SkewAllowance.standard.observedEpochs(at: 90_000 + offset).map(\.number) == observed)
        #expect(SkewAllowance.standard.answeredEpochs(at: 90_000 + offset).map(\.number) == answered)
    }

    @Test func `includes only the current epoch if it is zero`() throws {
        let none = try #require(SkewAllowance(seconds: 0))
        #expect((90_000..<90_900).allSatisfy { none.observedEpochs(at: $0).map(\.number) == [100] })
    }

    @Test func `includes no epoch before the first or after the last one`() {
        #expect(SkewAllowance.standard.observedEpochs(at: 0).map(\.number) == [0])
        let end: UInt64 = 3_774_873_600
        #expect(SkewAllowance.standard.observedEpochs(at: end - 1).map(\.number) == [4_194_303])
        #expect(SkewAllowance.standard.observedEpochs(at: end).isEmpty)
        #expect(SkewAllowance.standard.answeredEpochs(at: .max).isEmpty)
    }
}
