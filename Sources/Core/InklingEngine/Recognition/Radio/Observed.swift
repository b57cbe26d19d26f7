internal import InklingKeys

/// The time of an observation, with its uncertainty, on the clocks of the observer.
struct Observed {
    /// `first` is the latest possible moment of the observation and `last` the earliest: several observations of one
    /// value certainly span the time from the least `first` to the greatest `last`.
    let first: Tick, last: Tick
    /// The possible times of the observation, in Unix milliseconds of protocol time.
    let possible: ClosedRange<UInt64>

    /// Creates the time of an observation that is reported now; it cannot lie in the future.
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
