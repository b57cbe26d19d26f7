import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `The keys of one period` {
    private func keys(_ device: UInt8) throws -> DeviceKeys {
        let key = try unwrap(exampleTree().periodKey(try period(examplePeriod)))
        return key.deviceKeys(try unwrap(DeviceIndex(device)))
    }

    @Test func `yield the published identifiers of device 0`() throws {
        let now = try epoch(1_984_000)
        let keys = try keys(0)
        #expect(keys.mdns.serviceName(now).description == "ee86ffa399825968e402a6832c863656")
        #expect(keys.mdns.hostName(now).description == "247f2895250d23da6bb0d8d9e9808ea3")
        #expect(keys.beacon.minor(now).value == 0xf9c5)
        #expect(keys.gatt.tag(now).description == "0bdc3018c5e0835a1c2da209526c3f94")
        #expect(
            hex(keys.confirm.preSharedKey(now)) == "44460bc81fd94fc75a2eca8c77cfd088bdc31c5624159275625157f10b266e2f")
        #expect(hex(keys.confirm.gateKey(now)) == "3c63ba7ed727734fb324d04ca65a85283165ec744b3d9b03c119e988cdad8aef")
    }

    @Test func `yield other published identifiers for device 1`() throws {
        let now = try epoch(1_984_000)
        let keys = try keys(1)
        #expect(keys.mdns.serviceName(now).description == "d3dcd03c463d203da83eb00153784538")
        #expect(keys.beacon.minor(now).value == 0x3133)
    }

    @Test func `can be created from any secret, for known-answer tests`() throws {
        let key = EpochKey<MDNSUse>(secret([UInt8](0x00...0x1f)))
        #expect(key.serviceName(try epoch(1_960_000)).description == "a8d5c00906a75e0177c44b4e94171642")
        #expect(key.withBytes { $0.count } == 32)
    }

    @Test func `yield different values for all devices and epochs`() throws {
        var shown: Set<String> = []
        for device in UInt8(0)..<16 {
            let keys = try keys(device)
            for quarter in UInt32(0)..<4 {
                let epoch = try epoch(1_984_000 + quarter)
                shown.formUnion([
                    keys.mdns.serviceName(epoch).description, keys.mdns.hostName(epoch).description,
                    keys.gatt.tag(epoch).description, hex(keys.confirm.preSharedKey(epoch)),
                    hex(keys.confirm.gateKey(epoch)),
                ])
            }
        }
        #expect(shown.count == 16 * 4 * 5)
    }

    @Test func `exist only for device indices below sixteen`() {
        #expect(DeviceIndex(15)?.number == 15)
        #expect(DeviceIndex(16) == nil)
        #expect(DeviceIndex(255) == nil)
        #expect(DeviceIndex(0) == .first)
    }
}
