public import InklingKeys

/// What all contacts are expected to show around one epoch, to be looked up by what is seen (`Specs/recognition.md`).
///
/// Values only, no keys. Every look-up returns all predictions of a value: minors collide by chance, and a contact
/// that passes on another's keys makes even names collide. It costs the same for ten contacts as for a million.
public struct PredictedTable: Sendable {
    // Ascending; shared with the table before, so that most of a new table costs nothing.
    private let epochs: [EpochPredictions]

    /// The table of somebody without contacts.
    public init() { epochs = [] }

    /// The table for use during `epoch`: its own predictions, and those of its neighbours on both sides, which are
    /// evidence near a boundary and show a replay elsewhere.
    ///
    /// - Parameters:
    ///   - contacts: everybody to be recognised.
    ///   - epoch: the epoch in which the table is to be in force; it can be prepared ahead.
    ///   - previous: the table in force, made from the same contacts, whose epochs are taken over.
    public init(of contacts: [PredictedContact], around epoch: Epoch, reusing previous: PredictedTable = .init()) {
        epochs = [epoch.previous, epoch, epoch.next].compactMap { epoch in
            guard let epoch else { return nil }
            return previous.epochs.first { $0.epoch == epoch } ?? EpochPredictions(of: contacts, in: epoch)
        }
    }

    /// The table of literal values, for scenarios.
    ///
    /// - Parameters:
    ///   - shown: what contacts show in any epochs.
    ///   - epoch: the epoch in which the table is to be in force.
    public init(_ shown: [PredictedValues], around epoch: Epoch) {
        epochs = [epoch.previous, epoch, epoch.next].compactMap { epoch in
            epoch.map { epoch in EpochPredictions(shown.filter { $0.prediction.epoch == epoch }, in: epoch) }
        }
    }

    /// How many predictions the table holds.
    public var count: Int { epochs.reduce(0) { $0 + $1.count } }

    /// Everybody who might show this name in one of the table's epochs, ordered by contact.
    public func predictions(for name: OpaqueServiceName) -> [Prediction] {
        epochs.flatMap { $0.predictions(for: name) }
    }

    /// Everybody who might show this tag in one of the table's epochs, ordered by epoch, then contact.
    public func predictions(for tag: RecognitionTag) -> [Prediction] { epochs.flatMap { $0.predictions(for: tag) } }

    /// Everybody who might show this minor in one of the table's epochs, ordered by epoch, then contact.
    public func predictions(for minor: BeaconMinor) -> [Prediction] { epochs.flatMap { $0.predictions(for: minor) } }
}

/// What a contact's device shows in an epoch.
public struct PredictedValues: Hashable, Sendable {
    /// Whose values they are.
    public let prediction: Prediction
    /// On the local network.
    public let name: OpaqueServiceName
    /// By radio.
    public let minor: BeaconMinor
    /// To whoever connects by radio.
    public let tag: RecognitionTag

    /// What is shown.
    public init(_ prediction: Prediction, name: OpaqueServiceName, minor: BeaconMinor, tag: RecognitionTag) {
        self.prediction = prediction
        self.name = name
        self.minor = minor
        self.tag = tag
    }
}

/// What all contacts are expected to show in one epoch.
private struct EpochPredictions: Sendable {
    private struct Entry: Sendable {
        let prediction: Prediction
        // The next entry with the same value, or the end of the chain: two numbers are cheaper than two arrays.
        let nextOfName: Int32, nextOfMinor: Int32
    }

    private static let end: Int32 = -1

    let epoch: Epoch
    private var entries: [Entry] = []
    private var names: [OpaqueServiceName: Int32] = [:]
    private var minors: [BeaconMinor: Int32] = [:]

    private var tags: [RecognitionTag: [Prediction]] = [:]

    var count: Int { entries.count }

    init(_ shown: [PredictedValues], in epoch: Epoch) {
        self.epoch = epoch
        for values in shown {
            insert(values.prediction, values.name, values.minor)
            tags[values.tag, default: []].append(values.prediction)
        }
    }

    init(of contacts: [PredictedContact], in epoch: Epoch) {
        self.epoch = epoch
        // All contacts side by side, then the devices with the same index: what they show comes of the same messages.
        var nodes = NodeLanes(covering: epoch.period, capacity: contacts.reduce(0) { $0 + $1.grants.count })
        var held: [(contact: ContactID, grant: HeldGrant)] = []
        for contact in contacts {
            for grant in contact.grants where nodes.append(grant.tree.value) { held.append((contact.contact, grant)) }
        }
        let periodKeys = nodes.leaves()
        for device in Set(held.flatMap(\.grant.devices)).sorted() {
            let places = held.indices.filter { held[$0].grant.devices.contains(device) }
            let lanes = DeviceLanes(device, of: periodKeys.picked(places))
            let shown = zip(lanes.names(epoch), lanes.minors(epoch))
            for (place, (name, minor)) in zip(places, shown) {
                let prediction = Prediction(
                    contact: held[place].contact, device: device, audience: held[place].grant.audience, epoch: epoch)
                insert(prediction, name, minor)
            }
        }
    }

    func predictions(for name: OpaqueServiceName) -> [Prediction] {
        predictions(from: names[name], next: \.nextOfName)
    }

    func predictions(for tag: RecognitionTag) -> [Prediction] {
        (tags[tag] ?? []).sorted { ($0.contact, $0.device) < ($1.contact, $1.device) }
    }

    func predictions(for minor: BeaconMinor) -> [Prediction] {
        predictions(from: minors[minor], next: \.nextOfMinor)
    }

    private mutating func insert(_ prediction: Prediction, _ name: OpaqueServiceName, _ minor: BeaconMinor) {
        let index = Int32(clamping: entries.count)
        let nextOfName = names.updateValue(index, forKey: name) ?? Self.end
        let nextOfMinor = minors.updateValue(index, forKey: minor) ?? Self.end
        entries.append(Entry(prediction: prediction, nextOfName: nextOfName, nextOfMinor: nextOfMinor))
    }

    private func predictions(from head: Int32?, next: KeyPath<Entry, Int32>) -> [Prediction] {
        var found: [Prediction] = []
        var index = head ?? Self.end
        while index != Self.end {
            let entry = entries[Int(index)]
            found.append(entry.prediction)
            index = entry[keyPath: next]
        }
        // A chain runs from the newest entry to the oldest.
        return found.sorted { ($0.contact, $0.device) < ($1.contact, $1.device) }
    }
}
