import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private let instance = MDNSNode.instance
private let announcement = ServicePacket.response(instance, isAnnounced: true, addresses: [.v4(0x0a4d_0001)])
private let browse = ServicePacket.browseQuery()

@Suite struct `What a node hears by multicast DNS` {
    private let peer = MDNSPeer(9)

    private func listening(to peers: [MDNSPeer]) -> MDNSNode {
        var node = MDNSNode()
        for peer in peers { node.known[peer.instance.name] = peer.instance.host }
        node.pass(5000)
        _ = node.takeSent()
        return node
    }

    /// Returns the endpoints at which the machine would have a name called now.
    private func endpoints(of peer: MDNSPeer, in node: inout MDNSNode) -> [Endpoint] {
        _ = node.takeReports()
        node.handle(.search(peer.instance.name, nil))
        guard case .found(_, let endpoints)? = node.takeReports().last else { return [] }
        return endpoints
    }

    private func endpoint(_ address: UInt32, _ port: UInt16 = 4000) -> Endpoint {
        Endpoint(address: .v4(address), port: port)
    }

    @Test func `reports a known name with its endpoint, once`() throws {
        var node = listening(to: [peer])
        try node.receive(peer.announcement)
        try node.receive(peer.announcement)
        #expect(node.takeReports() == [.appeared(peer.instance.name)])
        #expect(endpoints(of: peer, in: &node) == [endpoint(0x0a4d_0002)])
    }

    /// Covers INK-MDN-038.
    @Test func `knows nothing of names that are not known, whatever is sent`() throws {
        var node = listening(to: [])
        for number in 0..<5000 { try node.receive(MDNSPeer(UInt64(number)).announcement) }
        node.pass(300_000)
        #expect(node.takeReports().isEmpty)
        node.known[peer.instance.name] = peer.instance.host
        try node.receive(peer.announcement)
        #expect(node.takeReports() == [.appeared(peer.instance.name)])
    }

    @Test func `a name without its address in the same packet waits for the next answer`() throws {
        var node = listening(to: [peer])
        try node.receive(ServicePacket.response(peer.instance, isAnnounced: true, addresses: []))
        node.pass(1000)
        #expect(node.takeReports().isEmpty && node.takeSent().isEmpty)
    }

    @Test func `only the host that goes with the name counts`() throws {
        var node = listening(to: [peer])
        try node.receive(peer.packet(host: OpaqueHostName(Octets16(high: 1, low: 1))))
        try node.receive(peer.packet(port: 0))
        #expect(node.takeReports().isEmpty)
    }

    /// Covers INK-MDN-032.
    @Test(
        arguments: [
            0x0000_0001, 0x7f00_0001, 0xe000_00fb, 0xff00_0001, 0xffff_ffff, 0x0808_0808, 0x0a4e_0001,
        ] as [UInt32])
    func `an address that is not on the link is not called`(address: UInt32) throws {
        var node = listening(to: [peer])
        try node.receive(peer.packet(addresses: [.v4(address)]))
        #expect(node.takeReports().isEmpty)
        try node.receive(peer.packet(addresses: [.v4(address), .v4(0x0a4d_0007)]))
        #expect(endpoints(of: peer, in: &node) == [endpoint(0x0a4d_0007)])
    }

    /// Covers INK-MDN-033.
    @Test func `a link-local IPv6 address gets the interface on which it was heard`() throws {
        var node = MDNSNode(interfaces: [MDNSNode.interface(families: [.v4, .v6])])
        node.known[peer.instance.name] = peer.instance.host
        let octets = Octets16(high: 0xfe80 << 48, low: 5)
        try node.receive(
            peer.packet(addresses: [.v6(octets, scope: 0)]), from: .v6(octets, scope: 2),
            path: MDNSPath(interface: 2, family: .v6))
        #expect(endpoints(of: peer, in: &node) == [Endpoint(address: .v6(octets, scope: 2), port: 4000)])
    }

    /// Covers INK-MDN-031.
    @Test func `a response from another port or from behind a router is ignored`() throws {
        var node = listening(to: [peer])
        try node.receive(peer.announcement, port: 5354)
        try node.receive(peer.announcement, hopLimit: 254)
        #expect(node.takeReports().isEmpty)
    }

    /// Covers INK-MDN-039.
    @Test func `a goodbye and a cache flush of somebody else have no effect`() throws {
        var node = listening(to: [peer])
        try node.receive(peer.announcement)
        _ = node.takeReports()
        try node.receive(peer.packet(for: .goodbye))
        node.pass(239_999)
        #expect(node.takeReports().isEmpty)
        node.pass(1)
        // Last heard with the goodbye.
        #expect(node.takeReports() == [.vanished(peer.instance.name)])
    }

    /// Covers INK-MDN-023.
    @Test func `what is heard again lives on`() throws {
        var node = listening(to: [peer])
        for _ in 0..<10 {
            try node.receive(peer.announcement)
            node.pass(200_000)
        }
        #expect(node.takeReports().count == 1)
        node.pass(40_000)
        #expect(node.takeReports() == [.vanished(peer.instance.name)])
    }

