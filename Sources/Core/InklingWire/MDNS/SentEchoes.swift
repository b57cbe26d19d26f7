internal import InklingKeys

/// The packets that were just sent: the system returns copies, because other programs on this machine listen too.
///
/// A copy counts as an echo once for each time the packet was sent. Another node may send the same query in the same
/// second; of the two copies that come in, one is then the echo and one is not, whichever came first.
struct SentEchoes: Sendable {
    /// The milliseconds for which a copy is expected.
    static let patience: UInt64 = 1000
    /// The most packets that are remembered; the oldest give way.
    static let limit = 64

    private struct Item {
        let packet: [UInt8]
        let path: MDNSPath
        let end: Tick
    }

    private var items: [Item] = []

    mutating func expect(_ packet: [UInt8], on path: MDNSPath, at now: Tick) {
        items.removeAll { $0.end <= now }
        if items.count >= Self.limit { items.removeFirst() }
        items.append(Item(packet: packet, path: path, end: now.advanced(byMilliseconds: Self.patience)))
    }

    /// Returns whether the packet is a copy of one that was sent; each counts once.
    mutating func take(_ packet: Span<UInt8>, on path: MDNSPath, at now: Tick) -> Bool {
        guard !items.isEmpty else { return false }
        for index in items.indices
        where items[index].path == path && items[index].end > now && packet.isEqual(to: items[index].packet) {
            items.remove(at: index)
            return true
        }
        return false
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
