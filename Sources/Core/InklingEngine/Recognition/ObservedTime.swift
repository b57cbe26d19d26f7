public import InklingKeys

/// The time of an observation, which can be long before it is reported.
public struct ObservedTime: Hashable, Sendable, Codable {
    /// The largest uncertainty of a time that is read from text, in seconds.
    package static let uncertaintyLimit: UInt64 = 3600

    /// Protocol time in milliseconds since 1970-01-01T00:00:00Z.
    public let unixMilliseconds: UInt64
    // In milliseconds of protocol time.
    package let uncertaintyMilliseconds: UInt64

    /// Creates the time of an observation.
    ///
    /// - Parameters:
    ///   - unixMilliseconds: protocol time in milliseconds since 1970-01-01T00:00:00Z.
    ///   - uncertainty: the largest error of that time in either direction, in protocol time.
    public init(unixMilliseconds: UInt64, uncertainty: Duration = .zero) {
        self.unixMilliseconds = unixMilliseconds
        uncertaintyMilliseconds = uncertainty.wholeMilliseconds
    }

    /// Creates the time of an observation that is made at this reading of the clocks, without uncertainty.
    public init(at reading: ClockReading) { self.init(unixMilliseconds: reading.unixMilliseconds) }

    /// The largest error of the time in either direction, in protocol time.
    public var uncertainty: Duration { .milliseconds(uncertaintyMilliseconds) }

    /// The earliest possible time of the observation, in Unix milliseconds.
    var earliest: UInt64 {
        unixMilliseconds > uncertaintyMilliseconds ? unixMilliseconds - uncertaintyMilliseconds : 0
    }
}
