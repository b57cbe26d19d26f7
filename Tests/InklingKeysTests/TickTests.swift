import InklingKeys
import Testing

@Suite struct `Instants of the monotonic clock` {
    private func tick(_ milliseconds: UInt64) -> Tick { Tick(milliseconds: milliseconds) }

    @Test func `move by durations, and stop at the ends of their range`() {
        #expect(tick(500).advanced(by: .milliseconds(1_500)) == tick(2_000))
        #expect(tick(500).advanced(by: .microseconds(1_999)) == tick(501))
        #expect(tick(500).advanced(by: .zero) == tick(500))
        #expect(tick(500).advanced(by: .milliseconds(-499)) == tick(1))
        #expect(tick(500).advanced(by: .milliseconds(-500)) == tick(0))
        #expect(tick(500).advanced(by: .seconds(-1)) == tick(0))
        #expect(tick(.max - 1).advanced(by: .seconds(1)) == tick(.max))
        #expect(tick(7).advanced(byMilliseconds: 3) == tick(10))
    }

    @Test func `have a distance in both directions`() {
        #expect(tick(500).duration(to: tick(800)) == .milliseconds(300))
        #expect(tick(800).duration(to: tick(500)) == .milliseconds(-300))
        #expect(tick(800).duration(to: tick(800)) == .zero)
        #expect(tick(800).milliseconds(since: tick(500)) == 300)
        #expect(tick(800).milliseconds(since: tick(800)) == 0)
        #expect(tick(500).milliseconds(since: tick(800)) == 0)
    }

    @Test func `are ordered, and say their milliseconds`() {
        #expect(tick(1) < tick(2))
        #expect(!(tick(2) < tick(2)))
        #expect(tick(12).description == "12 ms")
    }

    @Test func `take whole milliseconds of a duration, from nothing to the limit`() {
        #expect(Duration.seconds(-1).wholeMilliseconds == 0)
        #expect(Duration.zero.wholeMilliseconds == 0)
        #expect(Duration.microseconds(999).wholeMilliseconds == 0)
        #expect(Duration.microseconds(1_002_999).wholeMilliseconds == 1_002)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.seconds(UInt64.max).wholeMilliseconds == .max)
        #expect(Duration.milliseconds(UInt64.max).wholeMilliseconds == .max)
        #expect(Duration.milliseconds(UInt64.max - 1).wholeMilliseconds == UInt64.max - 1)
    }
}
