public import InklingKeys

/// When something was observed, which can be long before it is reported.
public struct ObservedTime: Hashable, Sendable, Codable {
    /// Protocol time in milliseconds since 1970-01-01T00:00:00Z.
    public let unixMilliseconds: UInt64
    // Whole milliseconds of protocol time.
    package let uncertaintyMilliseconds: UInt64

    /// Creates the time of an observation that may be wrong by `uncertainty` of protocol time, either way.
    public init(unixMilliseconds: UInt64, uncertainty: Duration = .zero) {
        self.unixMilliseconds = unixMilliseconds
        uncertaintyMilliseconds = uncertainty.wholeMilliseconds
    }

    /// Creates the time of an observation at this moment.
    public init(at reading: ClockReading) { self.init(unixMilliseconds: reading.unixMilliseconds) }

    /// By how much of protocol time the moment may be wrong, either way.
    public var uncertainty: Duration { .milliseconds(uncertaintyMilliseconds) }

    /// The earliest moment meant.
    var earliest: UInt64 {
        unixMilliseconds > uncertaintyMilliseconds ? unixMilliseconds - uncertaintyMilliseconds : 0
    }
}
