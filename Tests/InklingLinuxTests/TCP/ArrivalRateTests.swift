import Testing

@testable import InklingLinux

struct ArrivalRateTests {
    private typealias Rate = ArrivalRate<Int>
    private static let second: UInt64 = 1_000_000_000

    /// Returns the answer to each arrival, a source and a time in seconds; links are counted in 10 s, and refused for 30 to
    /// 100 s.
    private func answers(
        links: Int, sources: Int, to arrivals: [(source: Int, second: Double)]
    ) -> [Rate.Answer] {
        var rate = Rate(
            limits: .init(
                links: links, sources: sources, counting: 10 * Self.second,
                refusing: 30 * Self.second...100 * Self.second))
        return arrivals.map { rate.admit($0.source, at: UInt64($0.second * 1e9)) }
    }

    private func refused(until second: UInt64, isFirst: Bool = false) -> Rate.Answer {
        .refused(until: second * Self.second, isFirst: isFirst)
    }

    @Test func `always admits a source that stays within the limit`() {
        let arrivals = (0..<40).map { (1, Double($0) * 3.4) }
        #expect(answers(links: 3, sources: 1, to: arrivals).allSatisfy { $0 == .admitted })
    }

    /// Covers INK-HSK-054.
    @Test func `refuses only the source above its limit until the time is over, and says which refusal is the first`() {
        let arrivals = [(1, 5), (1, 6), (1, 7), (2, 8), (1, 36.9), (1, 37)] as [(Int, Double)]
        #expect(
            answers(links: 2, sources: 2, to: arrivals) == [
                .admitted, .admitted, refused(until: 37, isFirst: true), .admitted, refused(until: 37), .admitted,
            ])
    }

    /// Covers INK-HSK-054.
    @Test func `refuses a source that comes back for twice as long, up to the longest time`() {
        let arrivals = [0, 1, 31, 32, 92, 93, 193, 194].map { (1, $0) } as [(Int, Double)]
        #expect(
            answers(links: 1, sources: 1, to: arrivals) == [
                .admitted, refused(until: 31, isFirst: true), .admitted, refused(until: 92, isFirst: true),
                .admitted, refused(until: 193, isFirst: true), .admitted, refused(until: 294, isFirst: true),
            ])
    }

    @Test func `forgets a refusal when the source was within its limit for as long`() {
        let arrivals = [0, 1, 31, 71, 72].map { (1, $0) } as [(Int, Double)]
        #expect(
            answers(links: 1, sources: 1, to: arrivals) == [
                .admitted, refused(until: 31, isFirst: true), .admitted, .admitted, refused(until: 102, isFirst: true),
            ])
    }

    @Test func `admits sources above the source limit without counting them, until others are forgotten`() {
        let arrivals = [(1, 0), (2, 0), (3, 0), (3, 1), (1, 1), (3, 10), (3, 11)] as [(Int, Double)]
        #expect(
            answers(links: 1, sources: 2, to: arrivals) == [
                .admitted, .admitted, .admitted, .admitted, refused(until: 31, isFirst: true), .admitted,
                refused(until: 41, isFirst: true),
            ])
    }

    @Test func `times at the end of the clock do not overflow`() {
        var rate = Rate(limits: .init(links: 1, sources: 1, counting: .max, refusing: .max / 2 ... .max))
        #expect(rate.admit(1, at: 7) == .admitted)
        #expect(rate.admit(1, at: 8) == .refused(until: 8 + .max / 2, isFirst: true))
        #expect(rate.admit(1, at: .max) == .admitted)
        #expect(rate.admit(1, at: .max) == .admitted)
    }
}
