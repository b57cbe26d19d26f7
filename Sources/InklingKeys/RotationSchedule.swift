/// How often the beacon minor and the tag of a profile change (`Specs/identifiers.md`).
///
/// Service names always rotate every epoch; a slower minor is allowed only while no name is published.
public enum RotationSchedule: UInt32, Sendable, CaseIterable {
    /// Every epoch: 15 minutes.
    case quarterHour = 1
    /// Every second epoch: 30 minutes.
    case halfHour = 2
    /// Every fourth epoch: 60 minutes.
    case hour = 4

    /// The schedule with this many minutes between changes, or nil unless 15, 30 or 60.
    public init?(minutes: UInt32) {
        guard minutes % 15 == 0 else { return nil }
        self.init(rawValue: minutes / 15)
    }

    /// The epoch whose minor and tag are on air during `epoch`.
    public func effectiveEpoch(for epoch: Epoch) -> Epoch {
        Epoch(epoch.number - epoch.number % rawValue) ?? epoch
    }
}

/// How far two clocks may differ before they stop recognising each other (`Specs/identifiers.md`).
public struct SkewAllowance: Hashable, Sendable {
    /// 120 s, for clocks kept by a time server.
    public static let standard = SkewAllowance(uncheckedSeconds: 120)
    /// The largest allowance in seconds, for nodes without a battery clock: half an epoch.
    public static let limit: UInt64 = 450

    /// Seconds before and after a boundary in which the neighbouring epoch counts.
    public let seconds: UInt64

    /// An allowance of `seconds`, or nil above `limit`.
    public init?(seconds: UInt64) {
        guard seconds <= Self.limit else { return nil }
        self.init(uncheckedSeconds: seconds)
    }

    private init(uncheckedSeconds: UInt64) { seconds = uncheckedSeconds }

    /// The epochs whose identifiers an observer matches at a moment: its own, the previous one during the first
    /// `seconds`, the next one during the last `seconds`. Ascending; empty past the end of the tree.
    public func observedEpochs(at unixSeconds: UInt64) -> [Epoch] {
        guard let current = Epoch(containing: unixSeconds) else { return [] }
        var epochs: [Epoch] = []
        if unixSeconds - current.start < seconds, let previous = current.previous { epochs.append(previous) }
        epochs.append(current)
        if current.end - unixSeconds <= seconds, let next = current.next { epochs.append(next) }
        return epochs
    }

    /// When the identifiers of an epoch count: protocol time in milliseconds since 1970-01-01T00:00:00Z.
    public func window(of epoch: Epoch) -> Range<UInt64> {
        let start = epoch.start > seconds ? epoch.start - seconds : 0
        return start * 1000..<(epoch.end + seconds) * 1000
    }

    /// The epochs of a message 1 that a responder accepts at a moment: its own, and the previous one during the
    /// first `seconds`; never the next (`Specs/handshake.md`).
    public func answeredEpochs(at unixSeconds: UInt64) -> [Epoch] {
        guard let current = Epoch(containing: unixSeconds) else { return [] }
        return observedEpochs(at: unixSeconds).filter { $0 <= current }
    }
}
