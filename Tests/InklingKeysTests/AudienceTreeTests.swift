import InklingTesting
import Testing

@testable import InklingKeys

/// Returns the key of a period, derived directly from the root.
private func expectedKey(_ number: UInt32) -> Octets32? {
    octets(AudienceTree.descend(from: exampleRoot(), steps: 20, path: number))
}

private func key(_ tree: borrowing AudienceTree, _ number: UInt32) throws -> Octets32? {
    tree.periodKey(try period(number))?.withBytes { Octets32($0) }
}

private func node(_ depth: UInt8, _ prefix: UInt32) throws -> TreeNode {
    try unwrap(TreeNode(depth: depth, prefix: prefix))
}

@Suite struct `An audience tree` {
    @Test func `yields different keys for the example period and the next one`() throws {
        // EpochKeyTests compares the identifiers of the example period with those in Specs/keys.md.
        try expectEqual(key(exampleTree(), examplePeriod), expectedKey(examplePeriod))
        #expect(try key(exampleTree(), examplePeriod) != key(exampleTree(), examplePeriod + 1))
    }

    @Test func `holds every period below its root`() throws {
        let tree = exampleTree()
        expectEqual(tree.interval, 0...1_048_575)
        expectEqual(tree.nodes, [.root])
        for number in [0, 1, 524_287, 524_288, 1_048_575] as [UInt32] {
            try expectEqual(key(tree, number), expectedKey(number))
        }
    }

    @Test func `yields only the keys of an interval after it is constrained to it`() throws {
        let owner = exampleTree()
        var generator = SeededGenerator(seed: 31)
        for _ in 0..<40 {
            let span = UInt32.random(in: 1...Grant.longestSpan, using: &generator)
            let from = UInt32.random(in: 1..<Period.limit - span, using: &generator)
            let to = from + span - 1
            let part = try unwrap(owner.constrained(from: try period(from), to: try period(to)))
            expectEqual(part.interval, from...to)
            for inside in [from, to, UInt32.random(in: from...to, using: &generator)] {
                try expectEqual(key(part, inside), expectedKey(inside))
            }
            for outside in [0, from - 1, to + 1, Period.limit - 1] { try expectEqual(key(part, outside), nil) }
        }
    }

    @Test func `cannot be constrained to periods that it does not hold, or to none`() throws {
        let part = try unwrap(exampleTree().constrained(from: try period(100), to: try period(200)))
        for (from, to) in [(99, 150), (150, 201), (0, 10), (201, 300), (150, 149)] as [(UInt32, UInt32)] {
            let isHeld = try part.constrained(from: period(from), to: period(to)) != nil
            #expect(!isHeld, "\(from)...\(to)")
        }
        let again = try unwrap(part.constrained(from: try period(120), to: try period(130)))
        try expectEqual(key(again, 125), expectedKey(125))
    }

    /// Covers INK-KEY-020.
    @Test func `keeps the current and later keys and erases the past ones over a thousand periods`() throws {
        var tree = exampleTree()
        for number in examplePeriod..<examplePeriod + 1000 {
            tree.forget(before: try period(number))
            try expectEqual(key(tree, number), expectedKey(number))
            try expectEqual(key(tree, number - 1), nil)
            expectEqual(tree.interval, number...Period.limit - 1)
            #expect(tree.nodes.count <= 20)
        }
        try expectEqual(key(tree, 0), nil)
        try expectEqual(key(tree, Period.limit - 1), expectedKey(Period.limit - 1))
    }

    @Test func `does not restore erased keys`() throws {
        var tree = exampleTree()
        tree.forget(before: try period(500))
        let nodes = tree.nodes
        for earlier in [0, 1, 499, 500] as [UInt32] { tree.forget(before: try period(earlier)) }
        expectEqual(tree.nodes, nodes)
        try expectEqual(key(tree, 499), nil)
    }

    @Test func `holds only the last leaf in the last period`() throws {
        var tree = exampleTree()
        tree.forget(before: .last)
        expectEqual(tree.nodes, [TreeNode(leaf: .last)])
        try expectEqual(key(tree, Period.limit - 1), expectedKey(Period.limit - 1))
        let part = try unwrap(tree.constrained(from: .last, to: .last))
        expectEqual(part.interval, Period.limit - 1...Period.limit - 1)
        // The block after the last one would begin at 2^20: creating and constraining the tree must not overflow.
        let restored = try unwrap(AudienceTree(nodes: tree.nodes, keys: tree.withKeyBytes { SecretBytes(copying: $0) }))
        try expectEqual(key(restored, Period.limit - 1), expectedKey(Period.limit - 1))
    }

