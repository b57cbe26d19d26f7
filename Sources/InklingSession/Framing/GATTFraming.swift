public import InklingKeys

extension Packet {
    /// The ATT MTUs that exist, in bytes.
    public static let mtuRange = 23...517

    /// The packet as the values to write to IN, or to notify by OUT, in order (`Specs/packets.md`).
    ///
    /// `mtu` is the ATT MTU of the link in bytes; values outside `mtuRange` are moved to the nearer end.
    public func gattFragments(mtu: Int) -> [[UInt8]] {
        // An ATT write or notification spends three bytes of the MTU, and the header one.
        let room = min(max(mtu, Self.mtuRange.lowerBound), Self.mtuRange.upperBound) - 4
        return stride(from: 0, to: body.count, by: room).enumerated().map { index, start in
            let end = min(start + room, body.count)
            var fragment: [UInt8] = []
            fragment.append(u8: PacketHeader(type, fragment: index, isLast: end == body.count).byte)
            fragment.append(body.span.extracting(start..<end))
            return fragment
        }
    }
}

/// Puts the fragments of one direction of a GATT link together (`Specs/packets.md`).
///
/// It holds at most one incomplete packet, no larger than its type allows. A fragment that is refused ends the packet
/// it belonged to; a caller ends the link then.
public struct FragmentReassembler: Sendable {
    /// How long a packet may take from its first fragment to its last.
    public static let packetTimeout: Duration = .seconds(30)

    private struct Partial {
        let type: PacketType
        let deadline: UInt64
        var body: [UInt8] = []
        var count = 0
    }

    /// The types that can come; a fragment of another one is refused as unknown. Before a peer is authenticated, only a
    /// first message can follow.
    public var types: Set<PacketType>
    private var partial: Partial?

    /// A reassembler before the first fragment of a link.
    public init(accepting types: Set<PacketType> = Set(PacketType.allCases)) { self.types = types }

    /// The moment at which the packet that is now incomplete is given up; nil while there is none.
    public var deadline: UInt64? { partial?.deadline }

    /// Takes the next fragment, the value as it was written or notified, and returns the packet when it was the last
    /// one. `now` is the monotonic clock in milliseconds.
    ///
    /// - Throws: `FragmentError`, the first row of the table in `Specs/packets.md` that applies.
    public mutating func append(_ fragment: Span<UInt8>, at now: UInt64) throws(FragmentError) -> Packet? {
        let held = partial
        partial = nil
        if let held, now >= held.deadline { throw .expired }
        var fields = ByteReader()
        guard let first = fields.u8(of: fragment), fields.remaining(of: fragment) > 0 else { throw .truncated }
        let header = PacketHeader(first)
        guard let type = header.type, types.contains(type) else { throw .unknownType }
        let (end, overflow) = now.addingReportingOverflow(Self.packetTimeout.wholeMilliseconds)
        var packet = held ?? Partial(type: type, deadline: overflow ? .max : end)
        guard type == packet.type else { throw .typeChanged }
        guard Int(header.index) == packet.count % 8 else { throw .badSequence }
        guard packet.body.count + fields.remaining(of: fragment) <= type.largestBody else { throw .tooLong }
        packet.body.append(fragment.extracting(fields.offset...))
        packet.count += 1
        guard header.isLast else {
            partial = packet
            return nil
        }
        do { return try Packet(type, body: packet.body) } catch { throw .badLength }
    }
}

/// Why a fragment, or the packet that it completes, is refused (`Specs/packets.md`).
public enum FragmentError: String, Refusal {
    /// The fragment is empty, or a header alone.
    case truncated = "truncated"
    /// The header names no type of packet.
    case unknownType = "unknown-type"
    /// The fragment is of another type than the first of its packet.
    case typeChanged = "type-changed"
    /// The fragment is not the next one.
    case badSequence = "bad-sequence"
    /// The body would be longer than its type allows.
    case tooLong = "too-long"
    /// The whole body has a size that its type does not allow.
    case badLength = "bad-length"
    /// The packet took longer than `packetTimeout` to come together.
    case expired = "expired"

    public var stage: String { self == .badLength ? "packet" : "fragment" }
    public var reason: String { rawValue }
}