    /// Covers INK-MDN-028.
    @Test func `imitators do not displace what was heard first, and the true address is among eight`() throws {
        var node = listening(to: [peer])
        try node.receive(peer.announcement)
        for number in 0..<20 {
            let liar = 0x0a4d_0040 + UInt32(number)
            try node.receive(peer.packet(port: 9, addresses: [.v4(liar)]), from: .v4(liar))
        }
        let endpoints = endpoints(of: peer, in: &node)
        #expect(endpoints.count == 8)
        #expect(endpoints.first == endpoint(0x0a4d_0002))
    }

    /// Covers INK-MDN-040.
    @Test func `endpoints whose address sent their packet are called first`() throws {
        var node = listening(to: [peer])
        try node.receive(peer.packet(addresses: [.v4(0x0a4d_0031)]), from: .v4(0x0a4d_0021))
        try node.receive(peer.packet(addresses: [.v4(0x0a4d_0032)]), from: .v4(0x0a4d_0022))
        try node.receive(peer.packet(addresses: [.v4(0x0a4d_0033)]), from: .v4(0x0a4d_0023))
        try node.receive(peer.announcement)
        #expect(
            endpoints(of: peer, in: &node)
                == [0x0a4d_0002, 0x0a4d_0031, 0x0a4d_0033, 0x0a4d_0032].map { endpoint($0) })
    }

    /// Covers INK-MDN-024.
    @Test func `keeps 256 names and 512 endpoints, and what was heard first`() throws {
        let peers = (1...400).map { MDNSPeer(UInt64($0)) }
        var node = listening(to: peers)
        for peer in peers { try node.receive(peer.announcement) }
        #expect(node.takeReports().count == 256)
        for peer in peers {
            for source in 0..<8 {
                let address = Endpoint.Address.v4(0x0a4d_0050 + UInt32(source))
                try node.receive(peer.packet(addresses: [address]), from: address)
            }
        }
        let kept = peers.map { endpoints(of: $0, in: &node) }
        #expect(kept.count { !$0.isEmpty } == 256)
        #expect(kept.reduce(0) { $0 + $1.count } == 512)
        #expect(kept.prefix(256).allSatisfy { $0.contains(endpoint(0x0a4d_0002)) })
    }

    @Test func `forgets what was heard on an interface that is gone`() throws {
        var node = listening(to: [peer])
        try node.receive(peer.announcement)
        _ = node.takeReports()
        node.handle(.interfacesChanged([]))
        #expect(node.takeReports() == [.vanished(peer.instance.name)])
    }

    /// Covers INK-MDN-014.
    @Test func `says once that its name is imitated, shows its records once more, and stays`() throws {
        var node = listening(to: [])
        let imitation = ServicePacket.response(
            ServiceInstance(name: instance.name, host: instance.host, port: 9), isAnnounced: true,
            addresses: [.v4(0x0a4d_0066)])
        for _ in 0..<10 {
            try node.receive(imitation, from: .v4(0x0a4d_0066))
            node.pass(1000)
        }
        #expect(node.takeReports() == [.imitated])
        #expect(node.takeSent().map(\.packet).filter { $0 != browse } == [announcement])
    }

    @Test func `its own records, and its own addresses of a while ago, imitate nobody`() throws {
        var node = listening(to: [])
        node.handle(.interfacesChanged([MDNSNode.interface(published: [.v4(0x0a4d_0009)])]))
        node.pass(5000)
        try node.receive(announcement, from: .v4(0x0a4d_0066))
        #expect(node.takeReports().isEmpty)
    }

    /// Covers INK-MDN-035.
    @Test func `what it sends is the same whether it knows every name or none`() throws {
        let peers = (1...50).map { MDNSPeer(UInt64($0), at: 0x0a4d_0002 + UInt32($0)) }
        var knowing = listening(to: peers)
        var ignorant = listening(to: [])
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let peer = peers[Int(generator.next() % 50)]
            let packet = generator.next() % 4 == 0 ? browse : peer.announcement
            let pause = generator.next() % 500
            try knowing.receive(packet, from: peer.address)
            try ignorant.receive(packet, from: peer.address)
            knowing.pass(pause)
            ignorant.pass(pause)
        }
        #expect(knowing.takeReports().count >= 50 && ignorant.takeReports().isEmpty)
        let sent = knowing.takeSent()
        #expect(sent == ignorant.takeSent() && sent.count > 100)
    }

    /// Covers INK-MDN-017, INK-MDN-027.
    @Test func `a search asks twice for the one name, and tells when it was not found`() throws {
        var node = listening(to: [])
        node.handle(.search(peer.instance.name, peer.instance.host))
        node.pass(3000)
        let question = ServicePacket.instanceQuery(peer.instance.name)
        let sent = node.takeSent()
        #expect(sent.map(\.time) == [5020, 6020] && sent.allSatisfy { $0.packet == question })
        #expect(node.takeReports() == [.notFound(peer.instance.name)])
    }

    @Test func `a search finds a name that no one else would see`() throws {
        var node = listening(to: [])
        node.handle(.search(peer.instance.name, peer.instance.host))
        node.pass(100)
        try node.receive(ServicePacket.response(peer.instance, isAnnounced: false, addresses: [peer.address]))
        node.pass(10_000)
        #expect(node.takeReports() == [.found(peer.instance.name, [endpoint(0x0a4d_0002)])])
        #expect(node.takeSent().map(\.packet).filter { $0 != browse }.count == 1)
    }
}
