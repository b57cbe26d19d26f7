internal import InklingKeys

/// The second stage of making a `PredictedTable`: builds the indices from derived values, in pieces of work that can
/// run in parallel.
public struct TableAssembly: Sendable {
    /// The pieces of work; they can run in any order and on any thread.
    public let pieces: [Piece]
    private let parts: [PredictedTable.Part]
    private let names: NameStorage
    private let tags: NameStorage?
    private let keys: PeriodKeys?

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
        self.keys = keys
        parts =
            (previous.parts.filter { kept.contains($0.epoch) }
            + added.map { PredictedTable.Part(epoch: $0.epoch, owners: $0.owners) }).sorted { $0.epoch < $1.epoch }
        let ids: UInt32 = kept.reduce(0) { $0 | 1 << ($1.number & 3) }
        let names = NameBuilding(
            keeping: previous.names.map { KeptNames(index: $0, ids: ids) }, adding: added, \.names, in: shape)
        let tags = NameBuilding(
            keeping: previous.tags.map { KeptNames(index: $0, ids: ids) }, adding: withTags ? added : [], \.tags,
            in: withTags ? shape : NameIndexShape(count: 0))
        self.names = names.storage
        self.tags = withTags ? tags.storage : nil
        // The largest piece comes first, so that other threads do the smaller ones meanwhile.
        pieces =
            [Piece(work: .minors(MinorBuilding(keeping: ids == 0 ? nil : previous.minors, ids, adding: added)))]
            + (0..<shape.parts).map { Piece(work: .names(names, part: $0)) }
            + (withTags ? (0..<shape.parts).map { Piece(work: .tags(tags, part: $0)) } : [])
    }

    /// One piece of work: the index of minors, or a part of the index of names or tags.
    ///
    /// The parts of an index are written into memory that they share, each once: a piece that is run again yields an
    /// empty result, and a table created from that is empty.
    public struct Piece: Sendable {
        fileprivate let work: Work

        /// Builds the index or the part.
        public func run() -> Product {
            switch work {
            case .minors(let building): Product(.minors(building.index()))
            case .names(let building, let part): Product(.names(building.part(part)))
            case .tags(let building, let part): Product(.tags(building.part(part)))
            }
        }
    }

    fileprivate enum Work: Sendable {
        case minors(MinorBuilding)
        case names(NameBuilding, part: Int)
        case tags(NameBuilding, part: Int)
    }

    /// The result of one piece.
    public struct Product: Sendable {
        fileprivate enum Result: Sendable {
            case minors(MinorIndex)
            case names(NamePart?)
            case tags(NamePart?)
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
        var nameParts: [NamePart] = []
        var tagParts: [NamePart] = []
        for product in products {
            switch product.result {
            case .minors(let index): minors = index
            case .names(let part): nameParts += [part].compactMap(\.self)
            case .tags(let part): tagParts += [part].compactMap(\.self)
            }
        }
        let table = PredictedTable(
            parts, names: NameIndex(names, nameParts), minors: minors, tags: tags.map { NameIndex($0, tagParts) })
        return (table, keys)
    }
}

/// The input of the pieces that build an index of names or tags.
private struct NameBuilding: Sendable {
    let storage: NameStorage
    private let kept: KeptNames?
    private let added: [NameSeries]

    init(
        keeping kept: KeptNames?, adding additions: [TableAssembly.Addition],
        _ chosen: KeyPath<ShownValues, SortedNames>, in shape: NameIndexShape
    ) {
        let added = additions.flatMap { one in
            var place: UInt32 = 0
            return one.values.map { values in
                defer { place &+= UInt32(truncatingIfNeeded: values[keyPath: chosen].count) }
                return NameSeries(names: values[keyPath: chosen], firstID: place << 2 | one.epoch.number & 3, step: 4)
            }
        }
        let kept = kept.flatMap { $0.ids != 0 && $0.index.shape == shape ? $0 : nil }
        let counts = (0..<shape.parts).map { part in
            added.reduce(kept?.count(ofPart: part) ?? 0) { $0 + $1.names.count(ofPart: part) }
        }
        (self.kept, self.added, storage) = (kept, added, NameStorage(shape, counts: counts))
    }

    func part(_ number: Int) -> NamePart? { NamePart(number, in: storage, keeping: kept, adding: added) }
}

/// The input of the piece that builds the index of minors.
private struct MinorBuilding: Sendable {
    private let previous: MinorIndex?
    // A bitmap in which the last two bits of an id select its bit.
    private let kept: UInt32
    private let added: [TableAssembly.Addition]

    init(keeping previous: MinorIndex?, _ kept: UInt32, adding added: [TableAssembly.Addition]) {
        (self.previous, self.kept, self.added) = (previous, kept, added)
    }

    func index() -> MinorIndex {
        var series: [MinorIndex.Series] = []
        for one in added {
            var place: UInt32 = 0
            for values in one.values {
                series.append(.init(minors: values.minors, firstID: place << 2 | one.epoch.number & 3, step: 4))
                place &+= UInt32(truncatingIfNeeded: values.minors.count)
            }
        }
        let kept = kept
        return MinorIndex(keeping: previous, where: { kept >> ($0 & 3) & 1 == 1 }, adding: series)
    }
}
