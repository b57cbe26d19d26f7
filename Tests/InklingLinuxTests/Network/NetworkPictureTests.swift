import InklingKeys
import InklingTesting
import InklingWire
import Testing

@testable import InklingLinux

private let global: UInt64 = 0x2001_0db8_0000_0001

@Suite struct NetworkPictureTests {
    @Test func `an interface that is up publishes its address, and its prefix is on the link`() {
        var picture = NetworkPicture()
        picture.apply(link(2).span)
        #expect(picture.multicastLinks.isEmpty)
        picture.apply(address(2, v4: 0x0a4d_0001).span)
        #expect(picture.published == [.v4(0x0a4d_0001)])
        #expect(picture.multicastLinks.map(\.index) == [2])
        #expect(picture.multicastLinks.first?.link.families == [.v4])
        #expect(picture.multicastLinks.first?.link.prefixes.first?.contains(.v4(0x0a4d_00ff)) == true)
        #expect(picture.multicastLinks.first?.link.prefixes.first?.contains(.v4(0x0a4d_0101)) == false)
    }

    /// Covers INK-MDN-007.
    @Test func `does not publish an address that was made from the hardware address`() {
        var picture = NetworkPicture()
        picture.apply(link(2).span)
        picture.apply(address(2, v6: (0xfe80 << 48, 0xe416_41ff_fe65_7dbb)).span)
        picture.apply(address(2, v6: (global, 0xe416_41ff_fe65_7dbb)).span)
        #expect(picture.published == [])
        picture.apply(address(2, v6: (0xfe80 << 48, 5)).span)
        #expect(picture.published == [.v6(Octets16(high: 0xfe80 << 48, low: 5), scope: 2)])
    }

    @Test func `does not publish permanent addresses beside temporary ones`() {
        var picture = NetworkPicture()
        picture.apply(link(2).span)
        picture.apply(address(2, v6: (global, 5)).span)
        picture.apply(address(2, v6: (global, 6), flags: 0x01).span)
        #expect(picture.published == [.v6(Octets16(high: global, low: 6), scope: 0)])
    }

    /// Covers INK-MDN-008.
    @Test(arguments: [0x88, 0xa0, 0xc0] as [UInt32])
    func `does not publish an address that is duplicate, deprecated or tentative when it appears`(flags: UInt32) {
        var picture = NetworkPicture()
        picture.apply(link(2).span)
        picture.apply(address(2, v6: (global, 5), flags: flags).span)
        #expect(picture.published == [])
    }

    @Test func `publishes an address when its check for duplicates has ended`() {
        var picture = NetworkPicture()
        picture.apply(link(2).span)
        picture.apply(address(2, v6: (global, 5), flags: 0xc0).span)
        picture.apply(address(2, v6: (global, 5), flags: 0x80).span)
        #expect(picture.published.count == 1)
    }

    @Test func `does not publish an automatic address that is valid for less than ten minutes`() {
        for (seconds, count) in [(UInt32(599), 0), (600, 1)] {
            var picture = NetworkPicture()
            picture.apply(link(2).span)
            picture.apply(address(2, v6: (global, 5), flags: 0, validSeconds: seconds).span)
            #expect(picture.published.count == count)
        }
    }

    @Test func `keeps an address whose lifetime runs down, and one that is deprecated later`() {
        var picture = NetworkPicture()
        picture.apply(link(2).span)
        picture.apply(address(2, v6: (global, 5), flags: 0, validSeconds: 3600).span)
        let before = picture
        picture.apply(address(2, v6: (global, 5), flags: 0, validSeconds: 30).span)
        picture.apply(address(2, v6: (global, 5), flags: 0x20, validSeconds: 20).span)
        #expect(picture == before && picture.published.count == 1)
    }

    /// Covers INK-MDN-009.
    @Test func `uses loopback only when there is nothing else`() {
        var picture = NetworkPicture()
        picture.apply(link(1, flags: 0x49).span)
        picture.apply(address(1, v4: 0x7f00_0001).span)
        #expect(picture.published == [.v4(0x7f00_0001)])
        picture.apply(link(2).span)
        picture.apply(address(2, v4: 0x0a4d_0001).span)
        #expect(picture.multicastLinks.map(\.index) == [2])
    }

