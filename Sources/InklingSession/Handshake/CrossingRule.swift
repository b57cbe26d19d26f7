public import InklingKeys

/// Which of two simultaneous sessions with one device stays (`Specs/handshake.md`).
public enum CrossingRule {
    /// How long the side that keeps a session waits before it closes the other.
    public static let closeDelay: Duration = .seconds(2)
    /// How far apart the first records of two sessions that crossed arrive at most.
    public static let window: Duration = .seconds(10)

    /// Which session stays.
    public enum Survivor: Hashable, Sendable {
        /// The session that was there; the new one is closed.
        case existing
        /// The new session; the one that was there is closed.
        case new
    }

    /// Decides between two sessions whose first records arrived `apart` from each other.
    ///
    /// When each side began one at about the same time, the session begun by the smaller device key stays: both sides
    /// compare the same keys, which do not rotate. Otherwise a side calls again because it has lost the first session,
    /// and the new one stays.
    public static func survivor(
        existing: Role, new: Role, apart: Duration, ownKey: Octets32, peerKey: Octets32
    ) -> Survivor {
        guard existing != new, apart <= window else { return .new }
        let kept: Role = ownKey < peerKey ? .initiator : .responder
        return existing == kept ? .existing : .new
    }
}
