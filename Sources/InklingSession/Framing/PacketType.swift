/// What a packet is (`Specs/packets.md`).
public enum PacketType: UInt8, Sendable, CaseIterable {
    case confirmFirst = 1
    case confirmSecond = 2
    case firstContactFirst = 3
    case firstContactSecond = 4
    case firstContactThird = 5
    case deviceLinkFirst = 6
    case deviceLinkSecond = 7
    case deviceLinkThird = 8
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
