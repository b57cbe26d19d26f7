/// The keys of one audience for an interval of periods, as an owner stores them and a grant contains them.
///
/// The tree is a constrained pseudorandom function (`Specs/keys.md`): the nodes of an interval yield the keys of its
/// periods and no others, and the nodes of two intervals do not yield the keys between them. An owner holds the cover
/// from the current period to the end of the tree; a contact holds the cover of its grant. Both erase the keys of past
/// periods with `forget(before:)`.
public struct AudienceTree: ~Copyable, Sendable {
    /// The nodes whose keys are held, ascending in time, without gaps or overlaps.
    public private(set) var nodes: [TreeNode]
    // The keys of `nodes`, 32 bytes each, in the same order.
    private var keys: SecretBytes

    /// Creates the whole tree from a random root of 32 bytes.
    public init(root: consuming SecretBytes) {
        nodes = [.root]
        keys = root
    }

    /// Creates a tree from nodes that were received or stored, with 32 bytes of key for each in the same order.
    ///
    /// Returns nil unless the nodes are exactly the cover of an interval and `keys` has the right length.
    public init?(nodes: [TreeNode], keys: consuming SecretBytes) {
        // Only in a canonical cover does every node of a smaller cover lie inside a held one. If two leaves stood in
        // place of their parent, the key of the parent would be missing.
        guard let first = nodes.first.flatMap({ Period($0.firstPeriod) }),
            let last = nodes.last.flatMap({ Period($0.lastPeriod) }), nodes == TreeNode.cover(from: first, to: last),
            keys.count == nodes.count * keyByteCount
        else { return nil }
        self.nodes = nodes
        self.keys = keys
    }

    private init(checked nodes: [TreeNode], keys: consuming SecretBytes) {
        self.nodes = nodes
        self.keys = keys
    }

    /// The numbers of the first and the last period whose keys are held; nil if the tree is empty.
    public var interval: ClosedRange<UInt32>? {
        guard let first = nodes.first, let last = nodes.last else { return nil }
        return first.firstPeriod...last.lastPeriod
    }

    /// Returns the key of a period; nil if the tree does not hold it.
    public func periodKey(_ period: Period) -> PeriodKey? {
        guard let key = key(of: TreeNode(leaf: period)) else { return nil }
        return PeriodKey(key)
    }

    /// Calls `body` with the node that covers a period and its 32-byte key; returns nil if the tree does not hold the
    /// period.
    package func withNode<Result>(covering period: Period, _ body: (TreeNode, Span<UInt8>) -> Result) -> Result? {
        let leaf = TreeNode(leaf: period)
        guard let index = nodes.firstIndex(where: { $0.contains(leaf) }) else { return nil }
        return keys.withBytes { body(nodes[index], $0.extracting(index * keyByteCount..<(index + 1) * keyByteCount)) }
    }

    /// Returns a tree with exactly the periods from `from` to `to`, for a grant; nil unless this tree holds all of
    /// them.
    public func constrained(from: Period, to: Period) -> AudienceTree? {
        guard let interval, from <= to, interval.contains(from.number), interval.contains(to.number) else { return nil }
        let cover = TreeNode.cover(from: from, to: to)
        return AudienceTree(checked: cover, keys: gather(cover))
    }

    /// Erases the keys of every period before `period`, so that none of them can be computed from what remains.
    ///
    /// The old keys are wiped when this method returns. If `period` is after the last period held, the tree becomes
    /// empty.
    public mutating func forget(before period: Period) {
        guard let interval, period.number > interval.lowerBound else { return }
        var kept: [TreeNode] = []
        if period.number <= interval.upperBound, let last = Period(interval.upperBound) {
            kept = TreeNode.cover(from: period, to: last)
        }
        keys = gather(kept)
        nodes = kept
    }

    /// Calls `body` with the keys of `nodes`, 32 bytes each in the same order, for sealing or for a grant.
    public func withKeyBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try keys.withBytes(body)
    }

    // Every wanted node lies inside a held one: `nodes` are the largest aligned blocks of `interval`, callers pass only
    // aligned blocks inside it, and two aligned blocks are either nested or disjoint.
    private func gather(_ wanted: [TreeNode]) -> SecretBytes {
        SecretBytes(count: wanted.count * keyByteCount) { output in
            for (index, node) in wanted.enumerated() {
                key(of: node)?.withBytes { key in
                    for byte in 0..<keyByteCount { output[index * keyByteCount + byte] = key[byte] }
                }
            }
        }
    }

    private func key(of node: TreeNode) -> SecretBytes? {
        guard let index = nodes.firstIndex(where: { $0.contains(node) }) else { return nil }
        let held = nodes[index]
        let start = keys.withBytes {
            SecretBytes(copying: $0.extracting(index * keyByteCount..<(index + 1) * keyByteCount))
        }
        return Self.descend(from: start, steps: node.depth - held.depth, path: node.prefix)
    }

    /// Returns the key of the node `steps` levels below the one with `key`, along the lowest `steps` bits of `path`.
    package static func descend(from key: consuming SecretBytes, steps: UInt8, path: UInt32) -> SecretBytes {
        var current = key
        for step in stride(from: Int(steps) - 1, through: 0, by: -1) {
            let side = UInt8(truncatingIfNeeded: path >> UInt32(step)) & 1
            current.withMutableBytes { key in hmacSHA256(replacing: &key) { $0.append(treeStep: side) } }
        }
        return current
    }
}
