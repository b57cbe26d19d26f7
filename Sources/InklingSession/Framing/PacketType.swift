/// What a packet is (`Specs/packets.md`).
public enum PacketType: UInt8, Sendable, CaseIterable {
    /// The first message of a confirm handshake, behind its gate.
    case confirmFirst = 1
    /// The answer to it.
    case confirmSecond = 2
    /// The first message of a first contact, behind its gate.
    case firstContactFirst = 3
    /// The inviter's answer, with its card.
    case firstContactSecond = 4
    /// The invited side's card.
    case firstContactThird = 5
    /// The first message of a device link, behind its gate.
    case deviceLinkFirst = 6
    /// The primary device's answer, with its card.
    case deviceLinkSecond = 7
    /// The new device's closing message.
    case deviceLinkThird = 8
    /// An encrypted record of an established session.
    case record = 9

    /// The messages with which a stranger can begin.
    public static let firstMessages: Set<PacketType> = [.confirmFirst, .firstContactFirst, .deviceLinkFirst]

    /// The most bytes a body of this type has.
    public var largestBody: Int {
        switch self {
        case .confirmFirst, .firstContactFirst, .deviceLinkFirst, .deviceLinkThird: 128
        case .confirmSecond: 112
        case .firstContactSecond, .deviceLinkSecond: 96 + 8 * 256
        case .firstContactThird: 64 + 8 * 256
        case .record: 16 + 65 * 256
        }
    }

    /// Whether a body of this type can have `count` bytes.
    public func allows(bodyCount count: Int) -> Bool {
        switch self {
        case .confirmFirst, .firstContactFirst, .deviceLinkFirst, .deviceLinkThird, .confirmSecond:
            count == largestBody
        case .firstContactSecond, .firstContactThird, .deviceLinkSecond: isPadded(count)
        case .record: count == 112 || isPadded(count)
        }
    }

    /// Whether `count` lies whole steps of padding below the largest body, and at least one above nothing.
    private func isPadded(_ count: Int) -> Bool {
        (256...largestBody).contains(count) && (largestBody - count).isMultiple(of: 256)
    }
}