    @Test func `is empty after the last period of a grant`() throws {
        var part = try unwrap(exampleTree().constrained(from: try period(100), to: try period(200)))
        part.forget(before: try period(200))
        expectEqual(part.interval, 200...200)
        part.forget(before: try period(201))
        expectEqual(part.interval, nil)
        #expect(part.nodes.isEmpty)
        #expect(part.withKeyBytes { $0.isEmpty })
        try expectEqual(key(part, 200), nil)
        part.forget(before: .last)
        let isHeld = try part.constrained(from: period(200), to: period(200)) != nil
        #expect(!isHeld)
    }

    /// Covers INK-KEY-020.
    @Test func `can be stored and restored`() throws {
        var tree = exampleTree()
        tree.forget(before: try period(examplePeriod))
        let copy = try unwrap(AudienceTree(nodes: tree.nodes, keys: tree.withKeyBytes { SecretBytes(copying: $0) }))
        expectEqual(copy.nodes, tree.nodes)
        for number in [examplePeriod, examplePeriod + 5000, Period.limit - 1] {
            try expectEqual(key(copy, number), expectedKey(number))
        }
    }

    @Test func `rejects nodes that do not form a cover`() throws {
        func isAccepted(_ nodes: [TreeNode], keyCount: Int? = nil) -> Bool {
            AudienceTree(nodes: nodes, keys: SecretBytes(count: 32 * (keyCount ?? nodes.count)) { _ in }) != nil
        }
        let (first, second, third) = (try node(20, 5), try node(20, 6), try node(20, 7))
        #expect(isAccepted([first]))
        #expect(isAccepted([first, try node(19, 3)]))
        #expect(!isAccepted([]))
        #expect(!isAccepted([first, third]))
        #expect(!isAccepted([second, first]))
        #expect(!isAccepted([first, first]))
        #expect(!isAccepted([try node(19, 3), second]))
        // Two leaves instead of their parent: the key of the parent would be missing later.
        #expect(!isAccepted([second, third]))
        #expect(!isAccepted([try node(1, 0), try node(1, 1)]))
        #expect(!isAccepted([first], keyCount: 0))
        #expect(!isAccepted([first], keyCount: 2))
        #expect(!isAccepted([.root, .root]))
        #expect(!isAccepted([TreeNode(leaf: .last), .root]))
        #expect(!isAccepted([TreeNode(leaf: .last), TreeNode(leaf: .last)]))
    }

    @Test func `derives each child with the message of its side`() {
        let left = octets(AudienceTree.descend(from: exampleRoot(), steps: 1, path: 0))
        let right = octets(AudienceTree.descend(from: exampleRoot(), steps: 1, path: 1))
        let message = Array("inkling/1".utf8) + [0] + Array("tree".utf8) + [0]
        let root = exampleRoot()
        expectEqual(left, octets(root.withBytes { hmacSHA256(key: $0) { $0.append((message + [0]).span) } }))
        expectEqual(right, octets(root.withBytes { hmacSHA256(key: $0) { $0.append((message + [1]).span) } }))
    }

    #if os(Linux) && DEBUG
        /// Covers INK-KEY-029.
        @Test func `wipes the nodes that it erases`() throws {
            let root = Needle(seed: 41)
            var tree = AudienceTree(root: root.secret())
            expectEqual(root.copies(), 1)
            tree.forget(before: try period(examplePeriod))
            expectEqual(root.copies(), 0)
            // The first node covers the next periods; the others cover later ones.
            let held = tree.nodes
            let needles = tree.withKeyBytes { keys in
                held.indices.map { Needle(of: keys.extracting(32 * $0..<32 * ($0 + 1))) }
            }
            expectEqual(needles.map { $0.copies() }, held.map { _ in 1 })
            let after = held[2].lastPeriod + 1
            for number in examplePeriod...after { tree.forget(before: try period(number)) }
            expectEqual(needles.map { $0.copies() }, held.map { $0.firstPeriod < after ? 0 : 1 })
            #expect(try key(tree, after) != nil)
        }
    #endif
}
