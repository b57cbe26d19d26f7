import InklingKeys
import InklingTesting
import InklingWire
import Testing

private let header = "04 09 50 6f 9a 13"
private let service = "9e 2a 27 76 01 d7"
private let digits = "ee86ffa399825968e402a6832c863656"
private let name = OpaqueServiceName(Octets16(high: 0xee86_ffa3_9982_5968, low: 0xe402_a683_2c86_3656))

@Suite struct `Wi-Fi Aware frames` {
    @Test func `a name is encoded as the thirty-five bytes of the published example`() {
        let frame = WiFiAwareFrame.publishing(name)
        #expect(hex(frame) == hex(bytes(header + "03 1a 00" + service + "01 00 10 10" + digits)))
        #expect(frame.count == 35)
    }

    @Test func `a solicited publication differs from an unsolicited one only in the requestor`() {
        let (unsolicited, solicited) = (WiFiAwareFrame.publishing(name), WiFiAwareFrame.publishing(name, requestor: 9))
        #expect(unsolicited.indices.filter { unsolicited[$0] != solicited[$0] } == [16])
        #expect(solicited[16] == 9)
    }

    @Test func `frames of two devices differ only in the sixteen bytes of the name`() {
        let other = OpaqueServiceName(Octets16(high: ~name.octets.high, low: ~name.octets.low))
        let (one, two) = (WiFiAwareFrame.publishing(name), WiFiAwareFrame.publishing(other))
        #expect(one.indices.filter { one[$0] != two[$0] } == Array(19..<35))
    }

    @Test func `a subscription is eighteen bytes long and contains no name`() throws {
        let frame = WiFiAwareFrame.subscribing()
        #expect(hex(frame) == hex(bytes(header + "03 09 00" + service + "01 00 01")))
        #expect(try WiFiAwareFrame.name(parsing: frame.span) == nil)
    }

    @Test(arguments: ["", "00 02 00 80 40", "0f 00 00", "03 02 00 9e 2a", "03 0a 00 010203040506 01 00 10 ff"])
    func `other attributes and malformed descriptors of other services are ignored`(other: String) throws {
        let ours = bytes("03 1a 00" + service + "01 00 10 10" + digits)
        #expect(try WiFiAwareFrame.name(parsing: (bytes(header + other) + ours).span) == name)
        #expect(try WiFiAwareFrame.name(parsing: (bytes(header) + ours + bytes(other)).span) == name)
    }

    @Test func `attributes are listed with their offsets`() throws {
        let frame = try WiFiAwareFrame(parsing: bytes(header + "00 02 00 80 40 0f 00 00").span)
        #expect(frame.attributes.map(\.type) == [0x00, 0x0f])
        #expect(frame.attributes.map(\.content) == [[0x80, 0x40], []])
        #expect(frame.attributes.map(\.offset) == [6, 11])
    }

    @Test(arguments: [
        ("03", WiFiAwareError.truncatedAttribute(offset: 6)), ("0f 01 00", .truncatedAttribute(offset: 6)),
        ("0f 00 00 dd ff ff", .truncatedAttribute(offset: 9)),
    ])
    func `an attribute that extends past the end is refused with its offset`(rest: String, error: WiFiAwareError) {
        expectRefusal(error, "attributes", "truncated") { () throws(WiFiAwareError) in
            _ = try WiFiAwareFrame(parsing: bytes(header + rest).span)
        }
    }

    @Test(arguments: ["09 09 50 6f 9a 13", "04 0a 50 6f 9a 13", "04 09 00 50 f2 13", "04 09 50 6f 9a 18"])
    func `a frame of another kind is refused`(header: String) {
        expectRefusal(.notServiceDiscovery, "frame", "not-service-discovery") { () throws(WiFiAwareError) in
            _ = try WiFiAwareFrame(parsing: bytes(header).span)
        }
    }

    @Test func `a frame longer than a management frame is refused`() {
        let frame = [UInt8](repeating: 0, count: WiFiAwareFrame.byteLimit + 1)
        expectRefusal(.frameTooLong(count: 2305), "frame", "too-long") { () throws(WiFiAwareError) in
            _ = try WiFiAwareFrame(parsing: frame.span)
        }
    }

    @Test func `a publication without a name, with half a name or with two names is refused`() {
        func refuse(_ error: WiFiAwareError, _ reason: String, _ rest: String) {
            expectRefusal(error, "name", reason) { () throws(WiFiAwareError) in
                _ = try WiFiAwareFrame.name(parsing: bytes(header + rest).span)
            }
        }
        let ours = "03 1a 00" + service + "01 00 10 10" + digits
        refuse(.noName(offset: 6), "absent", "03 09 00" + service + "01 00 00")
        refuse(.nameLength(offset: 6, count: 8), "bad-length", "03 12 00" + service + "01 00 10 08 0011223344556677")
        refuse(.repeatedName(offset: 35), "repeated", ours + ours)
    }

    @Test(arguments: [
        "0e 19 00 01 00 00 14 00 50 6f 9a 02", "0e 1e 00 01 00 03 01 00 02 00 07 14 00 50 6f 9a 02",
        "0e 00 00 0e 01 00 02 0e 19 00 01 04 00 14 00 50 6f 9a 02",
    ])
    func `a name in the extension attribute of the same instance is found`(start: String) throws {
        let descriptor = "03 09 00" + service + "01 00 00"
        #expect(try WiFiAwareFrame.name(parsing: bytes(header + descriptor + start + digits).span) == name)
        #expect(try WiFiAwareFrame.name(parsing: bytes(header + start + digits + descriptor).span) == name)
    }

    @Test(arguments: [
        (WiFiAwareError.truncatedExtension(count: 2), "0e 02 00 01 00", "truncated"),
        (.truncatedExtension(count: 4), "0e 04 00 01 00 00 14", "truncated"),
        (.truncatedExtension(count: 3), "0e 03 00 01 00 01", "truncated"),
        (.extensionLength(count: 4, got: 5), "0e 09 00 01 00 00 05 00 50 6f 9a 02", "bad-length"),
        (.extensionLength(count: 3, got: 3), "0e 08 00 01 00 00 03 00 50 6f 9a", "bad-length"),
    ])
    func `a malformed extension of the Inkling service is refused`(error: WiFiAwareError, rest: String, reason: String)
    {
        expectRefusal(error, "extension", reason) { () throws(WiFiAwareError) in
            _ = try WiFiAwareFrame.name(parsing: bytes(header + "03 09 00" + service + "01 00 00" + rest).span)
        }
    }
}
