import InklingTesting
import Testing

@testable import InklingKeys

/// Returns the largest aligned blocks inside an interval, found by comparing all blocks.
private func largestBlocks(_ interval: ClosedRange<UInt32>, among blocks: [TreeNode]) -> [TreeNode] {
    func isInside(_ node: TreeNode) -> Bool {
        interval.contains(node.firstPeriod) && interval.contains(node.lastPeriod)
    }
    return blocks.filter { node in
        guard isInside(node) else { return false }
        return node.depth == 0 || !isInside(TreeNode(depth: node.depth - 1, prefix: node.prefix / 2) ?? .root)
    }.sorted { $0.firstPeriod < $1.firstPeriod }
}

@Suite struct `A node of the tree` {
    /// Covers INK-KEY-050.
    @Test func `exists only inside the tree`() {
        #expect(TreeNode(depth: 0, prefix: 0) == .root)
        #expect(TreeNode(depth: 0, prefix: 1) == nil)
        #expect(TreeNode(depth: 20, prefix: 1_048_575) != nil)
        #expect(TreeNode(depth: 20, prefix: 1_048_576) == nil)
        #expect(TreeNode(depth: 21, prefix: 0) == nil)
        #expect(TreeNode(depth: 255, prefix: .max) == nil)
    }

    @Test func `covers a block of periods`() throws {
        #expect(TreeNode.root.firstPeriod == 0)
        #expect(TreeNode.root.lastPeriod == 1_048_575)
        let node = try #require(TreeNode(depth: 13, prefix: 3875))
        #expect(node.periodCount == 128)
        #expect(node.firstPeriod == 496_000)
        #expect(node.lastPeriod == 496_127)
        let last = TreeNode(leaf: .last)
        #expect(last.firstPeriod == last.lastPeriod)
        #expect(last.lastPeriod == 1_048_575)
    }

    @Test func `contains itself and its descendants, and no other node`() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<2000 {
            func draw() -> TreeNode? {
                let depth = UInt8.random(in: 0...20, using: &generator)
                return TreeNode(depth: depth, prefix: UInt32.random(in: 0..<1 << UInt32(depth), using: &generator))
            }
            let (one, other) = (try #require(draw()), try #require(draw()))
            let isWithin = one.firstPeriod <= other.firstPeriod && other.lastPeriod <= one.lastPeriod
            #expect(one.contains(other) == isWithin)
            #expect(one.contains(one))
            #expect(TreeNode.root.contains(one))
        }
    }
}

@Suite struct `The cover of an interval` {
    @Test func `consists of the four published nodes for a month`() throws {
        let cover = TreeNode.cover(from: try period(496_000), to: try period(496_719))
        #expect(cover.map { [UInt32($0.depth), $0.prefix] } == [[13, 3875], [11, 969], [14, 7760], [16, 31044]])
    }

    @Test func `is the root for all periods, a leaf for one, and empty for none`() throws {
        #expect(TreeNode.cover(from: try period(0), to: .last) == [.root])
        #expect(TreeNode.cover(from: .last, to: .last) == [TreeNode(leaf: .last)])
        #expect(TreeNode.cover(from: try period(5), to: try period(4)).isEmpty)
    }

    @Test(arguments: [0, 496_000 / 64 * 64, 1_048_576 - 64] as [UInt32])
    func `consists of the largest blocks for every interval in a small range`(start: UInt32) throws {
        let blocks = (UInt32(0)...20).flatMap { depth in
            (UInt32(0)..<64).compactMap { offset in
                let node = TreeNode(depth: UInt8(depth), prefix: (start + offset) >> (20 - depth))
                return node?.firstPeriod == start + offset || offset == 0 ? node : nil
            }
        }
        for from in start..<start + 64 {
            for to in from..<start + 64 {
                let cover = TreeNode.cover(from: try period(from), to: try period(to))
                #expect(cover == largestBlocks(from...to, among: blocks))
            }
        }
    }

    @Test func `has no gaps, no overlaps and no siblings`() throws {
        var generator = SeededGenerator(seed: 20)
        for _ in 0..<3000 {
            let ends = [
                UInt32.random(in: 0..<Period.limit, using: &generator),
                UInt32.random(in: 0..<Period.limit, using: &generator),
            ].sorted()
            let cover = TreeNode.cover(from: try period(ends[0]), to: try period(ends[1]))
            #expect(cover.first?.firstPeriod == ends[0])
            #expect(cover.last?.lastPeriod == ends[1])
            for (left, right) in zip(cover, cover.dropFirst()) {
                #expect(left.lastPeriod + 1 == right.firstPeriod)
                let areSiblings = left.depth == right.depth && left.prefix / 2 == right.prefix / 2
                #expect(!areSiblings)
            }
            #expect(cover.count <= 38)
        }
    }

    @Test func `has at most twenty nodes for a grant`() throws {
        func count(_ from: UInt32, _ span: UInt32) throws -> Int {
            TreeNode.cover(from: try period(from), to: try period(from + span - 1)).count
        }
        for from in UInt32(0)..<4096 { #expect(try count(from, Grant.longestSpan) <= Grant.nodeLimit) }
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<20_000 {
            let span = UInt32.random(in: 1...Grant.longestSpan, using: &generator)
            #expect(try count(UInt32.random(in: 0...Period.limit - span, using: &generator), span) <= Grant.nodeLimit)
        }
        #expect(try count(1, 2046) == Grant.nodeLimit)
    }
}
