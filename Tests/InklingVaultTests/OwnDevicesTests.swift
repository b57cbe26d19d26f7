import InklingKeys
import InklingTesting
import Testing

@testable import InklingVault

/// Another device of the user.
private func device(_ index: UInt8, key value: UInt8, lastMet: UInt64? = nil) -> OwnDevices.Device {
    OwnDevices.Device(
        index: DeviceIndex(index) ?? .first, key: octets(value), pairwiseKey: SecretBox(secret(value)),
        lastMet: lastMet)
}

@Suite struct OwnDevicesTests {
    @Test func `what is known of other devices is stored, in one order alone`() throws {
        var contents = try fullContents()
        contents.own.add(device(3, key: 7, lastMet: 1_800_000_000), holding: contents.audiences)
        contents.own.add(device(2, key: 8), holding: contents.audiences)
        contents.own.keepFormer(contents.audiences[0])
        contents.own.noteStored(9, blocked: [UserID(Octets16(high: 2, low: 1)), UserID(Octets16(high: 1, low: 2))])
        let stored = try encoded(contents)
        let parsed = try VaultContents(parsing: stored.span)
        #expect(parsed.own.devices.map(\.index.number) == [2, 3])
        #expect(parsed.own.generations.count { $0.former != nil } == 1)
        #expect(parsed.own.mark == 9)
        #expect(try encoded(parsed) == stored)
        // The users that are blocked there come last.
        var twice = stored
        twice.replaceSubrange(stored.count - 16..<stored.count, with: stored[stored.count - 32..<stored.count - 16])
        #expect(throws: VaultContentsError.self) { try VaultContents(parsing: twice.span) }
    }

    /// Covers INK-DEV-012.
    @Test func `generations that a device may hold are kept until it names a later state, 64 at most`() throws {
        var contents = try fullContents()
        var random = SeededGenerator(seed: 9)
        let now = try #require(Period(497_000))
        let index = try #require(DeviceIndex(4))
        contents.own.add(device(4, key: 5), holding: contents.audiences)
        for _ in 0..<100 {
            contents.begin(contents.audiences.map { $0.renewed(from: now, using: &random) })
            #expect(contents.own.mayHoldOthers(index, than: contents.audiences))
            // Each is sent, and the device never reports that it has stored it.
            contents.own.noteSent(to: index, contents.audiences)
        }
        #expect(contents.own.generations.count { $0.former != nil } == Int(OwnDevices.formerLimit))
        let stored = try encoded(contents)
        #expect(try encoded(VaultContents(parsing: stored.span)) == stored)
        contents.own.noteHeld(by: index, contents.audiences)
        #expect(!contents.own.mayHoldOthers(index, than: contents.audiences))
        #expect(contents.own.generations.allSatisfy { $0.former == nil })
        contents.own.keep([])
        #expect(contents.own.devices.isEmpty && contents.own.generations.isEmpty)
    }
}
