public import InklingKeys

/// The first stage of making a `PredictedTable`: derives the values, in pieces of work that can run in parallel.
///
/// Run all `pieces`, in any order and on any thread, and pass their results in the order of the pieces to
/// `assembly(of:)`. Then do the same with the pieces of that `TableAssembly`. The result does not depend on which
/// thread ran which piece.
public struct TablePreparation: Sendable {
    /// The pieces of work; each derives the values of some contacts in the epochs that `previous` lacks.
    public let pieces: [Piece]
    private let epochs: [Epoch]
    private let missing: [Epoch]
    private let previous: PredictedTable
    private let keys: PeriodKeys?
    private let shape: NameIndexShape
    private let withTags: Bool

    /// Creates the preparation of the table for use during `epoch`; see `PredictedTable`.
    ///
    /// - Parameters:
    ///   - contacts: the contacts to recognise.
    ///   - epoch: the epoch during which the table will be used; it may lie in the future.
    ///   - previous: the table now in use, made from the same contacts, whose epochs are reused.
    ///   - keys: the keys of the same contacts that an earlier preparation returned, if any.
    ///   - withTags: whether the table also contains tags.
    public init(
        of contacts: [PredictedContact], around epoch: Epoch, reusing previous: PredictedTable = .init(),
        keys: PeriodKeys? = nil, withTags: Bool = false
    ) {
        let epochs = [epoch.previous, epoch, epoch.next].compactMap { $0 }
        let isReusable = previous.isReusable(for: epochs, withTags: withTags)
        let missing = epochs.filter { !isReusable || !previous.epochs.contains($0) }
        self.epochs = epochs
        self.missing = missing
        self.previous = isReusable ? previous : PredictedTable()
        self.keys = keys.flatMap { !withTags || $0.withTags ? $0 : nil }
        self.withTags = withTags
        shape = isReusable ? previous.shape : NameIndexShape(count: missing.count * Self.devices(of: contacts))
        let starts = missing.isEmpty ? [] : Array(stride(from: 0, to: contacts.count, by: PeriodShard.contacts))
        pieces = starts.enumerated().map { [keys = self.keys, shape] index, start in
            Piece(
                contacts: contacts[start..<min(start + PeriodShard.contacts, contacts.count)],
                shard: keys.flatMap { $0.shards.indices.contains(index) ? ($0.period, $0.shards[index]) : nil },
                epochs: missing, shape: shape, withTags: withTags)
        }
    }

    /// Returns the greatest number of predictions of one epoch.
    private static func devices(of contacts: [PredictedContact]) -> Int {
        contacts.reduce(0) { $0 + $1.grants.reduce(0) { $0 + $1.devices.count } }
    }

    /// One piece of work: the values of some contacts in some epochs.
    public struct Piece: Sendable {
        fileprivate let contacts: ArraySlice<PredictedContact>
        fileprivate let shard: (period: Period, keys: PeriodShard)?
        fileprivate let epochs: [Epoch]
        fileprivate let shape: NameIndexShape
        fileprivate let withTags: Bool

        /// Derives the values.
        public func run() -> Product {
            var product = Product()
            for epoch in epochs {
                let period = epoch.period
                if product.keys.last?.period != period {
                    let cached = shard.flatMap { $0.period == period ? $0.keys : nil }
                    let before = product.keys.last?.keys ?? shard?.keys
                    product.keys.append(
                        (period, cached ?? PeriodShard(of: contacts, in: period, withTags: withTags, after: before)))
                }
                if let keys = product.keys.last?.keys { product.shown.append(keys.shown(in: epoch, by: shape)) }
            }
            return product
        }
    }

    /// The result of one piece.
    public struct Product: Sendable {
        // One for each period, ascending.
        fileprivate var keys: [(period: Period, keys: PeriodShard)] = []
        // One for each epoch, ascending.
        fileprivate var shown: [ShownValues] = []
    }

    /// Creates the second stage from the results of all `pieces`, in their order.
    public func assembly(of products: [Product]) -> TableAssembly {
        var periods: [PeriodKeys] = []
        for (index, period) in (products.first?.keys ?? []).map(\.period).enumerated() {
            let shards = products.compactMap { $0.keys.indices.contains(index) ? $0.keys[index].keys : nil }
            if let keys, keys.period == period, keys.shards.count == shards.count,
                zip(keys.shards, shards).allSatisfy({ $0 === $1 })
            {
                periods.append(keys)
            } else {
                periods.append(
                    PeriodKeys(period, of: shards, after: periods.last ?? keys, like: previous.latestOwners))
            }
        }
        let added = missing.enumerated().compactMap { index, epoch in
            periods.first { $0.period == epoch.period }.map { keys in
                TableAssembly.Addition(
                    epoch: epoch, owners: keys.owners,
                    values: products.compactMap { $0.shown.indices.contains(index) ? $0.shown[index] : nil })
            }
        }
        return TableAssembly(
            keeping: epochs.filter { !missing.contains($0) }, of: previous, adding: added, in: shape,
            keys: periods.last ?? keys, withTags: withTags)
    }

    /// Does all the work of both stages on the calling thread. Returns the table, and the keys for the next
    /// preparation.
    public func table() -> (table: PredictedTable, keys: PeriodKeys?) {
        let assembly = assembly(of: pieces.map { $0.run() })
        return assembly.table(of: assembly.pieces.map { $0.run() })
    }
}
