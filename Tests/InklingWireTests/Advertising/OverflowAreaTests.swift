import InklingKeys
import InklingTesting
import InklingWire
import Testing

/// Returns the UUID with a text form.
private func uuid(_ text: String) -> UUID128 {
    UUID128(bytes(text.filter { $0 != "-" }).span) ?? UUID128(short: 0)
}

private func area(_ byte: Int, _ mask: UInt8) -> [UInt8] {
    var data = bytes("14 ff 4c 00 01") + [UInt8](repeating: 0, count: 16)
    data[5 + byte] = mask
    return data
}

@Suite struct `The overflow area of iPhones` {
    @Test(arguments: [
        // Captured by four parties (ios-overflow-area; COVID-19-app-Android-BETA#39; AOSP;
        // bluenet-ios-basic-localization).
        ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", UInt8(83), 10, UInt8(0x08)),
        ("c1f5983c-fa94-4ac8-8e2e-bb86d6de9b21", 78, 9, 0x40),
        ("00003AC5-0000-1000-8000-00805F9B34FB", 109, 13, 0x20),
        ("0000C007-0000-1000-8000-00805F9B34FB", 36, 4, 0x10),
        ("0000C008-0000-1000-8000-00805F9B34FB", 59, 7, 0x08),
        ("00001001-0000-1000-8000-00805F9B34FB", 57, 7, 0x02),
        ("00003333-0000-1000-8000-00805F9B34FB", 57, 7, 0x02),
        ("E20A39F4-73F5-4BC4-A12F-17D1AD07A961", 53, 6, 0x20),
        // The service of this protocol.
        ("1a356f5b-2e00-8d8d-b35a-edd2584c4da4", 127, 15, 0x80),
    ])
    func `a service sets the bit that was captured`(text: String, hash: UInt8, byte: Int, mask: UInt8) throws {
        let bit = OverflowBit(of: uuid(text))
        #expect(bit.hash == hash)
        #expect(bit.byte == byte)
        #expect(bit.mask == mask)
        #expect(try OverflowArea.matches(uuid(text), parsing: area(byte, mask).span))
        #expect(try !OverflowArea.matches(uuid(text), parsing: area(byte, ~mask).span))
        #expect(try !OverflowArea.matches(uuid(text), parsing: area((byte + 1) % 16, mask).span))
    }

    @Test func `the bit of this protocol is not that of the Apple Watch`() {
        #expect(OverflowBit(of: .service).hash != 66)
    }

    @Test func `other frames of the same advertisement are ignored`() throws {
        let data = bytes("02 01 1a 02 0a 0c 0b ff 4c 00 10 06 13 1a 00 00 00 00") + area(10, 0x08)
        #expect(try OverflowArea.matches(uuid("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"), parsing: data.span))
    }

    @Test func `one of several areas is enough`() throws {
        let data = area(0, 1) + area(15, 0x80)
        #expect(try OverflowArea.matches(.service, parsing: data.span))
        #expect(try OverflowArea.list(parsing: data.span).count == 2)
    }

    @Test func `data without an area matches nothing`() throws {
        #expect(try !OverflowArea.matches(.service, parsing: bytes("02 01 06").span))
        #expect(try !OverflowArea.matches(.service, parsing: [UInt8]().span))
    }

    @Test func `a bitmap of all ones is refused`() {
        let data = bytes("14 ff 4c 00 01") + [UInt8](repeating: 0xff, count: 16)
        expectRefusal(.saturatedOverflow(offset: 21), "overflow", "saturated") {
            () throws(AdvertisingError) in
            _ = try OverflowArea.matches(.service, parsing: (area(15, 0x80) + data).span)
        }
    }

    @Test(arguments: [0, 1, 15, 17])
    func `a bitmap that is not sixteen bytes long is refused`(count: Int) {
        let data = [UInt8(4 + count)] + bytes("ff 4c 00 01") + [UInt8](repeating: 1, count: count)
        expectRefusal(.overflowLength(offset: 0, count: 3 + count), "overflow", "bad-length") {
            () throws(AdvertisingError) in _ = try OverflowArea.matches(.service, parsing: data.span)
        }
    }
}
