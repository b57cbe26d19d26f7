import InklingKeys
import Testing

@Suite struct `Conversion of protocol time to ticks` {
    @Test func `an accelerated clock reaches a boundary sooner`() {
        let now = ClockReading(tick: Tick(milliseconds: 500), unixMilliseconds: 1_000_000, rate: 20)
        #expect(now.tick(atUnixMilliseconds: 1_020_001) == Tick(milliseconds: 1501))
        #expect(now.tick(atUnixMilliseconds: 999_999) == Tick(milliseconds: 500))
    }

    @Test func `a moment in the past has the tick that the clock showed then`() {
        let now = ClockReading(tick: Tick(milliseconds: 500), unixMilliseconds: 1_000_000, rate: 20)
        #expect(now.tick(ofUnixMilliseconds: 998_000) == Tick(milliseconds: 400))
        #expect(now.tick(ofUnixMilliseconds: 1_020_001) == Tick(milliseconds: 1501))
        #expect(now.tick(ofUnixMilliseconds: 0) == Tick(milliseconds: 0))
    }

    @Test func `the tick of a moment is rounded up, and kept when the moment is now`() {
        let now = ClockReading(tick: Tick(milliseconds: 500), unixMilliseconds: 1_000_000, rate: 20)
        #expect(now.tick(atUnixMilliseconds: 1_000_020) == Tick(milliseconds: 501))
        #expect(now.tick(atUnixMilliseconds: 1_000_021) == Tick(milliseconds: 502))
        #expect(now.tick(atUnixMilliseconds: 1_000_000) == Tick(milliseconds: 500))
        #expect(now.tick(ofUnixMilliseconds: 1_000_000) == Tick(milliseconds: 500))
    }

    @Test func `a rate of 0 counts as 1`() {
        #expect(ClockReading(tick: Tick(milliseconds: 1), unixMilliseconds: 1999, rate: 0).rate == 1)
        #expect(ClockReading(tick: Tick(milliseconds: 1), unixMilliseconds: 1999).unixSeconds == 1)
    }

    @Test func `setting the clock is a step, and the passing of time is none`() {
        func reading(_ real: Int, ahead: Int = 0, rate: UInt32 = 1) -> ClockReading {
            ClockReading(
                tick: Tick(milliseconds: UInt64(real)),
                unixMilliseconds: UInt64(1_785_600_000_000 + real * Int(rate) + ahead * 1000), rate: rate)
        }
        #expect(reading(5_000_000).step(since: reading(0)) == 0)
        #expect(reading(5_000_000, rate: 20).step(since: reading(0, rate: 20)) == 0)
        #expect(reading(5_000_000, ahead: 90).step(since: reading(0)) == 90_000)
        #expect(reading(5_000_000, ahead: -7200).step(since: reading(0)) == -7_200_000)
    }

    @Test func `readings at the ends of the range do not overflow`() {
        let first = ClockReading(tick: Tick(milliseconds: 0), unixMilliseconds: 0, rate: .max)
        let last = ClockReading(tick: Tick(milliseconds: .max), unixMilliseconds: .max, rate: .max)
        #expect(last.step(since: first) == 0)
        #expect(
            first.step(since: ClockReading(tick: Tick(milliseconds: 0), unixMilliseconds: .max)) == -Int64.max)
        #expect(first.tick(ofUnixMilliseconds: .max) == Tick(milliseconds: (UInt64.max / UInt64(UInt32.max))))
    }
}
