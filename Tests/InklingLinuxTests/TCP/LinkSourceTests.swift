import InklingKeys
import InklingNode
import InklingWire
import Testing

@testable import InklingLinux

struct LinkSourceTests {
    private let neighbour: [UInt8] = [2, 0, 0, 0, 0, 1]

    private func address(_ text: String) throws -> Endpoint.Address { try #require(Endpoint.Address(numeric: text)) }

    /// Covers INK-HSK-056.
    @Test func `all addresses of one neighbour are one source`() throws {
        let sources = try ["10.77.1.1", "10.77.1.2", "fd00::1", "fd00::2", "fe80::1"].map {
            LinkSource(try address($0), isOnLink: true, neighbour: neighbour)
        }
        #expect(Set(sources) == [.neighbour(neighbour)])
    }

    @Test func `an address on the link without a known neighbour is a source of its own`() throws {
        let one = LinkSource(try address("fd00::1"), isOnLink: true, neighbour: nil)
        #expect(one == .address(try address("fd00::1")))
        #expect(one != LinkSource(try address("fd00::2"), isOnLink: true, neighbour: []))
    }

    /// Covers INK-HSK-056.
    @Test func `addresses of IPv6 elsewhere are one source for each 64 bits`() throws {
        let sources = try ["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"].map {
            LinkSource(try address($0), isOnLink: false, neighbour: nil)
        }
        #expect(
            sources == [
                .network(0x2001_0db8_0000_0000), .network(0x2001_0db8_0000_0000), .network(0x2001_0db8_0000_0001),
            ])
    }

    @Test func `an address of IPv4 elsewhere is a source of its own`() throws {
        #expect(
            LinkSource(try address("192.0.2.1"), isOnLink: false, neighbour: nil) == .address(try address("192.0.2.1")))
    }

    @Test func `the kernel knows an address of this machine as one of the link without a neighbour`() throws {
        var neighbours = Neighbours()
        for text in ["127.0.0.1", "127.3.2.1", "::1"] {
            #expect(neighbours.source(of: try address(text), at: 0) == .address(try address(text)))
        }
    }

    /// Messages of a Linux 6.1 kernel, little-endian.
    @Test func `routes and neighbours are parsed`() throws {
        // struct nlmsghdr; struct rtmsg; RTA_OIF 3; RTA_GATEWAY fd00::1.
        let header: [UInt8] = [56, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0]
        let route = header + [10, 128, 0, 0, 254, 0, 0, 1, 0, 0, 0, 0] + [8, 0, 4, 0, 3, 0, 0, 0]
        #expect(RouteAnswer(route.span) == RouteAnswer(interface: 3, hasGateway: false, isLocal: false))
        let gateway = route + [20, 0, 5, 0, 0xfd] + [UInt8](repeating: 0, count: 14) + [1]
        #expect(RouteAnswer(gateway.span) == RouteAnswer(interface: 3, hasGateway: true, isLocal: false))
        #expect(RouteAnswer(header.span) == nil)
        var found: [UInt8] = [40, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0]
        #expect(linkLayerAddress(in: found.span) == nil)
        found += [2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 1, 10, 0, 2, 0] + neighbour + [0, 0]
        #expect(linkLayerAddress(in: found.span) == neighbour)
    }
}
