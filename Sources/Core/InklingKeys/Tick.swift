/// A point in time on the monotonic clock, in milliseconds since an arbitrary start. The clock counts time spent asleep
/// and is never set.
public struct Tick: InstantProtocol, Codable, CustomStringConvertible {
    /// Milliseconds since the start.
    public let milliseconds: UInt64

    /// Creates the instant `milliseconds` after the start.
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    public init(from decoder: any Decoder) throws {
        self = try decoder.single { (raw: UInt64) in Tick(milliseconds: raw) }
    }

    public func encode(to encoder: any Encoder) throws { try encoder.single(milliseconds) }

    /// Returns the instant `duration` later, truncated to whole milliseconds and clamped to the range of `Tick`.
    public func advanced(by duration: Duration) -> Tick {
        guard duration < .zero else { return advanced(byMilliseconds: duration.wholeMilliseconds) }
        let back = (.zero - duration).wholeMilliseconds
        return Tick(milliseconds: back < milliseconds ? milliseconds - back : 0)
    }

    /// Returns the duration from this instant to another; negative if the other is earlier.
    public func duration(to other: Tick) -> Duration {
        other < self
            ? .zero - .milliseconds(milliseconds - other.milliseconds)
            : .milliseconds(other.milliseconds - milliseconds)
    }

    /// Returns the instant `milliseconds` later; clamped to the range of `Tick`.
    package func advanced(byMilliseconds milliseconds: UInt64) -> Tick {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Tick(milliseconds: overflow ? .max : sum)
    }

    /// Returns the milliseconds from `earlier` to this instant; 0 if `earlier` is later.
    package func milliseconds(since earlier: Tick) -> UInt64 {
        milliseconds > earlier.milliseconds ? milliseconds - earlier.milliseconds : 0
    }

    public var description: String { "\(milliseconds) ms" }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

extension Duration {
    /// The duration in whole milliseconds, rounded down; 0 if it is negative, and `UInt64.max` if it does not fit.
    package var wholeMilliseconds: UInt64 {
        guard self > .zero else { return 0 }
        // Below the limit, `components` cannot overflow, and neither can the sum.
        guard self < .milliseconds(UInt64.max) else { return .max }
        let (seconds, attoseconds) = components
        return UInt64(seconds) * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
