import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

func encoded(_ packet: Packet) -> [UInt8] {
    var bytes: [UInt8] = []
    packet.append(to: &bytes)
    return bytes
}

@Suite struct `Packets` {
    @Test(arguments: [
        (PacketType.confirmFirst, [128]), (.confirmSecond, [112]), (.firstContactFirst, [128]),
        (.firstContactSecond, [352, 608, 864, 1120, 1376, 1632, 1888, 2144]),
        (.firstContactThird, [320, 576, 832, 1088, 1344, 1600, 1856, 2112]), (.deviceLinkFirst, [128]),
        (.deviceLinkSecond, [352, 608, 864, 1120, 1376, 1632, 1888, 2144]), (.deviceLinkThird, [128]),
    ])
    func `a body has one of the sizes that its type allows`(type: PacketType, sizes: [Int]) {
        #expect((0...20_000).filter(type.allows) == sizes)
    }

    @Test func `the body of a record has 112 bytes, or a multiple of 256 plus a tag`() {
        let sizes = (0...20_000).filter(PacketType.record.allows)
        #expect(sizes == [112] + (1...65).map { 16 + 256 * $0 })
        #expect(sizes.last == PacketType.record.largestBody)
    }

    @Test(arguments: PacketType.allCases)
    func `a packet survives encoding and parsing`(type: PacketType) throws {
        let body = (0..<type.largestBody).map { UInt8(truncatingIfNeeded: $0) }
        let packet = try Packet(type, body: body)
        let bytes = encoded(packet)
        #expect(bytes == [type.rawValue << 4] + body)
        #expect(try Packet(parsing: bytes.span) == packet)
    }

    @Test(arguments: [
        ([], PacketError.truncated), ([0x00], .unknownType), ([0xa0], .unknownType), ([0xf1], .unknownType),
        ([0x11], .badSequence), ([0x20], .badLength),
    ])
    func `a malformed packet is refused`(bytes: [UInt8], error: PacketError) {
        #expect(throws: error) { try Packet(parsing: bytes.span) }
    }
}

@Suite struct `TCP frames` {
    private let packets: [Packet] = [PacketType.confirmFirst, .record, .confirmSecond].compactMap {
        try? Packet($0, body: [UInt8](repeating: $0.rawValue, count: $0.largestBody))
    }

