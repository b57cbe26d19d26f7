import InklingEngine
import Testing

@Suite struct `Turning protocol time into ticks` {
    @Test func `an accelerated clock reaches a boundary sooner`() {
        let now = ClockReading(tick: Tick(milliseconds: 500), unixMilliseconds: 1_000_000, rate: 20)
        #expect(now.tick(atUnixMilliseconds: 1_020_001) == Tick(milliseconds: 1501))
        #expect(now.tick(atUnixMilliseconds: 999_999) == Tick(milliseconds: 500))
    }
}
