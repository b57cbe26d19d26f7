/// The interval at which a device changes its beacon minor and its tag (`Specs/identifiers.md`).
///
/// Service names change in every epoch. A device can change its minor less often only while it publishes no name.
public enum RotationSchedule: UInt32, Sendable, CaseIterable {
    /// A change every 15 minutes.
    case everyEpoch = 1
    /// A change every 30 minutes.
    case everySecondEpoch = 2
    /// A change every 60 minutes, at the beginning of a period.
    case everyFourthEpoch = 4

    /// Creates the schedule with this number of minutes between changes; returns nil unless it is 15, 30 or 60.
    public init?(minutes: UInt32) {
        guard minutes % 15 == 0 else { return nil }
        self.init(rawValue: minutes / 15)
    }

    /// Returns the epoch whose minor and tag the device shows during `epoch`.
    public func effectiveEpoch(for epoch: Epoch) -> Epoch {
        Epoch(epoch.number - epoch.number % rawValue) ?? epoch
    }
}

/// The greatest clock difference at which two devices still recognise each other (`Specs/identifiers.md`).
public struct SkewAllowance: Hashable, Sendable {
    /// 120 s, for clocks that are synchronised with a time server.
    public static let standard = SkewAllowance(uncheckedSeconds: 120)
    /// The largest allowance in seconds, half an epoch, for nodes without a battery-backed clock.
    public static let limit: UInt64 = 450

    /// The number of seconds before and after an epoch in which its identifiers still count.
    public let seconds: UInt64

    /// Creates an allowance of `seconds`; returns nil above `limit`.
    public init?(seconds: UInt64) {
        guard seconds <= Self.limit else { return nil }
        self.init(uncheckedSeconds: seconds)
    }

    private init(uncheckedSeconds: UInt64) { seconds = uncheckedSeconds }

    /// Returns the epochs whose identifiers an observer matches at a time, ascending: the current epoch, the previous
    /// one during the first `seconds` of the epoch, and the next one during the last `seconds`. Empty after the last
    /// period of the tree.
    public func observedEpochs(at unixSeconds: UInt64) -> [Epoch] {
        guard let current = Epoch(containing: unixSeconds) else { return [] }
        var epochs: [Epoch] = []
        if unixSeconds - current.start < seconds, let previous = current.previous { epochs.append(previous) }
        epochs.append(current)
        if current.end - unixSeconds <= seconds, let next = current.next { epochs.append(next) }
        return epochs
    }

    /// Returns the window of an epoch, in which its identifiers count, in milliseconds of protocol time since
    /// 1970-01-01T00:00:00Z.
    public func window(of epoch: Epoch) -> Range<UInt64> {
        let start = epoch.start > seconds ? epoch.start - seconds : 0
        return start * 1000..<(epoch.end + seconds) * 1000
    }

    /// Returns the epochs for which a responder accepts message 1 at a time, ascending: the current epoch, and the
    /// previous one during the first `seconds` of the epoch; never the next (`Specs/handshake.md`).
    public func answeredEpochs(at unixSeconds: UInt64) -> [Epoch] {
        guard let current = Epoch(containing: unixSeconds) else { return [] }
        return observedEpochs(at: unixSeconds).filter { $0 <= current }
    }
}
