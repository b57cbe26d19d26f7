import InklingKeys
import InklingTesting
import InklingWire
import Testing

@Suite struct `Lists of service UUIDs` {
    @Test func `lists are parsed in order, and each UUID in little-endian order`() throws {
        let data = bytes("02 01 06  05 03 0f18 0a18  11 06 a44d4c58d2ed5ab38d8d002e5b6f351a  03 02 3333")
        #expect(
            try ServiceUUIDs(parsing: data.span).uuids
                == [.short(0x180f), .short(0x180a), .full(.service), .short(0x3333)])
    }

    @Test func `lists survive encoding and parsing, with short UUIDs first`() throws {
        let list = ServiceUUIDs([.full(.service), .short(0x180f), .full(.proximity), .short(1)])
        let encoded = try list.encoded()
        #expect(
            hex(encoded)
                == "05030f180100" + "2107a44d4c58d2ed5ab38d8d002e5b6f351a60dd0903ff3745815f8cd4f931bfe0ab")
        #expect(
            try ServiceUUIDs(parsing: encoded.span).uuids
                == [.short(0x180f), .short(1), .full(.service), .full(.proximity)])
    }

    @Test func `data without a list yields no UUIDs`() throws {
        #expect(try ServiceUUIDs(parsing: bytes("02 01 06 05 05 01020304").span).uuids.isEmpty)
        #expect(try ServiceUUIDs([]).encoded().isEmpty)
    }

    @Test(arguments: [
        ("02 03 01", 0, 1), ("02 01 06 02 02 01", 3, 1), ("03 07 0102", 0, 2),
        ("10 06 " + String(repeating: "00", count: 15), 0, 15),
    ])
    func `a list that is not a whole number of UUIDs is refused`(data: String, offset: Int, count: Int) {
        expectRefusal(.serviceListLength(offset: offset, count: count), "service-uuids", "bad-length") {
            () throws(AdvertisingError) in _ = try ServiceUUIDs(parsing: bytes(data).span)
        }
    }

    @Test func `a list that does not fit into a structure is not encoded`() throws {
        #expect(try ServiceUUIDs([ServiceUUID](repeating: .full(.service), count: 15)).encoded().count == 242)
        #expect(try ServiceUUIDs([ServiceUUID](repeating: .short(7), count: 127)).encoded().count == 256)
        expectRefusal(.listTooLong(count: 256), "arguments", "too-long") {
            () throws(AdvertisingError) in
            _ = try ServiceUUIDs([ServiceUUID](repeating: .full(.service), count: 16)).encoded()
        }
    }
}

@Suite struct `UUIDs of 128 bits` {
    /// Covers INK-ADV-002.
    @Test(arguments: [
        ("proximity", "abe0bf31-f9d4-8c5f-8145-37ff0309dd60"),
        ("service", "1a356f5b-2e00-8d8d-b35a-edd2584c4da4"),
        ("tag", "3378d865-2ebf-8be9-a321-b5bf4ab7e545"),
        ("in", "10019a65-c801-89a6-90a2-441db33e3a2c"),
        ("out", "1c6409b9-a48e-8f54-9ba3-e4da3e87ed6e"),
    ])
    func `the UUIDs of the protocol are derived from their names`(name: String, text: String) {
        #expect(UUID128(named: name).description == text)
    }

    @Test func `a short UUID is expanded with the Bluetooth base UUID`() {
        #expect(UUID128(short: 0x3ac5).description == "00003ac5-0000-1000-8000-00805f9b34fb")
        #expect(ServiceUUID.short(0xffff).expanded.description == "0000ffff-0000-1000-8000-00805f9b34fb")
    }

    @Test(arguments: [0, 15, 17])
    func `a UUID of another length is refused`(count: Int) {
        #expect(UUID128([UInt8](repeating: 1, count: count).span) == nil)
    }
}
