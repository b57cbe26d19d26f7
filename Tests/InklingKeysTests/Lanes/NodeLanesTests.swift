import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `Nodes in lanes` {
    private static let paths = LanePath.allCases.filter(\.isAvailable)

    /// Trees with roots of their own, which hold different intervals; the first two hold all periods.
    private func trees(_ count: Int, around number: UInt32, seed: UInt64) throws -> [SecretBox<AudienceTree>] {
        var generator = SeededGenerator(seed: seed)
        return try (0..<count).map { index in
            let whole = AudienceTree(root: SecretBytes(count: 32, from: &generator))
            if index < 2 { return SecretBox(whole) }
            let from = try period(number - UInt32.random(in: 0...100, using: &generator))
            let to = try period(number + UInt32.random(in: 100...400, using: &generator))
            return SecretBox(try unwrap(whole.constrained(from: from, to: to)))
        }
    }

    /// Returns the keys of a period, from the kept siblings if possible, otherwise from each tree's own node.
    private func leaves(
        _ trees: [SecretBox<AudienceTree>], _ period: Period, _ siblings: inout SiblingLanes, by path: LanePath
    ) throws -> KeyLanes {
        if var nodes = NodeLanes(covering: period, after: siblings) {
            for lane in nodes.missing where !nodes.replace(lane, by: trees[lane].value) {
                Issue.record("lane \(lane) has no node")
            }
            return nodes.leaves(by: path, keeping: &siblings)
        }
        var nodes = NodeLanes(covering: period, capacity: trees.count)
        for tree in trees where !nodes.append(tree.value) { Issue.record("a tree was not added") }
        return nodes.leaves(by: path, keeping: &siblings)
    }

    private func expect(_ leaves: borrowing KeyLanes, areOf period: Period, in trees: [SecretBox<AudienceTree>]) throws
    {
        for (lane, tree) in trees.enumerated() {
            let found = hex(try unwrap(leaves.key(lane)))
            let walked = try unwrap(tree.value.periodKey(period)).withBytes { hex(SecretBytes(copying: $0)) }
            #expect(found == walked, "lane \(lane) in period \(period.number)")
        }
    }

    @Test(arguments: paths) func `yield in every hour of three days what the trees yield`(path: LanePath) throws {
        let trees = try trees(37, around: 496_020, seed: 1)
        var siblings = SiblingLanes()
        for number in 496_020..<496_100 as Range<UInt32> {
            let period = try period(number)
            let leaves = try leaves(trees, period, &siblings, by: path)
            try expect(leaves, areOf: period, in: trees)
        }
    }

    @Test func `yield what the trees yield after jumps of any length, forwards and backwards`() throws {
        let trees = try trees(20, around: 496_128, seed: 2)
        var generator = SeededGenerator(seed: 3)
        var siblings = SiblingLanes()
        for _ in 0..<300 {
            let period = try period(UInt32.random(in: 496_128...496_228, using: &generator))
            let leaves = try leaves(trees, period, &siblings, by: .best)
            try expect(leaves, areOf: period, in: trees)
        }
    }

    @Test(arguments: [0, 1, 62, 63, 64, 1_048_511, 1_048_574, 1_048_575] as [UInt32])
    func `yield what the trees yield at the ends of the tree and of what is kept`(number: UInt32) throws {
        let trees = (0..<3 as Range<UInt64>).map { seed in
            var generator = SeededGenerator(seed: seed)
            return SecretBox(AudienceTree(root: SecretBytes(count: 32, from: &generator)))
        }
        for from in [number, number - min(number, 1), number - min(number, 40)] {
            var siblings = SiblingLanes()
            for one in [from, number] {
                let period = try period(one)
                let leaves = try leaves(trees, period, &siblings, by: .best)
                try expect(leaves, areOf: period, in: trees)
            }
        }
    }

    @Test func `offer nothing for the same period, an earlier one, and one behind what is kept`() throws {
        let trees = try trees(3, around: 496_000, seed: 4)
        var siblings = SiblingLanes()
        _ = try leaves(trees, try period(496_005), &siblings, by: .best)
        for number in [496_005, 496_004, 495_000, 496_064] as [UInt32] {
            let isOffered = NodeLanes(covering: try period(number), after: siblings) != nil
            #expect(!isOffered)
        }
        let isOffered = NodeLanes(covering: try period(496_063), after: siblings) != nil
        #expect(isOffered)
        let isOfferedByNothing = NodeLanes(covering: try period(1), after: SiblingLanes()) != nil
        #expect(!isOfferedByNothing)
    }

    @Test func `name the lanes whose nodes are used up, and take a node for each of these only`() throws {
        let whole = exampleTree()
        let short = try unwrap(whole.constrained(from: try period(496_000), to: try period(496_002)))
        var nodes = NodeLanes(covering: try period(496_001), capacity: 2)
        let wereAdded = [nodes.append(short), nodes.append(whole)]
        #expect(wereAdded == [true, true])
        var siblings = SiblingLanes()
        _ = nodes.leaves(keeping: &siblings)
        var later = try unwrap(NodeLanes(covering: try period(496_002), after: siblings))
        let missing = later.missing
        #expect(missing == [0])
        let wereReplaced = [later.replace(1, by: whole), later.replace(0, by: short), later.replace(0, by: short)]
        #expect(wereReplaced == [false, true, false])
        let leaves = later.leaves()
        let (first, second) = (hex(try unwrap(leaves.key(0))), hex(try unwrap(leaves.key(1))))
        #expect(first == second)
        var over = try unwrap(NodeLanes(covering: try period(496_003), after: siblings))
        let isReplaced = over.replace(0, by: short)
        #expect(!isReplaced)
    }

    #if os(Linux) && DEBUG
        /// Sixteen lanes of the same tree, so that a word of a key is in memory sixteen times in a row.
        private func leaf(_ tree: borrowing AudienceTree, _ number: UInt32, _ siblings: inout SiblingLanes) throws {
            let period = try period(number)
            if let nodes = NodeLanes(covering: period, after: siblings) {
                _ = nodes.leaves(keeping: &siblings)
                return
            }
            var nodes = NodeLanes(covering: period, capacity: 16)
            for _ in 0..<16 where !nodes.append(tree) { Issue.record("the tree was not added") }
            _ = nodes.leaves(keeping: &siblings)
        }

        /// Returns the form that a word of a node's key has in lanes.
        private func needle(_ tree: borrowing AudienceTree, depth: UInt8, _ prefix: UInt32) throws -> Needle {
            let node = try unwrap(TreeNode(depth: depth, prefix: prefix))
            let root = tree.withKeyBytes { SecretBytes(copying: $0) }
            let key = AudienceTree.descend(from: root, steps: node.depth, path: node.prefix)
            let row = SecretBytes(count: 32) { row in
                key.withBytes { key in
                    // Words are big-endian in a key and numbers in lanes.
                    for index in 0..<32 { row[index] = key[31 - index % 4] }
                }
            }
            return row.withBytes { Needle(of: $0) }
        }

        @Test func `keep the key of no past period, nor of a node above one, and nothing when they are released`()
            throws
        {
            let tree = AudienceTree(root: secret([UInt8](0x51...0x70)))
            let number: UInt32 = 496_000 + 37
            // The siblings of the way to a period: those of later periods are kept, the others never were.
            let future = try (0..<5 as Range<UInt32>).filter { number >> $0 & 1 == 0 }.map { height in
                try needle(tree, depth: 20 - UInt8(height), number >> height ^ 1)
            }
            let past = try (0..<7 as Range<UInt32>).map { height in
                try needle(tree, depth: 20 - UInt8(height), number >> height & ~1)
            }
            let own = try (0..<7 as Range<UInt32>).map { try needle(tree, depth: 20 - UInt8($0), number >> $0) }
            try #require(future.count == 3)
            var siblings = SiblingLanes()
            for one in number - 3...number { try leaf(tree, one, &siblings) }
            #expect(future.allSatisfy { $0.copies() > 0 })
            #expect((past + own).allSatisfy { $0.copies() == 0 })
            siblings = SiblingLanes()
            #expect((future + past + own).allSatisfy { $0.copies() == 0 })
        }
    #endif
}
