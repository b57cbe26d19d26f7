public import InklingKeys

/// The three values that one device of a contact shows in one epoch.
public struct PredictedValues: Hashable, Sendable {
    /// The device, the audience and the epoch of the values.
    public let prediction: Prediction
    /// The name, shown on the local network.
    public let name: OpaqueServiceName
    /// The minor, shown in the Bluetooth advertisement.
    public let minor: BeaconMinor
    /// The tag, shown to a device that connects by GATT.
    public let tag: RecognitionTag

    /// Creates the values of one prediction.
    public init(_ prediction: Prediction, name: OpaqueServiceName, minor: BeaconMinor, tag: RecognitionTag) {
        self.prediction = prediction
        self.name = name
        self.minor = minor
        self.tag = tag
    }
}

extension PredictedTable {
    /// Creates a table of given values, for tests and simulations; it contains those of `epoch` and of the two next to
    /// it.
    public init(_ shown: [PredictedValues], around epoch: Epoch) {
        let epochs = [epoch.previous, epoch, epoch.next].compactMap { $0 }
        let shape = NameIndexShape(count: shown.count { epochs.contains($0.prediction.epoch) })
        let additions = epochs.map { epoch in
            let values = shown.filter { $0.prediction.epoch == epoch }
            let owners = values.map { Owner($0.prediction.contact, $0.prediction.audience, $0.prediction.device) }
            return TableAssembly.Addition(
                epoch: epoch, owners: Owners([owners]),
                values: [
                    ShownValues(
                        names: SortedNames(
                            values.map(\.name.octets), labels: owners.map(\.contact.rawValue), by: shape),
                        minors: values.map(\.minor.value),
                        tags: SortedNames(values.map(\.tag.octets), labels: owners.map(\.contact.rawValue), by: shape))
                ])
        }
        let assembly = TableAssembly(
            keeping: [], of: PredictedTable(), adding: additions, in: shape, keys: nil, withTags: true)
        self = assembly.table(of: assembly.pieces.map { $0.run() }).table
    }
}
