internal import InklingKeys

/// Between which moments something was certainly observed, and by protocol time, between which it may have been.
struct Observed {
    /// The latest moment at which it can have been observed, and the earliest.
    let first: Tick, last: Tick
    /// Protocol milliseconds.
    let possible: ClosedRange<UInt64>

    /// An observation; nothing is observed later than it is reported.
    init(_ observation: ObservedTime, at clock: ClockReading) {
        let now = clock.unixMilliseconds
        let (sum, overflow) = observation.unixMilliseconds.addingReportingOverflow(observation.uncertaintyMilliseconds)
        let latest = min(overflow ? .max : sum, now)
        let earliest = min(observation.earliest, latest)
        possible = earliest...latest
        first = min(clock.tick(ofUnixMilliseconds: latest), clock.tick)
        last = min(clock.tick(ofUnixMilliseconds: earliest), clock.tick)
    }
}
