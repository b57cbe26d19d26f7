public import InklingKeys

/// The rule that decides which of two sessions with the same device stays open (`Specs/handshake.md`).
public enum CrossingRule {
    /// The time that a side waits before it closes the session that does not stay open.
    public static let closeDelay: Duration = .seconds(2)
    /// The maximum time between the first records of two sessions that crossed.
    public static let window: Duration = .seconds(10)

    /// The session that stays open.
    public enum Survivor: Hashable, Sendable {
        /// The existing session; the new one is closed.
        case existing
        /// The new session; the existing one is closed.
        case new
    }

    /// Returns the session that stays open, given two sessions whose first records arrived `apart` from each other.
    ///
    /// If each side started one of them at about the same time, the session that was started with the smaller device
    /// key stays open: both sides compare the same keys, which do not rotate. Otherwise a side started a second session
    /// because it lost the first one, and the new one stays open.
    public static func survivor(
        existing: Role, new: Role, apart: Duration, ownKey: Octets32, peerKey: Octets32
    ) -> Survivor {
        guard existing != new, apart <= window else { return .new }
        let kept: Role = ownKey < peerKey ? .initiator : .responder
        return existing == kept ? .existing : .new
    }
}
