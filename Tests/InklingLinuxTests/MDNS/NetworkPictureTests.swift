import InklingKeys
import InklingNode
import InklingTesting
import Testing

@testable import InklingLinux

struct NetworkPictureTests {
    private let up: UInt32 = 0x1043  // up, broadcast, running, multicast
    private let global: UInt64 = 0x2001_0db8_0000_0001

    @Test func `an interface that is up publishes its address`() {
        var picture = NetworkPicture()
        #expect(picture.apply(link(2, up).span) == true)
        #expect(picture.apply(address(2, v4: 0x0a4d_0001).span) == true)
        #expect(picture.published == [.init(interface: 2, address: .v4(0x0a4d_0001))])
    }

    /// Covers INK-MDN-007.
    @Test func `an address made from the hardware address is never published`() {
        var picture = NetworkPicture()
        _ = picture.apply(link(2, up).span)
        _ = picture.apply(address(2, v6: (0xfe80 << 48, 0xe416_41ff_fe65_7dbb)).span)
        _ = picture.apply(address(2, v6: (global, 0xe416_41ff_fe65_7dbb)).span)
        #expect(picture.published == [])
        _ = picture.apply(address(2, v6: (0xfe80 << 48, 5)).span)
        #expect(
            picture.published == [.init(interface: 2, address: .v6(Octets16(high: 0xfe80 << 48, low: 5), scope: 2))])
    }

    @Test func `does not publish permanent addresses beside temporary ones`() {
        var picture = NetworkPicture()
        _ = picture.apply(link(2, up).span)
        _ = picture.apply(address(2, v6: (global, 5)).span)
        _ = picture.apply(address(2, v6: (global, 6), flags: 0x01).span)
        #expect(picture.published == [.init(interface: 2, address: .v6(Octets16(high: global, low: 6), scope: 0))])
    }

    /// Covers INK-MDN-008.
    @Test(arguments: [0x08, 0x20, 0x40] as [UInt32])
    func `an address that is duplicate, deprecated or tentative is kept back`(flags: UInt32) {
        var picture = NetworkPicture()
        _ = picture.apply(link(2, up).span)
        _ = picture.apply(address(2, v6: (global, 5), flags: flags).span)
        #expect(picture.published == [])
    }

    /// Covers INK-MDN-009.
    @Test func `loopback is used only when there is nothing else`() {
        var picture = NetworkPicture()
        _ = picture.apply(link(1, 0x49).span)
        _ = picture.apply(address(1, v4: 0x7f00_0001).span)
        #expect(picture.published == [.init(interface: 1, address: .v4(0x7f00_0001))])
        #expect(picture.deniedInterfaces == [])
        _ = picture.apply(link(2, up).span)
        _ = picture.apply(address(2, v4: 0x0a4d_0001).span)
        #expect(picture.published == [.init(interface: 2, address: .v4(0x0a4d_0001))])
        #expect(picture.deniedInterfaces == [Array("if1".utf8)])
    }

    @Test func `a link that is down or has no multicast or leads to one point publishes nothing`() {
        for flags: UInt32 in [0x1042, 0x0043, 0x1053] {
            var picture = NetworkPicture()
            _ = picture.apply(link(2, flags).span)
            _ = picture.apply(address(2, v4: 0x0a4d_0001).span)
            #expect(picture.published == [])
        }
    }

    @Test func `what is only refreshed is no change, and a lost carrier is one`() {
        var picture = NetworkPicture()
        _ = picture.apply(link(2, up).span)
        _ = picture.apply(address(2, v4: 0x0a4d_0001).span)
        #expect(picture.apply(address(2, v4: 0x0a4d_0001).span) == false)
        #expect(picture.apply(link(2, up).span) == false)
        #expect(picture.apply(link(2, up & ~0x40).span) == true)
        #expect(picture.apply(link(2, up).span) == true)
        #expect(picture.apply(address(2, v4: 0x0a4d_0001, type: 21).span) == true)
        #expect(picture.published == [])
    }

    /// Covers INK-MDN-010.
    @Test func `at most four addresses of a family are published on an interface`() {
        var picture = NetworkPicture()
        _ = picture.apply(link(2, up).span)
        for last in 1...20 {
            _ = picture.apply(address(2, v4: 0x0a4d_0000 + UInt32(last)).span)
            _ = picture.apply(address(2, v6: (global, UInt64(last))).span)
        }
        #expect(picture.published.count == 8)
    }

    @Test func `survives truncated and mutated messages`() {
        let whole = link(2, up) + address(2, v4: 0x0a4d_0001) + address(3, v6: (global, 5))
        for count in whole.indices {
            var picture = NetworkPicture()
            _ = picture.apply(Array(whole.prefix(count)).span)
        }
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            var changed = whole
            for _ in 0..<4 {
                changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            var picture = NetworkPicture()
            _ = picture.apply(changed.span)
            #expect(picture.published.count <= 24)
        }
    }

    // Messages as the kernel writes them, in this machine's byte order.

    private func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
        native(UInt32(16 + body.count)) + native(type) + [0, 0] + native(UInt32(1)) + native(UInt32(0)) + body
    }

    private func link(_ index: UInt32, _ flags: UInt32) -> [UInt8] {
        let name = Array("if\(index)".utf8) + [0]
        return message(
            16,
            [0, 0, 1, 0] + native(index) + native(flags) + native(UInt32(0)) + native(UInt16(8)) + native(UInt16(3))
                + name)
    }

    private func address(_ index: UInt32, v4: UInt32, type: UInt16 = 20) -> [UInt8] {
        message(type, [2, 24, 0x80, 0] + native(index) + native(UInt16(8)) + native(UInt16(2)) + native(v4.bigEndian))
    }

    private func address(_ index: UInt32, v6: (UInt64, UInt64), flags: UInt32 = 0x80) -> [UInt8] {
        let value = native(v6.0.bigEndian) + native(v6.1.bigEndian)
        return message(
            20,
            [10, 64, 0, 0] + native(index) + native(UInt16(20)) + native(UInt16(1)) + value
                + native(UInt16(8)) + native(UInt16(8)) + native(flags))
    }

    private func native(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value.littleEndian >> ($0 * 8)) }
    }
}
