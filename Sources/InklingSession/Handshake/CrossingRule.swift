public import InklingKeys

/// Which of two simultaneous sessions with one device stays (`Specs/handshake.md`).
public enum CrossingRule {
    /// How long the side that keeps a session waits before it closes the other, in milliseconds.
    public static let closeDelay: UInt64 = 2000

    /// Which session stays.
    public enum Survivor: Hashable, Sendable {
        case existing
        case new
    }

    /// Decides between two sessions that both have received a record.
    ///
    /// When each side began one, the session begun by the smaller device key stays: both sides compare the same keys,
    /// which do not rotate. When one side began both, it did so because the first was lost, and the new one stays.
    public static func survivor(
        existing: HandshakeRole, new: HandshakeRole, ownKey: Octets32, peerKey: Octets32
    ) -> Survivor {
        guard existing != new else { return .new }
        let kept: HandshakeRole = ownKey < peerKey ? .initiator : .responder
        return existing == kept ? .existing : .new
    }
}
