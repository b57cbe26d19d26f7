public import InklingKeys

extension Packet {
    /// Appends the packet as a frame: its length in two bytes, then the packet.
    public func appendFrame(to sink: inout some ByteSink & ~Copyable) {
        sink.append(u16: UInt16(byteCount))
        append(to: &sink)
    }
}

/// Cuts the bytes of a TCP stream into packets as they come (`Specs/packets.md`).
///
/// The caller takes out what is complete after each piece it puts in; then at most one incomplete frame is held. Once
/// a length is refused, everything that follows is refused too: the stream has no next frame to begin at.
public struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0
    private var isBroken = false
    /// The lengths of packets that are accepted. Before a peer is authenticated, only a first message can follow.
    public var lengths: ClosedRange<Int>

    /// An empty decoder that accepts packets of these lengths.
    public init(accepting lengths: ClosedRange<Int> = Packet.leastByteCount...Packet.byteLimit) {
        self.lengths = lengths
    }

    /// Adds bytes that arrived.
    public mutating func append(_ bytes: Span<UInt8>) {
        guard !isBroken else { return }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(bytes)
    }

    /// The bytes of the next complete packet, for `Packet(parsing:)`; nil until more arrive.
    ///
    /// - Throws: `FrameError.badLength` as soon as both bytes of a length that is not accepted are there.
    public mutating func next() throws(FrameError) -> [UInt8]? {
        guard !isBroken else { throw .badLength }
        var fields = ByteReader(at: start)
        guard let length = fields.u16(of: buffer.span) else { return nil }
        let count = Int(length)
        guard lengths.contains(count) else {
            isBroken = true
            buffer = []
            start = 0
            throw .badLength
        }
        guard let packet = fields.skip(count, of: buffer.span) else { return nil }
        start = packet.upperBound
        return Array(buffer[packet])
    }

    /// The bytes of a frame that is not complete yet.
    public var remainder: ArraySlice<UInt8> { buffer[start...] }
}

/// Why a stream of frames is refused (`Specs/packets.md`).
public enum FrameError: String, Refusal {
    /// A length that no packet accepted here has.
    case badLength = "bad-length"

    public var stage: String { "frame" }
    public var reason: String { rawValue }
}
