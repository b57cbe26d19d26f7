public import InklingKeys

extension Packet {
    /// Appends the packet as a frame: its length in two bytes, then the packet.
    public func appendFrame(to sink: inout some ByteSink & ~Copyable) {
        sink.append(u16: UInt16(byteCount))
        append(to: &sink)
    }
}

/// A decoder that splits the bytes of a TCP stream into packets as they arrive (`Specs/packets.md`).
///
/// If the caller calls `next()` after each `append(_:)` until it returns nil, the decoder holds at most one incomplete
/// frame. After it has refused a length, it refuses everything that follows, because the start of the next frame is
/// unknown.
public struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0
    private var isBroken = false
    /// The accepted lengths of packets in bytes. Before a peer is authenticated, only first messages are accepted.
    public var lengths: ClosedRange<Int>

    /// Creates an empty decoder that accepts packets of these lengths.
    public init(accepting lengths: ClosedRange<Int> = Packet.leastByteCount...Packet.byteLimit) {
        self.lengths = lengths
    }

    /// Appends bytes that arrived.
    public mutating func append(_ bytes: Span<UInt8>) {
        guard !isBroken else { return }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(bytes)
    }

    /// Returns the bytes of the next complete packet, for `Packet(parsing:)`; nil if there is none yet.
    ///
    /// - Throws: `FrameError.badLength` as soon as both bytes of a length that is not accepted have arrived.
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

    /// The bytes of the incomplete frame.
    public var remainder: ArraySlice<UInt8> { buffer[start...] }
}

/// The reason a stream of frames is refused (`Specs/packets.md`).
public enum FrameError: String, Refusal {
    /// The length of a frame is not an accepted length of a packet.
    case badLength = "bad-length"

    public var stage: String { "frame" }
    public var reason: String { rawValue }
}
