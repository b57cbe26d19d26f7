public import InklingKeys
public import InklingWire

/// A filter that drops strangers' sightings where they are heard, and counts them.
///
/// An antenna passes each sighting through it, and reports the result.
public struct AntennaFilter: Sendable {
    /// The minimum time between two reports of other frames, in milliseconds.
    static let interval: UInt64 = 10_000

    private let profile: ApplicationProfile
    private var others = 0
    private var reported: Tick?

    /// Creates a filter for the devices of an application.
    public init(_ profile: ApplicationProfile) { self.profile = profile }

    /// Returns what must be reported of a sighting: nil for most frames of strangers.
    public mutating func report(_ sighting: AntennaSighting, at now: Tick) -> AntennaReport? {
        if let minor = sighting.minor(in: profile) { return .heard(minor, sighting) }
        others += 1
        guard reported.map({ now.milliseconds(since: $0) >= Self.interval }) ?? true else { return nil }
        reported = now
        defer { others = 0 }
        return .others(others)
    }
}
