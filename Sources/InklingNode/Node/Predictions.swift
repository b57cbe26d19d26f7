internal import InklingEngine
internal import InklingKeys

/// The table of identifiers that contacts show now, and the tables prepared for coming epochs.
struct Predictions {
    /// A request to compute a table, outside the node and in parallel.
    struct Order: Sendable {
        let number: UInt64
        let epoch: Epoch
        let preparation: TablePreparation
    }

    /// A computed table, and the period keys, with which the next table avoids walking down every tree.
    struct Made: Sendable {
        let table: PredictedTable
        let keys: PeriodKeys?
    }

    private enum Prepared {
        case ordered(UInt64)
        case made(Made)
    }

    /// The table in use.
    private(set) var table = PredictedTable()
    private var prepared: [Epoch: Prepared] = [:]
    private var orderCount: UInt64 = 0
    /// The contacts' period keys from which the latest table was derived.
    private var periodKeys: PeriodKeys?
    /// The epoch whose table is to be used as soon as it has been computed.
    private var awaited: Epoch?

    /// Returns the order for the table of an epoch.
    mutating func prepare(_ epoch: Epoch, for contacts: [PredictedContact]) -> Order {
        orderCount += 1
        prepared[epoch] = .ordered(orderCount)
        return Order(
            number: orderCount, epoch: epoch,
            preparation: TablePreparation(of: contacts, around: epoch, reusing: table, keys: periodKeys))
    }

    /// Switches to the table of an epoch. Returns false while the table is being computed; `add` switches to it then.
    mutating func use(_ epoch: Epoch) -> Bool {
        switch prepared[epoch] {
        case .ordered:
            awaited = epoch
            return false
        case .made(let made):
            put(made, inForceFor: epoch)
            return true
        case nil:
            put(nil, inForceFor: epoch)
            return true
        }
    }

    /// Adds a computed table, and returns whether it is in use now because it was awaited. A table from an outdated
    /// order is dropped.
    mutating func add(_ made: Made, number: UInt64, for epoch: Epoch) -> Bool {
        guard case .ordered(number)? = prepared[epoch] else { return false }
        prepared[epoch] = .made(made)
        guard awaited == epoch else { return false }
        put(made, inForceFor: epoch)
        return true
    }

    /// Computes the table in use again for the changed contacts, and returns new orders for the prepared tables.
    mutating func contactsChanged(_ contacts: [PredictedContact], at epoch: Epoch) -> [Order] {
        (table, periodKeys) = TablePreparation(of: contacts, around: epoch).table()
        return prepared.keys.sorted().map { prepare($0, for: contacts) }
    }

    /// Drops the keys of the periods before this one.
    mutating func forget(before period: Period) {
        if let keys = periodKeys, keys.period < period { periodKeys = nil }
    }

    private mutating func put(_ made: Made?, inForceFor epoch: Epoch) {
        if let made {
            table = made.table
            // Keys of past periods must be forgotten.
            periodKeys = made.keys.flatMap { $0.period < epoch.period ? nil : $0 }
        }
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
