import InklingTesting
import Testing

@testable import InklingKeys

/// The audience root of the known answers: bytes 0x20…0x3f.
private func exampleTree() -> AudienceTree {
    AudienceTree(root: SecretBytes(copying: [UInt8](0x20...0x3f).span))
}

@Suite struct `Derivations from an audience root` {
    @Test func `one quarter hour of device 0 gives the published identifiers`() throws {
        let epoch = try #require(Epoch(containing: 1_785_600_000))
        #expect(epoch.number == 1_984_000)
        #expect(epoch.period.number == 496_000)
        let period = try unwrap(exampleTree().periodKey(epoch.period))
        let keys = period.deviceKeys(.first)
        #expect(keys.mdns.serviceName(epoch).description == "ee86ffa399825968e402a6832c863656")
        #expect(keys.mdns.hostName(epoch).description == "247f2895250d23da6bb0d8d9e9808ea3")
        #expect(keys.beacon.minor(epoch).value == 0xf9c5)
        #expect(keys.gatt.tag(epoch).description == "0bdc3018c5e0835a1c2da209526c3f94")
        let psk = keys.confirm.preSharedKey(epoch).withBytes { Octets32($0) }
        #expect(psk?.description == "44460bc81fd94fc75a2eca8c77cfd088bdc31c5624159275625157f10b266e2f")
        let gate = keys.confirm.gateKey(epoch).withBytes { Octets32($0) }
        #expect(gate?.description == "3c63ba7ed727734fb324d04ca65a85283165ec744b3d9b03c119e988cdad8aef")
    }

    @Test func `a second device of the same user shows unrelated values`() throws {
        let epoch = try #require(Epoch(1_984_000))
        let period = try unwrap(exampleTree().periodKey(epoch.period))
        let second = period.deviceKeys(try #require(DeviceIndex(1)))
        #expect(second.mdns.serviceName(epoch).description == "d3dcd03c463d203da83eb00153784538")
        #expect(second.beacon.minor(epoch).value == 0x3133)
    }

    @Test func `forgetting the past keeps the present key and loses every earlier one`() throws {
        var tree = exampleTree()
        let now = try #require(Period(496_000))
        let before = try #require(tree.periodKey(now)?.withBytes { Octets32($0) })
        tree.forget(before: now)
        #expect(tree.periodKey(now)?.withBytes { Octets32($0) } == before)
        #expect(tree.periodKey(try #require(now.previous)) == nil)
        #expect(tree.interval == 496_000...1_048_575)
        #expect(tree.nodes.count <= 20)
    }

    @Test func `the month after a period is covered by the four published nodes`() throws {
        let from = try #require(Period(496_000))
        let to = try #require(Period(496_000 + 719))
        let cover = TreeNode.cover(from: from, to: to)
        #expect(cover.map { [UInt32($0.depth), $0.prefix] } == [[13, 3875], [11, 969], [14, 7760], [16, 31044]])
    }
}
