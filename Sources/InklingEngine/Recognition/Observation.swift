public import InklingKeys

/// When something was observed, which can be long before it is reported.
public struct Observation: Hashable, Sendable {
    /// Protocol time in milliseconds since 1970-01-01T00:00:00Z.
    public let unixMilliseconds: UInt64
    /// By how many milliseconds of protocol time the moment may be wrong, either way.
    public let uncertainty: UInt64

    /// An observation.
    public init(unixMilliseconds: UInt64, uncertainty: UInt64 = 0) {
        self.unixMilliseconds = unixMilliseconds
        self.uncertainty = uncertainty
    }

    /// An observation of this moment.
    public init(at reading: ClockReading) { self.init(unixMilliseconds: reading.unixMilliseconds) }

    /// The earliest moment meant.
    var earliest: UInt64 { unixMilliseconds > uncertainty ? unixMilliseconds - uncertainty : 0 }
}
