public import InklingKeys

/// A lookup table of the values that all contacts are expected to show around one epoch (`Specs/recognition.md`).
///
/// It contains values and no keys. A lookup returns all predictions of a value: minors collide by chance, and even
/// names collide if a contact passes on another's keys. The cost of a lookup does not depend on the number of contacts.
public struct PredictedTable: Sendable {
    @usableFromInline let storage: Storage

    // A single reference makes copying a table cheap.
    @usableFromInline
    final class Storage: Sendable {
        // At most three, for consecutive epochs, ascending.
        let parts: [Part]
        // One index holds all epochs, because three would take three lookups. An id is the index of the owner times 4,
        // plus the last two bits of the epoch's number.
        @usableFromInline let names: NameIndex
        let minors: MinorIndex
        let tags: NameIndex?

        // Views avoid reference counting during lookups; the objects that they point into are kept alive by this class.
        @usableFromInline let view: NameView
        @usableFromInline let owners: OwnersOfIDs
        private let ownersByEpoch: OwnersByEpoch

        init(_ parts: [Part], _ names: NameIndex, _ minors: MinorIndex, _ tags: NameIndex?) {
            (self.parts, self.names, self.minors, self.tags) = (parts, names, minors, tags)
            view = names.view
            ownersByEpoch = OwnersByEpoch(parts.map { ($0.epoch, $0.owners) })
            owners = ownersByEpoch.view
        }
    }

    /// One epoch, and the owners to whom its ids refer.
    struct Part: Sendable {
        let epoch: Epoch
        let owners: Owners
    }

    /// Creates an empty table.
    public init() { self = Self.empty }

    private static let empty = PredictedTable(
        [], names: NameIndex([]), minors: MinorIndex([]), tags: nil)

    /// Creates the table of these epochs, whose values the indices contain.
    init(_ parts: [Part], names: NameIndex, minors: MinorIndex, tags: NameIndex?) {
        storage = Storage(parts, names, minors, tags)
    }

    /// Creates the table for use during `epoch`: the predictions of that epoch and of the two next to it. Those are
    /// evidence near a boundary; at other times they reveal replayed values.
    ///
    /// This derives everything before it returns. Use `TablePreparation` to divide the work among threads.
    ///
    /// - Parameters:
    ///   - contacts: the contacts to recognise.
    ///   - epoch: the epoch during which the table will be used; it may lie in the future.
    ///   - previous: the table now in use, made from the same contacts, whose epochs are reused.
    ///   - withTags: whether the table also contains tags.
    public init(
        of contacts: [PredictedContact], around epoch: Epoch, reusing previous: PredictedTable = .init(),
        withTags: Bool = false
    ) {
        self = TablePreparation(of: contacts, around: epoch, reusing: previous, withTags: withTags).table().table
    }

    /// The number of predictions in the table.
    public var count: Int { storage.names.count }

    /// The different minors of the predictions.
    public var predictedMinors: Set<BeaconMinor> { Set(storage.minors.present.lazy.map { BeaconMinor($0) }) }

    /// The memory that names and minors occupy, in bytes.
    public var byteCount: Int { storage.names.byteCount + storage.minors.byteCount }

    /// Returns the predictions of this name in the table's epochs, ordered by epoch, contact and device.
    public func predictions(for name: OpaqueServiceName) -> [Prediction] {
        sorted { storage.names.forEach(of: name.octets, $0) }
    }

    /// Returns the predictions of this minor in the table's epochs, ordered by epoch, contact and device.
    public func predictions(for minor: BeaconMinor) -> [Prediction] {
        sorted { storage.minors.forEach(of: minor.value, $0) }
    }

    /// Returns the predictions of this tag in the table's epochs, ordered by epoch, contact and device; none in a table
    /// without tags.
    public func predictions(for tag: RecognitionTag) -> [Prediction] {
        sorted { storage.tags?.forEach(of: tag.octets, $0) }
    }

