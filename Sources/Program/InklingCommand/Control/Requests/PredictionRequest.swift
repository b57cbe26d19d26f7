import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal

extension Request {
    /// Reports the values, not the keys, that the contacts or, with `own`, this node will show.
    struct Predictions: NodeRequest {
        static let name = "predictions", omitted: Set = ["own"]
        /// The maximum number of epochs: two days.
        static let limit: UInt32 = 192

        let from, to: UInt32
        let own: Bool?

        init(_ epochs: ClosedRange<Epoch>, own: Bool = false) {
            (from, to) = (epochs.lowerBound.number, epochs.upperBound.number)
            self.own = own ? true : nil
        }

        /// Returns the last epoch that a request from this one on may have, up to a last one.
        static func end(from first: Epoch, through last: Epoch) -> Epoch {
            min(Epoch(first.number + limit - 1) ?? last, last)
        }

        private var epochs: ClosedRange<Epoch>? {
            guard let first = Epoch(from), let last = Epoch(to), first <= last, to - from < Self.limit else {
                return nil
            }
            return first...last
        }

        func check() throws(JSONShapeError) {
            guard epochs != nil else {
                throw JSONShapeError(path: ["from", "to"], what: "must be 1 to \(Self.limit) epochs")
            }
        }

        func run(on served: ServedNode, for peer: Peer<PredictionFact>) async throws(Failure) {
            guard let epochs else { return }
            var first: Epoch? = epochs.lowerBound
            while let start = first, start <= epochs.upperBound, !Task.isCancelled {
                // One period at a time, so that a slow reader does not keep alive keys that the node has forgotten.
                let last = min(Epoch(start.period.firstEpoch.number + 3) ?? start, epochs.upperBound)
                for fact in await facts(start...last, served.node) where !Task.isCancelled { await peer.take(fact) }
                first = last.next
            }
        }

        private func facts(_ epochs: ClosedRange<Epoch>, _ node: Node) async -> [PredictionFact] {
            if own == true {
                let own = await node.ownPrediction().map { [$0] } ?? []
                return Forecast(of: own).epochs(epochs).flatMap { _, entries in
                    entries.map { PredictionFact($0, of: "", own: true) }
                }
            }
            let contacts = await node.recognisableContacts()
            let labels = Dictionary(
                uniqueKeysWithValues: zip(contacts.map(\.predicted.contact), PredictionSource.labels(of: contacts)))
            return Forecast(of: contacts.map(\.predicted)).epochs(epochs).flatMap { _, entries in
                entries.map { PredictionFact($0, of: labels[$0.prediction.contact] ?? "") }
            }
        }
    }
}

/// The values of a contact, or of this node itself, in an epoch.
struct PredictionFact: NodeFact, Hashable {
    static let kind = "prediction"

    let epoch: UInt32
    /// Empty for this node itself.
    let contact: String
    let device: UInt8
    let name: String
    let minor: UInt16
    /// Whether this node itself shows it.
    let own: Bool

    init(_ entry: Forecast.Entry, of contact: String, own: Bool = false) {
        epoch = entry.prediction.epoch.number
        self.contact = contact
        device = entry.prediction.device.number
        name = entry.name.description
        minor = entry.minor.value
        self.own = own
    }

    /// Returns the entry for a contact with this number; nil when a value is out of range.
    func entry(of number: Int) -> Forecast.Entry? {
        guard let epoch = Epoch(epoch), let device = DeviceIndex(device),
            let name = OpaqueServiceName(parsing: Array(name.utf8).span)
        else { return nil }
        // The fact does not name the audience, which matters only to a holder of its keys.
        let prediction = Prediction(
            contact: ContactID(rawValue: UInt32(clamping: number)), device: device, audience: .granted(0), epoch: epoch)
        return Forecast.Entry(prediction: prediction, name: name, minor: BeaconMinor(minor))
    }
}
