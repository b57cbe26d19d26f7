/// The place of one node in an audience tree: a block of 2^(20 − depth) periods (`Specs/keys.md`).
public struct TreeNode: Hashable, Sendable {
    /// The depth of the leaves; the root has depth 0.
    public static let leafDepth: UInt8 = 20

    /// The distance from the root, 0…20.
    public let depth: UInt8
    /// The path from the root as a number below 2^depth, the first step in the most significant bit.
    public let prefix: UInt32

    /// The node at this place, or nil outside the tree.
    public init?(depth: UInt8, prefix: UInt32) {
        guard depth <= Self.leafDepth, prefix < 1 << UInt32(depth) else { return nil }
        self.init(uncheckedDepth: depth, prefix: prefix)
    }

    fileprivate init(uncheckedDepth depth: UInt8, prefix: UInt32) {
        self.depth = depth
        self.prefix = prefix
    }

    /// The whole tree.
    public static let root = TreeNode(uncheckedDepth: 0, prefix: 0)

    /// The leaf of one period.
    public init(leaf period: Period) { self.init(uncheckedDepth: Self.leafDepth, prefix: period.number) }

    /// The number of periods in the block.
    public var periodCount: UInt32 { 1 << UInt32(Self.leafDepth - depth) }

    /// The number of the block's first period.
    public var firstPeriod: UInt32 { prefix << UInt32(Self.leafDepth - depth) }

    /// The number of the block's last period.
    public var lastPeriod: UInt32 { firstPeriod + (periodCount - 1) }

    /// Whether `other` is this node or lies below it.
    public func contains(_ other: TreeNode) -> Bool {
        depth <= other.depth && other.prefix >> UInt32(other.depth - depth) == prefix
    }

    /// The nodes that cover `from` to `to` inclusive, fewest first by construction: from the left, the largest
    /// aligned block that ends at or before `to`, then the same behind it. Empty when `to` is before `from`.
    ///
    /// At most 38 nodes; 20 for the longest grant.
    public static func cover(from: Period, to: Period) -> [TreeNode] {
        var nodes: [TreeNode] = []
        var next = from.number
        while next <= to.number {
            var size: UInt32 = next == 0 ? Period.limit : next & (~next &+ 1)
            while size > to.number - next + 1 { size >>= 1 }
            let height = UInt8(size.trailingZeroBitCount)
            nodes.append(TreeNode(uncheckedDepth: leafDepth - height, prefix: next >> UInt32(height)))
            next += size
        }
        return nodes
    }
}
