internal import InklingKeys

/// The second stage of making a `PredictedTable`: builds the indices from derived values, in pieces of work that can
/// run in parallel.
public struct TableAssembly: Sendable {
    /// The pieces of work; they can run in any order and on any thread.
    public let pieces: [Piece]
    private let parts: [PredictedTable.Part]
    private let shape: NameIndexShape
    private let keys: PeriodKeys?
    private let withTags: Bool

    /// The values of an epoch that the table gains.
    struct Addition: Sendable {
        let epoch: Epoch
        let owners: Owners
        // In the order of the owners, one element for each shard.
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
        // The largest piece comes first, so that other threads do the smaller ones meanwhile.
        pieces =
            [Piece(material: material, work: .minors)]
            + (0..<shape.parts).map { Piece(material: material, work: .names($0)) }
            + (withTags ? (0..<shape.parts).map { Piece(material: material, work: .tags($0)) } : [])
    }

    /// One piece of work: the index of minors, or a part of the index of names or tags.
    public struct Piece: Sendable {
        fileprivate let material: Material
        fileprivate let work: Work

        /// Builds the index or the part.
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

    /// The result of one piece.
    public struct Product: Sendable {
        fileprivate enum Result: Sendable {
            case minors(MinorIndex)
            case names(NamePart)
            case tags(NamePart)
        }

        fileprivate let result: Result

        fileprivate init(_ result: Result) { self.result = result }
    }

    /// Creates the table from the results of the pieces.
    ///
    /// - Parameter products: the results of all `pieces`, in their order.
    /// - Returns: the table, and the keys of the latest period for which values were derived, for the next preparation.
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

/// The input that all pieces share.
private struct Material: Sendable {
    /// A bitmap of the epochs of `previous` that are kept; the last two bits of an epoch's number select its bit.
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
