import InklingNode
import InklingTesting
import InklingWire
import Testing

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

    @Test(arguments: ["192.0.2.1:0", "192.0.2.1", "[::1", "example:80", ""])
    func `a text that is no endpoint creates none`(text: String) {
        #expect(Endpoint(text) == nil)
        #expect(throws: DecodingError.self) { try decode(Endpoint.self, from: #""\#(text)""#) }
    }

    @Test(arguments: ["192.0.2.1:4000", "[2001:db8::1]:1", "[fe80::1%3]:65535"])
    func `an endpoint is coded as its text`(text: String) throws {
        let value = CodedValue(try Endpoint(text: text))
        #expect(try value.encoded() == #""\#(text)""#)
        #expect(try value.returns())
    }
}
