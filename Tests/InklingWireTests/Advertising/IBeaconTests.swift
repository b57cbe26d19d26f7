import InklingKeys
import InklingTesting
import InklingWire
import Testing

private let frame = "1a ff 4c 00 02 15 abe0bf31f9d48c5f814537ff0309dd60 0000 f9c5 c5"

@Suite struct `iBeacon frames` {
    /// Covers INK-ADV-002.
    @Test func `a minor is encoded as the thirty bytes of the published example`() {
        let beacon = IBeacon(minor: BeaconMinor(0xf9c5))
        #expect(hex(beacon.encoded()) == hex(bytes("02 01 06" + frame)))
        #expect(beacon.encoded().count == IBeacon.byteCount)
    }

    @Test func `a frame survives encoding and parsing`() throws {
        let uuid = UUID128(Octets16(high: 0xe20a_39f4_73f5_4bc4, low: 0xa12f_17d1_ad07_a961))
        for power in [Int8.min, -59, 0, .max] {
            let beacon = IBeacon(proximity: uuid, major: 0xfffe, minor: BeaconMinor(0x0102), measuredPower: power)
            #expect(try IBeacon(parsing: beacon.encoded().span) == beacon)
        }
    }

    @Test(arguments: ["", "02 01 1a", "02 0a 08 05 ff 4c 00 10 01", "03 03 0f 18", "03 ff e0 00"])
    func `other structures may be around the frame, and Flags may be missing`(other: String) throws {
        let expected = IBeacon(minor: BeaconMinor(0xf9c5))
        #expect(try IBeacon(parsing: bytes(other + frame).span) == expected)
        #expect(try IBeacon(parsing: bytes(frame + other).span) == expected)
    }

    @Test(arguments: ["", "02 01 06", "04 ff 4c 00 10", "05 ff 4d 00 02 15", "05 16 4c 00 02 15", "03 ff 4c 00"])
    func `data without a frame is not an iBeacon`(data: String) {
        expectRefusal(.notIBeacon, "ibeacon", "not-ibeacon") {
            () throws(AdvertisingError) in _ = try IBeacon(parsing: bytes(data).span)
        }
    }

    @Test func `two frames in one advertisement are refused`() {
        expectRefusal(.repeatedIBeacon(offset: 27), "ibeacon", "repeated") {
            () throws(AdvertisingError) in _ = try IBeacon(parsing: bytes(frame + frame).span)
        }
    }

    @Test func `a frame without its length byte is refused`() {
        expectRefusal(.truncatedIBeacon(offset: 0), "ibeacon", "truncated") {
            () throws(AdvertisingError) in _ = try IBeacon(parsing: bytes("04 ff 4c 00 02").span)
        }
    }

    @Test(arguments: [UInt8(0), 0x14, 0x16, 0xff])
    func `a frame with another length is refused`(length: UInt8) {
        var data = bytes(frame)
        data[5] = length
        expectRefusal(.iBeaconLength(offset: 0, got: length), "ibeacon", "bad-length") {
            () throws(AdvertisingError) in _ = try IBeacon(parsing: data.span)
        }
    }

    @Test(arguments: [0, 1, 20])
    func `a frame with fewer than 21 bytes is refused`(count: Int) {
        let data = [UInt8(5 + count)] + bytes("ff 4c 00 02 15") + [UInt8](repeating: 9, count: count)
        expectRefusal(.truncatedIBeacon(offset: 0), "ibeacon", "truncated") {
            () throws(AdvertisingError) in _ = try IBeacon(parsing: data.span)
        }
    }

    @Test func `a frame with more than 21 bytes is refused`() {
        var data = bytes(frame) + [0x00]
        data[0] = 0x1b
        expectRefusal(.trailingBytes(offset: 0), "ibeacon", "trailing-bytes") {
            () throws(AdvertisingError) in _ = try IBeacon(parsing: data.span)
        }
    }
}