    @Test func `does not use a link that is down, has no multicast or leads to one point`() {
        for flags: UInt32 in [0x1042, 0x0043, 0x1053, 0x1003] {
            var picture = NetworkPicture()
            picture.apply(link(2, flags: flags).span)
            picture.apply(address(2, v4: 0x0a4d_0001).span)
            #expect(picture.multicastLinks.isEmpty)
        }
    }

    @Test(arguments: ["tun", "wireguard", "dummy"])
    func `does not use a link whose other end is not near`(kind: String) {
        var picture = NetworkPicture()
        picture.apply(link(2, kind: kind).span)
        picture.apply(address(2, v4: 0x0a4d_0001).span)
        #expect(picture.multicastLinks.isEmpty)
    }

    @Test func `uses a bridge when one of its ports is hardware, and never its ports`() {
        var picture = NetworkPicture()
        picture.apply(link(5, kind: "bridge").span)
        picture.apply(address(5, v4: 0xac11_0001).span)
        picture.apply(link(6, kind: "veth", master: 5).span)
        picture.apply(address(6, v4: 0x0a4d_0001).span)
        #expect(picture.multicastLinks.isEmpty)
        picture.apply(link(7, master: 5).span)
        #expect(picture.multicastLinks.map(\.index) == [5])
    }

    /// Covers INK-MDN-010.
    @Test func `publishes at most four addresses of a family, those that appeared first`() {
        var picture = NetworkPicture()
        picture.apply(link(2).span)
        for last in (1...20).reversed() {
            picture.apply(address(2, v4: 0x0a4d_0000 + UInt32(last)).span)
            picture.apply(address(2, v6: (global, UInt64(last))).span)
        }
        #expect(picture.published.count == 8)
        #expect(picture.published.prefix(4).elementsEqual((17...20).reversed().map { .v4(0x0a4d_0000 + $0) }))
    }

    @Test func `survives truncated and mutated messages`() {
        let whole = link(2, kind: "veth") + address(2, v4: 0x0a4d_0001) + address(3, v6: (global, 5))
        for count in whole.indices {
            var picture = NetworkPicture()
            picture.apply(Array(whole.prefix(count)).span)
        }
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            var changed = whole
            for _ in 0..<4 {
                changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            var picture = NetworkPicture()
            picture.apply(changed.span)
            #expect(picture.published.count <= 24)
        }
    }
}

@Suite struct ShownNetworksTests {
    private let name = OpaqueServiceName(Octets16(high: 1, low: 1))

    private func picture(_ messages: [UInt8]...) -> NetworkPicture {
        var picture = NetworkPicture()
        for message in messages { picture.apply(message.span) }
        return picture
    }

    private func shown(_ networks: ShownNetworks, _ picture: NetworkPicture) -> [UInt32] {
        networks.interfaces(of: picture).filter(\.isShown).map(\.index)
    }

    @Test func `addresses that come and go on one network change nothing`() {
        var networks = ShownNetworks()
        let home = picture(link(2), address(2, v4: 0x0a4d_0001))
        networks.show(name, on: home)
        for step in [
            picture(link(2), address(2, v4: 0x0a4d_0001), address(2, v6: (global, 5))),
            picture(link(2), address(2, v4: 0x0a4d_0009)), picture(link(2), address(2, v4: 0xc0a8_0001)),
            picture(link(2, flags: 0x1003), address(2, v4: 0x0a4d_0001)), home,
        ] {
            let isBoundary = networks.update(step)
            #expect(!isBoundary)
        }
        #expect(shown(networks, home) == [2])
    }

