import InklingLinux
import InklingNode
import InklingWire
import Testing

@Suite struct EndpointLookUpTests {
    @Test func `a name of this machine is looked up`() throws {
        let found = try Endpoint.lookUp("localhost:4000")
        #expect(found.contains { $0.address == .v4(0x7f00_0001) || $0.description == "[::1]:4000" })
        #expect(found.allSatisfy { $0.port == 4000 })
    }

    @Test func `a numeric endpoint needs no look-up`() throws {
        #expect(try Endpoint.lookUp("192.0.2.1:4000") == [Endpoint(address: .v4(0xc000_0201), port: 4000)])
    }

    @Test func `a name that cannot exist is refused`() {
        #expect { try Endpoint.lookUp("no-such-host.invalid:80") } throws: { error in
            if case EndpointError.unknownHost = error { true } else { false }
        }
    }
}
