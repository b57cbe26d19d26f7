internal import InklingEngine

/// A table that is in the making or made.
struct PreparedTable: Sendable {
    /// A table, and the keys that spare the next one the walk down every tree.
    struct Made: Sendable {
        let table: PredictedTable
        let keys: PeriodKeys?
    }

    /// Another one for each preparation of a run.
    let number: UInt64
    let preparation: TablePreparation
    var isBegun = false
    var made: Made?
}

extension TablePreparation {
    /// Does the work on all threads of the pool.
    func carriedOut() async -> PreparedTable.Made {
        let assembly = assembly(of: await inPieces(pieces) { $0.run() })
        let (table, keys) = assembly.table(of: await inPieces(assembly.pieces) { $0.run() })
        return PreparedTable.Made(table: table, keys: keys)
    }
}

/// What the pieces yield, in their order.
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
