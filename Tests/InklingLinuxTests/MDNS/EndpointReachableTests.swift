import InklingKeys
import InklingNode
import Testing

@testable import InklingLinux

struct EndpointReachableTests {
    private static func v6(_ high: UInt64, _ low: UInt64, scope: UInt32 = 3) -> Endpoint.Address {
        .v6(Octets16(high: high, low: low), scope: scope)
    }

    /// Covers INK-MDN-032.
    @Test(
        arguments: [
            .v4(0), .v4(0x0001_0203), .v4(0xe000_00fb), .v4(0xf000_0001), .v4(0xffff_ffff), .v4(0x7f00_0001), v6(0, 0),
            v6(0, 1),
            v6(0, 0x7f00_0001), v6(0, 0xffff_0a4d_0001), v6(0xff02_0000_0000_0000, 0xfb),
            v6(0xfe80_0000_0000_0000, 1, scope: 0),
        ] as [Endpoint.Address])
    func `rejects an address that no machine on the network can have`(address: Endpoint.Address) {
        #expect(address.reachable(onLoopback: false) == nil)
    }

    @Test func `loopback is accepted only from the loopback interface`() {
        #expect(Endpoint.Address.v4(0x7f00_0001).reachable(onLoopback: true) == .v4(0x7f00_0001))
        #expect(Self.v6(0, 1).reachable(onLoopback: true) == Self.v6(0, 1, scope: 0))
    }

    @Test func `a link-local address keeps its scope and a global one has none`() {
        let local = Self.v6(0xfe80_0000_0000_0000, 9), global = Self.v6(0x2001_0db8_0000_0000, 9)
        #expect(local.reachable(onLoopback: false) == local)
        #expect(global.reachable(onLoopback: false) == Self.v6(0x2001_0db8_0000_0000, 9, scope: 0))
        #expect(Endpoint.Address.v4(0x0a4d_0001).reachable(onLoopback: false) == .v4(0x0a4d_0001))
    }
}
