public import InklingKeys

/// What all contacts are expected to show around one epoch, to be looked up by what is seen (`Specs/recognition.md`).
///
/// Values only, no keys. Every look-up returns all predictions of a value: minors collide by chance, and a contact
/// that passes on another's keys makes even names collide. It costs the same for ten contacts as for a million.
public struct PredictedTable: Sendable {
    /// The most predictions of one epoch; what is beyond is not found.
    public static let predictionsOfAnEpoch = 1 << 30 - 1

    // Ascending, neighbours, at most three.
    private let parts: [Part]
    // All epochs in one structure: three would have to be asked one after the other. An id is the place of the owner,
    // times 4, plus the last two bits of the epoch's number.
    private let names: NameIndex
    private let minors: MinorIndex
    private let tags: NameIndex?

    private struct Part: Sendable {
        let epoch: Epoch
        let owners: Owners
    }

    /// The table of somebody without contacts.
    public init() { self.init(keeping: [], of: nil, adding: [], withTags: false) }

    /// The table for use during `epoch`: its own predictions, and those of its neighbours on both sides, which are
    /// evidence near a boundary and show a replay elsewhere.
    ///
    /// All the work is done here and now; `TablePreparation` divides it.
    ///
    /// - Parameters:
    ///   - contacts: everybody to be recognised.
    ///   - epoch: the epoch in which the table is to be in force; it can be prepared ahead.
    ///   - previous: the table in force, made from the same contacts, whose epochs are taken over.
    ///   - withTags: whether tags are to be looked up as well.
    public init(
        of contacts: [PredictedContact], around epoch: Epoch, reusing previous: PredictedTable = .init(),
        withTags: Bool = false
    ) {
        let preparation = TablePreparation(of: contacts, around: epoch, reusing: previous, withTags: withTags)
        self = preparation.table(of: preparation.pieces.map { $0.run() }).table
    }

    /// How many predictions the table holds.
    public var count: Int { names.count }

    /// Bytes of memory for names and for minors, in all.
    public var byteCount: Int { names.byteCount + minors.byteCount }

    /// Everybody who might show this name in one of the table's epochs, ordered by epoch, then contact.
    public func predictions(for name: OpaqueServiceName) -> [Prediction] { sorted { names.forEach(of: name.octets, $0) } }

    /// Everybody who might show this minor in one of the table's epochs, ordered by epoch, then contact.
    public func predictions(for minor: BeaconMinor) -> [Prediction] { sorted { minors.forEach(of: minor.value, $0) } }

    /// Everybody who might show this tag in one of the table's epochs, ordered by epoch, then contact; nobody in a table
    /// without tags.
    public func predictions(for tag: RecognitionTag) -> [Prediction] { sorted { tags?.forEach(of: tag.octets, $0) } }

    /// Hands on everybody who might show this name, in no particular order and without allocating.
    public func forEachPrediction(for name: OpaqueServiceName, _ body: (Prediction) -> Void) {
        names.forEach(of: name.octets) { if let prediction = prediction($0) { body(prediction) } }
    }

    /// Hands on everybody who might show this minor, in no particular order and without allocating.
    public func forEachPrediction(for minor: BeaconMinor, _ body: (Prediction) -> Void) {
        minors.forEach(of: minor.value) { if let prediction = prediction($0) { body(prediction) } }
    }

    /// Hands on, for each of many names, its index and everybody who might show it: faster than one after the other.
    public func forEachPrediction(for names: Span<OpaqueServiceName>, _ body: (Int, Prediction) -> Void) {
        self.names.forEach(of: names, { $0.octets }) { index, id in
            if let prediction = prediction(id) { body(index, prediction) }
        }
    }

    /// Hands on, for each of many minors, its index and everybody who might show it: faster than one after the other.
    public func forEachPrediction(for minors: Span<BeaconMinor>, _ body: (Int, Prediction) -> Void) {
        self.minors.forEach(of: minors, { $0.value }) { index, id in
            if let prediction = prediction(id) { body(index, prediction) }
        }
    }

    private func prediction(_ id: UInt32) -> Prediction? {
        for part in parts where part.epoch.number & 3 == id & 3 {
            let place = Int(id >> 2)
            guard part.owners.list.indices.contains(place) else { return nil }
            return part.owners.list[place].prediction(in: part.epoch)
        }
        return nil
    }

    private func sorted(_ ids: ((UInt32) -> Void) -> Void) -> [Prediction] {
        var found: [(id: UInt32, prediction: Prediction)] = []
        ids { id in if let prediction = prediction(id) { found.append((id, prediction)) } }
        // By the id in the end, so that grants of one contact stay in the order in which they are held.
        return found.sorted {
            ($0.prediction.epoch, $0.prediction.contact, $0.prediction.device, $0.id)
                < ($1.prediction.epoch, $1.prediction.contact, $1.prediction.device, $1.id)
        }.map(\.prediction)
    }
}

// MARK: Putting together

extension PredictedTable {
    /// What is expected in one epoch, to be added.
    struct Addition {
        let epoch: Epoch
        let owners: Owners
        // Of the owners, in their order, shard after shard.
        let values: [ShownValues]
    }

    /// The epochs of which the table knows.
    var epochs: [Epoch] { parts.map(\.epoch) }

    var latestOwners: Owners? { parts.last?.owners }

    /// Whether another table can take over epochs of this one.
    func isReusable(withTags: Bool) -> Bool {
        count > 0 && (tags != nil) == withTags && !NameIndexBuilder.isOverfull(homes: names.homes, count: count)
    }

    /// The table of some epochs of an earlier one, and of others.
    init(keeping kept: [Epoch], of previous: PredictedTable?, adding added: [Addition], withTags: Bool) {
        let isKept: UInt32 = kept.reduce(0) { $0 | 1 << ($1.number & 3) }
        parts =
            ((previous?.parts ?? []).filter { kept.contains($0.epoch) }
            + added.map { Part(epoch: $0.epoch, owners: $0.owners) }).sorted { $0.epoch < $1.epoch }
        func index(_ before: NameIndex?, _ values: KeyPath<ShownValues, [Octets16]>) -> NameIndex {
            let fresh = NameIndexBuilder.homes(for: added.reduce(0) { $0 + $1.owners.list.count })
            var builder = NameIndexBuilder(homes: kept.isEmpty ? fresh : before?.homes ?? fresh)
            if let before, isKept != 0 { builder.insert(contentsOf: before) { isKept >> ($0 & 3) & 1 == 1 } }
            for one in added {
                var place: UInt32 = 0
                for values in one.values.lazy.map({ $0[keyPath: values] }) {
                    builder.insert(values) { (place &+ UInt32(truncatingIfNeeded: $0)) << 2 | one.epoch.number & 3 }
                    place &+= UInt32(truncatingIfNeeded: values.count)
                }
            }
            return builder.finished()
        }
        names = index(previous?.names, \.names)
        tags = withTags ? index(previous?.tags, \.tags) : nil
        var series: [MinorIndex.Series] = []
        for one in added {
            var place: UInt32 = 0
            for values in one.values {
                series.append(.init(minors: values.minors, firstID: place << 2 | one.epoch.number & 3, step: 4))
                place &+= UInt32(truncatingIfNeeded: values.minors.count)
            }
        }
        minors = MinorIndex(
            keeping: isKept == 0 ? nil : previous?.minors, where: { isKept >> ($0 & 3) & 1 == 1 }, adding: series)
    }
}
