/// A moment of the monotonic clock, in milliseconds since an arbitrary start; it counts sleep and never steps.
public struct Tick: Hashable, Sendable, Comparable {
    /// Milliseconds since the start.
    public let milliseconds: UInt64

    /// The moment this many milliseconds after the start.
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// The moment `milliseconds` later; stops at the end of the range instead of wrapping.
    public func advanced(byMilliseconds milliseconds: UInt64) -> Tick {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Tick(milliseconds: overflow ? .max : sum)
    }

    /// Milliseconds from `earlier` to this moment; zero when `earlier` is later.
    public func milliseconds(since earlier: Tick) -> UInt64 {
        milliseconds > earlier.milliseconds ? milliseconds - earlier.milliseconds : 0
    }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}
