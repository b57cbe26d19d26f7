import InklingConformance
import InklingTesting
import Testing

@Suite struct `A message of multicast DNS` {
    /// The packet of Specs/mdns.md.
    private let packet: [UInt8] =
        [0, 0, 0x84, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0x20] + Array("ee86ffa399825968e402a6832c863656".utf8)
        + [8] + Array("_inkling".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
        + [0, 0x21, 0x80, 1, 0, 0, 0, 0x78, 0, 0x29, 0, 0, 0, 0, 0xa3, 0xf1, 0x20]
        + Array("247f2895250d23da6bb0d8d9e9808ea3".utf8) + [0xc0, 0x3b]
        + [0xc0, 0x2d, 0, 0x0c, 0, 1, 0, 0, 0, 0x78, 0, 2, 0xc0, 0x0c]
        + [0xc0, 0x52, 0, 1, 0x80, 1, 0, 0, 0, 0x78, 0, 4, 0x0a, 0x4d, 0, 1]
        + [0xc0, 0x0c, 0, 0x10, 0x80, 1, 0, 0, 0, 0x78, 0, 4, 3, 0x76, 0x3d, 0x31]

    @Test func `parses the example of the specification`() {
        #expect(DNSMessage(parsing: packet) == DNSMessage(isResponse: true, records: LiveFixtures.records()))
    }

    @Test func `rejects every shorter message, and does not crash on any changed byte`() {
        for count in 0..<packet.count { #expect(DNSMessage(parsing: Array(packet.prefix(count))) == nil) }
        var read = 0
        for place in packet.indices {
            for value in [0, 1, 0x3f, 0x40, 0xc0, 0xff] as [UInt8] {
                var changed = packet
                changed[place] = value
                if DNSMessage(parsing: changed) != nil { read += 1 }
            }
        }
        #expect(read > 0)
    }

    @Test func `rejects a name that points at itself or forward`() {
        let head: [UInt8] = [0, 0, 0x84, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        #expect(DNSMessage(parsing: head + [0xc0, 12, 0, 1, 0, 1]) == nil)
        #expect(DNSMessage(parsing: head + [0xc0, 14, 0, 0, 1, 0, 1]) == nil)
        #expect(DNSMessage(parsing: head + [0xc0, 1, 0, 1, 0, 1]) != nil)
    }

    @Test func `rejects a record whose name does not end with its data`() {
        let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0x61, 0]
        func pointer(_ count: UInt8, _ content: [UInt8]) -> [UInt8] {
            head + [0, 12, 0, 1, 0, 0, 0, 120, 0, count] + content
        }
        #expect(DNSMessage(parsing: pointer(2, [0xc0, 12])) != nil)
        #expect(DNSMessage(parsing: pointer(1, [0xc0, 12])) == nil)
        #expect(DNSMessage(parsing: pointer(3, [0xc0, 12, 0])) == nil)
        func service(_ count: UInt8, _ host: [UInt8]) -> [UInt8] {
            head + [0, 33, 0, 1, 0, 0, 0, 120, 0, count, 0, 0, 0, 0, 0, 1] + host
        }
        #expect(DNSMessage(parsing: service(8, [0xc0, 12])) != nil)
        #expect(DNSMessage(parsing: service(7, [0xc0, 12])) == nil)
        #expect(DNSMessage(parsing: service(9, [0xc0, 12, 0])) == nil)
    }

    @Test func `rejects a message of more than 512 entries or 9,000 bytes`() {
        #expect(
            DNSMessage(parsing: [0, 0, 0x84, 0, 2, 1, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 5_000)) == nil)
        #expect(DNSMessage(parsing: [0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0]) != nil)
        #expect(
            DNSMessage(parsing: [0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8_989)) == nil)
    }

    @Test func `parses a query that it wrote, and omits known answers`() throws {
        let questions = [
            DNSMessage.Question(ServiceNames.type, DNSMessage.RecordType.ptr),
            DNSMessage.Question(ServiceNames.instance(LiveFixtures.name), DNSMessage.RecordType.srv),
        ]
        let bytes = DNSMessage.query(questions)
        #expect(DNSMessage(parsing: bytes) == DNSMessage(isResponse: false, questions: questions))
        var known = packet
        known[2] = 0
        #expect(DNSMessage(parsing: known) == DNSMessage(isResponse: false))
    }
}
