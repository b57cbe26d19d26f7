import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `Devices in lanes` {
    /// Returns trees as contacts hold them, each with its own root and its own interval around a period.
    private func trees(_ count: Int, around number: UInt32) throws -> [SecretBox<AudienceTree>] {
        var generator = SeededGenerator(seed: UInt64(number))
        return try (0..<count).map { index in
            let whole = AudienceTree(root: SecretBytes(count: 32, from: &generator))
            if index % 5 == 0 { return SecretBox(whole) }
            let from = try period(number - UInt32.random(in: 0...700, using: &generator))
            let to = try period(number + UInt32.random(in: 0...700, using: &generator))
            return SecretBox(try unwrap(whole.constrained(from: from, to: to)))
        }
    }

    @Test(arguments: LanePath.allCases.filter(\.isAvailable), [0, 496_000, 496_001, 1_048_575] as [UInt32])
    func `yield the same names, minors and tags as devices computed one at a time`(path: LanePath, covered: UInt32)
        throws
    {
        let coveredPeriod = try period(covered)
        let middle = min(max(covered, 700), 1_048_575 - 700)
        let trees = try trees(41, around: middle).filter { $0.value.periodKey(coveredPeriod) != nil }
        var nodes = NodeLanes(covering: coveredPeriod, capacity: trees.count)
        for tree in trees where !nodes.append(tree.value) { Issue.record("a tree that holds the period was not added") }
        let leaves = nodes.leaves(by: path)
        for number in [0, 1, 15] as [UInt8] {
            let device = try #require(DeviceIndex(number))
            let lanes = DeviceLanes(device, of: leaves, withTags: true, by: path)
            for number in covered * 4...covered * 4 + 3 {
                let epoch = try epoch(number)
                let names = try trees.map { tree in
                    try unwrap(tree.value.periodKey(coveredPeriod)).deviceKeys(device).mdns.serviceName(epoch)
                }
                let minors = try trees.map { tree in
                    try unwrap(tree.value.periodKey(coveredPeriod)).deviceKeys(device).beacon.minor(epoch)
                }
                let tags = try trees.map { tree in
                    try unwrap(tree.value.periodKey(coveredPeriod)).deviceKeys(device).gatt.tag(epoch)
                }
                let (shownNames, shownMinors, shownTags) = (lanes.names(epoch), lanes.minors(epoch), lanes.tags(epoch))
                #expect(shownNames == names)
                #expect(shownMinors == minors)
                #expect(shownTags == tags)
            }
        }
    }

    @Test func `yield the published identifiers`() throws {
        var nodes = NodeLanes(covering: try period(examplePeriod), capacity: 1)
        let wasAdded = nodes.append(exampleTree())
        #expect(wasAdded)
        let lanes = DeviceLanes(.first, of: nodes.leaves())
        let names = lanes.names(try epoch(1_984_000)).map(\.description)
        let minors = lanes.minors(try epoch(1_984_000))
        #expect(names == ["ee86ffa399825968e402a6832c863656"])
        #expect(minors == [BeaconMinor(0xf9c5)])
    }

    @Test func `reject a tree that does not hold the period, and one too many`() throws {
        let tree = exampleTree()
        let other = try unwrap(tree.constrained(from: try period(5), to: try period(9)))
        var nodes = NodeLanes(covering: try period(10), capacity: 1)
        let wereAdded = [nodes.append(other), nodes.append(tree), nodes.append(tree)]
        #expect(wereAdded == [false, true, false])
    }

    @Test func `yield no tags unless requested`() throws {
        var nodes = NodeLanes(covering: try period(10), capacity: 1)
        let wasAdded = nodes.append(exampleTree())
        #expect(wasAdded)
        let lanes = DeviceLanes(.first, of: nodes.leaves())
        let tags = lanes.tags(try epoch(40))
        #expect(tags.isEmpty)
    }

    @Test func `are empty without trees`() throws {
        let nodes = NodeLanes(covering: try period(10), capacity: 0)
        let lanes = DeviceLanes(.first, of: nodes.leaves())
        let shown = (lanes.count, lanes.names(try epoch(40)), lanes.minors(try epoch(40)))
        #expect(shown.0 == 0 && shown.1.isEmpty && shown.2.isEmpty)
    }
}
