import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `Epochs and periods` {
    @Test(
        arguments: [
            (0, 0, 0), (899, 0, 0), (900, 1, 0), (3599, 3, 0), (3600, 4, 1), (1_785_600_000, 1_984_000, 496_000),
            (3_774_873_599, 4_194_303, 1_048_575),
        ] as [(UInt64, UInt32, UInt32)])
    func `contain the times of their 15 and 60 minutes`(seconds: UInt64, epoch: UInt32, period: UInt32) {
        #expect(Epoch(containing: seconds)?.number == epoch)
        #expect(Epoch(containing: seconds)?.period.number == period)
    }

    @Test(arguments: [3_774_873_600, 3_865_470_566_400, UInt64.max])
    func `do not exist after the end of the tree`(seconds: UInt64) {
        #expect(Epoch(containing: seconds) == nil)
    }

    /// Covers INK-KEY-050.
    @Test func `have numbers below their limits`() {
        #expect(Epoch(Epoch.limit) == nil)
        #expect(Epoch(.max) == nil)
        #expect(Epoch(Epoch.limit - 1)?.number == 4_194_303)
        #expect(Period(Period.limit) == nil)
        #expect(Period(Period.limit - 1) == Period.last)
    }

    @Test func `have a previous and a next one except at the ends`() throws {
        #expect(try epoch(0).previous == nil)
        #expect(try epoch(0).next == epoch(1))
        #expect(try epoch(Epoch.limit - 1).next == nil)
        #expect(try epoch(7).previous == epoch(6))
        #expect(try period(0).previous == nil)
        #expect(Period.last.next == nil)
        #expect(try period(7).next == period(8))
        #expect(try Period.last.previous == period(Period.limit - 2))
    }

    @Test func `begin when the previous one ends`() throws {
        let one = try epoch(1_984_003)
        #expect(one.start == 1_785_602_700)
        #expect(one.end == (try epoch(1_984_004)).start)
        #expect(Epoch(containing: one.end - 1) == one)
        #expect(try period(496_000).firstEpoch == epoch(1_984_000))
        #expect(Period.last.firstEpoch.period == Period.last)
    }

    @Test func `are ordered in time`() throws {
        #expect(try epoch(1) < epoch(2))
        #expect(try period(1) < period(2))
    }
}
