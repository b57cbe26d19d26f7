import InklingEngine
import InklingKeys

/// A moment at which an hour has passed its first quarter, and its grants: 30 days from the hour before on.
enum Crowd {
    /// The first hour of everybody's grant; from the node that covers the next, a tree has 7 levels.
    private static let firstPeriod: UInt32 = 496_000
    static let steps = 7

    /// The epoch in the middle of the hour after the first.
    static func epoch(_ quarter: UInt32) -> Epoch {
        guard let epoch = Epoch((firstPeriod + 1) * 4 + quarter) else { fail("no such epoch") }
        return epoch
    }

    /// This many contacts with one device each, all under other keys; the first of more are the same.
    static func contacts(_ count: Int) -> [PredictedContact] {
        guard let from = Period(firstPeriod), let to = Period(firstPeriod + 719) else { fail("no such hour") }
        let nodes = TreeNode.cover(from: from, to: to)
        var generator = SplitMix(state: 0)
        return (0..<UInt32(count)).map { number in
            guard let tree = AudienceTree(nodes: nodes, keys: SecretBytes(count: 32 * nodes.count, from: &generator))
            else { fail("no such tree") }
            return PredictedContact(
                ContactID(rawValue: number),
                grants: [
                    HeldGrant(audience: .granted(AudienceID(UInt64(number))), devices: [.first], tree: SecretBox(tree))
                ])
        }
    }
}

extension Crowd {
    /// The names of these contacts around the first quarter: all of an epoch, in their order, then all of the next.
    static func names(of contacts: [PredictedContact]) -> [OpaqueServiceName] {
        var nodes = NodeLanes(covering: epoch(1).period, capacity: contacts.count)
        for contact in contacts {
            for grant in contact.grants where !nodes.append(grant.tree.value) { fail("a grant without its hour") }
        }
        let lanes = DeviceLanes(.first, of: nodes.leaves())
        return (0..<3).flatMap { lanes.names(epoch($0)) }
    }
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}

extension TablePreparation {
    /// Does the work on the threads of the pool.
    func carriedOut() async -> (table: PredictedTable, keys: PeriodKeys?) {
        let assembly = assembly(of: await together(pieces) { $0.run() })
        return assembly.table(of: await together(assembly.pieces) { $0.run() })
    }
}

/// What the pieces yield, in their order.
func together<Piece: Sendable, Product: Sendable>(
    _ pieces: [Piece], _ run: @escaping @Sendable (Piece) -> Product
) async -> [Product] {
    await withTaskGroup(of: (Int, Product).self) { group in
        for (index, piece) in pieces.enumerated() { group.addTask { (index, run(piece)) } }
        var products = [Product?](repeating: nil, count: pieces.count)
        for await (index, product) in group { products[index] = product }
        return products.compactMap(\.self)
    }
}