    /// Calls `body` with each prediction of this name, in no particular order and, unless there are several, without
    /// allocating memory.
    @inlinable @inline(__always)
    public func forEachPrediction(for name: OpaqueServiceName, _ body: (Prediction) -> Void) {
        let view = storage.view
        var index = view.find(name.octets)
        if index == NameView.search { index = storage.names.resolve(name.octets) }
        if index < NameView.search {
            // The index has ids of this table's owners only.
            body(storage.owners.prediction(of: ContactID(rawValue: view.label(at: index)), at: view.id(at: index)))
        } else if index == NameView.search {
            for prediction in searched(name) { body(prediction) }
        }
    }

    // Kept out of line so that the common case needs few registers. It returns the predictions, because a closure that is
    // passed on would keep the caller's variables in memory.
    @usableFromInline @inline(never)
    func searched(_ name: OpaqueServiceName) -> [Prediction] {
        var found: [Prediction] = []
        for id in storage.names.all(of: name.octets) { storage.owners.with(id) { found.append($0) } }
        return found
    }

    /// Calls `body` with each prediction of this minor, in no particular order and without allocating memory.
    public func forEachPrediction(for minor: BeaconMinor, _ body: (Prediction) -> Void) {
        let owners = storage.owners
        storage.minors.forEach(of: minor.value) { owners.with($0, body) }
    }

    /// Calls `body` with the index of each of these names that is predicted and with each of its predictions; faster
    /// than one lookup per name.
    @inlinable @inline(__always)
    public func forEachPrediction(for names: Span<OpaqueServiceName>, _ body: (Int, Prediction) -> Void) {
        let (view, owners, table) = (storage.view, storage.owners, storage.names)
        unsafe names.withUnsafeBufferPointer { names in
            // `OpaqueServiceName` has the layout of its only stored property, an `Octets16`.
            unsafe names.withMemoryRebound(to: Octets16.self) { octets in
                unsafe view.forEachFound(of: octets) { position, found in
                    let index = unsafe found == NameView.search ? table.resolve(octets[position]) : found
                    if index < NameView.search {
                        let contact = ContactID(rawValue: view.label(at: index))
                        body(position, owners.prediction(of: contact, at: view.id(at: index)))
                    } else if index == NameView.search {
                        let name = unsafe OpaqueServiceName(octets[position])
                        for prediction in searched(name) { body(position, prediction) }
                    }
                }
            }
        }
    }

    /// Calls `body` with the index of each of these minors that is predicted and with each of its predictions; faster
    /// than one lookup per minor.
    public func forEachPrediction(for minors: Span<BeaconMinor>, _ body: (Int, Prediction) -> Void) {
        let owners = storage.owners
        storage.minors.forEach(of: minors, { $0.value }) { index, id in owners.with(id) { body(index, $0) } }
    }

    private func sorted(_ ids: ((UInt32) -> Void) -> Void) -> [Prediction] {
        var found: [(id: UInt32, prediction: Prediction)] = []
        ids { id in storage.owners.with(id) { found.append((id, $0)) } }
        guard found.count > 1 else { return found.map(\.prediction) }
        // The id comes last, so that several grants of one contact keep the order in which the contact lists them.
        return found.sorted {
            ($0.prediction.epoch, $0.prediction.contact, $0.prediction.device, $0.id)
                < ($1.prediction.epoch, $1.prediction.contact, $1.prediction.device, $1.id)
        }.map(\.prediction)
    }
}

// The parts that the preparation of the next table reads.
extension PredictedTable {
    var parts: [Part] { storage.parts }

    var names: NameIndex? { storage.names }

    var minors: MinorIndex { storage.minors }

    var tags: NameIndex? { storage.tags }

    var shape: NameIndexShape { storage.names.shape }

    var epochs: [Epoch] { storage.parts.map(\.epoch) }

    var latestOwners: Owners? { storage.parts.last?.owners }

    /// Whether a table of these epochs can reuse some of this one's epochs and its indices, which must not be overfull.
    func isReusable(for epochs: [Epoch], withTags: Bool) -> Bool {
        count > 0 && (tags != nil) == withTags && !shape.isOverfull(count)
            && self.epochs.contains(where: epochs.contains)
    }
}