    @Test func `another hardware address is a boundary, and hides the interface until another name`() {
        var networks = ShownNetworks()
        networks.show(name, on: picture(link(2, hardware: 1), address(2, v4: 0x0a4d_0001)))
        let changed = picture(link(2, hardware: 9), address(2, v4: 0x0a4d_0001))
        let isBoundary = networks.update(changed)
        #expect(isBoundary && shown(networks, changed) == [])
        networks.show(name, on: changed)
        #expect(shown(networks, changed) == [])
        networks.show(OpaqueServiceName(Octets16(high: 2, low: 2)), on: changed)
        #expect(shown(networks, changed) == [2])
    }

    @Test func `an interface that comes back shows nothing before its network is known, and nothing on another one`() {
        var networks = ShownNetworks()
        let home = picture(link(2), address(2, v4: 0x0a4d_0001))
        networks.show(name, on: home)
        networks.update(picture(link(2, flags: 0x1003)))
        let early = picture(link(2), address(2, v6: (0xfe80 << 48, 5)))
        var isBoundary = networks.update(early)
        #expect(shown(networks, early) == [])
        let elsewhere = picture(link(2), address(2, v6: (0xfe80 << 48, 5)), address(2, v4: 0xc0a8_0001))
        isBoundary = networks.update(elsewhere)
        #expect(isBoundary && shown(networks, elsewhere) == [])
    }

    @Test func `a further interface shows the name only on a network where it is shown`() {
        var networks = ShownNetworks()
        networks.show(name, on: picture(link(2), address(2, v4: 0x0a4d_0001)))
        let both = picture(
            link(2), address(2, v4: 0x0a4d_0001), link(3), address(3, v4: 0x0a4d_0002), link(4),
            address(4, v4: 0xac11_0001))
        let isBoundary = networks.update(both)
        #expect(!isBoundary && shown(networks, both) == [2, 3])
    }

    @Test func `the first network is a boundary, and shows the name`() {
        let loopback = picture(link(1, flags: 0x1049), address(1, v4: 0x7f00_0001))
        for start in [NetworkPicture(), loopback] {
            var networks = ShownNetworks()
            networks.show(name, on: start)
            let home = picture(link(2), address(2, v4: 0x0a4d_0001), link(3), address(3, v4: 0xac11_0001))
            let isBoundary = networks.update(home)
            #expect(isBoundary)
            // The node opens its server again with the same name.
            networks.show(name, on: home)
            #expect(shown(networks, home) == [2, 3])
        }
    }
}

extension NetworkPicture {
    fileprivate var published: [Endpoint.Address] { multicastLinks.flatMap(\.link.published) }
}

// Messages as the kernel writes them, in this machine's byte order.

private func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
    native(UInt32(16 + body.count)) + native(type) + [0, 0] + native(UInt32(1)) + native(UInt32(0)) + body
}

private func attribute(_ type: UInt16, _ data: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
    return native(UInt16(4 + data.count)) + native(type) + data + padding
}

/// A link that is up, running, and has broadcast and multicast.
private func link(
    _ index: UInt32, flags: UInt32 = 0x1043, hardware: UInt8 = 1, kind: String? = nil, master: UInt32? = nil
) -> [UInt8] {
    var body: [UInt8] = [0, 0, 1, 0] + native(index) + native(flags) + native(UInt32(0))
    body += attribute(1, [2, 0, 0, 0, 0, hardware]) + attribute(3, Array("if\(index)".utf8) + [0])
    if let master { body += attribute(10, native(master)) }
    if let kind { body += attribute(18, attribute(1, Array(kind.utf8) + [0])) }
    return message(16, body)
}

private func address(_ index: UInt32, v4: UInt32, type: UInt16 = 20) -> [UInt8] {
    message(type, [2, 24, 0x80, 0] + native(index) + attribute(2, native(v4.bigEndian)))
}

private func address(
    _ index: UInt32, v6: (UInt64, UInt64), flags: UInt32 = 0x80, validSeconds: UInt32 = .max
) -> [UInt8] {
    message(
        20,
        [10, 64, 0, 0] + native(index) + attribute(1, native(v6.0.bigEndian) + native(v6.1.bigEndian))
            + attribute(6, native(UInt32.max) + native(validSeconds) + native(UInt64(0))) + attribute(8, native(flags)))
}

private func native(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value.littleEndian >> ($0 * 8)) }
}
