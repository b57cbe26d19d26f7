/// Nodes of many audience trees in parallel lanes, each of which covers the same period, to derive the keys of that
/// period together.
///
/// All trees have the same shape and the period is the same, so at each level all lanes take the same step with the
/// same message. They differ only in the level at which they start.
package struct NodeLanes: ~Copyable, Sendable {
    private let period: Period
    private var keys: KeyLanes
    private var depths: [UInt8] = []
    // For each lane, the last period for which its node, or the kept siblings of its path, yield keys.
    private var lastPeriods: [UInt32] = []
    // The siblings kept at an earlier period that still lie in the future.
    private var kept = SiblingLanes()
    // The siblings of the path are kept below this height; the leaves have height 0.
    private let top: Int

    /// The lanes that have no node yet and need one by `replace`, ascending.
    package private(set) var missing: [Int] = []

    /// Creates lanes for the nodes of up to `capacity` trees that cover `period`.
    package init(covering period: Period, capacity: Int) {
        self.period = period
        keys = KeyLanes(count: capacity)
        top = SiblingLanes.heights
    }

    /// Creates lanes for the same trees as at an earlier period, from the siblings kept then; returns nil if no kept
    /// node covers `period`.
    package init?(covering period: Period, after siblings: SiblingLanes) {
        guard let height = siblings.height(covering: period) else { return nil }
        self.init(covering: period, after: siblings, from: height)
    }

    private init(covering period: Period, after siblings: SiblingLanes, from height: Int) {
        self.period = period
        top = height
        lastPeriods = siblings.lastPeriods
        missing = siblings.lastPeriods.indices.filter { siblings.lastPeriods[$0] < period.number }
        depths = siblings.lastPeriods.map {
            $0 < period.number ? TreeNode.leafDepth : TreeNode.leafDepth - UInt8(truncatingIfNeeded: height)
        }
        kept = siblings
        kept.forget(upTo: height)
        keys = siblings.keys(at: height)
    }

    /// Adds the node of a tree that covers the period. Returns false, and adds nothing, if the tree does not hold the
    /// period or all lanes are in use.
    package mutating func append(_ tree: borrowing AudienceTree) -> Bool {
        let lane = depths.count
        guard lane < keys.count, let node = set(lane, tree) else { return false }
        depths.append(node.depth)
        lastPeriods.append(lastPeriod(node))
        return true
    }

    /// Sets the node of a lane that is missing. Returns false, and does nothing, if the tree does not hold the period.
    package mutating func replace(_ lane: Int, by tree: borrowing AudienceTree) -> Bool {
        guard let place = missing.firstIndex(of: lane), let node = set(lane, tree) else { return false }
        missing.remove(at: place)
        depths[lane] = node.depth
        lastPeriods[lane] = lastPeriod(node)
        return true
    }

    private mutating func set(_ lane: Int, _ tree: borrowing AudienceTree) -> TreeNode? {
        tree.withNode(covering: period) { node, key in
            keys.set(lane, to: key)
            return node
        }
    }

    private func lastPeriod(_ node: TreeNode) -> UInt32 { min(node.lastPeriod, period.number | (1 << UInt32(top)) - 1) }

    /// Returns the keys of the period, in the order in which the trees were added.
    package consuming func leaves(by path: LanePath = .best) -> KeyLanes {
        var siblings: SiblingLanes?
        return leaves(by: path, keeping: &siblings)
    }

    /// Returns the keys of the period, in the order in which the trees were added, and sets `siblings` to the nodes
    /// that yield those of later periods.
    package consuming func leaves(by path: LanePath = .best, keeping siblings: inout SiblingLanes) -> KeyLanes {
        var found: SiblingLanes? = SiblingLanes()
        let leaves = leaves(by: path, keeping: &found)
        siblings = found ?? SiblingLanes()
        return leaves
    }

    private consuming func leaves(by path: LanePath, keeping siblings: inout SiblingLanes?) -> KeyLanes {
        let steps = [0, 1].compactMap { side in LaneMessage { $0.append(treeStep: side) } }
        let (period, depths, top) = (period, depths, top)
        var kept = kept
        kept.begin(period, lastPeriods)
        var keys = keys
        for depth in (depths.min() ?? TreeNode.leafDepth)..<TreeNode.leafDepth where steps.count == 2 {
            let height = Int(TreeNode.leafDepth - 1 - depth)
            let side = Int(period.number >> UInt32(height) & 1)
            let areAll = depths.allSatisfy { $0 <= depth }
            let isSelected = { (lane: Int) in lane < depths.count && depths[lane] <= depth }
            if siblings != nil, side == 0, height < top {
                // Both children from one preparation of the key.
                let states = keys.states(by: path)
                var right = states.derived(steps[1], by: path)
                let left = states.derived(steps[0], by: path)
                if areAll {
                    keys = left
                } else {
                    keys.copy(from: left, where: isSelected)
                    // The key of a lane that starts further down must not be kept: it yields the period itself.
                    right.clear { !isSelected($0) }
                }
                kept.keep(SecretBox(right), at: height)
            } else if areAll {
                keys.derive(steps[side], by: path)
            } else {
                keys.derive(steps[side], by: path, where: isSelected)
            }
        }
        if siblings != nil { siblings = kept }
        return keys
    }
}

/// The right siblings of the nodes on the way to one period, in the trees of the lanes of a `NodeLanes`. They yield the
/// keys of the periods after it, so that the way to the next takes two steps on average instead of one for each level.
///
/// They are as secret as the trees, and yield no key of the period itself or an earlier one. Each is wiped when the last
/// reference to it goes away; a later period shares those that it still needs.
package struct SiblingLanes: Sendable {
    /// The number of levels of which siblings are kept. With more, a period would still take two steps on average, and
    /// each would cost 32 bytes for every tree.
    static let heights = 6

    private var period: Period?
    /// For each lane, the last period whose key the siblings yield.
    fileprivate private(set) var lastPeriods: [UInt32] = []
    /// For each height the siblings at that height; nil where the way goes to the right.
    fileprivate private(set) var lanes = [SecretBox<KeyLanes>?](repeating: nil, count: heights)

    /// Creates the value without siblings.
    package init() {}

    /// The memory of the keys in bytes.
    package var byteCount: Int { lanes.reduce(0) { $0 + 32 * ($1?.value.count ?? 0) } }

    /// Returns the height of the siblings that cover a later period; nil if there are none.
    fileprivate func height(covering later: Period) -> Int? {
        guard let period, later > period, period.number >> UInt32(Self.heights) == later.number >> UInt32(Self.heights)
        else { return nil }
        return UInt32.bitWidth - 1 - (period.number ^ later.number).leadingZeroBitCount
    }

    /// Returns a copy of the siblings at a height.
    fileprivate func keys(at height: Int) -> KeyLanes {
        if let siblings = lanes[height] { return siblings.value.duplicate() }
        return KeyLanes(count: lastPeriods.count)
    }

    /// Releases the siblings up to this height.
    fileprivate mutating func forget(upTo height: Int) { for one in 0...height { lanes[one] = nil } }

    fileprivate mutating func begin(_ period: Period, _ lastPeriods: [UInt32]) {
        self.period = period
        self.lastPeriods = lastPeriods
    }

    fileprivate mutating func keep(_ siblings: SecretBox<KeyLanes>, at height: Int) { lanes[height] = siblings }
}
