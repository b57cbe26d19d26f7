/// Nodes of many audience trees in parallel lanes, each of which covers the same period, to derive the keys of that
/// period together.
///
/// All trees have the same shape and the period is the same, so at each level all lanes take the same step with the
/// same message. They differ only in the level at which they start.
package struct NodeLanes: ~Copyable, Sendable {
    private let period: Period
    private var keys: KeyLanes
    private var depths: [UInt8] = []

    /// Creates lanes for the nodes of up to `capacity` trees that cover `period`.
    package init(covering period: Period, capacity: Int) {
        self.period = period
        keys = KeyLanes(count: capacity)
    }

    /// Adds the node of a tree that covers the period. Returns false, and adds nothing, if the tree does not hold the
    /// period or all lanes are in use.
    package mutating func append(_ tree: borrowing AudienceTree) -> Bool {
        let lane = depths.count
        guard lane < keys.count else { return false }
        let depth = tree.withNode(covering: period) { node, key in
            keys.set(lane, to: key)
            return node.depth
        }
        guard let depth else { return false }
        depths.append(depth)
        return true
    }

    /// Returns the keys of the period, in the order in which the trees were added.
    package consuming func leaves(by path: LanePath = .best) -> KeyLanes {
        let steps = [0, 1].compactMap { side in LaneMessage { $0.append(treeStep: side) } }
        let (period, depths) = (period, depths)
        var keys = keys
        let first = depths.min() ?? TreeNode.leafDepth
        for depth in first..<TreeNode.leafDepth {
            let side = Int(period.number >> UInt32(TreeNode.leafDepth - 1 - depth) & 1)
            guard steps.indices.contains(side) else { break }
            if depths.allSatisfy({ $0 <= depth }) {
                keys.derive(steps[side], by: path)
            } else {
                keys.derive(steps[side], by: path) { $0 < depths.count && depths[$0] <= depth }
            }
        }
        return keys
    }
}
