/// The monotonic clock and protocol time, read at the same moment so that times of one can be converted to the other.
public struct ClockReading: Hashable, Sendable {
    /// The monotonic clock, which measures the timeouts of the protocol.
    public let tick: Tick
    /// Protocol time in milliseconds since 1970-01-01T00:00:00Z, which determines epochs and periods.
    public let unixMilliseconds: UInt64
    /// The number of protocol milliseconds that pass in a real millisecond; 1 except in demonstrations.
    public let rate: UInt32

    /// Creates a reading; a `rate` of 0 counts as 1.
    public init(tick: Tick, unixMilliseconds: UInt64, rate: UInt32 = 1) {
        self.tick = tick
        self.unixMilliseconds = unixMilliseconds
        self.rate = max(rate, 1)
    }

    /// Protocol time in seconds since 1970-01-01T00:00:00Z, rounded down.
    public var unixSeconds: UInt64 { unixMilliseconds / 1000 }

    /// Returns the tick at which protocol time will reach `unixMilliseconds`, rounded up; the tick of this reading if
    /// that time has passed.
    public func tick(atUnixMilliseconds unixMilliseconds: UInt64) -> Tick {
        guard unixMilliseconds > self.unixMilliseconds else { return tick }
        let wait = unixMilliseconds - self.unixMilliseconds
        let (whole, rest) = wait.quotientAndRemainder(dividingBy: UInt64(rate))
        return tick.advanced(byMilliseconds: rest == 0 ? whole : whole + 1)
    }

    /// Returns the tick at which protocol time was or will be `unixMilliseconds`, extrapolated from this reading,
    /// rounded up and clamped to the range of `Tick`.
    public func tick(ofUnixMilliseconds unixMilliseconds: UInt64) -> Tick {
        guard unixMilliseconds < self.unixMilliseconds else { return tick(atUnixMilliseconds: unixMilliseconds) }
        let past = (self.unixMilliseconds - unixMilliseconds) / UInt64(rate)
        return Tick(milliseconds: past < tick.milliseconds ? tick.milliseconds - past : 0)
    }

    /// Returns by how many milliseconds protocol time was set forward (positive) or back (negative) since `earlier`,
    /// relative to the monotonic clock; clamped to the range of `Int64`. The passing of time, awake or asleep, is not a
    /// step.
    public func step(since earlier: ClockReading) -> Int64 {
        let (elapsed, overflow) = tick.milliseconds(since: earlier.tick).multipliedReportingOverflow(by: UInt64(rate))
        let expected = earlier.unixMilliseconds.addingReportingOverflow(overflow ? .max : elapsed)
        let target = expected.overflow ? UInt64.max : expected.partialValue
        return unixMilliseconds >= target
            ? Int64(clamping: unixMilliseconds - target) : -Int64(clamping: target - unixMilliseconds)
    }
}

extension ClockReading: Codable {
    private enum CodingKeys: String, CodingKey {
        case tick, unixMilliseconds, rate
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let rate = try members.decode(UInt32.self, forKey: .rate)
        guard rate > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .rate, in: members, debugDescription: "the rate must be at least 1")
        }
        self.init(
            tick: try members.decode(Tick.self, forKey: .tick),
            unixMilliseconds: try members.decode(UInt64.self, forKey: .unixMilliseconds), rate: rate)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(tick, forKey: .tick)
        try members.encode(unixMilliseconds, forKey: .unixMilliseconds)
        try members.encode(rate, forKey: .rate)
    }
}
