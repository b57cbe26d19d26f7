import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private let instance = MDNSNode.instance

@Suite struct `Packets of multicast DNS` {
    @Test func `an announcement has the bytes of the specification`() {
        let packet = ServicePacket.response(instance, isAnnounced: true, addresses: [.v4(0x0a4d_0001)])
        #expect(
            hex(packet)
                == """
                000084000000000400000000\
                085f696e6b6c696e67045f746370056c6f63616c00000c0001000000780023\
                206565383666666133393938323539363865343032613638333263383633363536c00c\
                c02b00218001000000780 02e0000 0000a3f1\
                203234376632383935323530643233646136626230643864396539383038656133056c6f63616c00\
                c02b00108001000000780004 03763d31\
                c06000018001000000780004 0a4d0001
                """.filter { $0 != " " })
    }

    @Test func `a packet that is written is read as the same`() throws {
        let addresses: [Endpoint.Address] = [.v4(0x0a4d_0001), .v6(Octets16(high: 0xfe80 << 48, low: 1), scope: 0)]
        let message = try MDNSMessage(
            parsing: ServicePacket.response(instance, isAnnounced: true, addresses: addresses).span)
        #expect(
            message.records.map(\.content) == [
                .pointer(instance.name), .service(instance.name, host: instance.host, port: instance.port),
                .text(instance.name, isVersion1: true), .address(instance.host, addresses[0]),
                .address(instance.host, addresses[1]),
            ])
        #expect(message.records.allSatisfy { $0.timeToLive == 120 && $0.section == .answer })
    }

    @Test func `queries ask for the service type, or for one instance`() throws {
        #expect(
            try MDNSMessage(parsing: ServicePacket.browseQuery().span).questions == [
                MDNSMessage.Question(name: .serviceType, type: 12, wantsUnicast: false)
            ])
        #expect(
            try MDNSMessage(parsing: ServicePacket.instanceQuery(instance.name).span).questions == [
                MDNSMessage.Question(name: .instance(instance.name), type: 33, wantsUnicast: false)
            ])
    }

    @Test(arguments: [
        ([], MDNSMessageError.truncated), ([UInt8](repeating: 0, count: 9001), .tooLong),
        (bytes("0000 0000 0001 0000 0000 0000"), .truncated),
        (bytes("0000 2800 0000 0000 0000 0000"), .badOpcode),
        (bytes("0000 8003 0000 0000 0000 0000"), .badResponseCode),
        (bytes("0000 8400 0000 0101 0000 0000"), .tooManyRecords),
        // Names: a reserved label type, a pointer to itself, a pointer forward, a label that is cut off.
        (bytes("0000 0000 0001 0000 0000 0000 40 61 00 000c 0001"), .badLabel),
        (bytes("0000 0000 0001 0000 0000 0000 c00c 000c 0001"), .badPointer),
        (bytes("0000 0000 0001 0000 0000 0000 c00e 00 000c 0001"), .badPointer),
        (bytes("0000 0000 0001 0000 0000 0000 05 6162"), .truncated),
        (bytes("0000 0000 0001 0000 0000 0000 c0"), .truncated),
    ])
    func `a malformed packet is rejected`(packet: [UInt8], error: MDNSMessageError) {
        #expect(throws: error) { try MDNSMessage(parsing: packet.span) }
    }

    @Test(arguments: [(32, true), (33, false)])
    func `a name of at most 32 pointers is read`(count: Int, isRead: Bool) {
        // A record that is skipped, whose data are the root and pointers, each to the one before; then a question.
        let pointers = (0..<count - 1).flatMap { number -> [UInt8] in
            let target = number == 0 ? 23 : 24 + 2 * (number - 1)
            return [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
        }
        let last = 24 + 2 * (count - 2)
        var packet = bytes("0000 8400 0000 0002 0000 0000 00 ff00 8001 00000078")
        packet += [0, UInt8(1 + pointers.count), 0] + pointers
        packet += [0xc0 | UInt8(last >> 8), UInt8(last & 0xff)] + bytes("0001 8001 00000078 0004 0a4d0002")
        #expect(((try? MDNSMessage(parsing: packet.span)) != nil) == isRead)
    }

    @Test func `a name of more than 255 bytes is rejected`() {
        let labels = [String](repeating: String(repeating: "a", count: 63), count: 4)
        #expect(throws: MDNSMessageError.nameTooLong) { try MDNSMessage(parsing: query([(labels, 12, 1)]).span) }
    }

    @Test func `data of a length that its type does not have are rejected`() {
        let host = [instance.host.description, "local"]
        for (type, count) in [(UInt16(1), 3), (1, 5), (28, 15), (28, 17)] {
            let record = dnsRecord(host, type: type, [UInt8](repeating: 1, count: count))
            let packet = query([], flags: 0x8400, knownAnswers: [record])
            #expect(throws: MDNSMessageError.badData) { try MDNSMessage(parsing: packet.span) }
        }
        let name = [instance.name.description] + serviceType
        for data in [bytes("0000 0000 0050"), bytes("0000 0000 0050 00 00")] {
            let packet = query([], flags: 0x8400, knownAnswers: [dnsRecord(name, type: 33, data)])
            #expect(throws: MDNSMessageError.badData) { try MDNSMessage(parsing: packet.span) }
        }
    }

    @Test func `records of aliases, of other classes and of other names have no meaning`() throws {
        let name = [instance.name.description] + serviceType
        let packet = query(
            [], flags: 0x8400,
            knownAnswers: [
                dnsRecord(serviceType, type: 5, dnsName(serviceType)),
                dnsRecord(serviceType, type: 39, dnsName(["x", "local"])),
                dnsRecord(serviceType, type: 12, class: 3, dnsName(name)),
                dnsRecord(serviceType, type: 12, dnsName(["Printer"] + serviceType)),
                dnsRecord([instance.name.description.uppercased()] + serviceType, type: 16, [0]),
                dnsRecord(["printer", "local"], type: 1, [10, 0, 0, 1]),
            ])
        #expect(try MDNSMessage(parsing: packet.span).records.isEmpty)
    }

    @Test func `more than 32 records of ours in a packet are rejected`() {
        let record = dnsRecord([instance.host.description, "local"], type: 1, [10, 0, 0, 1])
        for count in [32, 33] {
            let packet = query([], flags: 0x8400, knownAnswers: [[UInt8]](repeating: record, count: count))
            #expect((try? MDNSMessage(parsing: packet.span).records.count) == (count == 32 ? 32 : nil))
        }
    }

    @Test func `no bytes trap the parser`() {
        var generator = SeededGenerator(seed: 12)
        let seeds = [
            ServicePacket.response(
                instance, isAnnounced: true, addresses: [.v4(1), .v6(Octets16(high: 1, low: 2), scope: 0)]),
            ServicePacket.browseQuery(), ServicePacket.instanceQuery(instance.name),
            query([([instance.name.description] + serviceType, 255, 0x8001)]),
        ]
        var accepted = 0
        for round in 0..<20_000 {
            var packet = seeds[round % seeds.count]
            for _ in 0..<1 + generator.next() % 4 {
                switch generator.next() % 4 {
                case 0:
                    packet[Int(generator.next() % UInt64(packet.count))] = UInt8(truncatingIfNeeded: generator.next())
                case 1: packet.removeLast(Int(generator.next() % UInt64(packet.count)))
                case 2: packet.insert(0xc0, at: Int(generator.next() % UInt64(packet.count)))
                default: packet.append(UInt8(truncatingIfNeeded: generator.next()))
                }
                if packet.isEmpty { packet = [0] }
            }
            if (try? MDNSMessage(parsing: packet.span)) != nil { accepted += 1 }
        }
        #expect(accepted > 100 && accepted < 20_000)
    }
}
