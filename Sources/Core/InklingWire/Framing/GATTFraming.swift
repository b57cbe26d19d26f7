public import InklingKeys

extension Packet {
    /// The valid sizes of an ATT MTU, in bytes.
    public static let mtuRange = 23...517

    /// Returns the fragments of the packet in order, each as a value to write to IN or to notify from OUT
    /// (`Specs/packets.md`).
    ///
    /// `mtu` is the ATT MTU of the link in bytes, clamped to `mtuRange`.
    public func gattFragments(mtu: Int) -> [[UInt8]] {
        // An ATT write or notification takes three bytes of the MTU, and the header takes one.
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

/// A reassembler of the packets of one direction of a GATT link from their fragments (`Specs/packets.md`).
///
/// It holds at most one incomplete packet, no larger than its type allows. When a fragment is refused, the incomplete
/// packet is discarded, and the caller closes the link.
public struct FragmentReassembler: Sendable {
    /// The maximum time between the first and the last fragment of a packet.
    public static let packetTimeout: Duration = .seconds(30)

    private struct Partial {
        let type: PacketType
        let deadline: UInt64
        var body: [UInt8] = []
        var count = 0
    }

    /// The accepted types; a fragment of any other type is refused as unknown. Before a peer is authenticated, only
    /// first messages are accepted.
    public var types: Set<PacketType>
    private var partial: Partial?

    /// Creates a reassembler for a new link.
    public init(accepting types: Set<PacketType> = Set(PacketType.allCases)) { self.types = types }

    /// The time at which the incomplete packet expires, on the caller's clock in milliseconds; nil if there is none.
    public var deadline: UInt64? { partial?.deadline }

    /// Appends the next fragment, a value as it was written or notified, and returns the packet if it is now complete.
    /// `now` is the monotonic clock in milliseconds.
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

/// The reason a fragment, or the packet that it completes, is refused (`Specs/packets.md`).
public enum FragmentError: String, Refusal {
    /// The fragment is empty or consists of a header alone.
    case truncated = "truncated"
    /// The header does not contain an accepted type of packet.
    case unknownType = "unknown-type"
    /// The fragment has a different type from the first fragment of its packet.
    case typeChanged = "type-changed"
    /// The fragment is not the next one of its packet.
    case badSequence = "bad-sequence"
    /// The body would be longer than its type allows.
    case tooLong = "too-long"
    /// The body of the completed packet has a size that its type does not allow.
    case badLength = "bad-length"
    /// The packet was not complete within `packetTimeout`.
    case expired = "expired"

    public var stage: String { self == .badLength ? "packet" : "fragment" }
    public var reason: String { rawValue }
}
