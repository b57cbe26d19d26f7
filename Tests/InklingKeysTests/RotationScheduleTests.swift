import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `The rotation schedule` {
    @Test func `has exactly three lengths`() {
        #expect((0...240).compactMap { RotationSchedule(minutes: $0) } == [.quarterHour, .halfHour, .hour])
        #expect(RotationSchedule(minutes: .max) == nil)
    }

    @Test(arguments: [(RotationSchedule.quarterHour, 1), (.halfHour, 2), (.hour, 4)] as [(RotationSchedule, UInt32)])
    func `holds a value for whole steps and changes it on the wall clock`(schedule: RotationSchedule, step: UInt32)
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
    @Test func `reaches at most half an epoch`() {
        #expect(SkewAllowance(seconds: 450)?.seconds == 450)
        #expect(SkewAllowance(seconds: 451) == nil)
        #expect(SkewAllowance.standard.seconds == 120)
    }

    @Test(
        arguments: [
            (0, [99, 100], [99, 100]), (119, [99, 100], [99, 100]), (120, [100], [100]), (450, [100], [100]),
            (779, [100], [100]), (780, [100, 101], [100]), (899, [100, 101], [100]),
        ] as [(UInt64, [UInt32], [UInt32])])
    func `looks at a neighbour only near the boundary, and never answers for the next`(
        offset: UInt64, lookUp: [UInt32], answer: [UInt32]
    ) {
        #expect(SkewAllowance.standard.observedEpochs(at: 90_000 + offset).map(\.number) == lookUp)
        #expect(SkewAllowance.standard.answeredEpochs(at: 90_000 + offset).map(\.number) == answer)
    }

    @Test func `without seconds looks at the current epoch alone`() throws {
        let none = try #require(SkewAllowance(seconds: 0))
        #expect((90_000..<90_900).allSatisfy { none.observedEpochs(at: $0).map(\.number) == [100] })
    }

    @Test func `has no neighbours before the first and after the last epoch`() {
        #expect(SkewAllowance.standard.observedEpochs(at: 0).map(\.number) == [0])
        let end: UInt64 = 3_774_873_600
        #expect(SkewAllowance.standard.observedEpochs(at: end - 1).map(\.number) == [4_194_303])
        #expect(SkewAllowance.standard.observedEpochs(at: end).isEmpty)
        #expect(SkewAllowance.standard.answeredEpochs(at: .max).isEmpty)
    }
}
