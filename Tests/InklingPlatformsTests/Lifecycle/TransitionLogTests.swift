import InklingEngine
import InklingKeys
import InklingPlatforms
import Testing

private func clock(_ milliseconds: UInt64) -> ClockReading {
    // 2026-11-21T10:00:00Z.
    ClockReading(tick: Tick(milliseconds: milliseconds), unixMilliseconds: 1_795_255_200_000 + milliseconds)
}

@Suite struct `Log of transitions` {
    @Test func `an entry has its time, its kind and its duration`() {
        var log = TransitionLog()
        log.add(.terminated, at: clock(0))
        log.add(.reconnected, at: clock(1250), took: .milliseconds(812))
        #expect(
            log.text
                == "2026-11-21T10:00:00.000Z terminated\n2026-11-21T10:00:01.250Z reconnected 812 ms\n")
    }

    /// Covers INK-LIF-110.
    @Test func `drops the oldest entries first and counts them`() {
        var log = TransitionLog(limit: 3)
        for moment in 0..<5 as Range<UInt64> { log.add(moment == 4 ? .restored : .suspended, at: clock(moment)) }
        #expect(log.entries.map(\.tick.milliseconds) == [2, 3, 4])
        #expect(log.dropped == 2)
    }

    @Test func `measures durations from the first start to the next end`() {
        var log = TransitionLog()
        let kinds: [TransitionLog.Kind] = [
            .reconnected, .restored, .restored, .reconnected, .disconnected, .reconnected, .restored,
        ]
        for (place, kind) in kinds.enumerated() { log.add(kind, at: clock(UInt64(place) * 100)) }
        #expect(log.durations(from: .restored, to: .reconnected) == [.milliseconds(200)])
        #expect(log.durations(from: .disconnected, to: .reconnected) == [.milliseconds(100)])
    }

    @Test(arguments: [
        (0 as UInt64, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (1_785_600_000_000, "2026-08-01T16:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ])
    func `formats times in the Gregorian calendar`(unixMilliseconds: UInt64, text: String) {
        var log = TransitionLog()
        log.add(.launched, at: ClockReading(tick: Tick(milliseconds: 0), unixMilliseconds: unixMilliseconds))
        #expect(log.text == "\(text) launched\n")
    }

    /// Covers INK-LIF-111.
    @Test func `a log contains no peers, minors or routes`() {
        var log = TransitionLog()
        for kind in TransitionLog.Kind.allCases { log.add(kind, at: clock(0), took: .milliseconds(1)) }
        let lines = log.text.split(separator: "\n")
        #expect(lines.count == TransitionLog.Kind.allCases.count)
        for line in lines { #expect(line.split(separator: " ").count == 4) }
    }
}
