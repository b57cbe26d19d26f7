internal import InklingKeys

/// The second half of making a `PredictedTable`: what was derived is put where it is found, in pieces that share nothing.
public struct TableAssembly: Sendable {
    /// The pieces of work.
    public let pieces: [Piece]
    private let parts: [PredictedTable.Part]
    private let shape: NameIndexShape
    private let keys: PeriodKeys?
    private let withTags: Bool

    /// What is expected in one epoch.
    struct Addition: Sendable {
        let epoch: Epoch
        let owners: Owners
        // Of the owners, in their order, shard after shard.
        let values: [ShownValues]
    }

    init(
        keeping kept: [Epoch], of previous: PredictedTable, adding added: [Addition], in shape: NameIndexShape,
        keys: PeriodKeys?, withTags: Bool
    ) {
        self.shape = shape
        self.keys = keys
        self.withTags = withTags
        parts =
            (previous.parts.filter { kept.contains($0.epoch) }
            + added.map { PredictedTable.Part(epoch: $0.epoch, owners: $0.owners) }).sorted { $0.epoch < $1.epoch }
        let material = Material(
            kept: kept.reduce(0) { $0 | 1 << ($1.number & 3) }, previous: previous, added: added, shape: shape)
        // The largest piece first, so that the others are done beside it.
        pieces =
            [Piece(material: material, work: .minors)]
            + (0..<shape.parts).map { Piece(material: material, work: .names($0)) }
            + (withTags ? (0..<shape.parts).map { Piece(material: material, work: .tags($0)) } : [])
    }

    /// Some of the look-up structures of a table.
    public struct Piece: Sendable {
        fileprivate let material: Material
        fileprivate let work: Work

        /// Does the work.
        public func run() -> Product {
            switch work {
            case .minors: Product(.minors(material.minors()))
            case .names(let part): Product(.names(material.part(part, of: \.names, \.names)))
            case .tags(let part): Product(.tags(material.part(part, of: \.tags, \.tags)))
            }
        }
    }

    fileprivate enum Work: Sendable {
        case minors
        case names(Int)
        case tags(Int)
    }

    /// What a piece yields.
    public struct Product: Sendable {
        fileprivate enum Result: Sendable {
            case minors(MinorIndex)
            case names(NamePart)
            case tags(NamePart)
        }

        fileprivate let result: Result

        fileprivate init(_ result: Result) { self.result = result }
    }

    /// Puts together what the pieces yielded.
    ///
    /// - Parameter products: what `pieces` yielded, in their order.
    /// - Returns: the table, and the keys of the latest period of which something was derived, for the next preparation.
    public func table(of products: [Product]) -> (table: PredictedTable, keys: PeriodKeys?) {
        var minors = MinorIndex([])
        var names: [NamePart] = []
        var tags: [NamePart] = []
        for product in products {
            switch product.result {
            case .minors(let index): minors = index
            case .names(let part): names.append(part)
            case .tags(let part): tags.append(part)
            }
        }
        let table = PredictedTable(
            parts, names: NameIndex(shape, names), minors: minors, tags: withTags ? NameIndex(shape, tags) : nil)
        return (table, keys)
    }
}

/// What the pieces are made of.
private struct Material: Sendable {
    /// A bit for each epoch of `previous` that is kept, by the last two bits of its number.
    let kept: UInt32
    let previous: PredictedTable
    let added: [TableAssembly.Addition]
    let shape: NameIndexShape

    func part(
        _ part: Int, of index: KeyPath<PredictedTable, NameIndex?>, _ chosen: KeyPath<ShownValues, SortedNames>
    ) -> NamePart {
        var builder = NamePartBuilder(part, of: shape)
        let kept = kept
        if kept != 0, let before = previous[keyPath: index] {
            builder.insert(contentsOf: before) { kept >> ($0 & 3) & 1 == 1 }
        }
        for one in added {
            var place: UInt32 = 0
            for values in one.values {
                let names = values[keyPath: chosen]
                builder.insert(names, firstID: place << 2 | one.epoch.number & 3, step: 4)
                place &+= UInt32(truncatingIfNeeded: names.count)
            }
        }
        return builder.finished()
    }

    func minors() -> MinorIndex {
        var series: [MinorIndex.Series] = []
        for one in added {
            var place: UInt32 = 0
            for values in one.values {
                series.append(.init(minors: values.minors, firstID: place << 2 | one.epoch.number & 3, step: 4))
                place &+= UInt32(truncatingIfNeeded: values.minors.count)
            }
        }
        let kept = kept
        return MinorIndex(
            keeping: kept == 0 ? nil : previous.minors, where: { kept >> ($0 & 3) & 1 == 1 }, adding: series)
    }
}
