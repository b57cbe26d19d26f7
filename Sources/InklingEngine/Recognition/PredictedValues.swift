public import InklingKeys

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

extension PredictedTable {
    /// The table of literal values, for scenarios: those of `epoch` and its neighbours are found.
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
                        names: SortedNames(values.map(\.name.octets), by: shape), minors: values.map(\.minor.value),
                        tags: SortedNames(values.map(\.tag.octets), by: shape))
                ])
        }
        let assembly = TableAssembly(
            keeping: [], of: PredictedTable(), adding: additions, in: shape, keys: nil, withTags: true)
        self = assembly.table(of: assembly.pieces.map { $0.run() }).table
    }
}
