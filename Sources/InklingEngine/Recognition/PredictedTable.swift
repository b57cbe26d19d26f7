public import InklingKeys

/// What all contacts are expected to show around one epoch, to be looked up by what is seen (`Specs/recognition.md`).
///
/// Values only, no keys. Every look-up returns all predictions of a value: minors collide by chance, and a contact
/// that passes on another's keys makes even names collide. It costs the same for ten contacts as for a million.
public struct PredictedTable: Sendable {
    private let storage: Storage

    // One reference, so that a table is copied for next to nothing.
    private final class Storage: Sendable {
        // Ascending, neighbours, at most three.
        let parts: [Part]
        // All epochs in one structure: three would have to be asked one after the other. An id is the place of the
        // owner, times 4, plus the last two bits of the epoch's number.
        let names: NameIndex
        let minors: MinorIndex
        let tags: NameIndex?

        // Without references to count; what they show is kept by the rest.
        let view: NameView
        let owners: OwnersOfIDs
        private let ownersByEpoch: OwnersByEpoch

        init(_ parts: [Part], _ names: NameIndex, _ minors: MinorIndex, _ tags: NameIndex?) {
            (self.parts, self.names, self.minors, self.tags) = (parts, names, minors, tags)
            view = names.view
            ownersByEpoch = OwnersByEpoch(parts.map { ($0.epoch, $0.owners) })
            owners = ownersByEpoch.view
        }
    }

    /// One epoch, and whose values its ids mean.
    struct Part: Sendable {
        let epoch: Epoch
        let owners: Owners
    }

    /// The table of somebody without contacts.
    public init() { self = Self.empty }

    private static let empty = PredictedTable(
        [], names: NameIndex([]), minors: MinorIndex([]), tags: nil)

    /// The table of these epochs, whose values the indices hold.
    init(_ parts: [Part], names: NameIndex, minors: MinorIndex, tags: NameIndex?) {
        storage = Storage(parts, names, minors, tags)
    }

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
        self = TablePreparation(of: contacts, around: epoch, reusing: previous, withTags: withTags).table().table
    }

    /// How many predictions the table holds.
    public var count: Int { storage.names.count }

    /// Bytes of memory for names and for minors, in all.
    public var byteCount: Int { storage.names.byteCount + storage.minors.byteCount }

    /// Everybody who might show this name in one of the table's epochs, ordered by epoch, then contact.
    public func predictions(for name: OpaqueServiceName) -> [Prediction] {
        sorted { storage.names.forEach(of: name.octets, $0) }
    }

    /// Everybody who might show this minor in one of the table's epochs, ordered by epoch, then contact.
    public func predictions(for minor: BeaconMinor) -> [Prediction] {
        sorted { storage.minors.forEach(of: minor.value, $0) }
    }

    /// Everybody who might show this tag in one of the table's epochs, ordered by epoch, then contact; nobody in a table
    /// without tags.
    public func predictions(for tag: RecognitionTag) -> [Prediction] {
        sorted { storage.tags?.forEach(of: tag.octets, $0) }
    }

    /// Hands on everybody who might show this name, in no particular order and without allocating.
    public func forEachPrediction(for name: OpaqueServiceName, _ body: (Prediction) -> Void) {
        let id = storage.view.find(name.octets)
        if id < NameView.several {
            storage.owners.with(id, body)
        } else if id == NameView.several {
            forEachOfSeveral(name, body)
        }
    }

    // By itself, so that the usual case needs few registers.
    @inline(never)
    private func forEachOfSeveral(_ name: OpaqueServiceName, _ body: (Prediction) -> Void) {
        for id in storage.names.all(of: name.octets) { storage.owners.with(id, body) }
    }

    /// Hands on everybody who might show this minor, in no particular order and without allocating.
    public func forEachPrediction(for minor: BeaconMinor, _ body: (Prediction) -> Void) {
        let owners = storage.owners
        storage.minors.forEach(of: minor.value) { owners.with($0, body) }
    }

    /// Hands on, for each of many names, its index and everybody who might show it: faster than one after the other.
    public func forEachPrediction(for names: Span<OpaqueServiceName>, _ body: (Int, Prediction) -> Void) {
        let owners = storage.owners
        unsafe names.withUnsafeBufferPointer { names in
            // A name is its 16 bytes and nothing else.
            unsafe names.withMemoryRebound(to: Octets16.self) { octets in
                unsafe storage.view.forEachBatch(of: octets, asking: owners.ask) { index, id in
                    if id == NameView.several {
                        for id in unsafe storage.names.all(of: octets[index]) { owners.with(id) { body(index, $0) } }
                    } else {
                        owners.with(id) { body(index, $0) }
                    }
                }
            }
        }
    }

    /// Hands on, for each of many minors, its index and everybody who might show it: faster than one after the other.
    public func forEachPrediction(for minors: Span<BeaconMinor>, _ body: (Int, Prediction) -> Void) {
        let owners = storage.owners
        storage.minors.forEach(of: minors, { $0.value }) { index, id in owners.with(id) { body(index, $0) } }
    }

    private func sorted(_ ids: ((UInt32) -> Void) -> Void) -> [Prediction] {
        var found: [(id: UInt32, prediction: Prediction)] = []
        ids { id in storage.owners.with(id) { found.append((id, $0)) } }
        guard found.count > 1 else { return found.map(\.prediction) }
        // By the id in the end, so that grants of one contact stay in the order in which they are held.
        return found.sorted {
            ($0.prediction.epoch, $0.prediction.contact, $0.prediction.device, $0.id)
                < ($1.prediction.epoch, $1.prediction.contact, $1.prediction.device, $1.id)
        }.map(\.prediction)
    }
}

// What the making of the next table asks.
extension PredictedTable {
    var parts: [Part] { storage.parts }

    var names: NameIndex? { storage.names }

    var minors: MinorIndex { storage.minors }

    var tags: NameIndex? { storage.tags }

    var shape: NameIndexShape { storage.names.shape }

    var epochs: [Epoch] { storage.parts.map(\.epoch) }

    var latestOwners: Owners? { storage.parts.last?.owners }

    /// Whether another table can take over some of these epochs.
    func isReusable(for epochs: [Epoch], withTags: Bool) -> Bool {
        count > 0 && (tags != nil) == withTags && !shape.isOverfull(count)
            && self.epochs.contains(where: epochs.contains)
    }
}
