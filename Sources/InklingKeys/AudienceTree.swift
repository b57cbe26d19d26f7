/// The keys of one audience for an interval of periods: what an owner keeps, and what a grant conveys.
///
/// The tree is a constrained pseudorandom function (`Specs/keys.md`): the nodes of an interval yield the period keys
/// inside it and nothing outside, and two intervals do not combine to the gap between them. An owner holds the cover
/// from now to the end of time; a contact holds the cover of its grant. Both forget the past with `forget(before:)`.
public struct AudienceTree: ~Copyable, Sendable {
    /// The nodes held, ascending in time, without gaps or overlaps.
    public private(set) var nodes: [TreeNode]
    // The keys of `nodes`, 32 bytes each, in the same order.
    private var keys: SecretBytes

    /// The whole tree under a fresh random root of 32 bytes.
    public init(root: consuming SecretBytes) {
        nodes = [.root]
        keys = root
    }

    /// Adopts nodes that were received or stored, with 32 bytes of key for each.
    ///
    /// - Returns: nil unless there is at least one node, the nodes are exactly the cover of an interval, and the key
    ///   bytes fit.
    public init?(nodes: [TreeNode], keys: consuming SecretBytes) {
        // Only of a canonical cover is every node of a smaller cover inside a held one; two leaves in the place of
        // their parent would leave the parent without a key.
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

    /// The first and the last period whose keys are still here, or nil when everything has been forgotten.
    public var interval: ClosedRange<UInt32>? {
        guard let first = nodes.first, let last = nodes.last else { return nil }
        return first.firstPeriod...last.lastPeriod
    }

    /// The key of one period, or nil when it is not, or no longer, held.
    public func periodKey(_ period: Period) -> PeriodKey? {
        guard let key = key(of: TreeNode(leaf: period)) else { return nil }
        return PeriodKey(key)
    }

    /// Lends the node that covers a period, with its 32 bytes of key; nil when the period is not, or no longer, held.
    package func withNode<Result>(covering period: Period, _ body: (TreeNode, Span<UInt8>) -> Result) -> Result? {
        let leaf = TreeNode(leaf: period)
        guard let index = nodes.firstIndex(where: { $0.contains(leaf) }) else { return nil }
        return keys.withBytes { body(nodes[index], $0.extracting(index * keyByteCount..<(index + 1) * keyByteCount)) }
    }

    /// The canonical cover of an interval as a tree of its own, for a grant; nil unless every period of it is held.
    public func constrained(from: Period, to: Period) -> AudienceTree? {
        guard let interval, from <= to, interval.contains(from.number), interval.contains(to.number) else { return nil }
        let cover = TreeNode.cover(from: from, to: to)
        return AudienceTree(checked: cover, keys: gather(cover))
    }

    /// Forgets every period before `period`, so that no earlier period key can be computed from what remains.
    ///
    /// The old keys are wiped when this returns. Forgetting past the last period leaves an empty tree.
    public mutating func forget(before period: Period) {
        guard let interval, period.number > interval.lowerBound else { return }
        var kept: [TreeNode] = []
        if period.number <= interval.upperBound, let last = Period(interval.upperBound) {
            kept = TreeNode.cover(from: period, to: last)
        }
        keys = gather(kept)
        nodes = kept
    }

    /// Lends the key bytes of `nodes`, 32 each in the same order, for sealing or for a grant.
    public func withKeyBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try keys.withBytes(body)
    }

    // Every wanted node lies inside a held one: `nodes` are the largest aligned blocks of `interval`, callers ask for
    // aligned blocks inside it, and aligned blocks nest or are disjoint.
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

    /// The key of the node `steps` below the one with `key`, along the lowest `steps` bits of `path`.
    package static func descend(from key: consuming SecretBytes, steps: UInt8, path: UInt32) -> SecretBytes {
        var current = key
        for step in stride(from: Int(steps) - 1, through: 0, by: -1) {
            current = child(of: current, side: UInt8(truncatingIfNeeded: path >> UInt32(step)) & 1)
        }
        return current
    }

    private static func child(of key: borrowing SecretBytes, side: UInt8) -> SecretBytes {
        key.withBytes { key in
            hmacSHA256(key: key) { $0.append(treeStep: side) }
        }
    }
}
