import InklingTesting
import InklingWire
import Testing

private let start = "9e 2a 27 76 01 d7 01 00"

private func attribute(_ control: String, _ rest: String = "") -> [UInt8] {
    let content = bytes(start + control + rest)
    return [0x03, UInt8(content.count), 0x00] + content
}

@Suite struct `Wi-Fi Aware service descriptors` {
    @Test func `the service identifier is derived from the name, regardless of its case`() {
        #expect(WiFiAwareServiceID.inkling.value == 0x9e2a_2776_01d7)
        #expect(WiFiAwareServiceID(of: "_INKLING._tcp") == .inkling)
        #expect(WiFiAwareServiceID(of: "_inkling._udp") != .inkling)
    }

    @Test func `every field survives encoding and parsing`() throws {
        let descriptor = WiFiAwareServiceDescriptor(
            role: .followUp, service: .inkling, instance: 7, requestor: 9, isRangeLimited: true, bindingBitmap: 0x0102,
            matchingFilter: [[0x61], []], responseFilter: [0x02, 1, 2, 3, 4, 5, 6], serviceInfo: [0xee, 0x86])
        let encoded = try descriptor.encoded()
        #expect(
            hex(encoded)
                == hex(bytes("03 1a 00 9e2a277601d7 07 09 7e 02 01 03 01 61 00 07 02 010203040506 02 ee 86")))
        #expect(try WiFiAwareServiceDescriptor(parsing: encoded.span) == descriptor)
    }

    @Test(arguments: WiFiAwareServiceDescriptor.Role.allCases)
    func `a descriptor without optional fields is twelve bytes long`(role: WiFiAwareServiceDescriptor.Role) throws {
        let encoded = try WiFiAwareServiceDescriptor(role: role, service: .inkling, instance: 1).encoded()
        #expect(encoded == attribute(role == .publish ? "00" : role == .subscribe ? "01" : "02"))
    }

    @Test(arguments: [
        (WiFiAwareError.truncatedDescriptor(count: 11), "03 08 00" + start, "descriptor", "truncated"),
        (.notDescriptor(type: 0x0e), "0e 09 00" + start + "00", "descriptor", "not-descriptor"),
        (.descriptorLength(count: 12, got: 0x0900), "03 00 09" + start + "00", "descriptor", "bad-length"),
        (.randomizedService, "03 09 00" + start + "80", "descriptor", "randomized"),
        (.unknownRole, "03 09 00" + start + "03", "descriptor", "unknown-role"),
        (.truncatedField(.bindingBitmap), "03 0a 00" + start + "40 01", "binding-bitmap", "truncated"),
        (.truncatedField(.matchingFilter), "03 0a 00" + start + "04 01", "matching-filter", "truncated"),
        (.badFilterValue(offset: 1), "03 0c 00" + start + "04 02 00 01", "matching-filter", "bad-value"),
        (.truncatedField(.responseFilter), "03 09 00" + start + "08", "response-filter", "truncated"),
        (.emptyResponseFilter, "03 0a 00" + start + "08 00", "response-filter", "empty"),
        (.emptyResponseFilter, "03 0b 00" + start + "08 01 01", "response-filter", "empty"),
        (.responseFilterLength(count: 2), "03 0c 00" + start + "08 02 00 11", "response-filter", "bad-length"),
        (.truncatedField(.serviceInfo), "03 0b 00" + start + "10 02 00", "service-info", "truncated"),
        (.trailingBytes(offset: 9), "03 0a 00" + start + "00 00", "descriptor", "trailing-bytes"),
    ])
    func `each error has its own code`(error: WiFiAwareError, data: String, stage: String, reason: String) {
        expectRefusal(error, stage, reason) { () throws(WiFiAwareError) in
            _ = try WiFiAwareServiceDescriptor(parsing: bytes(data).span)
        }
    }

    @Test func `a descriptor that receivers would refuse is not encoded`() {
        func refuse(
            _ error: WiFiAwareError, _ stage: String, _ reason: String, _ descriptor: WiFiAwareServiceDescriptor
        ) {
            expectRefusal(error, stage, reason) { () throws(WiFiAwareError) in _ = try descriptor.encoded() }
        }
        func publish(
            instance: UInt8 = 1, matching: [[UInt8]]? = nil, response: [UInt8]? = nil, info: [UInt8]? = nil
        ) -> WiFiAwareServiceDescriptor {
            WiFiAwareServiceDescriptor(
                role: .publish, service: .inkling, instance: instance, matchingFilter: matching,
                responseFilter: response, serviceInfo: info)
        }
        let long = [UInt8](repeating: 1, count: 256)
        refuse(.zeroInstance, "descriptor", "zero-instance", publish(instance: 0))
        refuse(.fieldTooLong(.matchingFilter, count: 257), "matching-filter", "too-long", publish(matching: [long]))
        refuse(.fieldTooLong(.responseFilter, count: 256), "response-filter", "too-long", publish(response: long))
        refuse(.fieldTooLong(.serviceInfo, count: 256), "service-info", "too-long", publish(info: long))
        refuse(.emptyResponseFilter, "response-filter", "empty", publish(response: []))
    }
}