    private func stream() -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in packets { packet.appendFrame(to: &bytes) }
        return bytes
    }

    @Test(arguments: [1, 2, 3, 130, 131, 132, 5000, 20_000])
    func `packets are decoded however the stream is split`(size: Int) throws {
        let bytes = stream()
        var decoder = FrameDecoder()
        var received: [Packet] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            decoder.append(bytes.span.extracting(start..<min(start + size, bytes.count)))
            while let packet = try decoder.next() { received.append(try Packet(parsing: packet.span)) }
        }
        #expect(packets.count == 3)
        #expect(received == packets)
        #expect(decoder.remainder.isEmpty)
    }

    @Test func `an incomplete frame remains in the decoder`() throws {
        var decoder = FrameDecoder()
        decoder.append([0x00, 0x81, 0x10].span)
        #expect(try decoder.next() == nil)
        #expect(Array(decoder.remainder) == [0x00, 0x81, 0x10])
    }

    @Test(arguments: [0, 112, 16_658, 65_535])
    func `an invalid length breaks the stream as soon as both of its bytes have arrived`(length: UInt16) throws {
        var decoder = FrameDecoder()
        decoder.append([UInt8(length >> 8)].span)
        #expect(try decoder.next() == nil)
        decoder.append([UInt8(length & 0xff)].span)
        #expect(throws: FrameError.badLength) { try decoder.next() }
        decoder.append(stream().span)
        #expect(throws: FrameError.badLength) { try decoder.next() }
        #expect(decoder.remainder.isEmpty)
    }

    /// Covers INK-PKT-024.
    @Test(arguments: UInt64(1)...20)
    func `the decoder holds at most one frame of random bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var decoder = FrameDecoder()
        for _ in 0..<200 {
            // Half of the pieces begin with a valid length.
            var piece: [UInt8] = Bool.random(using: &generator) ? [0, 0x81] : []
            piece += (0..<Int.random(in: 0...300, using: &generator)).map { _ in generator.next() }
            decoder.append(piece.span)
            do throws(FrameError) {
                while let packet = try decoder.next() { #expect((113...16_657).contains(packet.count)) }
            } catch {
                #expect(decoder.remainder.isEmpty)
            }
            #expect(decoder.remainder.count < 2 + 16_657)
        }
    }

    /// Covers INK-PKT-026.
    @Test func `only the length of a first message is accepted from a stranger`() throws {
        var decoder = FrameDecoder(accepting: Packet.firstMessageByteCount...Packet.firstMessageByteCount)
        decoder.append(stream().span)
        #expect(try decoder.next()?.count == 129)
        #expect(throws: FrameError.badLength) { try decoder.next() }
    }
}

@Suite struct `GATT fragments` {
    private func record(_ count: Int) throws -> Packet {
        try Packet(.record, body: (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
    }

    /// Returns the packet after the last fragment; checks that the fragments before it complete none.
    private func reassemble(_ fragments: [[UInt8]], at now: UInt64 = 0) throws -> Packet? {
        var reassembler = FragmentReassembler()
        var packet: Packet?
        for fragment in fragments {
            #expect(packet == nil)
            packet = try reassembler.append(fragment.span, at: now)
        }
        return packet
    }

    @Test func `a first message fits into one fragment from an MTU of 132`() throws {
        let packet = try Packet(.confirmFirst, body: [UInt8](repeating: 1, count: 128))
        #expect(packet.gattFragments(mtu: 132) == [encoded(packet)])
        let two = packet.gattFragments(mtu: 131)
        #expect(two.map(\.count) == [128, 2])
        #expect(two.map { $0[0] } == [0x11, 0x12])
    }

    @Test(arguments: [0, 23, 24, 131, 132, 185, 247, 517, 9999])
    func `every packet is reassembled with every MTU`(mtu: Int) throws {
        for packet in [try record(112), try record(272), try record(16_656)] {
            let fragments = packet.gattFragments(mtu: mtu)
            #expect(fragments.allSatisfy { $0.count <= min(max(mtu, 23), 517) - 3 })
            #expect(try reassemble(fragments) == packet)
        }
    }

    @Test func `the index in the header counts modulo eight`() throws {
        let headers = try record(272).gattFragments(mtu: 33).map { $0[0] }
        #expect(headers == [0x91, 0x93, 0x95, 0x97, 0x99, 0x9b, 0x9d, 0x9f, 0x91, 0x92])
    }

    @Test(arguments: [
        ([["91"]], FragmentError.truncated), ([[""]], .truncated), ([["0100"]], .unknownType),
        ([["9100", "1300"]], .typeChanged), ([["9300"]], .badSequence), ([["9100", "9500"]], .badSequence),
        ([["9100", "9100"]], .badSequence), ([["9000"]], .badLength), ([["9100", "9200"]], .badLength),
    ])
    func `fragments that are malformed or out of order are refused`(fragments: [[String]], error: FragmentError) {
        #expect(throws: error) { try reassemble(fragments.joined().map { bytes($0) }) }
    }

    @Test func `a packet longer than its type allows is refused`() throws {
        var reassembler = FragmentReassembler()
        let first = [0x21] + [UInt8](repeating: 0, count: 112)
        #expect(try reassembler.append(first.span, at: 0) == nil)
        let second: [UInt8] = [0x23, 0]
        #expect(throws: FragmentError.tooLong) { try reassembler.append(second.span, at: 0) }
    }

    /// Covers INK-PKT-025.
    @Test func `a packet that is incomplete after 30 seconds expires`() throws {
        let fragments = try record(112).gattFragments(mtu: 100)
        let (first, second) = (fragments[0], fragments[1])
        var reassembler = FragmentReassembler()
        #expect(try reassembler.append(first.span, at: 5) == nil)
        #expect(reassembler.deadline == 30_005)
        #expect(throws: FragmentError.expired) { try reassembler.append(second.span, at: 30_005) }
        #expect(reassembler.deadline == nil)
    }

    /// Covers INK-PKT-026.
    @Test func `only first messages are accepted from a stranger`() throws {
        for type in PacketType.allCases {
            var reassembler = FragmentReassembler(accepting: PacketType.firstMessages)
            let fragment = [type.rawValue << 4 | 1, 0]
            if [.confirmFirst, .firstContactFirst, .deviceLinkFirst].contains(type) {
                #expect(try reassembler.append(fragment.span, at: 0) == nil)
            } else {
                #expect(throws: FragmentError.unknownType) { try reassembler.append(fragment.span, at: 0) }
            }
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `random fragments yield valid packets or are refused`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var reassembler = FragmentReassembler()
        for index in 0..<2000 {
            let header = Bool.random(using: &generator) ? 0x90 | UInt8(index % 8) << 1 | 1 : generator.next()
            let fragment = [header] + (0..<Int.random(in: 0...40, using: &generator)).map { _ in generator.next() }
            do throws(FragmentError) {
                if let packet = try reassembler.append(fragment.span, at: UInt64(index)) {
                    #expect(packet.type.allows(bodyCount: packet.body.count))
                }
            } catch {
                #expect(reassembler.deadline == nil)
            }
        }
    }

    /// Covers INK-PKT-024.
    @Test func `several packets are reassembled one after another`() throws {
        var reassembler = FragmentReassembler()
        let packet = try record(112)
        for _ in 0..<3 {
            var last: Packet?
            for fragment in packet.gattFragments(mtu: 50) { last = try reassembler.append(fragment.span, at: 0) }
            #expect(last == packet)
        }
    }
}
