import InklingNode
import Testing

@testable import InklingLinux

struct EndpointTextTests {
    @Test(arguments: ["192.0.2.1:4000", "[2001:db8::1]:1", "[fe80::1%3]:65535", "0.0.0.0:9"])
    func `the description of an endpoint is the text it was parsed from`(text: String) throws {
        #expect(try Endpoint(text: text).description == text)
    }

    @Test func `the first byte of an address is the most significant one`() throws {
        #expect(try Endpoint(text: "192.0.2.1:4000") == Endpoint(address: .v4(0xc000_0201), port: 4000))
    }

    @Test(arguments: [
        ("", EndpointError.malformed), ("192.0.2.1", .malformed), ("2001:db8::1:80", .malformed), ("[::1]", .malformed),
        (":80", .malformed), ("[]:80", .malformed), ("[192.0.2.1]:80", .malformed), ("[fe80::1%]:80", .malformed),
        ("a]b:80", .malformed), ("192.0.2.1:", .port), ("192.0.2.1:0", .port), ("192.0.2.1:65536", .port),
        ("192.0.2.1:+8", .port), ("192.0.2.1:99999999999999999999", .port), ("example:80", .notNumeric),
        ("192.0.2.256:80", .notNumeric), ("\u{0}:80", .malformed),
        (String(repeating: "a", count: 400) + ":80", .malformed),
    ])
    func `rejects an invalid text with the expected error`(text: String, error: EndpointError) {
        #expect(throws: error) { try Endpoint(text: text) }
    }

    @Test func `resolves a name of this machine`() throws {
        let found = try Endpoint.lookUp("localhost:4000")
        #expect(found.contains { $0.address == .v4(0x7f00_0001) || $0.description == "[::1]:4000" })
        #expect(found.allSatisfy { $0.port == 4000 })
    }

    @Test func `parses a numeric endpoint without resolving it`() throws {
        #expect(try Endpoint.lookUp("192.0.2.1:4000") == [Endpoint(address: .v4(0xc000_0201), port: 4000)])
    }

    @Test func `throws for a name that cannot be resolved`() {
        #expect { try Endpoint.lookUp("no-such-host.invalid:80") } throws: { error in
            if case EndpointError.unknownHost = error { true } else { false }
        }
    }
}
