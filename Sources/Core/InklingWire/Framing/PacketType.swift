/// The type of a packet (`Specs/packets.md`).
public enum PacketType: UInt8, Sendable, CaseIterable {
    /// Message 1 of a confirm handshake, after its gate.
    case confirmFirst = 1
    /// Message 2 of a confirm handshake.
    case confirmSecond = 2
    /// Message 1 of a first contact, after its gate.
    case firstContactFirst = 3
    /// Message 2 of a first contact, with the inviter's card.
    case firstContactSecond = 4
    /// Message 3 of a first contact, with the joiner's card.
    case firstContactThird = 5
    /// Message 1 of a device link, after its gate.
    case deviceLinkFirst = 6
    /// Message 2 of a device link, with the card of the primary device.
    case deviceLinkSecond = 7
    /// Message 3 of a device link.
    case deviceLinkThird = 8
    /// An encrypted record of an established session.
    case record = 9

    /// The first messages of the handshakes, the only packets that an unauthenticated initiator can send.
    public static let firstMessages: Set<PacketType> = [.confirmFirst, .firstContactFirst, .deviceLinkFirst]

    /// The maximum length of a body of this type in bytes.
    public var largestBody: Int {
        switch self {
        case .confirmFirst, .firstContactFirst, .deviceLinkFirst, .deviceLinkThird: 128
        case .confirmSecond: 112
        case .firstContactSecond, .deviceLinkSecond: 96 + 8 * 256
        case .firstContactThird: 64 + 8 * 256
        case .record: 16 + 65 * 256
        }
    }

    /// Returns whether a body of this type can have `count` bytes.
    public func allows(bodyCount count: Int) -> Bool {
        switch self {
        case .confirmFirst, .firstContactFirst, .deviceLinkFirst, .deviceLinkThird, .confirmSecond:
            count == largestBody
        case .firstContactSecond, .firstContactThird, .deviceLinkSecond: isPadded(count)
        case .record: count == 112 || isPadded(count)
        }
    }

    /// Returns whether `count` is a padded length: below the largest body by a multiple of 256 bytes, and at least 256.
    private func isPadded(_ count: Int) -> Bool {
        (256...largestBody).contains(count) && (largestBody - count).isMultiple(of: 256)
    }
}
