import InklingAccess
import InklingEngine
import InklingKeys
import InklingNode
import InklingPredictions
import InklingTerminal

extension PredictionRequest: NodeRequest {
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
