import Testing

@testable import InklingLinux

struct ArrivalRateTests {
    private static let second: UInt64 = 1_000_000_000

    /// Returns whether each arrival, a source and a time in nanoseconds, is admitted.
    private func answers(
        limit: Int, sourceLimit: Int, to arrivals: [(source: Int, moment: UInt64)]
    ) -> [Bool] {
        var rate = ArrivalRate<Int>(limit: limit, sourceLimit: sourceLimit)
        return arrivals.map { rate.admit($0.source, at: $0.moment) }
    }

    @Test func `always admits a source that stays within the limit`() {
        let arrivals = (0..<30 as Range<UInt64>).map { (1, $0 * Self.second / 3) }
        #expect(!answers(limit: 3, sourceLimit: 1, to: arrivals).contains(false))
    }

    @Test func `refuses only the source above its limit until the second is over`() {
        let end = 7 + Self.second
        let arrivals = [(1, 7), (1, 8), (1, 9), (2, 9), (1, end - 1), (1, end)]
        #expect(answers(limit: 2, sourceLimit: 2, to: arrivals) == [true, true, false, true, false, true])
    }

    @Test func `admits sources above the source limit without counting them`() {
        let arrivals = [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1)] as [(Int, UInt64)]
        #expect(answers(limit: 1, sourceLimit: 2, to: arrivals) == [true, true, true, false, false, true])
    }
}
