internal import InklingEngine
internal import InklingKeys

/// The table of what contacts show, and those that are being made for the epochs to come.
struct Predictions {
    /// A table to be made: outside the node, on all processors.
    struct Order: Sendable {
        let number: UInt64
        let epoch: Epoch
        let preparation: TablePreparation
    }

    /// A table that was made, and the keys that spare the next one the walk down every tree.
    struct Made: Sendable {
        let table: PredictedTable
        let keys: HourKeys?
    }

    private enum Prepared {
        case ordered(UInt64)
        case made(Made)
    }

    /// The table in force.
    private(set) var table = PredictedTable()
    private var prepared: [Epoch: Prepared] = [:]
    private var orderCount: UInt64 = 0
    /// The contacts' keys of the hour of which something was derived last.
    private var hourKeys: HourKeys?
    /// The epoch whose table takes the place of the one in force as soon as it is made.
    private var awaited: Epoch?

    /// Orders the table of an epoch.
    mutating func prepare(_ epoch: Epoch, for contacts: [PredictedContact]) -> Order {
        orderCount += 1
        prepared[epoch] = .ordered(orderCount)
        return Order(
            number: orderCount, epoch: epoch,
            preparation: TablePreparation(of: contacts, around: epoch, reusing: table, keys: hourKeys))
    }

    /// Puts the table of an epoch in force; false while it is being made, and `add` will do it.
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

    /// Takes a table that was made; true when it is in force now because it was awaited. One that was ordered for
    /// other contacts is dropped.
    mutating func add(_ made: Made, number: UInt64, for epoch: Epoch) -> Bool {
        guard case .ordered(number)? = prepared[epoch] else { return false }
        prepared[epoch] = .made(made)
        guard awaited == epoch else { return false }
        put(made, inForceFor: epoch)
        return true
    }

    /// Makes the table in force anew for other contacts, and orders those that are being prepared again.
    mutating func contactsChanged(_ contacts: [PredictedContact], at epoch: Epoch) -> [Order] {
        (table, hourKeys) = TablePreparation(of: contacts, around: epoch).table()
        return prepared.keys.sorted().map { prepare($0, for: contacts) }
    }

    /// Drops the keys of the hours before this one.
    mutating func forget(before period: Period) {
        if let keys = hourKeys, keys.period < period { hourKeys = nil }
    }

    private mutating func put(_ made: Made?, inForceFor epoch: Epoch) {
        if let made {
            table = made.table
            // Keys of an hour that has passed must be forgotten, and nothing is derived from them any more.
            hourKeys = made.keys.flatMap { $0.period < epoch.period ? nil : $0 }
        }
        awaited = nil
        prepared = prepared.filter { $0.key > epoch }
    }
}

extension TablePreparation {
    /// Does the work on all threads of the pool.
    func carriedOut() async -> Predictions.Made {
        let assembly = assembly(of: await inPieces(pieces) { $0.run() })
        let (table, keys) = assembly.table(of: await inPieces(assembly.pieces) { $0.run() })
        return Predictions.Made(table: table, keys: keys)
    }
}

/// Returns what the pieces yield, in their order.
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
