public import InklingKeys

/// The making of a `PredictedTable` as pieces of work that share nothing, for as many threads as there are.
///
/// All of `pieces` are run, in any order and on any thread, and their products put together in the order of the pieces:
/// the result is the same whoever ran them. What one preparation derived of an hour is taken by the next.
public struct TablePreparation: Sendable {
    /// The pieces of work.
    public let pieces: [Piece]
    private let epochs: [Epoch]
    private let previous: PredictedTable
    private let kept: HourKeys?
    private let withTags: Bool

    /// The preparation of the table for use during `epoch`; see `PredictedTable`.
    ///
    /// - Parameters:
    ///   - contacts: everybody to be recognised.
    ///   - epoch: the epoch in which the table is to be in force.
    ///   - previous: the table in force, made from the same contacts, whose epochs are taken over.
    ///   - keys: what an earlier preparation left of the same contacts' keys.
    ///   - withTags: whether tags are to be looked up as well.
    public init(
        of contacts: [PredictedContact], around epoch: Epoch, reusing previous: PredictedTable = .init(),
        keys: HourKeys? = nil, withTags: Bool = false
    ) {
        epochs = [epoch.previous, epoch, epoch.next].compactMap { $0 }
        self.previous = previous.isReusable(withTags: withTags) ? previous : PredictedTable()
        kept = keys.flatMap { !withTags || $0.withTags ? $0 : nil }
        self.withTags = withTags
        let taken = self.previous.epochs
        let missing = epochs.filter { !taken.contains($0) }
        let starts = missing.isEmpty ? [] : Array(stride(from: 0, to: contacts.count, by: HourShard.contacts))
        pieces = starts.enumerated().map { [kept] index, start in
            Piece(
                contacts: contacts[start..<min(start + HourShard.contacts, contacts.count)],
                shard: kept.flatMap { $0.shards.indices.contains(index) ? ($0.period, $0.shards[index]) : nil },
                epochs: missing, withTags: withTags)
        }
    }

    /// What some of the contacts show in the epochs that are missing.
    public struct Piece: Sendable {
        fileprivate let contacts: ArraySlice<PredictedContact>
        fileprivate let shard: (period: Period, keys: HourShard)?
        fileprivate let epochs: [Epoch]
        fileprivate let withTags: Bool

        /// Does the work.
        public func run() -> Product {
            var product = Product()
            for epoch in epochs {
                let period = epoch.period
                if product.keys.last?.period != period {
                    let cached = shard.flatMap { $0.period == period ? $0.keys : nil }
                    product.keys.append(
                        (period, cached ?? HourShard(of: contacts, in: period, withTags: withTags)))
                }
                if let keys = product.keys.last?.keys { product.shown.append(keys.shown(in: epoch)) }
            }
            return product
        }
    }

    /// What a piece yields.
    public struct Product: Sendable {
        // One for each hour, ascending.
        fileprivate var keys: [(period: Period, keys: HourShard)] = []
        // One for each epoch, ascending.
        fileprivate var shown: [ShownValues] = []
    }

    /// The table, and the keys of the latest hour of which something was derived, for the next preparation.
    ///
    /// - Parameter products: what `pieces` yielded, in their order.
    public func table(of products: [Product]) -> (table: PredictedTable, keys: HourKeys?) {
        var hours: [HourKeys] = []
        for (index, hour) in (products.first?.keys ?? []).enumerated() {
            let shards = products.compactMap { $0.keys.indices.contains(index) ? $0.keys[index].keys : nil }
            if let kept, kept.period == hour.period, zip(kept.shards, shards).allSatisfy({ $0 === $1 }) {
                hours.append(kept)
            } else {
                let before = hours.last?.owners ?? kept?.owners ?? previous.latestOwners
                hours.append(HourKeys(hour.period, of: shards, like: before))
            }
        }
        let taken = previous.epochs
        let missing = epochs.filter { !taken.contains($0) }
        let added = missing.enumerated().compactMap { index, epoch in
            hours.first { $0.period == epoch.period }.map { hour in
                PredictedTable.Addition(
                    epoch: epoch, owners: hour.owners,
                    values: products.compactMap { $0.shown.indices.contains(index) ? $0.shown[index] : nil })
            }
        }
        let table = PredictedTable(
            keeping: epochs.filter(taken.contains), of: previous, adding: added, withTags: withTags)
        return (table, hours.last ?? kept)
    }
}
