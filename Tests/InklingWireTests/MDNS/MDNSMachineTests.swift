import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private let instance = MDNSNode.instance
private let announcement = ServicePacket.response(instance, isAnnounced: true, addresses: [.v4(0x0a4d_0001)])
private let browse = ServicePacket.browseQuery()
private let instanceLabels = [instance.name.description] + serviceType
private let hostLabels = [instance.host.description, "local"]

/// Questions about the records of the instance.
private let ownQuestions: [([String], UInt16)] = [
    (serviceType, 12), (serviceType, 255), (instanceLabels, 33), (instanceLabels, 16), (instanceLabels, 255),
    (hostLabels, 1), (hostLabels, 28), (hostLabels, 255), (["_INKLING", "_tcp", "LOCAL"], 12),
]
/// Questions that a stranger may ask to learn more.
private let otherQuestions: [([String], UInt16)] = [
    (["_services", "_dns-sd", "_udp", "local"], 12), (serviceType, 33), (instanceLabels, 1),
    ([instance.name.description.uppercased()] + serviceType, 33), (["_http", "_tcp", "local"], 12),
    (["1", "0", "77", "10", "in-addr", "arpa"], 12), ([instance.host.description], 1),
]

@Suite struct `What a node sends by multicast DNS` {
    /// Covers INK-MDN-034.
    @Test func `announces twice and asks at 0, 1, 4, 13 and 40 s, and then every minute or two`() {
        var node = MDNSNode()
        node.pass(180_000)
        let sent = node.takeSent()
        #expect(sent.filter { $0.packet == announcement }.map(\.time) == [20, 1020])
        #expect(
            sent.filter { $0.packet == browse }.map(\.time) == [20, 1020, 4020, 13_020, 40_020, 100_020, 160_020])
        #expect(sent.allSatisfy { $0.destination == .multicast && [announcement, browse].contains($0.packet) })
    }

    @Test func `draws the first delay from 20 to 120 ms and the later intervals from 60 to 120 s`() {
        for (value, first, interval) in [(UInt64(100), UInt64(120), UInt64(60_100)), (60_000, 26, 120_000)] {
            var node = MDNSNode(starts: false)
            node.draws.value = value
            node.handle(.started)
            node.pass(300_000)
            let queries = node.takeSent().filter { $0.packet == browse }.map(\.time)
            #expect(queries.first == first)
            #expect(queries[5] - queries[4] == interval)
        }
    }

    @Test func `sends the same on every interface and family, and each address on its own interface only`() {
        let other = MDNSInterface(
            index: 3, families: [.v4, .v6], published: [.v4(0x0a4e_0001)], prefixes: [], isShown: true)
        var node = MDNSNode(interfaces: [MDNSNode.interface(), other])
        node.pass(500)
        let there = ServicePacket.response(instance, isAnnounced: true, addresses: [.v4(0x0a4e_0001)])
        #expect(
            node.takeSent().map { ($0.path.interface, $0.path.family, $0.packet) }.elementsEqual(
                [
                    (2, .v4, announcement), (2, .v4, browse), (3, .v4, there), (3, .v6, there), (3, .v4, browse),
                    (3, .v6, browse),
                ], by: ==))
    }

    @Test func `says nothing before it starts, and nothing after it stopped`() throws {
        var node = MDNSNode(starts: false)
        node.pass(10_000)
        try node.receive(query([(serviceType, 12, 1)]))
        node.pass(10_000)
        #expect(node.sent.isEmpty)
        node.handle(.started)
        node.pass(100)
        node.handle(.stopped(goodbye: false))
        _ = node.takeSent()
        try node.receive(query([(serviceType, 12, 1)]))
        node.pass(100_000)
        #expect(node.sent.isEmpty)
    }

    @Test func `withdraws on every path where it was shown, and nowhere else`() {
        let quiet = MDNSNode.interface(3, published: [.v4(0x0a4e_0001)], isShown: false)
        var node = MDNSNode(interfaces: [MDNSNode.interface(), quiet])
        node.pass(100)
        _ = node.takeSent()
        node.handle(.stopped(goodbye: true))
        let goodbye = ServicePacket.response(
            instance, isAnnounced: true, addresses: [.v4(0x0a4d_0001)], for: .goodbye)
        #expect(node.takeSent().map(\.packet) == [goodbye])

        var early = MDNSNode()
        early.handle(.stopped(goodbye: true))
        #expect(early.sent.isEmpty)
    }

    @Test func `asks and listens where it is not shown, and answers nothing there`() throws {
        var node = MDNSNode(interfaces: [MDNSNode.interface(isShown: false)])
        node.pass(500)
        try node.receive(query([(serviceType, 12, 1)]))
        node.pass(500)
        #expect(node.takeSent().map(\.packet) == [browse])
    }

    @Test func `announces again when its addresses change`() {
        var node = MDNSNode()
        node.pass(5000)
        _ = node.takeSent()
        node.handle(.interfacesChanged([MDNSNode.interface(published: [.v4(0x0a4d_0001), .v4(0x0a4d_0009)])]))
        node.pass(1000)
        let changed = ServicePacket.response(
            instance, isAnnounced: true, addresses: [.v4(0x0a4d_0001), .v4(0x0a4d_0009)])
        #expect(node.takeSent().map(\.packet) == [changed])
    }

    @Test func `asks again for a new contact, and not sooner than 4 s after the last time`() {
        var node = MDNSNode()
        node.pass(50_000)
        _ = node.takeSent()
        node.handle(.namesChanged)
        node.pass(1000)
        node.handle(.namesChanged)
        node.pass(10_000)
        #expect(node.takeSent().map(\.time) == [50_020, 54_020])
    }
}

