/// What the clocks showed at one moment, taken together so that one can be turned into the other.
public struct ClockReading: Hashable, Sendable {
    /// The monotonic clock: protocol timeouts are counted on it.
    public let tick: Tick
    /// Protocol time in milliseconds since 1970-01-01T00:00:00Z: epochs and periods are counted on it.
    public let unixMilliseconds: UInt64
    /// Protocol milliseconds that pass in one real millisecond; 1 except in demonstrations.
    public let rate: UInt32

    /// A reading; `rate` is at least 1.
    public init(tick: Tick, unixMilliseconds: UInt64, rate: UInt32 = 1) {
        self.tick = tick
        self.unixMilliseconds = unixMilliseconds
        self.rate = max(rate, 1)
    }

    /// Protocol time in whole seconds.
    public var unixSeconds: UInt64 { unixMilliseconds / 1000 }

    /// The tick at which protocol time will reach `unixMilliseconds`, rounded up; this tick when it already has.
    public func tick(atUnixMilliseconds unixMilliseconds: UInt64) -> Tick {
        guard unixMilliseconds > self.unixMilliseconds else { return tick }
        let wait = unixMilliseconds - self.unixMilliseconds
        let (whole, rest) = wait.quotientAndRemainder(dividingBy: UInt64(rate))
        return tick.advanced(byMilliseconds: rest == 0 ? whole : whole + 1)
    }

    /// The tick at which protocol time was, or will be, `unixMilliseconds`, as far as this reading can tell; rounded
    /// up, and stopped at the ends of the range.
    public func tick(ofUnixMilliseconds unixMilliseconds: UInt64) -> Tick {
        guard unixMilliseconds < self.unixMilliseconds else { return tick(atUnixMilliseconds: unixMilliseconds) }
        let past = (self.unixMilliseconds - unixMilliseconds) / UInt64(rate)
        return Tick(milliseconds: past < tick.milliseconds ? tick.milliseconds - past : 0)
    }

    /// By how many milliseconds protocol time has been set forward (positive) or back (negative) since `earlier`,
    /// against the monotonic clock; stopped at the ends of the range. Passing time and sleep count for nothing.
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
