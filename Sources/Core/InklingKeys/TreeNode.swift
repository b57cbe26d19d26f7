/// The position of a node in an audience tree; the node covers 2^(20 − depth) consecutive periods (`Specs/keys.md`).
public struct TreeNode: Hashable, Sendable {
    /// The depth of the leaves; the root has depth 0.
    public static let leafDepth: UInt8 = 20

    /// The distance from the root, 0…20.
    public let depth: UInt8
    /// The path from the root as a number below 2^depth, the first step in the most significant bit.
    public let prefix: UInt32

    /// Creates the node at a position; returns nil if the position is outside the tree.
    public init?(depth: UInt8, prefix: UInt32) {
        guard depth <= Self.leafDepth, prefix < 1 << UInt32(depth) else { return nil }
        self.init(uncheckedDepth: depth, prefix: prefix)
    }

    fileprivate init(uncheckedDepth depth: UInt8, prefix: UInt32) {
        self.depth = depth
        self.prefix = prefix
    }

    /// The root, which covers every period.
    public static let root = TreeNode(uncheckedDepth: 0, prefix: 0)

    /// Creates the leaf of a period.
    public init(leaf period: Period) { self.init(uncheckedDepth: Self.leafDepth, prefix: period.number) }

    /// The number of periods that the node covers.
    public var periodCount: UInt32 { 1 << UInt32(Self.leafDepth - depth) }

    /// The number of the first period that the node covers.
    public var firstPeriod: UInt32 { prefix << UInt32(Self.leafDepth - depth) }

    /// The number of the last period that the node covers.
    public var lastPeriod: UInt32 { firstPeriod + (periodCount - 1) }

    /// Returns whether `other` is this node or one of its descendants.
    public func contains(_ other: TreeNode) -> Bool {
        depth <= other.depth && other.prefix >> UInt32(other.depth - depth) == prefix
    }

    /// Returns the smallest list of nodes that covers exactly the periods from `from` to `to`, ascending; empty if `to`
    /// is before `from`.
    ///
    /// Each node is the largest aligned block of periods that starts at the first period not yet covered and does not
    /// pass `to`. There are at most 38 nodes, and at most 20 for the longest grant.
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