@Suite struct `What a node answers by multicast DNS` {
    private func settled(answered: [ServiceInstance] = []) -> MDNSNode {
        var node = MDNSNode(answered: answered)
        // More than a second after the last query, whose copy would be taken for an echo.
        node.pass(6000)
        _ = node.takeSent()
        return node
    }

    @Test(arguments: ownQuestions)
    func `answers a question about its records with all of them, after 20 to 120 ms`(name: [String], type: UInt16)
        throws
    {
        var node = settled()
        node.draws.value = 100
        try node.receive(query([(name, type, 1)]))
        node.pass(1000)
        #expect(
            node.takeSent() == [
                MDNSNode.Sent(time: 6120, packet: announcement, path: MDNSNode.wired, destination: .multicast)
            ])
    }

    /// Covers INK-MDN-001, INK-MDN-006.
    @Test(arguments: otherQuestions)
    func `does not answer any other question`(name: [String], type: UInt16) throws {
        var node = settled()
        try node.receive(query([(name, type, 1)]))
        try node.receive(query([(name, type, 3)]))
        node.pass(7000)
        #expect(node.takeSent().isEmpty)
    }

    @Test func `answers once a second, and a question in between waits`() throws {
        var node = settled()
        for _ in 0..<50 {
            try node.receive(query([(serviceType, 12, 1)]))
            node.pass(100)
        }
        #expect(node.takeSent().filter { $0.packet == announcement }.map(\.time) == [6020, 7020, 8020, 9020, 10_020])
    }

    @Test func `answers more seldom in a crowd, down to once in 10 s`() throws {
        var node = settled()
        for number in 0..<3000 { try node.receive(MDNSPeer(UInt64(number) + 1).announcement) }
        for _ in 0..<250 {
            try node.receive(query([(serviceType, 12, 1)]))
            node.pass(100)
        }
        #expect(node.takeSent().filter { $0.packet == announcement }.map(\.time) == [11_020, 21_020])
    }

    @Test func `is quiet for who knows its name already, and for nobody else`() throws {
        let data = dnsName(instanceLabels)
        for (timeToLive, isAnswered) in [(UInt32(120), false), (60, false), (59, true)] {
            var node = settled()
            let known = dnsRecord(serviceType, type: 12, class: 1, timeToLive: timeToLive, data)
            try node.receive(query([(serviceType, 12, 1)], flags: 0x0200, knownAnswers: [known]))
            node.pass(500)
            #expect(!node.takeSent().isEmpty == isAnswered)
        }
    }

    @Test func `replies by unicast to who asks for it`() throws {
        var node = settled()
        try node.receive(query([(serviceType, 12, 0x8001)]))
        node.pass(500)
        let asker = Endpoint(address: .v4(0x0a4d_0002), port: 5353)
        #expect(
            node.takeSent() == [
                MDNSNode.Sent(time: 6020, packet: announcement, path: MDNSNode.wired, destination: .unicast(asker))
            ])
    }

    @Test func `repeats the number and the question of a legacy querier`() throws {
        var node = settled()
        try node.receive(query([(serviceType, 12, 1)], id: 0x1234), port: 40_000)
        node.pass(500)
        let sent = try #require(node.takeSent().first)
        #expect(sent.destination == .unicast(Endpoint(address: .v4(0x0a4d_0002), port: 40_000)))
        let reply = try MDNSMessage(parsing: sent.packet.span)
        #expect(reply.id == 0x1234 && reply.isResponse)
        #expect(reply.questions == [MDNSMessage.Question(name: .serviceType, type: 12, wantsUnicast: false)])
        #expect(reply.records.map(\.timeToLive) == [10, 10, 10, 10])
    }

    @Test func `does not reply to an address that is not on the link`() throws {
        var node = settled()
        try node.receive(query([(serviceType, 12, 0x8001)]), from: .v4(0x0808_0808))
        try node.receive(query([(serviceType, 12, 1)]), from: .v4(0x0808_0808), port: 40_000)
        node.pass(500)
        #expect(node.takeSent().isEmpty)
    }

    @Test func `replies at most 40 times in a second however many ask`() throws {
        var node = settled()
        for _ in 0..<3000 {
            try node.receive(query([(serviceType, 12, 0x8001)]))
            if node.now % 3 == 0 { node.pass(1) }
            node.pass(0)
        }
        node.pass(1000)
        #expect(node.takeSent().count <= 40)
    }

    @Test func `answers a probe for its name at once`() throws {
        var node = settled()
        let claim = dnsRecord(
            instanceLabels, type: 33, class: 1, [0, 0, 0, 0, 0, 80] + dnsName(["elsewhere", "local"]))
        try node.receive(query([(instanceLabels, 255, 1)], authorities: [claim]))
        node.pass(1)
        #expect(node.takeSent().map(\.packet).contains(announcement))
        #expect(node.takeReports() == [.imitated])
    }

    /// Covers INK-MDN-013.
    @Test func `answers for an instance that is not announced without PTR, and shows it to no one else`() throws {
        let hidden = MDNSPeer(77).instance
        var node = settled(answered: [hidden])
        try node.receive(query([(serviceType, 12, 1)]))
        node.pass(500)
        #expect(node.takeSent().map(\.packet) == [announcement])
        try node.receive(query([([hidden.name.description] + serviceType, 33, 1)]))
        node.pass(500)
        let answer = ServicePacket.response(hidden, isAnnounced: false, addresses: [.v4(0x0a4d_0001)])
        #expect(node.takeSent().map(\.packet) == [answer])
        node.handle(.answeredChanged([]))
        try node.receive(query([([hidden.name.description] + serviceType, 33, 1)]))
        node.pass(5000)
        #expect(!node.takeSent().map(\.packet).contains(answer))
    }

    /// Covers INK-MDN-022.
    @Test func `takes an echo of its own query for nobody's question`() throws {
        var node = MDNSNode()
        node.pass(20)
        let sent = node.takeSent()
        for packet in sent { try node.receive(packet.packet, from: .v4(0x0a4d_0001)) }
        node.pass(900)
        #expect(node.takeSent().isEmpty)
        // The same query of another node is a question.
        try node.receive(browse)
        node.pass(120)
        #expect(node.takeSent().map(\.time).contains(1020))
    }
}
