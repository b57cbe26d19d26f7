internal import InklingEngine
internal import InklingKeys

/// The table of identifiers that contacts show now, and tables prepared for coming epochs.
///
/// Tables are computed outside the node, in parallel. If the contacts change during a computation, its table is used as
/// it is, and computed again.
struct Predictions {
    /// A request to compute a table, outside the node and in parallel.
    struct Order: Sendable {
        let number: UInt64
        let epoch: Epoch
        let preparation: TablePreparation
    }

    /// A computed table, and its period keys, which save the next table walking down every tree.
    struct Made: Sendable {
        let table: PredictedTable
        let keys: PeriodKeys?
    }

    /// The consequences of a computed table.
    struct Addition: Hashable {
        /// It is in use now, because it was awaited.
        var isInUse = false
        /// The contacts have changed since it was ordered, so it must be ordered again.
        var isOutdated = false
    }

    private enum Prepared {
        case ordered(UInt64, isOutdated: Bool)
        case made(Made)
    }

    /// Whether the tables contain tags.
    private let withTags: Bool
    /// The table in use.
    private(set) var table = PredictedTable()
    /// The epoch of the table in use; nil for the initial empty table.
    private var inUse: Epoch?
    /// Whether the contacts have changed since the table in use was ordered.
    private var isOutdated = false
    private var prepared: [Epoch: Prepared] = [:]
    private var orderCount: UInt64 = 0
    /// The contacts' period keys from which the latest table was derived.
    private var periodKeys: PeriodKeys?
    /// The epoch whose table is to be used as soon as it has been computed.
    private var awaited: Epoch?

    /// Returns whether the table of an epoch is in use, prepared or ordered.
    func has(_ epoch: Epoch) -> Bool { inUse == epoch || prepared[epoch] != nil }

    /// Returns the order for the table of an epoch.
    mutating func prepare(_ epoch: Epoch, for contacts: [PredictedContact]) -> Order {
        orderCount += 1
        prepared[epoch] = .ordered(orderCount, isOutdated: false)
        // Only a table of the same contacts can be reused.
        return Order(
            number: orderCount, epoch: epoch,
            preparation: TablePreparation(
                of: contacts, around: epoch, reusing: isOutdated ? PredictedTable() : table, keys: periodKeys,
                withTags: withTags))
    }

    /// Switches to the table of an epoch, which must be in use, prepared or ordered. Returns false while it is being
    /// computed; `add` switches to it then.
    mutating func use(_ epoch: Epoch) -> Bool {
        switch prepared[epoch] {
        case .ordered:
            awaited = epoch
            return false
        case .made(let made):
            put(made, inForceFor: epoch)
            return true
        case nil: return inUse == epoch
        }
    }

    /// Adds a computed table. A table whose order has been replaced is dropped.
    mutating func add(_ made: Made, number: UInt64, for epoch: Epoch) -> Addition {
        guard case .ordered(number, let isOutdated)? = prepared[epoch] else { return Addition() }
        prepared[epoch] = .made(made)
        guard awaited == epoch else { return Addition(isOutdated: isOutdated) }
        put(made, inForceFor: epoch)
        if isOutdated {
            self.isOutdated = true
            // These keys belong to the earlier contacts.
            periodKeys = nil
        }
        return Addition(isInUse: true, isOutdated: isOutdated)
    }

    /// Returns the orders that changed contacts need: for the table in use, that of `epoch`, and for the prepared ones.
    /// A table that is being computed is ordered again afterwards.
    mutating func contactsChanged(_ contacts: [PredictedContact], at epoch: Epoch) -> [Order] {
        periodKeys = nil
        isOutdated = true
        var orders: [Order] = []
        for epoch in Set(prepared.keys).union([epoch]).sorted() {
            if case .ordered(let number, _) = prepared[epoch] {
                prepared[epoch] = .ordered(number, isOutdated: true)
            } else {
                orders.append(prepare(epoch, for: contacts))
            }
        }
        expect(epoch)
        return orders
    }

    /// Returns the order that replaces a table outdated on completion.
    mutating func renew(_ epoch: Epoch, for contacts: [PredictedContact]) -> Order {
        if inUse == epoch { expect(epoch) }
        return prepare(epoch, for: contacts)
    }

    /// Drops every table, and returns whether the table in use has changed.
    mutating func drop() -> Bool {
        defer { self = Predictions(after: orderCount, withTags: withTags) }
        return table.count > 0
    }

    /// Drops everything derived from the periods before this one, and returns whether the table in use has changed.
    mutating func forget(before period: Period) -> Bool {
        if let keys = periodKeys, keys.period < period { periodKeys = nil }
        prepared = prepared.filter { $0.key.period >= period }
        // The table of the last epoch before the period stays in use until the next one is shown, within seconds. If
        // none was shown since, it holds only past names.
        guard let inUse, let previous = period.previous, inUse.period < previous else { return false }
        defer {
            table = PredictedTable()
            self.inUse = nil
        }
        return table.count > 0
    }

    /// Creates an empty value. Only Bluetooth reads tags.
    init(withTags: Bool = false) { self.withTags = withTags }

    /// Creates an empty value whose order numbers continue after `count`.
    private init(after count: UInt64, withTags: Bool) {
        orderCount = count
        self.withTags = withTags
    }

    private mutating func expect(_ epoch: Epoch) { awaited = max(awaited ?? epoch, epoch) }

    private mutating func put(_ made: Made, inForceFor epoch: Epoch) {
        table = made.table
        isOutdated = false
        // Keys of past periods must be forgotten.
        periodKeys = made.keys.flatMap { $0.period < epoch.period ? nil : $0 }
        inUse = epoch
        awaited = nil
        prepared = prepared.filter { $0.key > epoch }
    }
}

extension TablePreparation {
    /// Computes the table on all threads of the pool.
    func carriedOut() async -> Predictions.Made {
        let assembly = assembly(of: await inPieces(pieces) { $0.run() })
        let (table, keys) = assembly.table(of: await inPieces(assembly.pieces) { $0.run() })
        return Predictions.Made(table: table, keys: keys)
    }
}

/// Runs `run` on all pieces in parallel, and returns the results in the order of the pieces.
private func inPieces<Piece: Sendable, Product: Sendable>(
    _ pieces: [Piece], _ run: @escaping @Sendable (Piece) -> Product
) async -> [Product] {
    await withTaskGroup(of: (Int, Product).self) { group in
        for (index, piece) in pieces.enumerated() { group.addTask { (index, run(piece)) } }
        var products = [Product?](repeating: nil, count: pieces.count)
        for await (index, product) in group { products[index] = product }
        return products.compactMap(\.self)
    }
}
